import FileAccess
import SMPServerCore
import SQLiteKit

/// A copy of a store as it was at one time, also while a relay of this or another process uses it.
///
/// The copy contains everything that was answered before it was begun, and possibly more. Nothing is asked of the
/// relay, and nothing in its files is changed: a transaction that only reads has the state of the database, and the
/// journal that is read after it begins continues that state, unless the relay has moved the journal to the database in
/// between; then both are read again. Messages that the journal has only after that state are of queues in it, or are
/// skipped. Commits of the relay go on; while the database is copied, its write-ahead log grows.
public struct StoreCopy: Sendable {
  /// The numbers of copied queues and messages.
  public let counts: StoreCounts
  /// Notices for the operator, a sentence each.
  public let notices: [String]

  /// How often the journal is read while the relay keeps moving it to the database. It has to write 16 MB in the few
  /// milliseconds of a reading each time.
  private static let attempts = 1_000

  /// Copies the store at `path` to new files at `target`: a database that has the messages of the journal too.
  /// - Throws: ``StoreFailure/newerSchema(found:known:)`` where the store is of a newer version,
  ///   ``StoreFailure/other(_:)`` where it is of an earlier one. Parts of a copy may stay at `target`.
  public init(of path: String, to target: String) async throws(StoreFailure) {
    let journal = target + "-messages"
    do throws(SQLiteError) {
      let bytes = try Self.copyDatabase(path, to: target)
      do throws(FileError) { if !bytes.isEmpty { try WholeFile.replace(journal, with: bytes) } } catch {
        throw SQLiteError(error.isDiskFull ? .diskFull : .inputOutput, "\(error)")
      }
    } catch {
      throw StoreFailure(error)
    }
    // Opening it applies the journal, and shows that the copy can be used.
    let store = try SQLiteQueueStore(path: target, readerCount: 1)
    notices = store.notices
    let counts = await store.storedCounts()
    await store.close()
    self.counts = try counts.get()
    if PathStatus.size(of: journal) == 0 { try? WholeFile.remove(journal) }
  }

  /// Copies the database, and returns the content of the journal that continues it.
  private static func copyDatabase(_ path: String, to target: String) throws(SQLiteError) -> [UInt8] {
    let database = try SQLiteConnection(path: path, access: .readOnly)
    try database.setBusyTimeout(milliseconds: 5_000)
    let version = Int(try database.integerPragma("user_version") ?? 0)
    guard version <= QueueSchema.migrations.count else {
      throw SQLiteError(.newerSchema(found: version, known: QueueSchema.migrations.count), "schema \(version)")
    }
    guard version == QueueSchema.migrations.count else {
      throw SQLiteError(.other, "the database is of an earlier version; the program that made it can copy it")
    }
    let present = try SQLiteConnection(path: path, access: .readOnly)
    try present.setBusyTimeout(milliseconds: 5_000)
    for _ in 0..<attempts {
      try database.execute("BEGIN")
      let applied = try appliedGeneration(database)
      let journal = try JournalSnapshot(path + "-messages")
      if try appliedGeneration(present) == applied {
        try database.backUp(to: target)
        try database.execute("COMMIT")
        return journal.bytes
      }
      try database.execute("ROLLBACK")
    }
    throw SQLiteError(.busy, "the journal of messages changes faster than it can be read")
  }

  /// The last generation of the journal that the database contains.
  private static func appliedGeneration(_ database: SQLiteConnection) throws(SQLiteError) -> Int64 {
    let generation = try database.first(QueueSQL.appliedJournal) { (row) throws(SQLiteError) in try row.integer(0) }
    guard let generation else { throw SQLiteError(.damaged, "the state of the journal is missing") }
    return generation
  }
}

extension SQLiteQueueStore {
  fileprivate func storedCounts() async -> Result<StoreCounts, StoreFailure> {
    do throws(StoreFailure) { return .success(try await counts()) } catch { return .failure(error) }
  }
}

/// The content of a journal that its relay may be writing to.
private struct JournalSnapshot {
  /// Everything up to the end of the file; a piece that was being written is not whole, and ignored.
  let bytes: [UInt8]

  init(_ path: String) throws(SQLiteError) {
    guard PathStatus.exists(path) else {
      bytes = []
      return
    }
    do throws(FileError) {
      let file = try FileDescriptor(path, .reading)
      // The relay writes past the system's memory; pages that a reading leaves there would have to be removed again.
      let isDirect = JournalFile.setDirect(file.raw, true)
      let size = PieceBuffer.roundedUp(max(1, Int(clamping: try file.size())))
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: PieceBuffer.blockSize)
      defer { memory.deallocate() }
      bytes = Array(memory.prefix(try Self.read(file, memory, isDirect: isDirect)))
    } catch { throw SQLiteError(.inputOutput, "\(error)") }
  }

  private static func read(
    _ file: borrowing FileDescriptor, _ memory: UnsafeMutableRawBufferPointer, isDirect: Bool
  ) throws(FileError) -> Int {
    do throws(FileError) { return try file.read(memory, at: 0) } catch {
      // Some file systems can only be read through the system's memory.
      guard isDirect, JournalFile.setDirect(file.raw, false) else { throw error }
      return try file.read(memory, at: 0)
    }
  }
}
