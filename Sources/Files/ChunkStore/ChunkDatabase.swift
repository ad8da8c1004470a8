import FileAccess
import SMPProtocol
import SQLiteKit
import WireCodec
import XFTPProtocol

/// The table of chunks. Used by one thread at a time.
final class ChunkDatabase {
  let connection: SQLiteConnection
  /// The lock that keeps other processes out while the database is open.
  private let lock: ChunkStoreLock
  /// The chunks that wait for their bytes.
  private(set) var unfilled: UnfilledChunks
  private let unfilledLimit: Int64
  /// Whether a transaction of several operations is open.
  private var isCommitting = false
  /// The number of recipients of all chunks.
  private(set) var recipientCount: Int64 = 0

  static let migrations = [
    SQLiteMigration(
      1, name: "chunks",
      sql: """
        CREATE TABLE chunks (
          -- Never used again: an upload may end after its chunk was deleted.
          chunk_id INTEGER PRIMARY KEY AUTOINCREMENT,
          sender_id BLOB NOT NULL UNIQUE,
          sender_key BLOB NOT NULL,
          size INTEGER NOT NULL,
          digest BLOB NOT NULL,
          created_at INTEGER NOT NULL,
          is_uploaded INTEGER NOT NULL DEFAULT 0,
          -- Imported so: nobody may use it, and it is kept until it expires.
          is_off INTEGER NOT NULL DEFAULT 0,
          blocked BLOB
        ) STRICT;
        CREATE INDEX chunks_created_at ON chunks (created_at);
        CREATE INDEX chunks_unfilled ON chunks (chunk_id) WHERE is_uploaded = 0 AND blocked IS NULL;
        CREATE TABLE recipients (
          recipient_id BLOB PRIMARY KEY,
          chunk_id INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
          recipient_key BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX recipients_chunk_id ON recipients (chunk_id);
        """),
    // The files that are to be removed: a file that belongs to no chunk and is not here is none that was deleted.
    SQLiteMigration(
      2, name: "released_files",
      sql: """
        CREATE TABLE released_files (sender_id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE TRIGGER chunks_release_file AFTER DELETE ON chunks WHEN OLD.is_uploaded = 1 BEGIN
          INSERT OR IGNORE INTO released_files VALUES (OLD.sender_id);
        END;
        """),
    // The last time at which the relay is known to have run, in seconds since 1970: a clock that is far ahead of it
    // deletes nothing. Of earlier versions only the times of creation are known, to the hour.
    SQLiteMigration(
      3, name: "time",
      sql: """
        CREATE TABLE time (noted INTEGER) STRICT;
        INSERT INTO time SELECT max(created_at) + 3600 FROM chunks;
        """),
  ]

  /// Opens or creates the database.
  /// - Parameters:
  ///   - folder: the folder of the bytes, which no other store may use at the same time; nil for none.
  ///   - unfilledLimit: the bytes that chunks without bytes may take in the database.
  init(path: String, folder: String? = nil, unfilledLimit: Int64 = .max) throws(SQLiteError) {
    self.unfilledLimit = unfilledLimit
    unfilled = UnfilledChunks(limit: unfilledLimit)
    let opening = DatabaseOpening(path, migrations: Self.migrations)
    (connection, lock) = try opening.open { () throws(SQLiteError) in
      try ChunkStoreLock(database: path, folder: folder)
    } check: { () throws(SQLiteError) in
      try opening.requireKnownVersion()
    } settings: { (connection) throws(SQLiteError) in
      try connection.setBusyTimeout(milliseconds: 1000)
      try connection.setPragma("auto_vacuum", "INCREMENTAL")
      try connection.setPragma("foreign_keys", "ON")
      try connection.useWriteAheadLog(synchronous: .full)
    }
    try count()
  }

  /// Counts what the database has: at the start, and after a commit that failed.
  private func count() throws(SQLiteError) {
    let rows = try connection.all(
      """
      SELECT chunk_id, (SELECT count(*) FROM recipients WHERE recipients.chunk_id = chunks.chunk_id)
      FROM chunks WHERE \(Self.isUnfilled) ORDER BY chunk_id
      """
    ) { (row) throws(SQLiteError) in (chunk: try row.integer(0), recipients: try row.integer(1)) }
    unfilled = UnfilledChunks(limit: unfilledLimit)
    for row in rows { unfilled.add(row.chunk, recipients: Int(row.recipients), owner: .unknown) }
    recipientCount = try recipients(where: "true")
  }

