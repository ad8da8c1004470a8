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
    /// All data that has arrived, up to a limit; never empty.
    case data([ByteBuffer])
    case end
  }

  /// The deadline of a stream.
  private struct Deadline {
    var limit: TimeAmount
    /// How many bytes begin the time again; nil for a deadline of the whole.
    var renewal: Int?
    /// How long a reader that it fails may still answer.
    var grace: TimeAmount
    var timer: Scheduled<Void>?
  }

  /// The size in bytes from which no further buffer is added to a part: its reader copies it, so it is in memory twice.
  private static let partLimit = 128 << 10

  private var received = ReceivedParts()
  private var waiting: EventLoopPromise<Part>?
  /// How many bytes who waits wants at least.
  private var minimum = 1
  private var failure: HTTP2Error?
  private var isEnded = false
  private var hasHead = false
  private var isClosed = false
  private var context: ChannelHandlerContext?
  private let headReceived: ((HTTP2Head) -> Void)?
  private var deadline: Deadline?
  /// The bytes that passed since the deadline was last renewed.
  private var passed = 0
  /// When the deadline began or was last renewed.
  private var lastRenewal = NIODeadline.now()
  /// The write before, which the next one waits for.
  var lastWrite: EventLoopFuture<Void>?
  /// Who waits for it at a client's side.
  private var writer: EventLoopPromise<Void>?
  /// The bytes that passed since that was last noted.
  private var unnoted = 0
  private let progress: StreamProgress
  private let unread: UnreadFrames
  /// The number of the stream; nil until it is known.
  private var number: Int?

  /// A server learns of the head at once; a client asks for it.
  init(_ progress: StreamProgress, _ unread: UnreadFrames, headReceived: ((HTTP2Head) -> Void)? = nil) {
    self.progress = progress
    self.unread = unread
    self.headReceived = headReceived
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { context.read() }
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  /// Begins to count what is not taken. A client's stream gets its number with its first frame.
  func countUnread() {
    guard number == nil, !isClosed,
      let stream = try? context?.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
    else { return }
    let number = Int(stream)
    self.number = number
    unread.open(number)
  }

  func channelActive(context: ChannelHandlerContext) {
    countUnread()
    if headReceived != nil { context.read() }
    context.fireChannelActive()
  }

  /// The next part. Called again only when the previous one has come.
  /// - Parameter count: the bytes that data has at least, unless a head or the end follows.
  func next(on loop: any EventLoop, atLeast count: Int = 1) -> EventLoopFuture<Part> {
    minimum = min(count, Self.partLimit)
    if hasEnough, let part = take() { return loop.makeSucceededFuture(part) }
    if let failure { return take().map { loop.makeSucceededFuture($0) } ?? loop.makeFailedFuture(failure) }
    let promise = loop.makePromise(of: Part.self)
    waiting = promise
    context?.read()
    return promise.futureResult
  }

  /// When a write has passed to the system. A server may answer before it has read the whole request, and read no more:
  /// at a client's side what waits then fails with ``HTTP2Error/answered``.
  func passed(_ write: EventLoopFuture<Void>?, on loop: any EventLoop) -> EventLoopFuture<Void> {
    guard let write else { return loop.makeSucceededVoidFuture() }
    guard headReceived == nil else { return write }
    if isEnded { return loop.makeFailedFuture(HTTP2Error.answered) }
    let promise = loop.makePromise(of: Void.self)
    writer = promise
    write.assumeIsolated().whenComplete { result in
      // Otherwise it has failed already.
      guard self.writer?.futureResult === promise.futureResult else { return }
      self.writer = nil
      promise.completeWith(result)
    }
    if readsForWriter { context?.read() }
    return promise.futureResult
  }

  /// Whether to read what may be a whole response, while a write waits. About a window more than that is kept.
  private var readsForWriter: Bool { writer != nil && received.count < Self.partLimit }

  /// Whether what has arrived is a part for who waits.
  private var hasEnough: Bool {
    received.count >= minimum || isEnded || received.beginsWithHead
  }

  /// What has arrived, or the end after it.
  private func take() -> Part? { received.take(upTo: Self.partLimit) ?? (isEnded ? .end : nil) }

  /// Fails what waits, and everything after what has arrived.
  func fail(_ error: HTTP2Error) {
    if failure == nil, !isEnded { failure = error }
    guard let waiting = waiting.take() else { return }
    if let part = take() { waiting.succeed(part) } else { waiting.fail(failure ?? error) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .headers(let headers):
      let head = HTTP2Head(headers.headers)
      // A server may send any number of informational ones before a response (RFC 9110, section 15.2), and trailers
      // after it: of a response the one in between is kept.
      guard headReceived != nil || !(100..<200).contains(head.status) else { break }
      if let headReceived { headReceived(head) } else if mayReceive, !hasHead { received.append(head) }
      hasHead = true
      if headers.endStream { isEnded = true }
    case .data(let data):
      if case .byteBuffer(let buffer) = data.data, buffer.readableBytes > 0 {
        notePassed(buffer.readableBytes)
        if mayReceive { received.append(buffer) }
      }
      if data.endStream { isEnded = true }
    default: break
    }
  }

  /// What was read may have been frames that are no parts, such as updates of the window.
  func channelReadComplete(context: ChannelHandlerContext) {
    if let number { unread.take(number) }
    if waiting != nil, hasEnough, let part = take() { waiting.take()?.succeed(part) }
    if isEnded { writer.take()?.fail(HTTP2Error.answered) }
    // After the end there are only frames without data, and they are dropped.
    if waiting != nil || readsForWriter || isEnded || (headReceived != nil && !hasHead) { context.read() }
    context.fireChannelReadComplete()
  }

  private var mayReceive: Bool { !isEnded && failure == nil }

  // MARK: Deadlines

  /// Begins a deadline in place of the previous one; see ``HTTP2Stream/setDeadline(_:renewedBy:grace:)``.
  func setDeadline(_ limit: TimeAmount, renewedBy bytes: Int?, grace: TimeAmount) {
    deadline?.timer?.cancel()
    guard !isClosed, let context else { return }
    deadline = Deadline(limit: limit, renewal: bytes, grace: grace)
    (passed, lastRenewal) = (0, .now())
    schedule(limit, on: context.eventLoop)
  }

  private func schedule(_ time: TimeAmount, on loop: any EventLoop) {
    deadline?.timer = loop.assumeIsolated().scheduleTask(in: time) { self.deadlineReached() }
  }

  /// Counts bytes that were received, or passed to the system.
  func notePassed(_ count: Int) {
    unnoted += count
    if unnoted >= StreamProgress.step {
      unnoted = 0
      progress.note()
    }
    guard let renewal = deadline?.renewal else { return }
    passed += count
    if passed >= renewal { (passed, lastRenewal) = (0, .now()) }
  }

  /// What a frame is written as. Where progress renews the deadline, data is written in steps, so that progress is
  /// known before all of it has passed; otherwise at once, which takes less time.
  func steps(of frame: HTTP2Frame.FramePayload) -> [HTTP2Frame.FramePayload] {
    guard deadline?.renewal != nil, case .data(let data) = frame, case .byteBuffer(var rest) = data.data,
      rest.readableBytes > StreamProgress.step
    else { return [frame] }
    var steps: [HTTP2Frame.FramePayload] = []
    while let step = rest.readSlice(length: min(rest.readableBytes, StreamProgress.step)), step.readableBytes > 0 {
      let isLast = rest.readableBytes == 0
      steps.append(.data(.init(data: .byteBuffer(step), endStream: isLast && data.endStream)))
    }
    return steps
  }

  private func deadlineReached() {
    guard let deadline, let context else { return }
    let end = lastRenewal + deadline.limit
    if deadline.renewal != nil, end > .now() { return schedule(end - .now(), on: context.eventLoop) }
    let mayAnswer = waiting != nil && deadline.grace > .zero && failure == nil
    fail(.timeout)
    guard mayAnswer else { return context.close(promise: nil) }
    self.deadline = Deadline(limit: deadline.grace, renewal: nil, grace: .zero)
    schedule(deadline.grace, on: context.eventLoop)
  }

  // MARK: Errors

  func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(HTTP2Error(error)) }

  func channelInactive(context: ChannelHandlerContext) {
    isClosed = true
    if let number { unread.close(number) }
    deadline?.timer?.cancel()
    fail(.connection(.closed))
    context.fireChannelInactive()
  }
}
