import SMPProtocol
import SMPServerCore
import SQLiteKit

/// Applies operations to the journal and the database, many in one commit. Used by one thread at a time.
///
/// Messages go into the journal (``MessageJournal``), everything else into the database. When the journal is long, its
/// remaining messages are moved to the database: most are gone by then.
///
/// **The order of journal and database.** A commit flushes its piece of the journal first, then commits its
/// transaction, then is answered. So a power failure leaves one of three states of the commit that was under way:
/// neither part, the piece alone, or both. Nobody was answered, so each of its operations may have taken effect or not;
/// what has to hold is that the piece alone is a valid continuation of the database as it was before. It is, because:
///
/// - *No position is used again that can still be found.* One counter gives each message of every queue a higher
///   position than any that can still be found, also by a commit that failed. Rows that come back because their
///   deletion (by expiry) was not committed have positions below all that the piece adds; they are delivered before it,
///   and expire again.
/// - *Removals name a position.* A row that comes back below a position that the piece removes is hidden with it: it
///   was being deleted for its age.
/// - *Queues that do not exist are skipped.* Records of a queue whose creation was not committed, or that was deleted
///   after them, have no effect. Numbers of queues in the journal are not assigned to others.
/// - *The database says which pieces it contains*: a generation and a number of its pieces, written by the transaction
///   that moves them. Replaying continues with the next piece, so it does not matter whether a move took effect whose
///   commit the disk reported as failed.
///
/// An operation that fails took no effect that another operation sees while the store is open. Where the disk refused a
/// flush, what was being flushed may still be found after a power failure, as if the operation had succeeded then: the
/// last piece of the journal until the next one is written over it, the last transaction until the next is committed.
/// An operation that was committed together with others is repeated alone where they failed, and may then find nothing
/// to do; so such a piece is removed before anything is answered that writes none.
/// A program that starts without a power failure in between finds it too, in the system's memory, and writes it again:
/// what it goes on from has to be on the disk.
struct QueueWriter: ~Copyable {
  let database: SQLiteConnection
  let journal: MessageJournal
  /// What the database does not contain, including uncommitted changes.
  var unapplied: [QueueNumber: UnappliedMessages]
  /// The committed part of it, for readers.
  let published: UnappliedQueues
  /// The queues whose messages this commit changes.
  var changed: Set<QueueNumber> = []
  var positions = RecentValues<QueueNumber, QueuePositions>(limit: 8_192)
  /// The highest number assigned to a queue; never decreases, so numbers are not reused while the relay runs.
  var lastNumber: Int64
  /// The highest position assigned to a message of any queue; never decreases. After a restart no higher one can be
  /// found.
  var lastPosition: Int64
  /// What the transaction that is under way changes of the totals.
  var counts = CountChange()
  /// The length of the journal from which acknowledgements try again to move its content to the database.
  private var retryLength = 0
  /// Whether messages have other positions than in the journal, so that nothing may follow there.
  private var movesFirst: Bool

  /// Reads the journal in `file`, with the records of the last run.
  init(
    _ database: SQLiteConnection, journal file: any JournalStorage, published: UnappliedQueues, syncs: Bool = true,
    journalLimit: Int = MessageJournal.usualLimit
  ) throws(SQLiteError) {
    let applied = try database.first(QueueSQL.appliedJournal) { (row) throws(SQLiteError) in
      (generation: try row.integer(0), pieces: try row.integer(1), lastPosition: try row.integer(2))
    }
    guard let applied else { throw SQLiteError(.damaged, "the state of the journal is missing") }
    var lastPosition = applied.lastPosition
    var lastNumber =
      try database.first(QueueSQL.lastNumber) { (row) throws(SQLiteError) in try row.optionalInteger(0) ?? 0 } ?? 0
    var unapplied: [QueueNumber: UnappliedMessages] = [:]
    let journal = try MessageJournal(
      file, applied: UInt64(bitPattern: applied.generation), appliedPieces: applied.pieces, syncs: syncs,
      limit: journalLimit
    ) { (record) throws(SQLiteError) in
      unapplied.apply(record)
      lastPosition = max(lastPosition, record.position)
      // Numbers of deleted queues must not be reused while the journal contains them.
      lastNumber = max(lastNumber, record.queue.value)
    }
    for queue in unapplied.keys {
      if try !Self.exists(queue, in: database) { unapplied[queue] = nil }
    }
    let hasConflicts = try Self.separate(&unapplied, from: database, &lastPosition)
    published.publish(Set(unapplied.keys), of: unapplied)
    self.database = database
    self.journal = journal
    self.published = published
    self.unapplied = unapplied
    self.lastNumber = lastNumber
    self.lastPosition = lastPosition
    movesFirst = hasConflicts
  }

