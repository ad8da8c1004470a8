import ChatAPI
import Synchronization

/// The events of a controller, in order.
///
/// Every reader of ``ChatController/events`` sees every event from then on; the first reader also sees what happened
/// before it. Those who call ``next(within:)`` or ``nextOutput()`` are one reader together: each event goes to one of
/// them. Responses can be ordered with the events (``ChatController/post(_:as:)``); callers of ``nextOutput()`` get
/// them.
///
/// A program that has once called ``next(within:)`` has to continue calling it: events are kept for its next call.
///
/// Buffer policy: nothing is dropped. While the events that wait for the slowest reader reach the limit, nothing more
/// is received from the network, so that a program that reads slowly slows down its peers instead of filling memory.
/// Events of commands do not wait. A reader that ends is not waited for.
///
/// While a desktop controls this device, it gets the events of this queue itself: those who call ``next(within:)`` or
/// ``nextOutput()`` get only what is about the session (``moveEvents(to:)``). Readers of ``ChatController/events`` get
/// all of them.
///
/// This is a broadcast to any number of readers, with responses ordered among the events. The agent's
/// `AgentEventChannel` has another contract, which a broadcast cannot keep: exactly one reader, the chat core, takes
/// events in batches and confirms them, and writers continue only when half of the limit is free.
public final class ChatEventQueue: Sendable {
  /// An event, or an error outside of commands.
  public typealias Element = APIResult<ChatEvent>

  private struct Reader {
    var id: UInt64
    var takesResponses: Bool
    var continuation: CheckedContinuation<ChatOutput?, Never>
  }

  /// A queue that gets the same events; it ends with its reader.
  private struct Subscriber {
    weak var queue: ChatEventQueue?
  }

  /// An event that waits.
  private struct Entry {
    var output: ChatOutput
    /// The size in bytes of JSON of an event of a mobile device; 0 for others.
    var remoteSize = 0
  }

  private struct State {
    var events: [Entry] = []
    /// How many of `events` were taken already.
    var taken = 0
    /// The sum of the sizes of events of mobile devices that wait.
    var remoteSize = 0
    /// How many events were ever taken.
    var takenEver = 0
    /// Responses, with how many events there ever were before them.
    var responses: [(after: Int, number: UInt64, result: APIResult<ChatResponse>)] = []
    var readers: [Reader] = []
    var writers: [CheckedContinuation<Void, Never>] = []
    var nextReader: UInt64 = 0
    var isClosed = false
    /// Whether somebody reads this queue itself, not only its subscribers.
    var isRead = false
    var subscribers: [Subscriber] = []
    /// Whether there ever was a subscriber that does not only observe.
    var hadSubscriber = false
    /// Gets the events that are not about the session, while a desktop controls this device.
    var desktop: DesktopEventQueue?
    /// Whether this queue goes on getting them too.
    var sharesEvents = false

    /// Whether events are kept here: for its readers, or for the first subscriber.
    var keepsEvents: Bool { isRead || !hadSubscriber }

    var count: Int { events.count - taken }

    mutating func add(_ subscriber: Subscriber) {
      subscribers.removeAll { $0.queue == nil }
      subscribers.append(subscriber)
    }

    mutating func take(responses isAsked: Bool) -> ChatOutput? {
      if isAsked, let next = responses.first, next.after <= takenEver {
        responses.removeFirst()
        return .response(next.number, next.result)
      }
      guard taken < events.count else { return nil }
      let event = events[taken]
      taken += 1
      takenEver += 1
      remoteSize -= event.remoteSize
      if taken > 256, taken * 2 > events.count {
        events.removeFirst(taken)
        taken = 0
      }
      return event.output
    }
  }

  private let limit: Int
  // Mutex: readers are outside of any actor.
  private let state = Mutex(State())

  /// The queue whose events this one gets too.
  private let source: ChatEventQueue?

  private let logger: (@Sendable (ChatLogLine) -> Void)?

  init(limit: Int, source: ChatEventQueue? = nil, logger: (@Sendable (ChatLogLine) -> Void)? = nil) {
    self.limit = limit
    self.source = source
    self.logger = logger
  }

  deinit { source?.wakeWriters() }

