import SMPServerCore

/// A read of a ``RelayStore``; it is answered with the ``StoreAnswer`` of the same name.
public enum StoreRead: Sendable {
  /// The queue with an identifier.
  case queue(QueueKey)
  /// The first message of a queue.
  case firstMessage(QueueNumber)
  /// The number of messages of a queue, including the quota mark.
  case messageCount(QueueNumber)
  /// The link data of a queue.
  case linkData(QueueNumber)
  /// Up to `limit` queues of a service after the number `after`, in the order of their numbers.
  case queues(ofService: [UInt8], ServiceSide, after: QueueNumber, limit: Int)
  /// The totals of what is stored; they are maintained, so that this takes no longer with many queues.
  case counts
}

/// The answer to a ``StoreRead``: what was durable at some time since the read was submitted.
public enum StoreAnswer: Sendable {
  /// The queue, if there is one.
  case queue(QueueLookup)
  /// The first message; nil where there is none.
  case firstMessage(QueuedMessage?)
  /// The number of messages.
  case messageCount(Int)
  /// The link data; nil where there is none.
  case linkData(LinkData?)
  /// The queues of the service.
  case queues([ServiceQueue])
  /// The totals.
  case counts(StoreCounts)
  /// The read failed.
  case failed(StoreFailure)
}

/// How a queue was found.
public struct QueueLookup: Sendable {
  /// The queue; nil where there is none.
  public var record: QueueRecord?
  /// Whether it was cached, so that finding it took less time than not finding one.
  public var isCached: Bool
  /// What ``RelayStore/isCurrent(_:)`` compares; its meaning is the store's.
  public var version: UInt64

  public init(record: QueueRecord?, isCached: Bool, version: UInt64) {
    self.record = record
    self.isCached = isCached
    self.version = version
  }
}

extension StoreAnswer {
  /// The answer to a read of a queue.
  public var queue: Result<QueueLookup, StoreFailure> {
    if case .queue(let lookup) = self { .success(lookup) } else { .failure(failure) }
  }

  /// The answer to a read of the first message.
  public var firstMessage: Result<QueuedMessage?, StoreFailure> {
    if case .firstMessage(let message) = self { .success(message) } else { .failure(failure) }
  }

  /// The answer to a read of the number of messages.
  public var messageCount: Result<Int, StoreFailure> {
    if case .messageCount(let count) = self { .success(count) } else { .failure(failure) }
  }

  /// The answer to a read of link data.
  public var linkData: Result<LinkData?, StoreFailure> {
    if case .linkData(let data) = self { .success(data) } else { .failure(failure) }
  }

  /// The answer to a read of a service's queues.
  public var queues: Result<[ServiceQueue], StoreFailure> {
    if case .queues(let queues) = self { .success(queues) } else { .failure(failure) }
  }

  /// The answer to a read of the totals.
  public var counts: Result<StoreCounts, StoreFailure> {
    if case .counts(let counts) = self { .success(counts) } else { .failure(failure) }
  }

  private var failure: StoreFailure {
    if case .failed(let failure) = self { failure } else { .other("the answer to another read") }
  }
}

extension RelayStore {
  /// Reads one thing.
  public func read(_ read: StoreRead) async -> StoreAnswer {
    await self.read([read]).first ?? .failed(.other("no answer"))
  }

  /// Reads several things; the answers are in the order of the reads.
  public func read(_ reads: [StoreRead]) async -> [StoreAnswer] {
    await withCheckedContinuation { continuation in
      read(reads) { answers, _ in continuation.resume(returning: answers) }
    }
  }

  /// The queue with this identifier; nil where there is none.
  public func queue(_ key: QueueKey) async throws(StoreFailure) -> QueueRecord? {
    try await read(.queue(key)).queue.get().record
  }

  /// The first message; nil where there is none.
  public func firstMessage(of queue: QueueNumber) async throws(StoreFailure) -> QueuedMessage? {
    try await read(.firstMessage(queue)).firstMessage.get()
  }

  /// The number of messages, including the quota mark.
  public func messageCount(of queue: QueueNumber) async throws(StoreFailure) -> Int {
    try await read(.messageCount(queue)).messageCount.get()
  }

  /// The link data; nil where there is none.
  public func linkData(of queue: QueueNumber) async throws(StoreFailure) -> LinkData? {
    try await read(.linkData(queue)).linkData.get()
  }

  /// Up to `limit` queues of a service after the number `after`, in the order of their numbers.
  public func queues(
    ofService serviceID: [UInt8], _ side: ServiceSide, after: QueueNumber, limit: Int
  ) async throws(StoreFailure) -> [ServiceQueue] {
    try await read(.queues(ofService: serviceID, side, after: after, limit: limit)).queues.get()
  }

  /// The totals of what is stored.
  public func counts() async throws(StoreFailure) -> StoreCounts { try await read(.counts).counts.get() }
}
