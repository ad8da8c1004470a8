/// The handler of one connection. It may write as soon as it is created. All methods are called on the connection's
/// event loop and must not block.
public protocol BlockHandler: AnyObject {
  /// A whole block arrived. It may be changed in place, for example decrypted, and is valid only during the call.
  func blockReceived(_ block: inout MutableRawSpan)
  /// All blocks that were received together were delivered: the time to flush what was written for them.
  func blocksComplete()
  /// The peer takes blocks more slowly than we send them, or has caught up.
  func writabilityChanged(_ isWritable: Bool)
  /// The connection was closed; the last call. Without an error the peer or we closed it gracefully.
  func connectionClosed(_ error: TransportError?)
}

extension BlockHandler {
  /// Does nothing.
  public func blocksComplete() {}
  /// Does nothing.
  public func writabilityChanged(_ isWritable: Bool) {}
}

/// The size of the blocks between message relays and clients, and of a connection that sets no other: 16,384 bytes.
/// Source: simplex-messaging.md, "Transport handshake".
public let transportBlockSize = 16384