  /// Adds an event without waiting.
  func push(_ event: Element) {
    logger?(ChatLogLine(event: event))
    let (reader, subscribers) = state.withLock {
      state -> (CheckedContinuation<ChatOutput?, Never>?, [ChatEventQueue]) in
      guard !state.isClosed else { return (nil, []) }
      let subscribers = state.subscribers.compactMap(\.queue)
      if let desktop = state.desktop, !event.staysOnDevice {
        desktop.push(event)
        if !state.sharesEvents { return (nil, subscribers) }
      }
      guard state.readers.isEmpty else {
        state.takenEver += 1
        return (state.readers.removeFirst().continuation, subscribers)
      }
      if state.keepsEvents { state.events.append(Entry(output: .event(event))) }
      return (nil, subscribers)
    }
    reader?.resume(returning: .event(event))
    for subscriber in subscribers { subscriber.push(event) }
  }

  /// The size in bytes of JSON of waiting events of mobile devices from which on they are too many.
  static let remoteSizeLimit = 32 << 20

  /// Whether so many events wait that those of mobile devices, which cannot be held back, are too many.
  var isOverfull: Bool {
    state.withLock { $0.count >= limit * 8 || $0.remoteSize >= Self.remoteSizeLimit }
  }

  /// Adds an event of a mobile device without waiting. Only those who read the queue itself get it.
  /// - Parameters:
  ///   - host: the mobile device, a database id.
  ///   - size: the size of the event in bytes of JSON.
  func push(_ event: Element, ofRemoteHost host: Int64, size: Int) {
    logger?(ChatLogLine(event: event))
    let output = ChatOutput.remoteEvent(host, event)
    let reader = state.withLock { state -> CheckedContinuation<ChatOutput?, Never>? in
      guard !state.isClosed else { return nil }
      guard state.readers.isEmpty else {
        state.takenEver += 1
        return state.readers.removeFirst().continuation
      }
      if state.keepsEvents {
        state.events.append(Entry(output: output, remoteSize: size))
        state.remoteSize += size
      }
      return nil
    }
    reader?.resume(returning: output)
  }

  /// A queue that gets all events from now on; the first one also those that nobody has read yet.
  func subscribe() -> ChatEventQueue {
    let queue = ChatEventQueue(limit: limit, source: self)
    // References to readers are released after the lock: the last one of a reader takes it.
    let (isClosed, readers) = state.withLock { state -> (Bool, [ChatEventQueue]) in
      let readers = state.subscribers.compactMap(\.queue)
      let isFirst = state.keepsEvents && !state.isRead
      state.add(Subscriber(queue: queue))
      state.hadSubscriber = true
      guard isFirst else { return (state.isClosed, readers) }
      // Under the lock, so that no later event comes before them.
      for entry in state.events[state.taken...] {
        if case .event(let event) = entry.output { queue.push(event) }
      }
      state.takenEver += state.count
      state.events = []
      state.taken = 0
      state.remoteSize = 0
      return (state.isClosed, readers)
    }
    withExtendedLifetime(readers) {}
    if isClosed { queue.close() }
    return queue
  }

  /// An observing queue: it gets events from now on, and unread events stay for the first reader.
  func observer() -> ChatEventQueue {
    let queue = ChatEventQueue(limit: limit, source: self)
    let (isClosed, readers) = state.withLock { state in
      let readers = state.subscribers.compactMap(\.queue)
      state.add(Subscriber(queue: queue))
      return (state.isClosed, readers)
    }
    withExtendedLifetime(readers) {}
    if isClosed { queue.close() }
    return queue
  }

  /// Adds a response behind the events that there are.
  func push(_ result: APIResult<ChatResponse>, to number: UInt64) {
    let reader = state.withLock { state -> CheckedContinuation<ChatOutput?, Never>? in
      guard !state.isClosed else { return nil }
      // A waiting reader has taken everything before.
      if let index = state.readers.firstIndex(where: \.takesResponses) {
        return state.readers.remove(at: index).continuation
      }
      state.responses.append((state.takenEver + state.count, number, result))
      return nil
    }
    reader?.resume(returning: .response(number, result))
  }

  /// Whether there is room for events, for every reader.
  var hasRoom: Bool {
    let (isFree, subscribers) = state.withLock { state in
      let isFree = state.count < limit && state.desktop?.hasRoom ?? true
      return (state.isClosed || isFree, state.subscribers.compactMap(\.queue))
    }
    return isFree && subscribers.allSatisfy(\.hasRoom)
  }

  // MARK: Desktops