  // MARK: Transactions

  /// Runs operations in one transaction, so that one flush serves all of them. An operation that fails is reverted
  /// alone.
  /// - Throws: where the transaction fails; nothing of any operation is stored then.
  func commit(_ operations: (ChunkDatabase) -> Void) throws(SQLiteError) {
    isCommitting = true
    defer { isCommitting = false }
    do throws(SQLiteError) {
      try connection.transaction { () throws(SQLiteError) in operations(self) }
    } catch {
      // The next operation reports a failure of the count.
      try? count()
      throw error
    }
  }

  /// An operation of ``commit(_:)``, or a transaction of its own.
  func step<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
    guard isCommitting else { return try connection.transaction(body) }
    // A failure of an earlier operation (disk full, I/O) may have rolled back all of them.
    guard connection.isInTransaction else { throw SQLiteError(.other, "the transaction has failed") }
    try connection.execute("SAVEPOINT step")
    do {
      let value = try body()
      try connection.execute("RELEASE step")
      return value
    } catch {
      if connection.isInTransaction {
        _ = try? connection.execute("ROLLBACK TO step")
        _ = try? connection.execute("RELEASE step")
      }
      throw error
    }
  }

  /// The bytes that the recipients of chunks with bytes take, about.
  var filledRecipientBytes: Int64 {
    recipientCount * UnfilledChunks.recipientSize - unfilled.size + Int64(unfilled.count) * UnfilledChunks.chunkSize
  }

  private static let isUnfilled = "is_uploaded = 0 AND blocked IS NULL"

  /// Moves what is in the log to the database file, and empties the log.
  func checkpoint() throws(SQLiteError) { try connection.emptyLog() }

  /// The numbers of chunks and bytes.
  func usage() throws(SQLiteError) -> ChunkUsage {
    try connection.first("SELECT count(*), coalesce(sum(size), 0) FROM chunks WHERE is_uploaded = 1") {
      (row) throws(SQLiteError) in
      var usage = ChunkUsage()
      usage.chunks = try row.integer(0)
      usage.bytes = try row.integer(1)
      return usage
    } ?? ChunkUsage()
  }

  /// How many chunks are deleted at most to make room for one.
  private static let deletedAtOnce = 50

  /// Inserts a chunk without bytes. Where too many of those are there, some of them are deleted, and returned; see
  /// ``UnfilledChunks``.
  func insert(_ chunk: NewChunk) throws(SQLiteError) -> [Removed] {
    let excess = unfilled.excess(adding: chunk.recipients.count, owner: chunk.owner, upTo: Self.deletedAtOnce)
    let (removed, number) = try step { () throws(SQLiteError) in
      var removed: [Removed] = []
      for chunk in excess { if let chunk = try deleteRow(chunk) { removed.append(chunk) } }
      return (removed, try insertRows(chunk))
    }
    _ = counted(removed)
    unfilled.add(number, recipients: chunk.recipients.count, owner: chunk.owner)
    recipientCount += Int64(chunk.recipients.count)
    return removed
  }

  private func deleteRow(_ chunk: Int64) throws(SQLiteError) -> Removed? {
    let recipients = try self.recipients(where: "chunk_id = ?", chunk)
    var removed = try connection.first(
      "DELETE FROM chunks WHERE chunk_id = ? RETURNING \(Self.removedColumns)", chunk
    ) { (row) throws(SQLiteError) in try row.removed() }
    removed?.recipients = recipients
    return removed
  }

  /// Takes chunks that were removed out of the counts.
  private func counted(_ removed: [Removed]) -> [Removed] {
    for chunk in removed { unfilled.remove(chunk.number) }
    recipientCount -= removed.reduce(0) { $0 + $1.recipients }
    return removed
  }

  /// Notes with the first chunk how many recipients were removed with all of them.
  private static func noting(_ recipients: Int64, in removed: [Removed]) -> [Removed] {
    var removed = removed
    if !removed.isEmpty { removed[0].recipients = recipients }
    return removed
  }

  private func recipients<each Value: SQLiteBindable>(
    where condition: String, _ values: repeat each Value
  ) throws(SQLiteError) -> Int64 {
    try connection.first("SELECT count(*) FROM recipients WHERE \(condition)", repeat each values) {
      (row) throws(SQLiteError) in try row.integer(0)
    } ?? 0
  }

  /// Inserts chunks of another store, in one transaction.
  func insertAll(_ chunks: some Sequence<ImportedChunk>) throws(SQLiteError) {
    try connection.transaction { () throws(SQLiteError) in
      for imported in chunks {
        try insertRows(imported.chunk)
        let blocked = imported.blocked.flatMap { try? BlockingInfo.codec.encode($0) }
        try connection.execute(
          "UPDATE chunks SET is_uploaded = ?, is_off = ?, blocked = ? WHERE sender_id = ?",
          imported.isUploaded && blocked == nil, imported.isOff, blocked, imported.chunk.senderID.bytes)
      }
      try connection.execute("UPDATE time SET noted = (SELECT max(created_at) + 3600 FROM chunks)")
    }
  }

  /// Returns the number of the chunk.
  @discardableResult
  private func insertRows(_ chunk: NewChunk) throws(SQLiteError) -> Int64 {
    try connection.execute(
      "INSERT INTO chunks (sender_id, sender_key, size, digest, created_at) VALUES (?, ?, ?, ?, ?)",
      chunk.senderID.bytes, chunk.info.senderKey.stored, Int64(chunk.info.size), chunk.info.digest, chunk.createdAt)
    let number = connection.lastInsertedRow
    try insert(chunk.recipients, number)
    return number
  }

  /// The number of recipients of a chunk.
  func recipients(of chunk: ChunkNumber) throws(SQLiteError) -> Int64 {
    try recipients(where: "chunk_id = ?", chunk.value)
  }

  /// Returns false where there is no such chunk.
  func add(_ recipients: [ChunkRecipient], to chunk: ChunkNumber) throws(SQLiteError) -> Bool {
    let exists = try step { () throws(SQLiteError) in
      let found = try connection.first("SELECT chunk_id FROM chunks WHERE chunk_id = ?", chunk.value) {
        (row) throws(SQLiteError) in try row.integer(0)
      }
      let exists = found != nil
      if exists { try insert(recipients, chunk.value) }
      return exists
    }
    guard exists else { return false }
    recipientCount += Int64(recipients.count)
    unfilled.changeRecipients(of: chunk.value, by: Int64(recipients.count))
    return exists
  }

  private func insert(_ recipients: [ChunkRecipient], _ chunk: Int64) throws(SQLiteError) {
    for recipient in recipients {
      try connection.execute(
        "INSERT INTO recipients (recipient_id, chunk_id, recipient_key) VALUES (?, ?, ?)", recipient.id.bytes, chunk,
        recipient.key.stored)
    }
  }

  private static let columns =
    "chunks.chunk_id, sender_id, size, digest, created_at, is_uploaded, blocked"

  func chunk(ofSender id: EntityID) throws(SQLiteError) -> (ChunkRecord, AuthorizationKey)? {
    try connection.first("SELECT \(Self.columns), sender_key FROM chunks WHERE sender_id = ? AND is_off = 0", id.bytes)
    {
      (row) throws(SQLiteError) in try row.chunk()
    }
  }

  func chunk(ofRecipient id: EntityID) throws(SQLiteError) -> (ChunkRecord, AuthorizationKey)? {
    try connection.first(
      """
      SELECT \(Self.columns), recipient_key FROM recipients JOIN chunks USING (chunk_id)
      WHERE recipient_id = ? AND is_off = 0
      """, id.bytes
    ) { (row) throws(SQLiteError) in try row.chunk() }
  }

  /// Notes that the bytes are stored. Returns whether that is new; nil where the chunk is missing or blocked.
  func setUploaded(_ chunk: ChunkNumber) throws(SQLiteError) -> Bool? {
    let isNew = try step { () throws(SQLiteError) -> Bool? in
      let before = try connection.first(
        "SELECT is_uploaded FROM chunks WHERE chunk_id = ? AND blocked IS NULL", chunk.value
      ) { (row) throws(SQLiteError) in try row.bool(0) }
      guard let before else { return nil }
      try connection.execute("UPDATE chunks SET is_uploaded = 1 WHERE chunk_id = ?", chunk.value)
      return !before
    }
    if isNew == true { unfilled.remove(chunk.value) }
    return isNew
  }

  func removeRecipient(_ id: EntityID) throws(SQLiteError) {
    let chunk = try connection.first("DELETE FROM recipients WHERE recipient_id = ? RETURNING chunk_id", id.bytes) {
      (row) throws(SQLiteError) in try row.integer(0)
    }
    guard let chunk else { return }
    recipientCount -= 1
    unfilled.changeRecipients(of: chunk, by: -1)
  }

  /// A chunk that lost its bytes.
  struct Removed: Sendable {
    var number: Int64
    var senderID: EntityID
    /// The size of the bytes, if there were any.
    var size: Int64?
    /// The number of recipients that were removed with it, or with several of which it is the first.
    var recipients: Int64 = 0
  }

  private static let removedColumns = "chunk_id, sender_id, size, is_uploaded"

  func delete(_ chunk: ChunkNumber) throws(SQLiteError) -> Removed? {
    let removed = try step { () throws(SQLiteError) in
      let recipients = try self.recipients(of: chunk)
      let removed = try connection.all(
        "DELETE FROM chunks WHERE chunk_id = ? RETURNING \(Self.removedColumns)", chunk.value
      ) { (row) throws(SQLiteError) in try row.removed() }
      return Self.noting(recipients, in: removed)
    }
    return counted(removed).first
  }

  func block(_ chunk: ChunkNumber, _ info: [UInt8]) throws(SQLiteError) -> Removed? {
    let removed = try step { () throws(SQLiteError) in
      let removed = try connection.all(
        "SELECT \(Self.removedColumns) FROM chunks WHERE chunk_id = ?", chunk.value
      ) { (row) throws(SQLiteError) in try row.removed() }
      try connection.execute("UPDATE chunks SET blocked = ?, is_uploaded = 0 WHERE chunk_id = ?", info, chunk.value)
      return removed
    }
    return counted(removed).first
  }

  func delete(createdBefore time: Int64, limit: Int) throws(SQLiteError) -> [Removed] {
    let chunks = "(SELECT chunk_id FROM chunks WHERE created_at < ? ORDER BY created_at, chunk_id LIMIT ?)"
    let removed = try step { () throws(SQLiteError) in
      let recipients = try self.recipients(where: "chunk_id IN \(chunks)", time, Int64(limit))
      let removed = try connection.all(
        "DELETE FROM chunks WHERE chunk_id IN \(chunks) RETURNING \(Self.removedColumns)", time, Int64(limit)
      ) { (row) throws(SQLiteError) in try row.removed() }
      return Self.noting(recipients, in: removed)
    }
    return counted(removed)
  }

  /// Notes a time at which the relay ran; nil to only read it. Returns the one noted before.
  func noteTime(_ time: Int64?) throws(SQLiteError) -> Int64? {
    let noted = try connection.first("SELECT noted FROM time") { (row) throws(SQLiteError) in
      try row.optionalInteger(0)
    }
    if let time { try connection.execute("UPDATE time SET noted = ?", time) }
    return noted ?? nil
  }

  /// Gives pages that are no longer used back to the file system, a few at a time.
  func releaseSpace() throws(SQLiteError) { try connection.runScript("PRAGMA incremental_vacuum(200)") }
}

extension SQLiteRow {
  /// The columns of a chunk, and a key.
  fileprivate borrowing func chunk() throws(SQLiteError) -> (ChunkRecord, AuthorizationKey) {
    let blocked = try optionalBytes(6).flatMap { try? BlockingInfo.codec.decode($0) }
    let record = ChunkRecord(
      number: ChunkNumber(try integer(0)), senderID: EntityID(try bytes(1)),
      size: UInt32(clamping: try integer(2)), digest: try bytes(3), createdAt: try integer(4),
      isUploaded: try bool(5), blocked: blocked)
    guard let key = try? AuthorizationKey.codec.decode(try bytes(7)) else {
      throw SQLiteError(.damaged, "a key that cannot be read")
    }
    return (record, key)
  }

  fileprivate borrowing func removed() throws(SQLiteError) -> ChunkDatabase.Removed {
    let (size, isUploaded) = (try integer(2), try bool(3))
    return ChunkDatabase.Removed(
      number: try integer(0), senderID: EntityID(try bytes(1)), size: isUploaded ? size : nil)
  }
}

extension AuthorizationKey {
  /// The wire form. It has no limits that a key could exceed.
  fileprivate var stored: [UInt8] { (try? AuthorizationKey.codec.encode(self)) ?? [] }
}
