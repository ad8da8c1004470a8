import SQLiteKit
import SimplexCrypto

/// A database of the reference implementation, of which a copy is read.
final class SourceDatabase {
  /// The name of the original file, for errors.
  let file: String
  let connection: SQLiteConnection
  private var columns: [String: [String]] = [:]

  /// Opens a copy, which is recovered from its journal where the app ended in the middle of a transaction.
  init(copy: String, of file: String, key: DatabaseKey?, version: ReferenceVersion) throws(ProfileImportError) {
    self.file = file
    do throws(SQLFailure) {
      if let key {
        connection = try SQLiteConnection(path: copy, access: .readWrite, key: key)
      } else {
        connection = try SQLiteConnection(path: copy, access: .readWrite)
      }
      try connection.setPragma("locking_mode", "EXCLUSIVE")
      try connection.keepTemporaryDataInMemory()
      guard try !connection.columns(of: "migrations").isEmpty else { throw SQLFailure(.foreign(.unmarked), "") }
      // A damaged index would hide rows, and a connection without its queue would be lost.
      for table in try Self.indexedTables(of: connection) { try connection.execute("REINDEX \(table)") }
    } catch {
      throw Self.failure(error, file)
    }
    let applied = try read { (connection) throws(SQLFailure) in
      try connection.all("SELECT name FROM migrations") { (row) throws(SQLFailure) in try row.text(0) }
    }
    try version.verify(applied, file: file)
  }

  /// The tables with indexes. Messages are left out: they have by far the most, and are read in the order of their
  /// rows.
  private static func indexedTables(of connection: SQLiteConnection) throws(SQLFailure) -> [String] {
    try connection.all(
      """
      SELECT DISTINCT '"' || replace(tbl_name, '"', '""') || '"' FROM sqlite_master \
      WHERE type = 'index' AND tbl_name <> 'chat_items'
      """
    ) { (row) throws(SQLFailure) in try row.text(0) }
  }

  private static func failure(_ error: SQLFailure, _ file: String) -> ProfileImportError {
    switch error.kind {
    case .notADatabase: .notADatabase(file: file)
    case .foreign: .notReference(file: file)
    default: .database(file: file, error)
    }
  }

  /// Runs queries.
  func read<Value>(_ body: (SQLiteConnection) throws(SQLFailure) -> Value) throws(ProfileImportError) -> Value {
    do throws(SQLFailure) { return try body(connection) } catch { throw Self.failure(error, file) }
  }

  /// Whether there is such a table, and such a column in it.
  func has(_ table: String, _ column: String? = nil) throws(ProfileImportError) -> Bool {
    let names = try columnNames(of: table)
    return column.map(names.contains) ?? !names.isEmpty
  }

  private func columnNames(of table: String) throws(ProfileImportError) -> [String] {
    if let names = columns[table] { return names }
    let names = try read { (connection) throws(SQLFailure) in try connection.columns(of: table) }
    columns[table] = names
    return names
  }

  /// How many rows of a table a condition holds for; 0 where there is no such table.
  func count(_ table: String, where condition: String = "1") throws(ProfileImportError) -> Int {
    guard try has(table) else { return 0 }
    let count = try read { (connection) throws(SQLFailure) in
      try connection.first("SELECT count(*) FROM \(table) WHERE \(condition)") { (row) throws(SQLFailure) in
        try row.integer(0)
      }
    }
    return Int(clamping: count ?? 0)
  }

  /// The rows of a table that a condition holds for, in memory.
  /// - Parameters:
  ///   - columns: those that are read; nil for all.
  ///   - key: the column that names rows in errors.
  ///   - secrets: the columns with keys, see ``SourceRow/secret(_:)``.
  func rows(
    _ table: String, columns: Set<String>? = nil, where condition: String = "1", _ values: [SQLiteValue] = [],
    order: String? = nil, key: String, secrets: Set<String> = []
  ) throws(ProfileImportError) -> [SourceRow] {
    let all = try columnNames(of: table)
    let names = columns.map { wanted in all.filter(wanted.contains) } ?? all
    guard !names.isEmpty else { return [] }
    let places = Dictionary(zip(names, 0...)) { first, _ in first }
    let order = order ?? key
    var rows: [SourceRow] = []
    try read { (connection) throws(SQLFailure) in
      let selected = columns == nil ? "*" : names.joined(separator: ", ")
      try connection.forEach(
        "SELECT \(selected) FROM \(table) WHERE \(condition) ORDER BY \(order)", values: values
      ) {
        (row) throws(SQLFailure) in
        var values: [SQLiteValue] = []
        var secretValues: [String: SecretBytes] = [:]
        for (column, name) in names.enumerated() {
          guard secrets.contains(name) else {
            values.append(try row.value(column))
            continue
          }
          values.append(.null)
          do throws(SQLFailure) { secretValues[name] = try row.optionalSecret(column) } catch {
            guard case .unexpectedColumn = error.kind else { throw error }
            // What is of another type is not a key, but it is there.
            secretValues[name] = SecretBytes([])
            values[column] = try row.value(column)
          }
        }
        rows.append(SourceRow(table: table, names: places, values: values, secrets: secretValues, key: key))
      }
    }
    return rows
  }

  /// Calls `body` with the rows of a table in the order of a number that they have, a thousand at a time.
  func forEachPage(
    _ table: String, columns: Set<String>? = nil, number: String, where condition: String = "1",
    body: ([SourceRow]) throws(ProfileImportError) -> Void
  ) throws(ProfileImportError) {
    var last = Int64.min
    while true {
      let page = try rows(
        table, columns: columns, where: "(\(condition)) AND \(number) > ?", [.integer(last)],
        order: "\(number) LIMIT 1000", key: number)
      guard let end = page.last else { return }
      try body(page)
      last = try end.integer(number)
    }
  }
}
