import ChatAPI
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
  var report = ImportReport()
  /// The chats of contacts and notes.
  var chats: [ChatKey: Int64] = [:]
  /// The identifiers of members in their groups, and of the user in each group.
  var memberNames: [Int64: String] = [:]
  var ownNames: [Int64: String] = [:]
  /// The positions of the members of the group that is imported.
  var memberIndexes: [Int64: Int64] = [:]
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
  }

  /// Writes everything.
  /// - Parameter progress: called with the number of items that were written, now and then.
  mutating func run(progress: (Int) -> Void) throws(ProfileImportError) {
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
    }
    try importItems(progress: progress)
    try transaction { (chat) throws(ProfileImportError) in
      try chat.importFiles()
      try chat.importVersions()
      try chat.importReactions()
      try chat.importGroupRecords()
      try chat.importPendingMessages()
      try chat.importProbes()
      try chat.importDeliveries()
      try chat.importHandshakes()
      try chat.keepForeignRows(.chat, of: chat.source)
      try chat.keepForeignRows(.agent, of: chat.agentSource)
    }
  }

  /// Runs `body` in a transaction of our database, which has no use unless all of them succeed.
  mutating func transaction(_ body: (inout ChatImport) throws(ProfileImportError) -> Void) throws(ProfileImportError) {
    try writing { (target) throws(SQLFailure) in try target.execute("BEGIN IMMEDIATE") }
    try body(&self)
    try writing { (target) throws(SQLFailure) in try target.execute("COMMIT") }
  }

  @discardableResult
  func writing<Value>(_ body: (SQLiteConnection) throws(SQLFailure) -> Value) throws(ProfileImportError) -> Value {
    do throws(SQLFailure) { return try body(target) } catch { throw .database(file: "chat", error) }
  }

  /// Inserts a row unless it is there, and returns whether it was inserted.
  func insertOnce(
    into table: String, _ columns: KeyValuePairs<String, SQLiteValue>
  ) throws(ProfileImportError) -> Bool {
    let names = columns.map(\.key).joined(separator: ", ")
    let places = [String](repeating: "?", count: columns.count).joined(separator: ", ")
    return try writing { (target) throws(SQLFailure) in
      try target.execute(
        "INSERT INTO \(table) (\(names)) VALUES (\(places)) ON CONFLICT DO NOTHING", values: columns.map(\.value)) > 0
    }
  }

  /// Inserts a row and returns its number.
  @discardableResult
  func insert(
    into table: String, _ columns: KeyValuePairs<String, SQLiteValue>
  ) throws(ProfileImportError) -> Int64 {
    let names = columns.map(\.key).joined(separator: ", ")
    let places = [String](repeating: "?", count: columns.count).joined(separator: ", ")
    return try writing { (target) throws(SQLFailure) in
      try target.execute("INSERT INTO \(table) (\(names)) VALUES (\(places))", values: columns.map(\.value))
      return target.lastInsertedRow
    }
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
