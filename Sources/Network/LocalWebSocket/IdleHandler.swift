import NIOCore
import NIOWebSocket

/// Sends pings to a client that is silent, and closes its connection when nothing follows for long.
///
/// While the program does not read, since it is busy with what has arrived, silence means nothing. A client that takes
/// nothing for the same time is closed, too.
final class IdleHandler: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = WebSocketFrame
  typealias OutboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let interval: TimeAmount
  /// The time after the first ping until the connection is closed; nil for never.
  private let timeout: TimeAmount?
  private var nextCheck: Scheduled<Void>?
  /// Whether a read is pending.
  private var isReading = true
  /// Whether anything has arrived since the last check.
  private var wasHeard = true
  /// The time since the first ping without an answer.
  private var silentTime = TimeAmount.zero
  /// The time for which the client has taken nothing.
  private var stuckTime = TimeAmount.zero
  /// Whether the client has taken everything at any time since the last check.
  private var hasTaken = true

  /// - Parameters:
  ///   - interval: the time between checks: a client is sent a ping after one to two of them, and again after each.
  ///   - timeout: the time from the first ping until the connection is closed; nil for never.
  init(interval: Duration, timeout: Duration?) {
    self.interval = TimeAmount(interval)
    self.timeout = timeout.map { TimeAmount($0) }
  }

  func handlerAdded(context: ChannelHandlerContext) { scheduleCheck(context) }

  func handlerRemoved(context: ChannelHandlerContext) { nextCheck?.cancel() }

  private func scheduleCheck(_ context: ChannelHandlerContext) {
    nextCheck = context.eventLoop.assumeIsolated().scheduleTask(in: interval) { self.check(context) }
  }

  private func check(_ context: ChannelHandlerContext) {
    guard context.channel.isActive else { return }
    scheduleCheck(context)
    stuckTime = hasTaken || context.channel.isWritable ? .zero : stuckTime + interval
    hasTaken = context.channel.isWritable
    if let timeout, stuckTime >= timeout { return context.close(promise: nil) }
    guard !wasHeard, isReading else {
      (wasHeard, silentTime) = (false, .zero)
      return
    }
    if let timeout, silentTime >= timeout { return context.close(promise: nil) }
    silentTime = silentTime + interval
    // One that takes nothing does not take pings either.
    guard context.channel.isWritable else { return }
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
