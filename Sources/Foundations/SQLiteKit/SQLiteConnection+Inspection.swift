extension SQLiteConnection {
  /// The statements that make the schema, tables first, in the order of their names, without its fingerprint; for
  /// snapshots in tests.
  public func schema() throws(SQLiteError) -> [String] {
    try all(
      """
      SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> '\(SchemaFingerprint.table)'
      ORDER BY type DESC, name
      """
    ) { (row) throws(SQLiteError) in try row.text(0) }
  }

  /// The query plan of a statement, one line per step; for snapshots in tests, where a `SCAN` is a finding.
  public func queryPlan(_ sql: String) throws(SQLiteError) -> [String] {
    try prepare("EXPLAIN QUERY PLAN " + sql).allUnbound { (row) throws(SQLiteError) in try row.text(3) }
  }
}
