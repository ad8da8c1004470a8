import QueueStore
import SMPServerCore
import Synchronization

/// Takes over what the reference server keeps: its queues, and the messages that it wrote when it was stopped.
///
/// Lines are carried out in their order, many at a time; memory does not grow with the files.
public final class StoreImport {
  /// What was taken over.
  public struct Report: Sendable {
    /// Records of queues and services that were read.
    public var records = 0
    /// Messages that were added.
    public var messages = 0
    /// Lines that could not be taken over, and why.
    public var problems = 0
    /// The first of these, as `file, line: reason`.
    public var firstProblems: [String] = []
  }

  /// Changes that are submitted together.
  private static let batchSize = 512
  private static let shownProblems = 20

  private let store: any QueueStore
  private let today: Int64
  private var batch: [(operation: StoreOperation, place: String)] = []
  /// Whether the batch has a queue that has no number yet.
  private var createsQueues = false
  /// The queue of the last message, which is usually also that of the next.
  private var lastQueue: (id: [UInt8], number: QueueNumber)?
  private var report = Report()

  /// An import into an empty store; `today`, in days since 1970, is when queues were used last of which it is not known.
  public init(into store: any QueueStore, today: Int64) {
    self.store = store
    self.today = today
  }

  /// Reads both files; the second one may be missing.
  public func run(queues: String, messages: String) async throws -> Report {
    guard let lines = try LogLines(queues) else { throw SMPServerError.file("\(queues): there is no such file") }
    while let line = try lines.next() {
      let place = "\(queues), line \(lines.number)"
      do throws(LogLineError) {
        try await apply(StoreLogRecord(line: line), place)
        report.records += 1
      } catch {
        note(lines.isCutOff ? "is not complete" : error.reason, place)
      }
    }
    await finishBatch()
    if let lines = try LogLines(messages) { try await run(lines, messages) }
    return report
  }

  private func run(_ lines: LogLines, _ path: String) async throws {
    while let line = try lines.next() {
      let place = "\(path), line \(lines.number)"
      do throws(LogLineError) {
        let record = try MessageLogRecord(line: line)
        let queue = try number(of: record.queue)
        // The queue was full at another quota than ours.
        await submit(.addMessage(queue, record.message, quota: .max), place)
      } catch {
        note(lines.isCutOff ? "is not complete" : error.reason, place)
      }
    }
    await finishBatch()
  }

  private func apply(_ record: StoreLogRecord, _ place: String) async throws(LogLineError) {
    switch record {
    case .create(var queue, let link):
      if queue.usedDay == 0 { queue.usedDay = today }
      await submit(.createQueue(queue, link), place)
    case .service(let service): await submit(.registerService(service), place)
    case .setLink(let queue, let linkID, let data):
      await submit(.setLink(try await created(queue), linkID: linkID, data), place)
    case .deleteLink(let queue): await submit(.deleteLink(try await created(queue)), place)
    case .secure(let queue, let key): await submit(.secure(try await created(queue), senderKey: key), place)
    case .setKeys(let queue, let keys): await submit(.setRecipientKeys(try await created(queue), keys), place)
    case .setNotifier(let queue, let notifier): await submit(.setNotifier(try await created(queue), notifier), place)
    case .deleteNotifier(let queue): await submit(.deleteNotifier(try await created(queue)), place)
    case .setStatus(let queue, let status): await submit(.setStatus(try await created(queue), status), place)
    case .delete(let queue):
      await submit(.deleteQueue(try await created(queue)), place)
      lastQueue = nil
    case .used(let queue, let day): await submit(.touch(try await created(queue), day: day), place)
    case .setService(let queue, .recipients, let id):
      await submit(.setService(try await created(queue), serviceID: id), place)
    case .setService(let queue, .notifiers, let id):
      await submit(.setNotifierService(try await created(queue), serviceID: id), place)
    }
  }

  /// The number of a queue that may still be in the batch.
  private func created(_ id: [UInt8]) async throws(LogLineError) -> QueueNumber {
    if createsQueues { await finishBatch() }
    return try number(of: id)
  }

  private func number(of id: [UInt8]) throws(LogLineError) -> QueueNumber {
    if let lastQueue, lastQueue.id == id { return lastQueue.number }
    let found: QueueRecord?
    do { found = try store.queue(.recipient(id)) } catch {
      throw LogLineError(reason: "the store failed: \(error)")
    }
    guard let found else { throw LogLineError(reason: "there is no such queue") }
    lastQueue = (id, found.number)
    return found.number
  }

  private func submit(_ operation: StoreOperation, _ place: String) async {
    batch.append((operation, place))
    if case .createQueue = operation { createsQueues = true }
    if batch.count >= Self.batchSize { await finishBatch() }
  }

  private func finishBatch() async {
    let batch = self.batch
    guard !batch.isEmpty else { return }
    self.batch = []
    createsQueues = false
    let outcomes = await perform(batch.map(\.operation))
    for ((_, place), outcome) in zip(batch, outcomes) {
      switch outcome {
      case .success(.stored): report.messages += 1
      case .success(.refused): note("does not fit what came before", place)
      case .success(.duplicate): note("an identifier is there twice", place)
      case .success: break
      case .failure(let failure): note("the store failed: \(failure)", place)
      }
    }
  }

  private func perform(_ operations: [StoreOperation]) async -> [Result<StoreOutcome, StoreFailure>] {
    await withCheckedContinuation { continuation in
      let collected = Collected(operations.count, continuation)
      for operation in operations { store.submit(operation) { collected.add($0) } }
    }
  }

  private func note(_ reason: String, _ place: String) {
    report.problems += 1
    if report.firstProblems.count < Self.shownProblems { report.firstProblems.append("\(place): \(reason)") }
  }
}

/// Outcomes until all are there; they come in the order of submission.
private final class Collected: Sendable {
  typealias Outcomes = [Result<StoreOutcome, StoreFailure>]

  private let outcomes = Mutex<Outcomes>([])
  private let count: Int
  private let continuation: CheckedContinuation<Outcomes, Never>

  init(_ count: Int, _ continuation: CheckedContinuation<Outcomes, Never>) {
    self.count = count
    self.continuation = continuation
  }

  func add(_ outcome: Result<StoreOutcome, StoreFailure>) {
    let all = outcomes.withLock { outcomes in
      outcomes.append(outcome)
      return outcomes.count == count ? outcomes : nil
    }
    if let all { continuation.resume(returning: all) }
  }
}
