/// The destination of responses: a connection, or a proxy's connection with one more box around them.
public protocol ResponseTarget: AnyObject, Sendable {
  /// Sends a response; from any thread.
  func send(_ response: Response)

  /// Whether it may be subscribed, so that the order matters in which it is told of a queue.
  var maySubscribe: Bool { get }

  /// Whether the connection is closed. Then the relay is, or was, told to forget it.
  var isClosed: Bool { get }

  /// Called when so many bytes of its commands begin to wait for the store, and with a negative number when they are
  /// stored; from any thread.
  func addWaiting(bytes: Int)
}

extension ResponseTarget {
  /// True by default.
  public var maySubscribe: Bool { true }

  /// A no-op by default.
  public func addWaiting(bytes: Int) {}
}

/// A client from the point of view of the relay's shards. Simulations and tests have sessions of their own; shards are
/// specialized for this type, which is faster.
public struct Client: Hashable, Sendable {
  /// The connection.
  public let target: any ResponseTarget

  /// The client of a connection.
  public init(_ target: any ResponseTarget) { self.target = target }

  /// Whether it is the same connection.
  public static func == (left: Client, right: Client) -> Bool { left.target === right.target }

  /// Hashes the identity of the connection.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(target)) }
}
