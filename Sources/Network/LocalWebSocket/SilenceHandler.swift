import NIOCore
import NIOWebSocket

/// Sends a ping to a client that is silent, and closes its connection when nothing follows.
///
/// While the program does not read, since it is busy with what has arrived, silence means nothing. A client that takes
/// nothing for the same time is closed, too.
final class SilenceHandler: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = WebSocketFrame
  typealias OutboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let interval: TimeAmount
  private var nextCheck: Scheduled<Void>?
  /// Whether a read is pending.
  private var isReading = true
  /// Whether anything has arrived since the last check.
  private var wasHeard = true
  /// Whether a ping was sent since then.
  private var isPinged = false
  /// Whether the client has taken everything at any time since the last check.
  private var hasTaken = true

  /// - Parameter interval: the time between checks: a client is sent a ping after one to two of them, and its
  ///   connection is closed after one more.
  init(interval: Duration) { self.interval = TimeAmount(interval) }

  func handlerAdded(context: ChannelHandlerContext) { scheduleCheck(context) }

  func handlerRemoved(context: ChannelHandlerContext) { nextCheck?.cancel() }

  private func scheduleCheck(_ context: ChannelHandlerContext) {
    nextCheck = context.eventLoop.assumeIsolated().scheduleTask(in: interval) { self.check(context) }
  }

  private func check(_ context: ChannelHandlerContext) {
    guard context.channel.isActive else { return }
    scheduleCheck(context)
    let isStuck = !hasTaken && !context.channel.isWritable
    hasTaken = context.channel.isWritable
    if isStuck { return context.close(promise: nil) }
    guard !wasHeard, isReading else {
      (wasHeard, isPinged) = (false, false)
      return
    }
    if isPinged { return context.close(promise: nil) }
    isPinged = true
    context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer())), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    wasHeard = true
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    context.fireChannelReadComplete()
  }

  func read(context: ChannelHandlerContext) {
    isReading = true
    context.read()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { hasTaken = true }
    context.fireChannelWritabilityChanged()
  }
}
