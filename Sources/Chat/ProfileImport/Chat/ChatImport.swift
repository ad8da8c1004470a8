import ChatAPI
import ChatStore
import SQLiteKit
import SimplexJSON
import WireCodec

/// Writes the chat core's part of a profile to a new database of ours.
///
/// Rows keep their numbers: contents of items, and apps, refer to them.
struct ChatImport {
  let source: SourceDatabase
  /// The agent's database of the profile.
  let agentSource: SourceDatabase
  let target: SQLiteConnection
  /// The agent's number of the last message that was shown, of each connection that is taken, by the agent's
  /// identifier.
  let lastMessages: [[UInt8]: Int64]
  let deliveries: [ImportedDelivery]
  /// What our agent is asked for at the next start.
  let handshakes: [ImportedCommand]
  /// The connections whose ratchet has to be synchronized before anything can be sent.
  let prohibited: Set<[UInt8]>
  /// Whether the agent took the rows about push notifications.
  let takesNotifications: Bool
  private let insertions = InsertionTexts()
  var report = ImportReport()
  /// The chats of contacts and notes.
  var chats: [ChatKey: Int64] = [:]
  /// The identifiers of members in their groups, and of the user in each group.
  var memberNames: [Int64: String] = [:]
  var ownNames: [Int64: String] = [:]
  /// The positions of the members of the group that is imported.
  var memberIndexes: [Int64: Int64] = [:]
  /// Statuses of items, by their texts.
  var statuses: [String: ItemStatusCode] = [:]
  /// Items of calls that are not over.
  var openCalls: [Int64: CIContent] = [:]
  /// The agent's numbers of users.
  var agentUsers: [Int64: Int64] = [:]
  /// The files whose sending begins again.
  var uploads: [UploadCommand] = []
  /// The contacts that are the users themselves.
  var userContacts: Set<Int64> = []

  /// What a chat belongs to.
  enum ChatKey: Hashable {
    case contact(Int64)
    case notes(Int64)
    case group(Int64)
    /// A member's support chat; -1 for the user's own.
    case support(group: Int64, member: Int64)
  }

  init(_ source: SourceDatabase, to target: SQLiteConnection, agent: AgentImport) {
    self.source = source
    self.target = target
    agentSource = agent.source
    lastMessages = agent.lastMessages
    deliveries = agent.deliveries
    handshakes = agent.handshakes
    prohibited = agent.prohibited
    takesNotifications = agent.takesNotifications
  }

  /// Writes everything.
  /// - Parameter progress: called with the number of items that were written, now and then.
  mutating func run(progress: (Int) -> Void) throws(ProfileImportError) {
    // The database has no use unless all of it is written, and it is flushed before it gets its name. A journal is
    // needed only where a part of several rows may be left.
    try writing { (target) throws(SQLFailure) in
      try target.setPragma("journal_mode", "MEMORY")
      try target.setPragma("synchronous", "OFF")
    }
    try transaction { (chat) throws(ProfileImportError) in
      try chat.importUsers()
      try chat.importSettings()
      try chat.importProfiles()
      try chat.importConnections()
      try chat.importContacts()
      try chat.importGroups()
      try chat.importAddresses()
      try chat.importNotes()
      try chat.importTags()
      try chat.removeOrphans()
      try chat.clearReferences()
    }
    try writing { (target) throws(SQLFailure) in try target.leaveJournal() }
    try importItems(progress: progress)
    try transaction { (chat) throws(ProfileImportError) in
      try chat.importVersions()
      try chat.importReactions()
      try chat.importGroupRecords()
    }
    try writing { (target) throws(SQLFailure) in try target.useWriteAheadLog(synchronous: .normal) }
    try transaction { (chat) throws(ProfileImportError) in
      try chat.importFiles()
      try chat.importPendingMessages()
      try chat.importProbes()
      try chat.importCalls()
      try chat.importRemoteControl()
      try chat.importDeliveries()
      try chat.importHandshakes()
      try chat.importUploads()
      try chat.keepForeignRows(.chat, of: chat.source)
      try chat.keepForeignRows(.agent, of: chat.agentSource)
      try chat.reserveNumbers()
    }
  }