  /// Applies the operations and makes them durable. When one fails, the others are applied without it.
  mutating func commit(_ operations: [StoreOperation]) -> [Result<StoreOutcome, StoreFailure>] {
    if operations.count > 1, let index = operations.firstIndex(where: { needsDatabase($0) }) {
      return commit(Array(operations[..<index])) + commit([operations[index]])
        + commit(Array(operations[(index + 1)...]))
    }
    do {
      // Where there are several, none of them needs it.
      let isAfterJournal = operations.count == 1 && operations.contains { needsDatabase($0) }
      return try commitTogether(operations, afterJournal: isAfterJournal).map { .success($0) }
    } catch {
      guard operations.count > 1 else { return operations.map { _ in .failure(StoreFailure(error)) } }
      return operations.flatMap { commit([$0]) }
    }
  }

  /// `isAfterJournal`: for operations that need the journal in the database first.
  private mutating func commitTogether(
    _ operations: [StoreOperation], afterJournal isAfterJournal: Bool
  ) throws(SQLiteError) -> [StoreOutcome] {
    do throws(SQLiteError) {
      if isAfterJournal || movesFirst {
        try applyJournal()
      } else if journal.isLong {
        try shortenJournal(for: operations)
      }
      var outcomes: [StoreOutcome] = []
      outcomes.reserveCapacity(operations.count)
      for operation in operations {
        if !operation.isOfJournal { try begin() }
        outcomes.append(try apply(operation))
      }
      let hasRecords = journal.hasRecords
      try journal.commit()
      if database.isInTransaction {
        do throws(SQLiteError) { try endTransaction() } catch {
          if hasRecords { journal.takeBack() }
          throw error
        }
      }
      if !changed.isEmpty { published.publish(changed, of: unapplied) }
      changed.removeAll()
      return outcomes
    } catch {
      rollBack()
      throw error
    }
  }

  func begin() throws(SQLiteError) {
    if !database.isInTransaction { try database.execute("BEGIN IMMEDIATE") }
  }

  /// Commits the transaction, with the totals.
  private mutating func endTransaction() throws(SQLiteError) {
    try counts.write(to: database)
    try database.execute("COMMIT")
    counts = CountChange()
  }

  private mutating func rollBack() {
    if database.isInTransaction { _ = try? database.execute("ROLLBACK") }
    counts = CountChange()
    journal.forgetRecords()
    for queue in changed { unapplied[queue] = published[queue] }
    changed.removeAll()
    positions.removeAll()
  }

  /// Whether the operation reads messages of the database, which then has to contain all of them.
  private func needsDatabase(_ operation: StoreOperation) -> Bool {
    if case .expireMessages(let time, _, _) = operation {
      return unapplied.values.contains { $0.added.contains { $0.message.timestamp < time } }
    }
    guard let (queue, time) = operation.expiry else { return false }
    return unapplied[queue]?.added.contains { $0.message.timestamp < time } == true
  }

  /// Moves the content of the journal to the database, and starts its next generation.
  mutating func applyJournal() throws(SQLiteError) {
    try database.execute("BEGIN IMMEDIATE")
    for (queue, messages) in unapplied {
      if messages.removedCount > 0 {
        counts.messages -= try database.execute(QueueSQL.deleteFirstMessages, queue.value, messages.removedThrough)
      }
      for added in messages.added { try insert(added, into: queue) }
    }
    try database.execute(
      QueueSQL.setAppliedJournal, Int64(bitPattern: journal.generation), journal.pieceCount, lastPosition)
    try endTransaction()
    retryLength = 0
    movesFirst = false
    unapplied.removeAll(keepingCapacity: true)
    published.removeAll()
    journal.beginNextGeneration()
  }

  /// Moves the content of a long journal to the database. Where that fails, acknowledgements go on without it, because
  /// they are what makes room; it is tried again when the journal has grown by a quarter.
  private mutating func shortenJournal(for operations: [StoreOperation]) throws(SQLiteError) {
    let addsMessages = operations.contains(where: \.addsMessage)
    guard addsMessages || journal.length >= retryLength else { return }
    do { try applyJournal() } catch {
      if addsMessages { throw error }
      if database.isInTransaction { try database.execute("ROLLBACK") }
      counts = CountChange()
      retryLength = journal.length + journal.length / 4
    }
  }

  /// Gives the messages of the journal positions above those in the database, in queues where they are not: stores from
  /// before migration 4 (`0004_positions`) have positions that were used again. Returns whether there were any.
  private static func separate(
    _ unapplied: inout [QueueNumber: UnappliedMessages], from database: SQLiteConnection, _ lastPosition: inout Int64
  ) throws(SQLiteError) -> Bool {
    var hasConflicts = false
    for queue in unapplied.keys {
      guard let first = unapplied[queue]?.added.first else { continue }
      let stored = try database.first(QueueSQL.lastPosition, queue.value) { (row) throws(SQLiteError) in
        try row.optionalInteger(0)
      }
      guard case .some(.some(let stored)) = stored, stored >= first.position else { continue }
      hasConflicts = true
      lastPosition = max(lastPosition, stored)
      try unapplied[queue]?.move { () throws(SQLiteError) in
        let (position, isLast) = lastPosition.addingReportingOverflow(1)
        guard !isLast else { throw SQLiteError(.damaged, "there are no more positions for messages") }
        lastPosition = position
        return position
      }
    }
    return hasConflicts
  }

