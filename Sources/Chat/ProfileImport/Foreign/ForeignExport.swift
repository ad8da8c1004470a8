import SQLiteKit

/// Writes rows back that an import kept because their features are not there yet.
struct ForeignExport {
  /// Our chat database.
  let source: SQLiteConnection
  var report = ImportReport()
  /// The new numbers of messages and of groups' profiles: those that they had may be taken.
  private var messages: [SQLiteValue: SQLiteValue] = [:]
  private var profiles: [SQLiteValue: SQLiteValue] = [:]

  init(source: SQLiteConnection) { self.source = source }

  /// Writes the rows of a database, except those that refer to something that is not there any more, and columns that
  /// the schema does not have.
  mutating func write(_ database: ForeignTables, to target: ReferenceDatabase) throws(ProfileImportError) {
    // SQLite refuses a row that refers to nothing when it is inserted; to check a table afterwards reads all of it.
    try target.writing { (connection) throws(SQLFailure) in
      try connection.setPragma("foreign_keys", "ON")
      try connection.execute("BEGIN")
    }
    for table in database.names {
      let known: [String: String]
      let numbers: [Int64]
      do throws(SQLFailure) {
        known = Dictionary(
          try target.connection.all("SELECT name, type FROM pragma_table_info(?)", table) {
            (row) throws(SQLFailure) in (try row.text(0), try row.text(1))
          }
        ) { first, _ in first }
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
  private mutating func write(
    _ number: Int64, to table: String, columns known: [String: String], of target: ReferenceDatabase
  ) throws(ProfileImportError) -> Bool {
    var values: [(name: String, value: SQLiteValue)] = []
    do throws(SQLFailure) {
      try source.forEach(
        "SELECT column_name, value FROM foreign_values WHERE row_id = ? ORDER BY column_name",
        values: [.integer(number)]
      ) { (row) throws(SQLFailure) in
        let name = try row.text(0)
        guard let type = known[name] else { return }
        values.append((name, Self.value(try row.value(1), as: type)))
      }
    } catch {
      throw .database(file: "chat", error)
    }
    guard let former = renumber(&values, in: table), !values.isEmpty,
      try refersToConnection(values.map(\.name), values.map(\.value), of: target)
    else { return false }
    for (column, parent) in ForeignTables.optionalReferences(table) {
      guard let place = values.firstIndex(where: { $0.name == column }) else { continue }
      let query = "SELECT 1 FROM \(parent.table) WHERE \(parent.column) = ?"
      let value = values[place].value
      let isThere = try target.writing { (connection) throws(SQLFailure) in
        try connection.first(query, value) { _ in true } ?? false
      }
      if !isThere { values.remove(at: place) }
    }
    try keepName(of: values, target)
    guard let inserted = try insert(values, into: table, of: target) else { return false }
    if table == "messages" { messages[former] = .integer(inserted) }
    if table == "group_profiles" { profiles[former] = .integer(inserted) }
    return true
  }

  /// Makes the name of a group or member one that is taken. Our names do not know of it, and the user's own, which a
  /// membership has, may have been changed since the import.
  private func keepName(
    of values: [(name: String, value: SQLiteValue)], _ target: ReferenceDatabase
  ) throws(ProfileImportError) {
    func value(_ name: String) -> SQLiteValue? { values.first { $0.name == name }?.value }
    guard let user = value("user_id"), let name = value("local_display_name"), let time = value("created_at") else {
      return
    }
    try target.writing { (connection) throws(SQLFailure) in
      try connection.execute(
        """
        INSERT OR IGNORE INTO display_names (user_id, local_display_name, ldn_base, ldn_suffix, created_at, updated_at) \
        VALUES (?1, ?2, ?2, 0, ?3, ?3)
        """, values: [user, name, time])
    }
  }

  /// Replaces the numbers of rows that have new ones, and leaves out what the schema counts by itself.
  /// - Returns: the number that a row had which gets a new one, NULL for others; nil if what the row refers to was not
  ///   written.
  private func renumber(_ values: inout [(name: String, value: SQLiteValue)], in table: String) -> SQLiteValue? {
    func remove(_ name: String) -> SQLiteValue {
      guard let place = values.firstIndex(where: { $0.name == name }) else { return .null }
      return values.remove(at: place).value
    }
    func replace(_ name: String, _ numbers: [SQLiteValue: SQLiteValue]) -> Bool {
      guard let place = values.firstIndex(where: { $0.name == name }) else { return true }
      guard let number = numbers[values[place].value] else { return false }
      values[place].value = number
      return true
    }
    switch table {
    case "messages": return remove("message_id")
    case "group_profiles": return remove("group_profile_id")
    case "client_services":
      // Our queues are not subscribed to by it; the app does so again.
      for name in ["service_queue_count", "service_queue_ids_hash"] { _ = remove(name) }
      return .null
    case "delivery_tasks": return replace("message_id", messages) ? .null : nil
    case "groups":
      _ = remove("summary_current_members_count")
      return replace("group_profile_id", profiles) ? .null : nil
    default: return .null
    }
  }

  /// Inserts a row and returns its number; nil if the schema does not allow it.
  private func insert(
    _ values: [(name: String, value: SQLiteValue)], into table: String, of target: ReferenceDatabase
  ) throws(ProfileImportError) -> Int64? {
    do throws(ProfileImportError) {
      return try target.insert(into: table, names: values.map(\.name), values.map(\.value))
    } catch {
      guard error.isAboutValues else { throw error }
      return nil
    }
  }

  /// Before version 6.5 text may be kept as a blob and the other way round; later schemas refuse that.
  private static func value(_ value: SQLiteValue, as type: String) -> SQLiteValue {
    switch (value, type) {
    case (.blob(let bytes), "TEXT"): String(validating: bytes, as: UTF8.self).map(SQLiteValue.text) ?? value
    case (.text(let text), "BLOB"): .blob(Array(text.utf8))
    default: value
    }
  }

  /// Whether the connection that a row of the agent is about is there: the schema does not see to that.
  private func refersToConnection(
    _ names: [String], _ values: [SQLiteValue], of target: ReferenceDatabase
  ) throws(ProfileImportError) -> Bool {
    guard let place = names.firstIndex(of: "conn_id") else { return true }
    return try target.writing { (connection) throws(SQLFailure) in
      try connection.first("SELECT 1 FROM connections WHERE conn_id = ?", values[place]) { _ in true } ?? false
    }
  }
}
