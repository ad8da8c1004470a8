import SQLiteKit

extension ChatImport {
  /// Keeps the rows of features that are not there yet.
  /// - Parameter database: the database that they come from.
  mutating func keepForeignRows(
    _ database: ForeignTables, of source: SourceDatabase
  ) throws(ProfileImportError) {
    for table in database.names {
      for row in try source.rows(table, order: "1", key: "", secrets: database.secrets) {
        let number = try insert(
          into: "foreign_rows", ["database": .integer(database.rawValue), "table_name": .text(table)])
        for (place, column) in row.columns.names.enumerated() where row.values[place] != .null {
          try insert(
            into: "foreign_values",
            ["row_id": .integer(number), "column_name": .text(column), "value": row.values[place]])
        }
        for (column, secret) in row.secrets where row[column] == .null {
          try writing { (target) throws(SQLFailure) in
            try target.execute(
              "INSERT INTO foreign_values (row_id, column_name, value) VALUES (?, ?, ?)", number, column, secret)
          }
        }
        report.take(.foreignRows)
      }
    }
  }
}
