import AgentCore
import Synchronization

/// The events of an agent, in order, for one reader. It ends when the agent is closed.
///
/// When more than a limit of events wait, the agent takes nothing more from relays until the reader has caught up; so
/// the memory for events is bounded, and nothing is lost.
public struct AgentEvents: AsyncSequence, Sendable {
  let channel: AgentEventChannel

  /// Returns one event after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let channel: AgentEventChannel

    /// The next event; nil after the agent was closed, and where the task is cancelled.
    public func next() async -> AgentEvent? { await channel.next() }

    /// The next event; nil after the agent was closed, and where the task is cancelled.
    public func next(isolation actor: isolated (any Actor)?) async -> AgentEvent? { await channel.next() }
  }

  /// The next events that wait, at least one and at most `limit`; nil after the agent was closed, and where the task is
  /// cancelled. For readers that handle many events at the cost of one.
  public func next(limit: Int) async -> [AgentEvent]? {
    guard let first = await channel.next() else { return nil }
    return [first] + channel.take(limit: limit - 1)
  }

  /// Starts to read.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel: channel) }
}

/// The events that wait for the application: a channel with one reader, which can take many events at once, and with
/// back-pressure for those who cause events. The `ChatEventQueue` of the chat core is a broadcast instead: each of its
/// readers sees every event.
final class AgentEventChannel: Sendable {
  private struct State {
    var events: [AgentEvent] = []
    /// Events before this index were taken.
    var taken = 0
    var reader: CheckedContinuation<AgentEvent?, Never>?
    var writers: [CheckedContinuation<Void, Never>] = []
    var isFinished = false

    var waiting: Int { events.count - taken }

    mutating func takeFirst() -> AgentEvent? {
      guard taken < events.count else { return nil }
      let event = events[taken]
      taken += 1
      if taken == events.count || taken >= 1_024 {
        events.removeFirst(taken)
        taken = 0
      }
      return event
    }
  }

  private let state = Mutex(State())
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Adds events. They are always taken; ``waitForRoom()`` is what holds back those who cause them.
  func send(_ events: [AgentEvent]) {
    let delivery = state.withLock { state -> (CheckedContinuation<AgentEvent?, Never>, AgentEvent?)? in
      guard !state.isFinished else { return nil }
      state.events += events
      guard let reader = state.reader, let event = state.takeFirst() else { return nil }
      state.reader = nil
      return (reader, event)
    }
    if let (reader, event) = delivery { reader.resume(returning: event) }
  }

  /// The next event; nil at the end.
  func next() async -> AgentEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isAnswered, event, replaced, writers) = state.withLock { state in
          let event = state.takeFirst()
          let writers = state.waiting <= limit / 2 ? state.writers : []
          if !writers.isEmpty { state.writers = [] }
          if event != nil || state.isFinished || Task.isCancelled {
            return (true, event, CheckedContinuation<AgentEvent?, Never>?.none, writers)
          }
          let replaced = state.reader
          state.reader = continuation
          return (false, nil, replaced, writers)
        }
        for writer in writers { writer.resume() }
        replaced?.resume(returning: nil)
        if isAnswered { continuation.resume(returning: event) }
      }
    } onCancel: {
      let reader = state.withLock { state in
        defer { state.reader = nil }
        return state.reader
      }
      reader?.resume(returning: nil)
    }
  }

  /// Events that wait.
  func take(limit: Int) -> [AgentEvent] {
    let (events, writers) = state.withLock { state in
      var events: [AgentEvent] = []
      while events.count < limit, let event = state.takeFirst() { events.append(event) }
      guard state.waiting <= self.limit / 2 else { return (events, [CheckedContinuation<Void, Never>]()) }
      defer { state.writers = [] }
      return (events, state.writers)
    }
    for writer in writers { writer.resume() }
    return events
  }

  /// Waits while too many events wait.
  func waitForRoom() async {
    let isFull = state.withLock { $0.waiting >= limit && !$0.isFinished }
    guard isFull else { return }
    await withCheckedContinuation { continuation in
      let isFull = state.withLock { state in
        let isFull = state.waiting >= limit && !state.isFinished
        if isFull { state.writers.append(continuation) }
        return isFull
      }
      if !isFull { continuation.resume() }
    }
  }

  /// Ends the sequence; events that wait can still be taken.
  func finish() {
    let (reader, writers) = state.withLock { state in
      state.isFinished = true
      defer {
        state.reader = nil
        state.writers = []
      }
      return (state.reader, state.writers)
    }
    reader?.resume(returning: nil)
    for writer in writers { writer.resume() }
  }
}
