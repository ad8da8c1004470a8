import NIOCore
import NIOHTTP2

/// The end of the pipeline of one stream: keeps what arrived until it is asked for. Used on the event loop only.
///
/// The stream reads from the connection only while somebody waits for a part, so that the peer's window closes when
/// nobody reads: no more than a window of data is kept.
final class HTTP2StreamHandler: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload

  /// What arrives at a stream.
  enum Part {
    case head(HTTP2Head)
    case data(ByteBuffer)
    case end
  }

  private var parts = CircularBuffer<Part>()
  private var waiting: EventLoopPromise<Part>?
  private var failure: HTTP2Error?
  private var isEnded = false
  private var hasHead = false
  private var context: ChannelHandlerContext?
  private let headReceived: ((HTTP2Head) -> Void)?
  /// The write before, which the next one waits for.
  var lastWrite: EventLoopFuture<Void>?
  /// Cancelled when the stream is closed.
  var deadline: Scheduled<Void>?

  /// A server learns of the head at once; a client asks for it.
  init(headReceived: ((HTTP2Head) -> Void)? = nil) { self.headReceived = headReceived }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { context.read() }
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    if headReceived != nil { context.read() }
    context.fireChannelActive()
  }

  /// The next part. Called again only when the previous one has come.
  func next(on loop: any EventLoop) -> EventLoopFuture<Part> {
    if let part = parts.popFirst() { return loop.makeSucceededFuture(part) }
    if isEnded { return loop.makeSucceededFuture(.end) }
    if let failure { return loop.makeFailedFuture(failure) }
    let promise = loop.makePromise(of: Part.self)
    waiting = promise
    context?.read()
    return promise.futureResult
  }

  /// Fails what waits, and everything after what has arrived.
  func fail(_ error: HTTP2Error) {
    if failure == nil, !isEnded { failure = error }
    waiting.take()?.fail(failure ?? error)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .headers(let headers):
      let head = HTTP2Head(headers.headers)
      hasHead = true
      if let headReceived { headReceived(head) } else { receive(.head(head)) }
      if headers.endStream { end() }
    case .data(let data):
      if case .byteBuffer(let buffer) = data.data, buffer.readableBytes > 0 { receive(.data(buffer)) }
      if data.endStream { end() }
    default: break
    }
  }

  /// What was read may have been frames that are no parts, such as updates of the window.
  func channelReadComplete(context: ChannelHandlerContext) {
    if waiting != nil || (headReceived != nil && !hasHead) { context.read() }
    context.fireChannelReadComplete()
  }

  private func receive(_ part: Part) {
    guard !isEnded, failure == nil else { return }
    if let waiting = waiting.take() { waiting.succeed(part) } else { parts.append(part) }
  }

  private func end() {
    guard !isEnded else { return }
    isEnded = true
    waiting.take()?.succeed(.end)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(HTTP2Error(error)) }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    fail(.connection(.closed))
    context.fireChannelInactive()
  }
}
