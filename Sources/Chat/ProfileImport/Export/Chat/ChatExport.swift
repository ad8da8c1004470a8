import SQLiteKit

/// Writes the chat core's part of a profile to a new database of the reference: the mirror image of `ChatImport`.
///
/// Rows keep their numbers: contents of items, and apps, refer to them. What a row refers to and is not there any more
/// is left out of it, because the reference's schema does not allow it.
struct ChatExport {
  let source: SQLiteConnection
  let target: ReferenceDatabase
  /// The connections that the agent has, by its identifiers as base64url.
  let connections: Set<String>
  /// The messages that the agent remembers.
  let sent: [ExportedMessage]
  /// When the export is made, as the reference writes times.
  let now: String
  var report = ImportReport()

  /// The groups that are taken: all but public groups.
  static let takenGroups = "g.public_group IS NULL"

  /// Writes everything in one transaction.
  /// - Parameter progress: called with the number of items that were written, now and then.
  mutating func run(progress: (Int) -> Void) throws(ProfileImportError) {
    try writing { (target) throws(SQLFailure) in try target.execute("BEGIN") }
    try prepare()
    try exportUsers()
    try exportSettings()
    try exportContacts()
    try exportConnections()
    try exportGroups()
    try exportAddresses()
    try exportTags()
    try exportItems(progress: progress)
    try exportWhatBelongsToItems()
    try exportCalls()
    try exportRemoteControl()
    try exportGroupRecords()
    try exportPendingMessages()
    try exportProbes()
    try exportFiles()
    try exportDeliveries()
    try writing { (target) throws(SQLFailure) in try target.execute("COMMIT") }
    try target.finish()
  }

  /// Lists what is taken in temporary tables, which the queries of the export refer to.
  private func prepare() throws(ProfileImportError) {
    try reading { (source) throws(SQLFailure) in
      try source.runScript(
        """
        DROP TABLE IF EXISTS temp.taken_connections; DROP TABLE IF EXISTS temp.taken_chats;
        CREATE TEMP TABLE taken_connections (agent_conn_id TEXT PRIMARY KEY) WITHOUT ROWID;
        CREATE TEMP TABLE taken_chats AS SELECT h.chat_id, h.kind, h.entity_id, h.scope FROM chats h
        WHERE h.kind = 0 AND h.entity_id IN (SELECT contact_id FROM contacts)
        OR h.kind = 1 AND h.entity_id IN (SELECT g.group_id FROM groups g WHERE \(Self.takenGroups))
        OR h.kind = 2 AND h.entity_id IN (SELECT note_folder_id FROM note_folders);
        CREATE INDEX temp.taken_chats_chat ON taken_chats (chat_id);
        CREATE INDEX temp.taken_chats_entity ON taken_chats (kind, entity_id);
        """)
      for connection in connections {
        try source.execute("INSERT INTO taken_connections VALUES (?)", connection)
      }
    }
  }

  /// The number in a column if there is such a row, else NULL.
  static func existing(_ value: String, in table: String, _ key: String) -> ExportColumn {
    .plain("(SELECT x.\(key) FROM \(table) x WHERE x.\(key) = \(value))")
  }

  /// Copies the rows of a query.
  /// - Parameters:
  ///   - table: the table of the reference.
  ///   - rows: what comes after FROM, in our database.
  ///   - row: called after every row.
  /// - Returns: how many rows were written; of equal ones only the first is.
  @discardableResult
  func copy(
    into table: String, from rows: String, _ columns: KeyValuePairs<String, ExportColumn>, row: () -> Void = {}
  ) throws(ProfileImportError) -> Int {
    let names = columns.map(\.key)
    let sources = columns.flatMap(\.value.sources)
    var count = 0
    var failure: ProfileImportError?
    do throws(SQLFailure) {
      try source.forEach("SELECT \(sources.joined(separator: ", ")) FROM \(rows)") { (found) throws(SQLFailure) in
        var values: [SQLiteValue] = []
        var place = 0
        for (name, column) in columns {
          var parts: [SQLiteValue] = []
          for part in 0..<column.sources.count { parts.append(try found.value(place + part)) }
          place += column.sources.count
          guard let value = column.convert(parts) else {
            let first = if case .integer(let number) = try found.value(0) { "\(number)" } else { "?" }
            failure = .value(table: table, column: name, row: first, reason: "it cannot be converted")
            throw SQLFailure(.other, "")
          }
          values.append(value)
        }
        do throws(ProfileImportError) {
          if try target.insert(into: table, names: names, values) != nil { count += 1 }
        } catch {
          failure = error
          throw SQLFailure(.other, "")
        }
        row()
      }
    } catch {
      throw failure ?? .database(file: "chat", error)
    }
    return count
  }

  /// Runs statements on our database.
  func reading<Value>(_ body: (SQLiteConnection) throws(SQLFailure) -> Value) throws(ProfileImportError) -> Value {
    do throws(SQLFailure) { return try body(source) } catch { throw .database(file: "chat", error) }
  }

  /// Runs statements on the new database.
  @discardableResult
  func writing<Value>(_ body: (SQLiteConnection) throws(SQLFailure) -> Value) throws(ProfileImportError) -> Value {
    try target.writing(body)
  }
}
