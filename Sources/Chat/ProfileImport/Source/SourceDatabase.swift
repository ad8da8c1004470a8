import SQLiteKit
import SimplexCrypto

/// A database of the reference implementation, which is read: the original, or a copy.
final class SourceDatabase {
  /// The name of the original file, for errors.
  let file: String
  let connection: SQLiteConnection
  private var columns: [String: [String]] = [:]

  /// Opens a database as it is; nothing is locked or written. Whoever reads it looks whether somebody wrote meanwhile.
  init(original file: String, key: DatabaseKey?, version: ReferenceVersion) throws(ProfileImportError) {
    self.file = file
    do throws(SQLFailure) {
      if let key {
        connection = try SQLiteConnection(immutable: file, key: key)
      } else {
        connection = try SQLiteConnection(immutable: file)
      }
    } catch {
      throw Self.failure(error, file)
    }
    try verify(version)
  }

  /// Opens a copy, recovers it from its journal where the app ended in the middle of a transaction, and makes its
  /// indexes again.
  init(copy: String, of file: String, key: DatabaseKey?, version: ReferenceVersion) throws(ProfileImportError) {
    self.file = file
    do throws(SQLFailure) {
      if let key {
        connection = try SQLiteConnection(path: copy, access: .readWrite, key: key)
      } else {
        connection = try SQLiteConnection(path: copy, access: .readWrite)
      }
      try connection.setPragma("locking_mode", "EXCLUSIVE")
    } catch {
      throw Self.failure(error, file)
    }
    try verify(version)
    try read { (connection) throws(SQLFailure) in
      // After a crash there is another copy.
      try connection.leaveJournal()
      for table in try Self.indexedTables(of: connection) { try connection.execute("REINDEX \(table)") }
    }
  }

  /// Throws unless it is a database of the reference whose schema is known.
  private func verify(_ version: ReferenceVersion) throws(ProfileImportError) {
    let applied = try read { (connection) throws(SQLFailure) in
      try connection.keepTemporaryDataInMemory()
      guard try !connection.columns(of: "migrations").isEmpty else { throw SQLFailure(.foreign(.unmarked), "") }
      return try connection.all("SELECT name FROM migrations") { (row) throws(SQLFailure) in try row.text(0) }
    }
    try version.verify(applied, file: file)
  }

  /// Whether all indexes that are used list the rows of their tables. A damaged one would hide rows, and a connection
  /// without its queue would be lost.
  func hasSoundIndexes() throws(ProfileImportError) -> Bool {
    try read { (connection) throws(SQLFailure) in
      for table in try Self.indexedTables(of: connection) {
        let findings = try connection.all("PRAGMA integrity_check(\(table))") { (row) throws(SQLFailure) in
          try row.text(0)
        }
        guard findings == ["ok"] else { return false }
      }
      return true
    }
  }

  /// The tables whose rows are read in their order, which needs no index; they are by far the largest.
  private static let readInOrder = [
    "chat_items", "messages", "chat_item_versions", "chat_item_reactions", "group_snd_item_statuses",
  ]

  /// The other tables with indexes.
  private static func indexedTables(of connection: SQLiteConnection) throws(SQLFailure) -> [String] {
    let names = readInOrder.map { "'\($0)'" }.joined(separator: ", ")
    return try connection.all(
      """
      SELECT DISTINCT '"' || replace(tbl_name, '"', '""') || '"' FROM sqlite_master \
      WHERE type = 'index' AND tbl_name NOT IN (\(names))
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
  ///   - inOrder: whether to use no index but the numbers of rows.
  func rows(
    _ table: String, columns: Set<String>? = nil, where condition: String = "1", _ values: [SQLiteValue] = [],
    order: String? = nil, key: String, secrets: Set<String> = [], inOrder: Bool = false
  ) throws(ProfileImportError) -> [SourceRow] {
    let all = try columnNames(of: table)
    let names = columns.map { wanted in all.filter(wanted.contains) } ?? all
    guard !names.isEmpty else { return [] }
    let places = SourceColumns(names)
    let order = order ?? key
    var rows: [SourceRow] = []
    try read { (connection) throws(SQLFailure) in
      let selected = columns == nil ? "*" : names.joined(separator: ", ")
      try connection.forEach(
        "SELECT \(selected) FROM \(table)\(inOrder ? " NOT INDEXED" : "") WHERE \(condition) ORDER BY \(order)",
        values: values
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
        rows.append(SourceRow(table: table, columns: places, values: values, secrets: secretValues, key: key))
      }
    }
    return rows
  }

  /// Calls `body` with the rows of a table in the order of their numbers, 250 at a time: so many fit into the
  /// caches of a processor, even large ones.
  /// - Parameter number: the column that SQLite numbers rows by.
  func forEachPage(
    _ table: String, columns: Set<String>? = nil, number: String, where condition: String = "1",
    secrets: Set<String> = [], body: ([SourceRow]) throws(ProfileImportError) -> Void
  ) throws(ProfileImportError) {
    var last = Int64.min
    while true {
      let page = try rows(
        table, columns: columns, where: "(\(condition)) AND \(number) > ?", [.integer(last)],
        order: "\(number) LIMIT 250", key: number, secrets: secrets, inOrder: true)
      guard let end = page.last else { return }
      let next = try end.integer(number)
      // In a damaged table the same rows would come again and again.
      guard next > last else { throw .database(file: file, SQLFailure(.damaged, "rows of \(table) are out of order")) }
      try body(page)
      last = next
    }
  }
}
