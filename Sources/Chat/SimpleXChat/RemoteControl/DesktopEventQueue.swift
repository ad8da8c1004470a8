import ChatAPI
import RemoteControlProtocol
import Synchronization

/// The events that wait for the desktop of a session, as the JSON that it gets.
///
/// Nothing is dropped. While the events reach the limit, the core takes no more messages from the agent; events of
/// commands do not wait. If that lasts for ``patience``, the session has to be ended: the desktop does not read.
final class DesktopEventQueue: Sendable {
  /// The size of waiting events in bytes from which on no messages are received.
  static let limit = 32 << 20
  /// The time for which the queue may be full.
  static let patience = Duration.seconds(30)
  /// The longest time for which a request waits for an event.
  static let longestWait = Duration.seconds(60)

  private struct Reader {
    var id: UInt64
    var continuation: CheckedContinuation<RemoteResult?, Never>
  }

  private struct State {
    var events: [RemoteResult] = []
    /// How many of `events` were taken already.
    var taken = 0
    /// The size of the events that wait, in bytes.
    var size = 0
    var readers: [Reader] = []
    var lastReader: UInt64 = 0
    /// Ends the session when the queue was full for too long.
    var overdue: Task<Void, Never>?
    var isClosed = false

    mutating func take() -> RemoteResult? {
      guard taken < events.count else { return nil }
      let event = events[taken]
      taken += 1
      size -= event.size
      if taken == events.count {
        events = []
        taken = 0
      } else if taken > 256, taken * 2 > events.count {
        events.removeFirst(taken)
        taken = 0
      }
      return event
    }
  }

  private let limit: Int
  private let patience: Duration
  // Mutex: requests of the desktop are outside of any actor.
  private let state = Mutex(State())
  private let onOverdue: @Sendable () -> Void

  /// - Parameter onOverdue: called once if the queue is full for so long.
  init(
    limit: Int = DesktopEventQueue.limit, patience: Duration = DesktopEventQueue.patience,
    onOverdue: @escaping @Sendable () -> Void
  ) {
    self.limit = limit
    self.patience = patience
    self.onOverdue = onOverdue
  }

  deinit { state.withLock { $0.overdue?.cancel() } }

  /// Whether the session has ended.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Whether messages may be received.
  var hasRoom: Bool { state.withLock { $0.isClosed || $0.size < limit } }

  /// Adds an event without waiting.
  func push(_ event: ChatEventQueue.Element) {
    guard let event = RemoteResult(event) else { return }
    let reader = state.withLock { state -> Reader? in
      guard !state.isClosed else { return nil }
      guard state.readers.isEmpty else { return state.readers.removeFirst() }
      state.events.append(event)
      state.size += event.size
      if state.size >= limit, state.overdue == nil { state.overdue = awaitReader() }
      return nil
    }
    reader?.continuation.resume(returning: event)
  }

  private func awaitReader() -> Task<Void, Never> {
    Task { [patience, onOverdue] in
      do { try await Task.sleep(for: patience) } catch { return }
      onOverdue()
    }
  }

  /// The next event; nil after this time, and when the session has ended.
  func next(within time: Duration) async -> RemoteResult? {
    let time = min(max(time, .zero), Self.longestWait)
    let reader = state.withLock { state in
      state.lastReader += 1
      return state.lastReader
    }
    let end = ContinuousClock.now + time
    let timer = Task { [weak self] in
      do { try await Task.sleep(until: end, clock: .continuous) } catch { return }
      self?.cancel(reader)
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome = state.withLock { state -> (isDone: Bool, event: RemoteResult?) in
          if let event = state.take() {
            if state.size < limit {
              state.overdue?.cancel()
              state.overdue = nil
            }
            return (true, event)
          }
          // The timer may have come first.
          if state.isClosed || Task.isCancelled || ContinuousClock.now >= end { return (true, nil) }
          state.readers.append(Reader(id: reader, continuation: continuation))
          return (false, nil)
        }
        if outcome.isDone { continuation.resume(returning: outcome.event) }
      }
    } onCancel: {
      cancel(reader)
    }
  }

  private func cancel(_ reader: UInt64) {
    let found = state.withLock { state -> Reader? in
      guard let index = state.readers.firstIndex(where: { $0.id == reader }) else { return nil }
      return state.readers.remove(at: index)
    }
    found?.continuation.resume(returning: nil)
  }

  /// Ends the queue: requests that wait get nothing, and what is left is dropped.
  func close() {
    let readers = state.withLock { state in
      state.isClosed = true
      state.overdue?.cancel()
      (state.events, state.taken, state.size) = ([], 0, 0)
      defer { state.readers = [] }
      return state.readers
    }
    for reader in readers { reader.continuation.resume(returning: nil) }
  }
}

extension RemoteResult {
  /// The size of its JSON in bytes.
  var size: Int {
    switch self {
    case .result(let json), .error(let json): json.utf8.count
    }
  }

  /// A response or event in the JSON of hosts, with tagged sums; nil for one that could not be read.
  init?(_ result: APIResult<some ChatAPIResult>) {
    switch result {
    case .result(let value): self = .result(json: value.jsonText())
    case .error(let error): self = .error(json: error.jsonText())
    case .invalid: return nil
    }
  }
}