  /// Runs `body` in a transaction of our database, which has no use unless all of them succeed.
  mutating func transaction(_ body: (inout ChatImport) throws(ProfileImportError) -> Void) throws(ProfileImportError) {
    try writing { (target) throws(SQLFailure) in try target.execute("BEGIN IMMEDIATE") }
    try body(&self)
    try writing { (target) throws(SQLFailure) in try target.execute("COMMIT") }
  }

  /// Takes a part of one or more rows; if their values cannot be used, all of it is left, and nothing else is affected.
  /// - Returns: whether it was taken.
  @discardableResult
  mutating func writeUnlessDamaged(
    _ kind: ImportReport.Left, _ body: (inout ChatImport) throws(ProfileImportError) -> Void
  ) throws(ProfileImportError) -> Bool {
    let before = report
    var isTaken = true
    try writing { (target) throws(SQLFailure) in try target.execute("SAVEPOINT part") }
    do throws(ProfileImportError) { try body(&self) } catch {
      guard error.isAboutValues else { throw error }
      try writing { (target) throws(SQLFailure) in try target.execute("ROLLBACK TO part") }
      report = before
      report.leave(kind, because: error)
      isTaken = false
    }
    try writing { (target) throws(SQLFailure) in try target.execute("RELEASE part") }
    return isTaken
  }

  /// What `body` makes of values, without writing anything; nil if they cannot be used, which is reported.
  mutating func valueUnlessDamaged<Value>(
    _ kind: ImportReport.Left, _ body: (inout ChatImport) throws(ProfileImportError) -> Value?
  ) throws(ProfileImportError) -> Value? {
    do throws(ProfileImportError) { return try body(&self) } catch {
      guard case .value = error else { throw error }
      report.leave(kind, because: error)
      return nil
    }
  }

  /// Removes what belongs to contacts, groups and addresses that were left.
  func removeOrphans() throws(ProfileImportError) {
    guard report.left[.damagedChats] != nil else { return }
    let contacts = "(SELECT contact_id FROM contacts)"
    let addresses = "(SELECT address_id FROM addresses)"
    try writing { (target) throws(SQLFailure) in
      try target.runScript(
        """
        DELETE FROM connections WHERE contact_id NOT IN \(contacts) OR address_id NOT IN \(addresses)
        OR member_id NOT IN (SELECT member_id FROM members);
        DELETE FROM contact_requests WHERE contact_id NOT IN \(contacts) OR address_id NOT IN \(addresses)
        OR business_group_id NOT IN (SELECT group_id FROM groups);
        """)
    }
  }

  /// Lets people refer to nothing that is not taken: a member whose contact is missing could not be changed any more.
  private func clearReferences() throws(ProfileImportError) {
    let contacts = "(SELECT contact_id FROM contacts)"
    try writing { (target) throws(SQLFailure) in
      try target.runScript(
        """
        UPDATE members SET contact_id = NULL WHERE contact_id NOT IN \(contacts);
        UPDATE members SET invited_by_contact = NULL WHERE invited_by_contact NOT IN \(contacts);
        UPDATE contacts SET member_id = NULL WHERE member_id NOT IN (SELECT member_id FROM members);
        UPDATE contacts SET request_id = NULL WHERE request_id NOT IN (SELECT request_id FROM contact_requests);
        -- Who connects gets a profile that was changed after the connection was created.
        UPDATE connections SET profile_version = -1 WHERE status <> 'ready' AND created_at < (SELECT p.updated_at
        FROM users u JOIN profiles p ON p.profile_id = u.profile_id WHERE u.user_id = connections.user_id);
        UPDATE members SET group_version = -1 WHERE category = 'invitee' AND created_at < (SELECT g.updated_at
        FROM groups g WHERE g.group_id = members.group_id);
        """)
    }
  }

