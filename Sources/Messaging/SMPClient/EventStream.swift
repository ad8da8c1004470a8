import SMPClientCore
import SMPProtocol
import Synchronization

/// The events of a connection or client, in order, for one reader. They end when the connection does for good.
///
/// Events that wait for the reader are counted in bytes; whoever adds them can wait until it has caught up. So a relay
/// that sends faster than its messages are handled has to wait itself.
public struct EventStream<Event: Sendable>: AsyncSequence, Sendable {
  /// What is read.
  public typealias Element = Event
  /// Reading never fails.
  public typealias Failure = Never

  private let stream: AsyncStream<(event: Event, size: Int)>
  private let sink: AsyncStream<(event: Event, size: Int)>.Continuation
  private let unread: UnreadBytes

  /// An empty stream; `limit` is the size in bytes from which ``waitForReader()`` waits.
  init(limit: Int) {
    (stream, sink) = AsyncStream.makeStream()
    let unread = UnreadBytes(limit: limit)
    self.unread = unread
    // Also where the task of the reader is cancelled: then nobody reads any more.
    sink.onTermination = { _ in unread.finish() }
  }

  /// Reads the events.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: stream.makeAsyncIterator(), unread: unread)
  }

  /// Adds an event of about this size in bytes.
  func add(_ event: Event, size: Int) {
    unread.add(size)
    sink.yield((event, size))
  }

  /// Waits while too much is unread. Returns at the end, too.
  func waitForReader() async { await unread.waitForReader() }

  /// Whether somebody waits for the reader.
  var isHeld: Bool { unread.isHeld }

  /// Ends the stream; what is unread can still be read.
  func finish() { sink.finish() }

  /// Reads the events of a stream.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// What is read.
    public typealias Element = Event
    /// Reading never fails.
    public typealias Failure = Never

    fileprivate var base: AsyncStream<(event: Event, size: Int)>.AsyncIterator
    fileprivate let unread: UnreadBytes

    /// The next event; nil at the end, and when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
      guard let (event, size) = await base.next(isolation: actor) else { return nil }
      unread.remove(size)
      return event
    }
  }
}

/// The size of unread events, and who waits for it to fall.
private final class UnreadBytes: Sendable {
  private struct State {
    var bytes = 0
    var isFinished = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  var isHeld: Bool { state.withLock { !$0.waiting.isEmpty } }

  func add(_ size: Int) { state.withLock { $0.bytes += size } }

  /// Lets those go on who wait, when half of the limit is free: not for each event.
  func remove(_ size: Int) {
    let released = state.withLock { state in
      state.bytes -= size
      guard state.bytes <= limit / 2, !state.waiting.isEmpty else { return [] as [CheckedContinuation<Void, Never>] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiting in released { waiting.resume() }
  }

  func waitForReader() async {
    guard state.withLock({ $0.bytes > limit && !$0.isFinished }) else { return }
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        guard state.bytes > limit, !state.isFinished else { return true }
        state.waiting.append(continuation)
        return false
      }
      if goesOn { continuation.resume() }
    }
  }

  func finish() {
    let released = state.withLock { state in
      state.isFinished = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiting in released { waiting.resume() }
  }
}

extension RequestPipeline.Event {
  /// About the memory in bytes that it takes while it waits.
  var size: Int {
    if case .msg(let message) = self.message { message.box.count + 256 } else { 256 }
  }
}
