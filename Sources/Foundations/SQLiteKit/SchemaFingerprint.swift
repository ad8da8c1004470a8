import SimplexCrypto

/// Which schema a database was made with: a hash of the text of its first migration.
///
/// Governs: databases whose first migration changes between builds, before the first release. Such a database is
/// refused by name (``SQLiteError/Kind/earlierBuild``) instead of failing at the first statement about a table that it
/// lacks. Does not govern: later migrations, which are numbered.
///
/// The fingerprint is a row of a table of its own, written in the transaction of the first migration.
public struct SchemaFingerprint: Hashable, Sendable {
  /// 32 hexadecimal digits.
  let text: String

  /// The fingerprint of a schema with these migrations; nil where there are none.
  public init?(of migrations: [SQLiteMigration]) {
    guard let first = migrations.first else { return nil }
    let digest = HashFunction.sha256.digest(of: Array(first.sql.utf8).span.bytes)
    text = digest.prefix(16).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  init(text: String) { self.text = text }

  static let table = "schema_fingerprint"

  /// The fingerprint in a database; nil where it has none.
  static func read(_ connection: SQLiteConnection) throws(SQLiteError) -> SchemaFingerprint? {
    let name = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '\(table)'"
    guard try connection.first(name, row: { (row) throws(SQLiteError) in try row.integer(0) }) != nil else {
      return nil
    }
    return try connection.first("SELECT fingerprint FROM \(table)") { (row) throws(SQLiteError) in
      SchemaFingerprint(text: try row.text(0))
    }
  }

  func write(to connection: SQLiteConnection) throws(SQLiteError) {
    try connection.runScript(
      """
      CREATE TABLE \(Self.table) (fingerprint TEXT NOT NULL) STRICT;
      INSERT INTO \(Self.table) VALUES ('\(text)');
      """)
  }

  /// Throws ``SQLiteError/Kind/earlierBuild`` where a database with this fingerprint, or without one, was not made with
  /// this schema.
  func verify(_ found: SchemaFingerprint?) throws(SQLiteError) {
    guard found == self else { throw SQLiteError(.earlierBuild, Self.earlierBuildText) }
  }

  /// The error as a phrase for people.
  public static let earlierBuildText = "the file is a database of an earlier build of this program, with another schema"
}