  @discardableResult
  func writing<Value>(_ body: (SQLiteConnection) throws(SQLFailure) -> Value) throws(ProfileImportError) -> Value {
    do throws(SQLFailure) { return try body(target) } catch { throw .database(file: "chat", error) }
  }

  /// Inserts a row and returns its number.
  @discardableResult
  func insert(
    into table: String, _ columns: KeyValuePairs<String, SQLiteValue>
  ) throws(ProfileImportError) -> Int64 {
    try writing { (target) throws(SQLFailure) in
      try target.execute(insertions.sql(into: table, columns), values: columns.map(\.value))
      return target.lastInsertedRow
    }
  }

  /// How many rows one statement inserts, where there are many: what has to be done for each statement, such as to open
  /// all indexes, takes as long as to insert a row.
  private static let rowsPerStatement = 20

  /// Inserts rows that all have the same columns.
  /// - Parameter ignoringRefused: whether those are left out that are there already, or that the schema does not allow.
  /// - Returns: how many were inserted.
  @discardableResult
  func insert(
    into table: String, rows: [KeyValuePairs<String, SQLiteValue>], ignoringRefused: Bool = false
  ) throws(ProfileImportError) -> Int {
    guard let columns = rows.first else { return 0 }
    return try writing { (target) throws(SQLFailure) in
      var count = 0
      var next = 0
      while next < rows.count {
        let size = rows.count - next < Self.rowsPerStatement ? 1 : Self.rowsPerStatement
        var values: [SQLiteValue] = []
        values.reserveCapacity(size * columns.count)
        for row in rows[next..<next + size] { for column in row { values.append(column.value) } }
        let sql = insertions.sql(into: table, columns, rows: size, ignoringRefused: ignoringRefused)
        count += try target.execute(sql, values: values)
        next += size
      }
      return count
    }
  }
}

/// The texts of statements that insert rows. To make one takes longer than to insert a row.
final class InsertionTexts {
  private struct Insertion {
    let columns: [String]
    let rows: Int
    let ignoringRefused: Bool
    let sql: String
  }

  private var known: [String: [Insertion]] = [:]

  /// The statement that inserts rows with these columns into a table; with `ignoringRefused`, those that are allowed.
  func sql(
    into table: String, _ columns: KeyValuePairs<String, SQLiteValue>, rows: Int = 1, ignoringRefused: Bool = false
  ) -> String {
    let found = known[table]?.first { insertion in
      insertion.rows == rows && insertion.ignoringRefused == ignoringRefused
        && insertion.columns.elementsEqual(columns.lazy.map(\.key))
    }
    if let found { return found.sql }
    let names = columns.map(\.key)
    let places = "(" + [String](repeating: "?", count: names.count).joined(separator: ", ") + ")"
    let sql =
      "INSERT \(ignoringRefused ? "OR IGNORE " : "")INTO \(table) (\(names.joined(separator: ", "))) VALUES "
      + [String](repeating: places, count: rows).joined(separator: ", ")
    known[table, default: []].append(Insertion(columns: names, rows: rows, ignoringRefused: ignoringRefused, sql: sql))
    return sql
  }
}

extension SQLiteValue {
  /// 1 or 0.
  static func bool(_ value: Bool) -> SQLiteValue { .integer(value ? 1 : 0) }
  static func optional(_ value: Int64?) -> SQLiteValue { value.map(SQLiteValue.integer) ?? .null }
  static func optional(_ value: Bool?) -> SQLiteValue { value.map(SQLiteValue.bool) ?? .null }
  static func optional(_ value: String?) -> SQLiteValue { value.map(SQLiteValue.text) ?? .null }
}

extension SourceRow {
  /// The JSON of a value as our databases keep it; nil for NULL.
  func json<Value: JSONCodable>(_ column: String, as _: Value.Type) throws(ProfileImportError) -> String? {
    guard let text = try optionalText(column), !text.isEmpty else { return nil }
    do throws(JSONError) { return try Value(jsonText: text).jsonText() } catch {
      throw unusable(column, "\(error)")
    }
  }
}
