import FileAccess
import SMPServerCore
import SQLiteKit

/// A check of the files of a store that is not in use. It changes nothing in them; SQLite may leave an empty log.
public struct StoreCheck: Sendable {
  /// What is there, a sentence each.
  public private(set) var notes: [String] = []
  /// What is wrong, a sentence each; empty if the store is sound.
  public private(set) var problems: [String] = []

  private static let mostFindings = 20

  /// Checks the store in the file at `path`.
  /// - Throws: ``StoreFailure/unavailable`` where another program uses the store,
  ///   ``StoreFailure/newerSchema(found:known:)`` where it is of a newer version,
  ///   ``StoreFailure/damaged`` where the file is no database of a relay.
  public init(path: String) throws(StoreFailure) {
    let journalPath = path + "-messages"
    do throws(SQLiteError) {
      let journal = try StoredJournal(journalPath)
      let database = try SQLiteConnection(path: path, access: .readOnly)
      try database.setBusyTimeout(milliseconds: 1_000)
      let version = Int(try database.integerPragma("user_version") ?? 0)
      guard version <= QueueSchema.migrations.count else {
        throw SQLiteError(.newerSchema(found: version, known: QueueSchema.migrations.count), "")
      }
      guard version > 0 else { throw SQLiteError(.notADatabase, "not the database of a relay") }
      describe(database, path)
      checkPages(of: database)
      checkRows(of: database)
      if version == QueueSchema.migrations.count { checkCounts(of: database) }
      if version < QueueSchema.migrations.count {
        notes.append(
          "The database is of an earlier version and is updated by the next start; the journal was not checked")
      } else {
        check(journal, with: database)
      }
    } catch {
      throw StoreFailure(error)
    }
  }

  /// Runs a part of the check; what cannot be read is a problem, and the other parts are checked nevertheless.
  private mutating func reading(_ what: String, _ body: (inout Self) throws(SQLiteError) -> Void) {
    do throws(SQLiteError) { try body(&self) } catch { problems.append("\(what) cannot be read: \(error.message)") }
  }

  private mutating func describe(_ database: SQLiteConnection, _ path: String) {
    reading("the database") { (check) throws(SQLiteError) in
      let size = try database.integerPragma("page_size") ?? 0
      let pages = try database.integerPragma("page_count") ?? 0
      let free = try database.integerPragma("freelist_count") ?? 0
      check.notes.append(
        "Database: \(try Self.count(QueueSQL.countQueues, database)) queues,"
          + " \(try Self.count(QueueSQL.countMessages, database)) messages; \(Self.text(pages * size)),"
          + " of which \(Self.text(free * size)) are free")
    }
    if let size = Self.size(of: path + "-wal"), size > 0 {
      notes.append("Write-ahead log: \(Self.text(size)), read with the database")
    }
  }

  private mutating func checkPages(of database: SQLiteConnection) {
    reading("the database") { (check) throws(SQLiteError) in
      let findings = try database.all("PRAGMA integrity_check(\(Self.mostFindings))") { (row) throws(SQLiteError) in
        try row.text(0)
      }
      if findings != ["ok"] { check.problems += findings.map { "the database is damaged: \($0)" } }
    }
  }

  private mutating func checkRows(of database: SQLiteConnection) {
    let counts: [(sql: String, text: String)] = [
      (CheckSQL.messagesWithoutQueue, "messages belong to no queue"),
      (CheckSQL.linksWithoutQueue, "entries of link data belong to no queue"),
      (CheckSQL.queuesWithoutLink, "queues have a link without its data"),
      (CheckSQL.queuesWithoutService, "queues belong to a service that is not known"),
      (CheckSQL.notifiersWithoutService, "notifiers belong to a service that is not known"),
    ]
    for (sql, text) in counts {
      reading("the database") { (check) throws(SQLiteError) in
        let count = try Self.count(sql, database)
        if count > 0 { check.problems.append("\(count) \(text)") }
      }
    }
    reading("the table of queues") { (check) throws(SQLiteError) in
      var damaged = 0
      _ = try database.all(QueueSQL.allQueues) { (row) throws(SQLiteError) in
        if (try? row.queueRecord()) == nil { damaged += 1 }
      }
      if damaged > 0 { check.problems.append("\(damaged) queues have unknown content") }
    }
  }

  private mutating func checkCounts(of database: SQLiteConnection) {
    reading("the totals") { (check) throws(SQLiteError) in
      let kept = try database.first(QueueSQL.counts) { (row) throws(SQLiteError) in try row.storeCounts() }
      let counted = try database.first(QueueSQL.countAll) { (row) throws(SQLiteError) in try row.storeCounts() }
      if kept != counted { check.problems.append("the totals, for statistics, are not those of what is stored") }
    }
  }

