import DiskSimulation
import SMPServerCore
import SQLiteKit

@testable import QueueStore

/// A relay's store on a simulated disk: opened as the relay opens it, and used as the relay's writing thread uses it.
struct StoreMachine: ~Copyable {
  let disk: SimulatedDisk
  private var writer: QueueWriter
  private let published = UnappliedQueues()

  /// Starts the store with the files of a disk.
  init(_ disk: SimulatedDisk, journalLimit: Int, checkpointPages: Int32 = 4_000) throws(SQLiteError) {
    self.disk = disk
    let database = try SQLiteConnection(
      path: disk.folder + "queues.db", access: .readWrite, vfs: SimulatedVFS.name)
    try SQLiteQueueStore.prepare(database, .full)
    try database.setCheckpointInterval(pages: checkpointPages)
    try database.migrate(QueueSchema.migrations)
    writer = try QueueWriter(
      database, journal: SimulatedJournal(disk, name: "queues.db-messages"), published: published,
      journalLimit: journalLimit)
  }

  mutating func commit(_ operations: [StoreOperation]) -> [Result<StoreOutcome, StoreFailure>] {
    writer.commit(operations)
  }

  /// Stops as on a signal.
  consuming func stop() { writer.finish() }

  func releaseSpace() -> Bool { writer.releaseSpace() }

  /// The number of the queue that a story made.
  func number(ofQueue index: Int) throws(SQLiteError) -> QueueNumber? {
    try writer.database.first(QueueSQL.byRecipient, id(index, 1)) { (row) throws(SQLiteError) in
      QueueNumber(try row.integer(0))
    }
  }

  /// What is there, as those who read beside the writer see it.
  func state() throws(SQLiteError) -> StoreState {
    let records = try writer.database.all(QueueSQL.allQueues) { (row) throws(SQLiteError) in try row.queueRecord() }
    var state = StoreState()
    for record in records {
      let unapplied = published[record.number] ?? UnappliedMessages()
      let rows = try writer.database.all(Self.messages, record.number.value, unapplied.removedThrough) {
        (row) throws(SQLiteError) in try row.storedMessage()
      }
      let link = try writer.database.first(QueueSQL.linkData, record.number.value) { (row) throws(SQLiteError) in
        LinkData(fixed: try row.bytes(0), user: try row.bytes(1))
      }
      let index = record.recipientID.suffix(8).reduce(0) { $0 << 8 | Int($1) }
      state.queues[index] = StoreState.Queue(record, link, rows + unapplied.added.map(\.message))
    }
    let services = try writer.database.all(Self.services) { (row) throws(SQLiteError) in
      StoryService(
        certificateHash: try row.bytes(0), id: try row.bytes(1), role: try row.integer(2),
        createdDay: try row.integer(3), usedDay: try row.integer(4))
    }
    for service in services { state.services[service.certificateHash] = service }
    return state
  }

  private static let services = "SELECT certificate_hash, id, role, created_day, used_day FROM services"

  private static let messages = """
    SELECT position, id, timestamp, notify, body FROM messages WHERE queue = ? AND position > ? ORDER BY position
    """

  /// Receives and acknowledges everything, and gives it by the story's numbers of queues.
  mutating func drain(_ queues: some Sequence<Int>) throws -> [Int: [QueuedMessage]] {
    var received: [Int: [QueuedMessage]] = [:]
    for index in queues {
      guard let number = try number(ofQueue: index) else { continue }
      received[index] = []
      // No message has this identifier.
      var (_, next) = try acknowledge([0], in: number)
      while let message = next {
        let outcome = try acknowledge(message.id, in: number)
        guard outcome.removed == RemovedMessage(message) else { throw Violation("\(message) was not acknowledged") }
        received[index, default: []].append(message)
        next = outcome.next
      }
    }
    return received
  }

  private mutating func acknowledge(
    _ id: [UInt8], in queue: QueueNumber
  ) throws -> (removed: RemovedMessage?, next: QueuedMessage?) {
    let outcome = commit([.acknowledge(queue, messageID: id, readsNext: true)])
    guard case .success(.acknowledged(let removed, let next)) = outcome.first else {
      throw Violation("an acknowledgement is answered \(outcome)")
    }
    return (removed, next)
  }

  /// Checks the pages of the database, and that its totals are those of what it has.
  func checkIntegrity() throws(SQLiteError) {
    try writer.database.checkIntegrity()
    let kept = try writer.database.first(QueueSQL.counts) { (row) throws(SQLiteError) in try row.storeCounts() }
    let counted = try writer.database.first(QueueSQL.countAll) { (row) throws(SQLiteError) in try row.storeCounts() }
    guard kept == counted else { throw SQLiteError(.damaged, "the totals are wrong") }
  }
}
