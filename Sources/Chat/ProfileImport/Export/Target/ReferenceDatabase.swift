import SQLiteKit
import SimplexCrypto

/// A new database with a schema of the reference, of version ``ProfileExport/referenceVersion``.
///
/// Rows are written in any order; that all they refer to is there is checked at the end. Its migrations have no texts
/// to go back: an app of another version can go forward from it, and refuses to go back.
final class ReferenceDatabase {
  let file: String
  let connection: SQLiteConnection

  /// Makes the file.
  /// - Parameters:
  ///   - schema: statements that make it.
  ///   - migrations: the names of all steps.
  ///   - time: when they were applied, as the reference writes times.
  init(
    path: String, passphrase: SecretBytes?, schema: String, migrations: [String], time: String
  ) throws(ProfileImportError) {
    file = path
    DatabaseFile.remove(path)
    do throws(SQLFailure) {
      if let passphrase {
        connection = try SQLiteConnection(path: path, key: try DatabaseKey(passphrase: passphrase, forFile: path))
      } else {
        connection = try SQLiteConnection(path: path)
      }
      try connection.setPragma("locking_mode", "EXCLUSIVE")
      try connection.setPragma("journal_mode", "MEMORY")
      try connection.setPragma("synchronous", "OFF")
      try connection.setPragma("cache_size", "-32768")
      try connection.keepTemporaryDataInMemory()
      try connection.runScript("BEGIN; \(ReferenceSchema.migrations) \(schema)")
      for name in migrations {
        try connection.execute("INSERT INTO migrations (name, ts) VALUES (?, ?)", name, time)
      }
      try connection.runScript("COMMIT")
    } catch {
      throw .database(file: path, error)
    }
  }

  /// Runs statements.
  @discardableResult
  func writing<Value>(_ body: (SQLiteConnection) throws(SQLFailure) -> Value) throws(ProfileImportError) -> Value {
    do throws(SQLFailure) { return try body(connection) } catch { throw .database(file: file, error) }
  }

  /// Inserts a row and returns its number; nil if an equal one is there.
  @discardableResult
  func insert(
    into table: String, _ columns: KeyValuePairs<String, SQLiteValue>
  ) throws(ProfileImportError) -> Int64? {
    try insert(into: table, names: columns.map(\.key), columns.map(\.value))
  }

  /// Inserts a row and returns its number; nil if an equal one is there.
  @discardableResult
  func insert(into table: String, names: [String], _ values: [SQLiteValue]) throws(ProfileImportError) -> Int64? {
    let places = [String](repeating: "?", count: names.count).joined(separator: ", ")
    let sql =
      "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(places)) ON CONFLICT DO NOTHING"
    return try writing { (connection) throws(SQLFailure) in
      try connection.execute(sql, values: values) > 0 ? connection.lastInsertedRow : nil
    }
  }

  /// Runs the last statements of the schema, and throws where a row refers to one that is not there. The file is whole
  /// afterwards, in one piece and closed once this object is gone.
  func finish(_ schema: String = "") throws(ProfileImportError) {
    try writing { (connection) throws(SQLFailure) in try connection.runScript(schema) }
    let dangling = try writing { (connection) throws(SQLFailure) in
      try connection.first("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT 1") {
        (row) throws(SQLFailure) in
        (try row.text(0), try row.optionalInteger(1), try row.text(2))
      }
    }
    if let (table, row, parent) = dangling {
      throw .value(
        table: table, column: parent, row: row.map(String.init) ?? "?", reason: "what it refers to is missing")
    }
  }
}

/// The schemas of the reference.
enum ReferenceSchema {
  /// The table of the steps that were applied.
  static let migrations = """
    CREATE TABLE migrations (name TEXT NOT NULL PRIMARY KEY, ts TEXT NOT NULL, down TEXT) STRICT;
    """
}