  private mutating func check(_ file: StoredJournal, with database: SQLiteConnection) {
    reading("the journal") { (check) throws(SQLiteError) in
      let applied = try database.first(QueueSQL.appliedJournal) { (row) throws(SQLiteError) in
        (generation: try row.integer(0), pieces: try row.integer(1), lastPosition: try row.integer(2))
      }
      guard let applied else { return check.problems.append("the database does not say what it has of the journal") }
      let generation = UInt64(bitPattern: applied.generation)
      if let mismatch = MessageJournal.mismatch(try file.contents(), applied: generation) {
        check.problems.append(mismatch)
      }
      var unapplied: [QueueNumber: UnappliedMessages] = [:]
      var records = 0
      let journal = try MessageJournal(file, applied: generation, appliedPieces: applied.pieces) {
        (record) throws(SQLiteError) in
        records += 1
        unapplied.apply(record)
      }
      check.notes.append(
        "Journal: \(Self.text(file.size)); \(journal.pieceCount) commits with \(records) changes to the database")
      let beyond = try Self.count(CheckSQL.lastPosition, database)
      if beyond > applied.lastPosition { check.problems.append("a message has a position that was not assigned") }
      try check.check(unapplied, with: database)
    }
  }

  private mutating func check(
    _ unapplied: [QueueNumber: UnappliedMessages], with database: SQLiteConnection
  ) throws(SQLiteError) {
    var (waiting, gone, conflicts) = (0, 0, 0)
    for (queue, messages) in unapplied {
      guard try QueueWriter.exists(queue, in: database) else {
        gone += 1
        continue
      }
      waiting += messages.added.count
      let stored = try database.first(QueueSQL.lastPosition, queue.value) { (row) throws(SQLiteError) in
        try row.optionalInteger(0)
      }
      if case .some(.some(let stored)) = stored, let first = messages.added.first, first.position <= stored {
        conflicts += 1
      }
    }
    notes.append("Messages waiting in the journal: \(waiting); \(gone) deleted queues are skipped")
    if conflicts > 0 {
      problems.append("\(conflicts) queues have messages with a position used twice; the next start corrects that")
    }
  }

  private static func count(_ sql: String, _ database: SQLiteConnection) throws(SQLiteError) -> Int64 {
    try database.first(sql) { (row) throws(SQLiteError) in try row.optionalInteger(0) ?? 0 } ?? 0
  }

  private static func size(of path: String) -> Int64? {
    guard let file = try? FileDescriptor(path, .reading) else { return nil }
    return try? file.size()
  }

  private static func text(_ bytes: Int64) -> String {
    bytes < 1 << 20 ? "\((bytes + 1_023) >> 10) KB" : "\((bytes + 1 << 20 - 1) >> 20) MB"
  }
}

/// The statements of the check; they read whole tables.
private enum CheckSQL {
  static let messagesWithoutQueue = "SELECT count(*) FROM messages WHERE queue NOT IN (SELECT number FROM queues)"
  static let linksWithoutQueue = """
    SELECT count(*) FROM link_data WHERE queue NOT IN (SELECT number FROM queues WHERE link_id IS NOT NULL)
    """
  static let queuesWithoutLink = """
    SELECT count(*) FROM queues WHERE link_id IS NOT NULL AND number NOT IN (SELECT queue FROM link_data)
    """
  static let queuesWithoutService = """
    SELECT count(*) FROM queues WHERE service_id IS NOT NULL AND service_id NOT IN (SELECT id FROM services)
    """
  static let notifiersWithoutService = """
    SELECT count(*) FROM queues
    WHERE notifier_service_id IS NOT NULL AND notifier_service_id NOT IN (SELECT id FROM services)
    """
  static let lastPosition = "SELECT max(position) FROM messages"
}

/// The file of a journal that is only read; an empty one where there is no file.
private final class StoredJournal: JournalStorage {
  private let file: FileDescriptor?

  /// Opens the file and locks it, so that no relay uses the store meanwhile.
  init(_ path: String) throws(SQLiteError) {
    do throws(FileError) { file = try FileDescriptor(path, .reading) } catch {
      guard error.isMissing else { throw SQLiteError(.cannotOpen, "\(error)") }
      file = nil
      return
    }
    guard file?.tryLock() != false else { throw SQLiteError(.busy, "\(path): another program uses it") }
  }

  /// In bytes.
  var size: Int64 { (try? file?.size()) ?? 0 }

  func contents() throws(SQLiteError) -> [UInt8] {
    do throws(FileError) {
      var bytes = [UInt8](repeating: 0, count: Int(clamping: try file?.size() ?? 0))
      var span = bytes.mutableSpan
      var octets = span.mutableBytes
      _ = try octets.withUnsafeMutableBytes { (buffer) throws(FileError) in try file?.read(buffer, at: 0) ?? 0 }
      return bytes
    } catch { throw SQLiteError(.inputOutput, "\(error)") }
  }

  func writeDirectly() {}

  /// A no-op: what a start writes again stays as it is.
  func write(_ piece: borrowing PieceBuffer, at offset: Int) {}

  func sync() {}

  func empty() {}
}
