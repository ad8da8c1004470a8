import SQLiteKit

/// Writes rows back that an import kept because their features are not there yet.
struct ForeignExport {
  /// Our chat database.
  let source: SQLiteConnection
  var report = ImportReport()

  /// Writes the rows of a database, except those that refer to something that is not there any more, and columns that
  /// the schema does not have.
  mutating func write(_ database: ForeignTables, to target: ReferenceDatabase) throws(ProfileImportError) {
    // SQLite refuses a row that refers to nothing when it is inserted; to check a table afterwards reads all of it.
    try target.writing { (connection) throws(SQLFailure) in
      try connection.setPragma("foreign_keys", "ON")
      try connection.execute("BEGIN")
    }
    for table in database.names {
      let known: Set<String>
      let numbers: [Int64]
      do throws(SQLFailure) {
        known = Set(try target.connection.columns(of: table))
        numbers = try source.all(
          "SELECT row_id FROM foreign_rows WHERE database = ? AND table_name = ? ORDER BY row_id", database.rawValue,
          table
        ) { (row) throws(SQLFailure) in try row.integer(0) }
      } catch {
        throw .database(file: "chat", error)
      }
      for number in numbers {
        if try write(number, to: table, columns: known, of: target) {
          report.take(.foreignRows)
        } else {
          report.leave(.foreignRows)
        }
      }
    }
    try target.writing { (connection) throws(SQLFailure) in try connection.execute("COMMIT") }
  }

  /// Returns false for a row that the schema does not allow.
  private func write(
    _ number: Int64, to table: String, columns known: Set<String>, of target: ReferenceDatabase
  ) throws(ProfileImportError) -> Bool {
    var names: [String] = []
    var values: [SQLiteValue] = []
    do throws(SQLFailure) {
      try source.forEach(
        "SELECT column_name, value FROM foreign_values WHERE row_id = ? ORDER BY column_name",
        values: [.integer(number)]
      ) { (row) throws(SQLFailure) in
        let name = try row.text(0)
        guard known.contains(name) else { return }
        names.append(name)
        values.append(try row.value(1))
      }
    } catch {
      throw .database(file: "chat", error)
    }
    guard !names.isEmpty else { return false }
    do throws(ProfileImportError) { return try target.insert(into: table, names: names, values) != nil } catch {
      guard error.isDamage else { throw error }
      return false
    }
  }
}
