/// One step of a schema's history: `number` counts from 1 without gaps, and a released step is never changed.
public struct SQLiteMigration: Sendable {
  /// The schema version that the step leads to.
  public let number: Int
  /// What it is about, as in the name `0001_queues`.
  public let name: String
  /// Its statements.
  public let sql: String

  /// A step of a schema's history.
  public init(_ number: Int, name: String, sql: String) {
    self.number = number
    self.name = name
    self.sql = sql
  }
}

extension SQLiteConnection {
  /// Applies the missing ones of `migrations`, each in its own transaction; returns their number.
  ///
  /// The version is kept in `user_version`. A file of a newer program throws
  /// ``SQLiteError/Kind/newerSchema(found:known:)`` and is left alone.
  /// - Parameter fingerprint: what a new file is marked with, and what an existing one must be marked with; nil for
  ///   neither.
  @discardableResult
  public func migrate(
    _ migrations: [SQLiteMigration], fingerprint: SchemaFingerprint? = nil
  ) throws(SQLiteError) -> Int {
    for (index, migration) in migrations.enumerated() where migration.number != index + 1 {
      throw SQLiteError(.other, "migration \(migration.name) has number \(migration.number) at place \(index + 1)")
    }
    let found = Int(try integerPragma("user_version") ?? 0)
    guard found <= migrations.count else {
      throw SQLiteError(.newerSchema(found: found, known: migrations.count), "schema version \(found)")
    }
    if found > 0 { try fingerprint?.verify(try SchemaFingerprint.read(self)) }
    for migration in migrations.dropFirst(max(0, found)) {
      try transaction { () throws(SQLiteError) in
        try runScript(migration.sql)
        if migration.number == 1 { try fingerprint?.write(to: self) }
        try setPragma("user_version", String(migration.number))
      }
    }
    return migrations.count - max(0, found)
  }
}