  /// Moves everything to the database, if the disk allows it. Called last.
  consuming func finish() {
    // Otherwise the journal stays, for the next run.
    guard (try? applyJournal()) != nil else { return rollBack() }
    journal.finish()
    // Readers may still be open, so that closing alone would leave everything in the log beside the database.
    try? database.emptyLog()
  }

  /// Frees some pages at the end of the file, if many are free; returns whether there are more.
  func releaseSpace() -> Bool {
    do {
      let free = try database.integerPragma("freelist_count") ?? 0
      let all = try database.integerPragma("page_count") ?? 0
      guard free > 4_096, free > all / 4 else { return false }
      try database.runScript("PRAGMA incremental_vacuum(512)")
      return true
    } catch {
      // Nothing depends on it; it is retried.
      return false
    }
  }

  private mutating func apply(_ operation: StoreOperation) throws(SQLiteError) -> StoreOutcome {
    switch operation {
    case .addMessage(let queue, let message, let quota, let expiry):
      if let expiry { _ = try expireUnlessNothing(in: queue, before: expiry) }
      return try add(message, to: queue, quota: quota)
    case .acknowledge(let queue, let messageID, let readsNext):
      return try acknowledge(messageID, in: queue, readsNext: readsNext)
    case .createQueue(let record, let link): return try create(record, link)
    case .secure(let queue, let key): return try updateOne(QueueSQL.secure, queue, to: key)
    case .setRecipientKeys(let queue, let keys):
      return try updateOne(QueueSQL.setRecipientKeys, queue, to: SQLiteRow.blob(of: keys))
    case .setLink(let queue, let linkID, let data): return try setLink(linkID, data, of: queue)
    case .deleteLink(let queue):
      try database.execute(QueueSQL.deleteLinkData, queue.value)
      return try updateOne(QueueSQL.setLinkID, queue, to: [UInt8]?.none)
    case .setNotifier(let queue, let notifier): return try setNotifier(notifier, of: queue)
    case .deleteNotifier(let queue): return try setNotifier(nil, of: queue)
    case .setService(let queue, let serviceID): return try setService(serviceID, of: queue)
    case .setNotifierService(let queue, let serviceID, let notifier):
      return try setNotifierService(serviceID, of: queue, notifier: notifier)
    case .setStatus(let queue, let status):
      let (code, blocking) = Self.columns(of: status)
      return try database.execute(QueueSQL.setStatus, queue.value, code, blocking) == 1 ? .done : .refused
    case .touch(let queue, let day): return try updateOne(QueueSQL.touch, queue, to: day)
    case .deleteQueue(let queue): return try delete(queue)
    case .expireMessages(let time, let cursor, let limit): return try expire(before: time, after: cursor, limit: limit)
    case .expireMessagesOfQueue(let queue, let time):
      return .expired(try expireUnlessNothing(in: queue, before: time), next: nil)
    case .registerService(let service): return try register(service)
    case .removeServices(let day, let cursor, let limit, let kept):
      return try removeServices(before: day, after: cursor, limit: limit, except: kept)
    case .noteTime(let time):
      let noted = try database.first(QueueSQL.notedTime) { (row) throws(SQLiteError) in try row.optionalInteger(0) }
      if let time { try database.execute(QueueSQL.noteTime, time) }
      return .noted(noted ?? nil)
    }
  }

  private func updateOne(
    _ sql: String, _ queue: QueueNumber, to value: some SQLiteBindable
  ) throws(SQLiteError) -> StoreOutcome {
    try database.execute(sql, queue.value, value) == 1 ? .done : .refused
  }

  /// Runs a change that may find an identifier taken.
  func unlessDuplicate(_ change: () throws(SQLiteError) -> StoreOutcome) throws(SQLiteError) -> StoreOutcome {
    do { return try change() } catch {
      guard error.kind == .constraint(.unique) else { throw error }
      return .duplicate
    }
  }

  func record(_ queue: QueueNumber) throws(SQLiteError) -> QueueRecord? {
    try database.first(QueueSQL.byNumber, queue.value) { (row) throws(SQLiteError) in try row.queueRecord() }
  }
}

extension StoreOperation {
  /// Whether the change nearly always needs the journal only: then a transaction is begun on demand.
  fileprivate var isOfJournal: Bool {
    switch self {
    case .addMessage, .acknowledge, .expireMessagesOfQueue: true
    default: false
    }
  }

  /// A queue whose messages from before a time are to be removed.
  fileprivate var expiry: (queue: QueueNumber, before: Int64)? {
    switch self {
    case .addMessage(let queue, _, _, let time?), .expireMessagesOfQueue(let queue, let time): (queue, time)
    default: nil
    }
  }

  fileprivate var addsMessage: Bool { if case .addMessage = self { true } else { false } }
}
