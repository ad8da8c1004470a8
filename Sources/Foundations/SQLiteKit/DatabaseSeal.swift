import CivilTime

/// The seal of a database: it marks a file that must not be opened any more, because its content was exported.
///
/// Governs: the mark, which is in the file and so in all copies made later. Does not govern: when a database is sealed,
/// and what replaces it.
///
/// The mark is an ``applicationID``, which also programs that do not know seals refuse, and a table with the properties
/// below. Both are written in one transaction, with a rollback journal instead of a write-ahead log.
public struct DatabaseSeal: Hashable, Sendable {
  /// The absolute path of the archive that has the content.
  public var destination: String
  /// When it was exported, in seconds since 1970 (UTC).
  public var time: Int64
  /// The absolute path of the archive before its last rename.
  public var note: String

  /// A seal.
  public init(destination: String, time: Int64, note: String) {
    (self.destination, self.time, self.note) = (destination, time, note)
  }

  /// SQLite's `application_id` of sealed databases: "SxEx".
  public static let applicationID: Int32 = 0x5378_4578

  static let table = "sealed_profile"

  /// The seal of a file; nil where it has none, or is not there.
  /// - Throws: ``SQLiteError/Kind/notADatabase`` where the key is wrong or the file is not a database.
  public static func read(_ path: String, key: DatabaseKey?) throws(SQLiteError) -> DatabaseSeal? {
    try DatabaseIdentity.read(path, key: key)?.seal
  }

  static func read(_ connection: SQLiteConnection) throws(SQLiteError) -> DatabaseSeal? {
    try connection.first("SELECT destination, time, note FROM \(table)") { (row) throws(SQLiteError) in
      DatabaseSeal(destination: try row.text(0), time: try row.integer(1), note: try row.text(2))
    }
  }

  /// Rolls back a seal whose writing was interrupted, which ``read(_:key:)`` does not see; does nothing where there is
  /// no journal. Nobody else may have the file open.
  public static func rollBackUnfinished(_ path: String, key: DatabaseKey?) throws(SQLiteError) {
    guard DatabaseFile.exists(path + "-journal") else { return }
    let connection = try open(path, key)
    _ = try connection.integerPragma("schema_version")
  }

  private static func open(_ path: String, _ key: DatabaseKey?) throws(SQLiteError) -> SQLiteConnection {
    if let key {
      try SQLiteConnection(path: path, access: .readWrite, key: key)
    } else {
      try SQLiteConnection(path: path, access: .readWrite)
    }
  }

  /// Seals a file durably. Nobody else may have it open.
  /// - Throws: ``SQLiteError/Kind/busy`` where another connection uses the log; then nothing is sealed.
  public func apply(to path: String, key: DatabaseKey?) throws(SQLiteError) {
    let connection = try Self.open(path, key)
    try connection.setPragma("locking_mode", "EXCLUSIVE")
    // What the log holds goes to the file; then there is no log.
    let mode = try connection.first("PRAGMA journal_mode = DELETE") { (row) throws(SQLiteError) in try row.text(0) }
    guard mode == "delete" else { throw SQLiteError(.busy, "the log of \(path) is in use") }
    try connection.setPragma("synchronous", "EXTRA")
    try connection.transaction { () throws(SQLiteError) in
      try connection.runScript(
        "CREATE TABLE \(Self.table) (destination TEXT NOT NULL, time INTEGER NOT NULL, note TEXT NOT NULL) STRICT;")
      try connection.execute("INSERT INTO \(Self.table) VALUES (?, ?, ?)", destination, time, note)
      try connection.setPragma("application_id", String(Self.applicationID))
    }
  }
}

extension DatabaseSeal {
  /// The day of ``time`` in UTC, as `YYYY-MM-DD`.
  public var day: String {
    let date = CivilDate(dayNumber: time / 86_400)
    func pad(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(date.year)-\(pad(date.month))-\(pad(date.day))"
  }
}
