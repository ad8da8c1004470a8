/// The identity of a database file, read without changing or locking anything.
public struct DatabaseIdentity: Hashable, Sendable {
  /// SQLite's `application_id`; 0 where the file has none.
  public let applicationID: Int32
  /// The version of the schema as of the last checkpoint; a write-ahead log may know a later one.
  public let version: Int
  /// The names of its tables.
  public let tables: [String]
  /// The first entry of a table `migrations`, as the reference implementation has it.
  public let firstMigration: String?
  /// What it was sealed with; nil for a database in use.
  public let seal: DatabaseSeal?
  /// The schema that it was made with; nil where it has no fingerprint, or only its header could be read.
  public let fingerprint: SchemaFingerprint?
  /// Whether more than the header could be read.
  private let isWhole: Bool

  /// Reads the identity of a file; nil where there is no file, or nothing in it.
  ///
  /// The file is opened as immutable: no lock is taken, no log is read or rolled back, nothing is written. Only where
  /// the first page of an encrypted file was torn by a crash is it read from the log, or restored from the journal.
  /// - Parameters:
  ///   - key: the key of an encrypted file.
  ///   - checksIntegrity: whether to read the whole file, and throw ``SQLiteError/Kind/damaged`` where it is
  ///     inconsistent.
  /// - Throws: ``SQLiteError/Kind/notADatabase`` where the key is wrong or the file is not a database.
  public static func read(
    _ path: String, key: DatabaseKey? = nil, checksIntegrity: Bool = false
  ) throws(SQLiteError) -> DatabaseIdentity? {
    guard path != ":memory:", DatabaseFile.hasContent(path) else { return nil }
    let connection: SQLiteConnection =
      if let key {
        try open(path, key)
      } else {
        try SQLiteConnection(immutable: path)
      }
    if checksIntegrity { try connection.checkIntegrity() }
    do throws(SQLiteError) {
      return try read(connection)
    } catch {
      guard error.kind == .damaged, !checksIntegrity, DatabaseFile.hasContent(path + "-wal"),
        let header = try? readHeader(connection)
      else { throw error }
      return header
    }
  }

  private static func open(_ path: String, _ key: DatabaseKey) throws(SQLiteError) -> SQLiteConnection {
    do throws(SQLiteError) {
      return try SQLiteConnection(immutable: path, key: key)
    } catch {
      guard error.kind == .damaged || error.kind == .notADatabase, DatabaseFile.hasUnfinished(path) else { throw error }
      let connection = try SQLiteConnection(path: path, access: .readWrite, key: key)
      // Another program's log may look empty; it must not be removed.
      connection.keepLogWhenClosing()
      return connection
    }
  }

  /// What the header says. A checkpoint that was interrupted, by the end of the process or of the power, leaves a file
  /// that is consistent only together with its log: it may be shorter than its first page says.
  private static func readHeader(_ connection: SQLiteConnection) throws(SQLiteError) -> DatabaseIdentity? {
    // SQLite then accepts the size as it is; pragmas read nothing but the first page.
    try connection.setPragma("writable_schema", "ON")
    let applicationID = Int32(truncatingIfNeeded: try connection.integerPragma("application_id") ?? 0)
    guard applicationID != 0 else { return nil }
    return DatabaseIdentity(
      applicationID: applicationID, version: Int(try connection.integerPragma("user_version") ?? 0), tables: [],
      firstMigration: nil, seal: nil, fingerprint: nil, isWhole: false)
  }

  private static func read(_ connection: SQLiteConnection) throws(SQLiteError) -> DatabaseIdentity {
    let tables = try connection.all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
      (row) throws(SQLiteError) in try row.text(0)
    }
    let isReference = tables.contains("migrations")
    let migration = isReference ? try? connection.firstText("SELECT name FROM migrations ORDER BY name LIMIT 1") : nil
    let applicationID = Int32(truncatingIfNeeded: try connection.integerPragma("application_id") ?? 0)
    let isSealed = applicationID == DatabaseSeal.applicationID && tables.contains(DatabaseSeal.table)
    return DatabaseIdentity(
      applicationID: applicationID, version: Int(try connection.integerPragma("user_version") ?? 0), tables: tables,
      firstMigration: migration, seal: isSealed ? try DatabaseSeal.read(connection) : nil,
      fingerprint: try SchemaFingerprint.read(connection), isWhole: true)
  }

  /// Throws unless the file was made by this application, by a schema that is known, or has nothing in it.
  /// - Parameter schema: the fingerprint that a file with a schema must have; nil for any.
  /// - Throws: ``SQLiteError/Kind/foreign(_:)``, ``SQLiteError/Kind/newerSchema(found:known:)``,
  ///   ``SQLiteError/Kind/earlierBuild``.
  public func verify(
    application: Int32, knownVersion: Int, schema: SchemaFingerprint? = nil
  ) throws(SQLiteError) {
    guard applicationID == application else {
      if applicationID == 0, version == 0, tables.isEmpty { return }
      let maker: ForeignDatabase =
        if let seal {
          .sealed(seal)
        } else if let firstMigration {
          .withMigrations(first: firstMigration)
        } else if applicationID != 0 {
          .application(applicationID)
        } else {
          .unmarked
        }
      throw SQLiteError(.foreign(maker), maker.description)
    }
    guard version <= knownVersion else {
      throw SQLiteError(.newerSchema(found: version, known: knownVersion), "schema version \(version)")
    }
    // The log of a new file may have its schema alone.
    if isWhole, version > 0 { try schema?.verify(fingerprint) }
  }
}

/// Whose database a file is, where it is not ours.
public enum ForeignDatabase: Hashable, Sendable, CustomStringConvertible {
  /// Of a program with this `application_id`.
  case application(Int32)
  /// It has a table of migrations, as databases of the reference implementation do; `first` is the name of the first.
  case withMigrations(first: String)
  /// Of an unknown program that sets no `application_id`.
  case unmarked
  /// It is ours, and what was in it was exported.
  case sealed(DatabaseSeal)

  /// One sentence for people.
  public var description: String {
    switch self {
    case .application(let id):
      "the file belongs to another program (application id 0x\(String(UInt32(bitPattern: id), radix: 16)))"
    case .withMigrations(let first):
      "the file was made by another implementation of SimpleX (its first migration is \(first))"
    case .unmarked: "the file is a database of another program"
    case .sealed(let seal):
      "this profile was exported to \(seal.destination) on \(seal.day) and cannot be opened any more; if the export was"
        + " interrupted, repeat it; the profile comes back only by an import from the reference app"
    }
  }
}

extension SQLiteConnection {
  /// Opens a file that nobody may write meanwhile, without locks and without its logs.
  package convenience init(immutable path: String) throws(SQLiteError) {
    try self.init(uri: Self.uri(path) + "?immutable=1", access: .readOnly, vfs: nil)
  }

  fileprivate func firstText(_ sql: String) throws(SQLiteError) -> String? {
    try first(sql) { (row) throws(SQLiteError) in try row.text(0) }
  }

  /// Writes the `application_id` into a new database; does nothing where it is there. Called before the write-ahead log
  /// is used, so that the file itself has it from its first page on.
  public func claim(application: Int32) throws(SQLiteError) {
    guard try integerPragma("application_id") != Int64(application) else { return }
    try setPragma("application_id", String(application))
  }
}
