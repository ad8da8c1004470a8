import ChatAPI
import Synchronization

/// The events of a controller, in order, for one or more readers; each event goes to one of them.
///
/// Responses can take their place among the events: see ``ChatController/post(_:as:)``. They go to whoever reads
/// ``nextOutput()``; other readers see events only.
///
/// Whoever receives from the network waits for room before it goes on, so that a program that reads slowly slows down
/// its peers instead of filling memory. Events of commands do not wait.
public final class EventQueue: Sendable {
  /// An event, or an error outside of commands.
  public typealias Element = APIResult<ChatEvent>

  private struct Reader {
    var id: UInt64
    var takesResponses: Bool
    var continuation: CheckedContinuation<ChatOutput?, Never>
  }

  private struct State {
    var events: [Element] = []
    /// How many of `events` were taken already.
    var taken = 0
    /// How many events were ever taken.
    var takenEver = 0
    /// Responses, with how many events there ever were before them.
    var responses: [(after: Int, number: UInt64, result: APIResult<ChatResponse>)] = []
    var readers: [Reader] = []
    var writers: [CheckedContinuation<Void, Never>] = []
    var nextReader: UInt64 = 0
    var isClosed = false

    var count: Int { events.count - taken }

    mutating func take(responses isAsked: Bool) -> ChatOutput? {
      if isAsked, let next = responses.first, next.after <= takenEver {
        responses.removeFirst()
        return .response(next.number, next.result)
      }
      guard taken < events.count else { return nil }
      let event = events[taken]
      taken += 1
      takenEver += 1
      if taken > 256, taken * 2 > events.count {
        events.removeFirst(taken)
        taken = 0
      }
      return .event(event)
    }
  }

  private let limit: Int
  // Readers outside of any actor take what the controller gives.
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  /// Adds an event without waiting.
  func push(_ event: Element) {
    let reader = state.withLock { state -> CheckedContinuation<ChatOutput?, Never>? in
      guard !state.isClosed else { return nil }
      guard state.readers.isEmpty else {
        state.takenEver += 1
        return state.readers.removeFirst().continuation
      }
      state.events.append(event)
      return nil
    }
    reader?.resume(returning: .event(event))
  }

  /// Adds a response behind the events that there are.
  func push(_ result: APIResult<ChatResponse>, to number: UInt64) {
    let reader = state.withLock { state -> CheckedContinuation<ChatOutput?, Never>? in
      guard !state.isClosed else { return nil }
      // Who waits has taken everything before.
      if let index = state.readers.firstIndex(where: \.takesResponses) {
        return state.readers.remove(at: index).continuation
      }
      state.responses.append((state.takenEver + state.count, number, result))
      return nil
    }
    reader?.resume(returning: .response(number, result))
  }

  /// Whether there is room.
  var hasRoom: Bool { state.withLock { $0.isClosed || $0.count < limit } }

  /// Waits until there is room, or the task is cancelled.
  func room() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          if state.isClosed || state.count < limit || Task.isCancelled { return true }
          state.writers.append(continuation)
          return false
        }
        if isFree { continuation.resume() }
      }
    } onCancel: {
      // The others look again.
      let writers = state.withLock { state in
        defer { state.writers = [] }
        return state.writers
      }
      for writer in writers { writer.resume() }
    }
  }

  /// Ends the queue: readers get what is left, then nil.
  func close() {
    let (readers, writers) = state.withLock { state in
      state.isClosed = true
      defer { (state.readers, state.writers) = ([], []) }
      return (state.readers, state.writers)
    }
    for reader in readers { reader.continuation.resume(returning: nil) }
    for writer in writers { writer.resume() }
  }

  /// The next event; nil when the controller was closed, or nothing came in this time. Nil as time waits for ever.
  public func next(within time: Duration? = nil) async -> Element? {
    guard let time else { return await wait(responses: false)?.event }
    if let event = takeReady() { return event }
    if time <= .zero { return nil }
    let waiting = Task { await self.wait(responses: false)?.event }
    let timer = Task {
      try? await Task.sleep(for: time)
      waiting.cancel()
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await waiting.value
    } onCancel: {
      waiting.cancel()
    }
  }

  /// The next event or response, each at its place; nil when the controller was closed or the task cancelled.
  public func nextOutput() async -> ChatOutput? { await wait(responses: true) }

  private func takeReady() -> Element? {
    let (output, writers) = state.withLock { state -> (ChatOutput?, [CheckedContinuation<Void, Never>]) in
      guard let output = state.take(responses: false) else { return (nil, []) }
      return (output, freed(&state))
    }
    for writer in writers { writer.resume() }
    return output?.event
  }

  private func freed(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
    guard state.count < limit else { return [] }
    defer { state.writers = [] }
    return state.writers
  }

  private func wait(responses: Bool) async -> ChatOutput? {
    let reader = state.withLock { state in
      state.nextReader += 1
      return state.nextReader
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        typealias Outcome = (isDone: Bool, output: ChatOutput?, writers: [CheckedContinuation<Void, Never>])
        let outcome = state.withLock { state -> Outcome in
          if let output = state.take(responses: responses) { return (true, output, freed(&state)) }
          if state.isClosed || Task.isCancelled { return (true, nil, []) }
          state.readers.append(Reader(id: reader, takesResponses: responses, continuation: continuation))
          return (false, nil, [])
        }
        for writer in outcome.writers { writer.resume() }
        if outcome.isDone { continuation.resume(returning: outcome.output) }
      }
    } onCancel: {
      cancel(reader)
    }
  }

  private func cancel(_ reader: UInt64) {
    let continuation = state.withLock { state -> CheckedContinuation<ChatOutput?, Never>? in
      guard let index = state.readers.firstIndex(where: { $0.id == reader }) else { return nil }
      return state.readers.remove(at: index).continuation
    }
    continuation?.resume(returning: nil)
  }
}

/// The events of a controller as a sequence.
public struct ChatEvents: AsyncSequence, Sendable {
  /// An event, or an error outside of commands.
  public typealias Element = APIResult<ChatEvent>

  let queue: EventQueue

  /// Reads the events.
  public struct Iterator: AsyncIteratorProtocol {
    let queue: EventQueue

    /// The next event; nil when the controller was closed or the task cancelled.
    public mutating func next() async -> APIResult<ChatEvent>? { await queue.next() }
  }

  /// An iterator; several of them share the events.
  public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }
}