  /// Moves all further events to a desktop, except those about the session and of suspending.
  /// - Parameter isSharing: whether this queue goes on getting them too.
  func moveEvents(to desktop: DesktopEventQueue, sharing isSharing: Bool = false) {
    state.withLock { ($0.desktop, $0.sharesEvents) = (desktop, isSharing) }
  }

  /// Keeps all further events, if they were moved to this desktop.
  func keepEvents(from desktop: DesktopEventQueue) {
    state.withLock { state in
      if state.desktop === desktop { state.desktop = nil }
    }
    wakeWriters()
  }

  /// Lets writers continue that wait for room; those for whom there is none wait again.
  func wakeWriters() {
    let writers = state.withLock { state in
      defer { state.writers = [] }
      return state.writers
    }
    for writer in writers { writer.resume() }
  }

  /// Waits until there is room, or the task is cancelled.
  func room() async {
    while !Task.isCancelled, !hasRoom {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          state.withLock { $0.writers.append(continuation) }
          // A reader may have made room, or the task have been cancelled, just before.
          if hasRoom || Task.isCancelled { wakeWriters() }
        }
      } onCancel: {
        // Wakes all of them; those that still have no room wait again.
        wakeWriters()
      }
    }
  }

  /// Whether the queue was ended.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Ends the queue: readers get what is left, then nil.
  func close() {
    let (readers, writers, subscribers) = state.withLock { state in
      state.isClosed = true
      defer { (state.readers, state.writers) = ([], []) }
      return (state.readers, state.writers, state.subscribers.compactMap(\.queue))
    }
    for reader in readers { reader.continuation.resume(returning: nil) }
    for writer in writers { writer.resume() }
    for subscriber in subscribers { subscriber.close() }
  }

  /// The next event of this device; nil when the controller was closed, or after this time. Without a time it waits
  /// indefinitely. Events of mobile devices are skipped: see ``nextOfAnyDevice(within:)``.
  public func next(within time: Duration? = nil) async -> Element? {
    let end = time.map { ContinuousClock.now + $0 }
    while let output = await nextOfAnyDevice(within: end.map { $0 - .now }) {
      if let event = output.event { return event }
    }
    return nil
  }

  /// The next event of this device or of a mobile device that it controls; nil when the controller was closed, or after
  /// this time. Without a time it waits indefinitely.
  public func nextOfAnyDevice(within time: Duration? = nil) async -> ChatOutput? {
    guard let time else { return await wait(responses: false) }
    if let event = takeReady() { return event }
    if time <= .zero { return nil }
    let waiting = Task { await self.wait(responses: false) }
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

  private func takeReady() -> ChatOutput? {
    let (output, writers) = state.withLock { state -> (ChatOutput?, [CheckedContinuation<Void, Never>]) in
      state.isRead = true
      guard let output = state.take(responses: false) else { return (nil, []) }
      return (output, freed(&state))
    }
    for writer in writers { writer.resume() }
    source?.wakeWriters()
    return output
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
          state.isRead = true
          if let output = state.take(responses: responses) { return (true, output, freed(&state)) }
          if state.isClosed || Task.isCancelled { return (true, nil, []) }
          state.readers.append(Reader(id: reader, takesResponses: responses, continuation: continuation))
          return (false, nil, [])
        }
        for writer in outcome.writers { writer.resume() }
        source?.wakeWriters()
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

/// The events of a controller as a sequence. Each iteration sees every event; see ``ChatEventQueue``.
public struct ChatEvents: AsyncSequence, Sendable {
  /// An event, or an error outside of commands.
  public typealias Element = APIResult<ChatEvent>

  let queue: ChatEventQueue

  /// Reads the events.
  public struct Iterator: AsyncIteratorProtocol {
    let queue: ChatEventQueue

    /// The next event; nil when the controller was closed or the task cancelled.
    public mutating func next() async -> APIResult<ChatEvent>? { await queue.next() }
  }

  /// Begins to read: from now on, or from the beginning for the first reader.
  public func makeAsyncIterator() -> Iterator { Iterator(queue: queue.subscribe()) }
}

extension ChatEventQueue.Element {
  /// Whether the event is about the device itself or its session with another one. A desktop that controls the device
  /// does not get it.
  var staysOnDevice: Bool {
    guard case .result(let event) = self else { return false }
    return switch event {
    case .chatSuspended, .remoteCtrlFound, .remoteCtrlSessionCode, .remoteCtrlStopped, .newRemoteHost,
      .remoteHostSessionCode, .remoteHostConnected, .remoteHostStopped:
      true
    default: false
    }
  }
}
