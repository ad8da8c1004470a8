/// The opening of a store's database: lock, check, open. The stores of relays open their files here, so that none has
/// another order (decision 0023).
///
/// 1. **Lock.** The right to use the file, of one holder in all processes, is taken before the file is read. What is
///    refused here has changed nothing.
/// 2. **Check.** The file is read, without writing, by a check that knows whose it may be. What is refused here, such
///    as a file of a newer version, stays as it was.
/// 3. **Open.** Only then are the settings made, is a log recovered and the schema migrated.
public struct DatabaseOpening: Sendable {
  /// The path of the file, or `:memory:`.
  public let path: String
  /// The key of an encrypted file.
  public let key: DatabaseKey?
  /// All steps of the schema.
  public let migrations: [SQLiteMigration]

  public init(_ path: String, key: DatabaseKey? = nil, migrations: [SQLiteMigration]) {
    self.path = path
    self.key = key
    self.migrations = migrations
  }

  /// Opens the file, which is created where it does not exist, and applies the missing steps of the schema.
  /// - Parameters:
  ///   - lock: takes the right to use the file, which lasts as long as its result; throws
  ///     ``SQLiteError/Kind/busy`` where another has it.
  ///   - check: throws where the file is not to be opened; it changes nothing.
  ///   - settings: of the connection, and of a new file.
  ///   - migrating: called with the missing steps before they are applied to a file that has some; throws where they
  ///     must not be.
  public func open<Lock>(
    lock: () throws(SQLiteError) -> Lock, check: () throws(SQLiteError) -> Void,
    settings: (SQLiteConnection) throws(SQLiteError) -> Void,
    migrating: (SQLiteConnection, ArraySlice<SQLiteMigration>) throws(SQLiteError) -> Void = { _, _ in }
  ) throws(SQLiteError) -> (connection: SQLiteConnection, lock: Lock) {
    let held = try lock()
    try check()
    let connection =
      if let key { try SQLiteConnection(path: path, key: key) } else { try SQLiteConnection(path: path) }
    try settings(connection)
    let version = Int(try connection.integerPragma("user_version") ?? 0)
    if version > 0, version < migrations.count { try migrating(connection, migrations[version...]) }
    try connection.migrate(migrations)
    return (connection, held)
  }

  /// The check of files that do not name their application: that the schema is known. Reads the log too.
  /// - Throws: ``SQLiteError/Kind/newerSchema(found:known:)``, ``SQLiteError/Kind/notADatabase``.
  public func requireKnownVersion() throws(SQLiteError) {
    guard path != ":memory:", DatabaseFile.hasContent(path) else { return }
    do throws(SQLiteError) {
      let connection = try SQLiteConnection(path: path, access: .readOnly)
      let found = Int(try connection.integerPragma("user_version") ?? 0)
      guard found <= migrations.count else {
        throw SQLiteError(.newerSchema(found: found, known: migrations.count), "schema version \(found)")
      }
    } catch {
      switch error.kind {
      case .newerSchema, .notADatabase: throw error
      // What a crash left may have to be recovered first, which opening does or reports.
      default: return
      }
    }
  }
}
