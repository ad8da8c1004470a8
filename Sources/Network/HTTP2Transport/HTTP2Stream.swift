import NIOCore
import NIOHTTP2
import SimplexTransport

/// One request with its response. Both bodies are streamed with flow control: reading and writing take constant memory.
///
/// For one task at a time in each direction. Release it only when both bodies have ended, or after ``reset()``.
public final class HTTP2Stream: Sendable {
  private let channel: any Channel
  private let handler: NIOLoopBound<HTTP2StreamHandler>
  private let progress: StreamProgress

  init(channel: any Channel, handler: HTTP2StreamHandler, progress: StreamProgress) {
    self.channel = channel
    self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
    self.progress = progress
  }

  /// The time since the last 16 KB were received or passed to the system, or since the stream began. From any thread.
  public var idleTime: Duration { progress.idleTime }

  private var loop: any EventLoop { channel.eventLoop }

  // MARK: Receiving

  /// The head of the response; called first on a client's side.
  public func head() async throws(HTTP2Error) -> HTTP2Head {
    switch try await next() {
    case .head(let head): return head
    case .data, .end: throw .protocolViolation("a response without a head")
    }
  }

  /// The next bytes of the body, as many as have arrived, up to 128 KB and a frame; nil at its end. Trailers are
  /// skipped.
  /// - Parameter count: the number of bytes to wait for, at most 128 KB, unless the body ends before. A larger number
  ///   means fewer switches to the event loop.
  public func read(atLeast count: Int = 1) async throws(HTTP2Error) -> [UInt8]? {
    while true {
      switch try await next(atLeast: count) {
      case .data(let buffers): return Self.bytes(of: buffers)
      case .head: continue
      case .end: return nil
      }
    }
  }

  private static func bytes(of buffers: [ByteBuffer]) -> [UInt8] {
    let count = buffers.reduce(0) { $0 + $1.readableBytes }
    return [UInt8](unsafeUninitializedCapacity: count) { space, initialized in
      for buffer in buffers {
        buffer.withUnsafeReadableBytes { bytes in
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(space)[initialized...])
            .copyMemory(from: bytes)
        }
        initialized += buffer.readableBytes
      }
    }
  }

  /// Reads and discards the rest of the body, up to a number of bytes; returns whether it ended.
  public func discardRest(limit: Int) async throws(HTTP2Error) -> Bool {
    var left = limit
    while let part = try await read() {
      left -= part.count
      if left < 0 { return false }
    }
    return true
  }

  private func next(atLeast count: Int = 1) async throws(HTTP2Error) -> HTTP2StreamHandler.Part {
    do {
      return try await loop.flatSubmit { [handler, loop] in handler.value.next(on: loop, atLeast: count) }.get()
    } catch {
      throw HTTP2Error(error)
    }
  }

  // MARK: Sending

  /// Sends the head. `isWhole` ends the stream, which then has no body.
  public func send(_ head: HTTP2Head, isWhole: Bool = false) async throws(HTTP2Error) {
    try await write(.headers(.init(headers: head.headers, endStream: isWhole)))
  }

  /// Sends a part of the body; `isLast` ends it. Returns when the part before it was passed to the system: at most two
  /// parts are in memory. Fails with ``HTTP2Error/answered`` where the server's whole response has come; then
  /// ``reset()`` the stream when it is read.
  public func send(_ bytes: [UInt8], isLast: Bool = false) async throws(HTTP2Error) {
    try await write(.data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: isLast)))
  }

  private func write(_ frame: HTTP2Frame.FramePayload) async throws(HTTP2Error) {
    do {
      try await loop.flatSubmit { [handler, loop, channel] () -> EventLoopFuture<Void> in
        let previous = handler.value.lastWrite
        for step in handler.value.steps(of: frame) {
          let written = channel.write(step)
          if case .data(let data) = step, data.data.readableBytes > 0 {
            let count = data.data.readableBytes
            written.assumeIsolated().whenSuccess { handler.value.notePassed(count) }
          }
          handler.value.lastWrite = written
          // Nobody has to wait for it any more, also where the response has come meanwhile.
          written.assumeIsolated().whenSuccess {
            if handler.value.lastWrite === written { handler.value.lastWrite = nil }
          }
        }
        channel.flush()
        handler.value.countUnread()
        return handler.value.passed(previous, on: loop)
      }.get()
    } catch {
      throw HTTP2Error(error)
    }
  }

  /// Returns when everything that was sent was passed to the system.
  public func flush() async throws(HTTP2Error) {
    do {
      try await loop.flatSubmit { [handler, loop] in
        handler.value.passed(handler.value.lastWrite, on: loop)
      }.get()
    } catch {
      throw HTTP2Error(error)
    }
  }

  // MARK: Ending

  /// Calls `body` when the stream has ended, also with its connection; at once where it has. On any thread.
  public func whenEnded(_ body: @escaping @Sendable () -> Void) { channel.closeFuture.whenComplete { _ in body() } }

  /// Cancels the stream where it has not ended. From any thread.
  public func reset() { channel.close(promise: nil) }

  /// Cancels the stream with ``HTTP2Error/timeout`` unless it has ended before; replaces the previous deadline.
  /// - Parameters:
  ///   - bytes: the number of bytes, received or passed to the system, that renew the deadline; nil for a deadline of
  ///     the whole transfer.
  ///   - grace: how long a waiting reader, which gets ``HTTP2Error/timeout``, may still answer before the stream is
  ///     cancelled.
  public func setDeadline(_ limit: Duration, renewedBy bytes: Int? = nil, grace: Duration = .zero) {
    let (limit, grace) = (TimeAmount(limit), TimeAmount(grace))
    loop.execute { [handler] in handler.value.setDeadline(limit, renewedBy: bytes, grace: grace) }
  }
}
