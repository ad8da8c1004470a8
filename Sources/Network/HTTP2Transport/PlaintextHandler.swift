import NIOCore
import SimplexTransport

/// Joins TLS to handlers of NIO: decrypted bytes go up the pipeline, and written bytes are encrypted.
///
/// Stands directly after the TLS handler, on the same event loop.
final class PlaintextHandler: ChannelDuplexHandler, PlaintextReceiver {
  typealias InboundIn = Never
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = Never

  private let tls: TLSHandler
  private var context: ChannelHandlerContext?
  private var isClosed = false
  /// When the peer last sent something.
  private(set) var lastReceived = NIODeadline.now()

  init(_ tls: TLSHandler) { self.tls = tls }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  // MARK: From TLS

  func read(from engine: TLSEngine) throws(TLSError) -> Bool {
    lastReceived = .now()
    while engine.mayHaveInput, let context, !isClosed {
      var buffer = context.channel.allocator.buffer(capacity: TLSEngine.recordSize)
      var failure: TLSError?
      var reading = TLSEngine.Reading.needsInput
      buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: TLSEngine.recordSize) { space in
        do throws(TLSError) { reading = try engine.read(into: space) } catch { failure = error }
        if case .bytes(let count) = reading { return count }
        return 0
      }
      if let failure { throw failure }
      switch reading {
      case .bytes: context.fireChannelRead(wrapInboundOut(buffer))
      case .needsInput: return false
      case .ended: return true
      }
    }
    return false
  }

  func readComplete() { context?.fireChannelReadComplete() }

  func writabilityChanged(_ isWritable: Bool) { context?.fireChannelWritabilityChanged() }

  func connectionClosed(_ error: TransportError?) {
    guard !isClosed else { return }
    isClosed = true
    if let error { context?.fireErrorCaught(error) }
    context?.fireChannelInactive()
  }

  // MARK: To TLS

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let buffer = unwrapOutboundIn(data)
    do throws(TransportError) {
      try tls.write(buffer.readableBytesSpan, promise: promise)
    } catch {
      promise?.fail(error)
    }
  }

  func flush(context: ChannelHandlerContext) { tls.flush() }
}
