import SQLiteKit

/// The history of the schema of the chat database. A released step is never changed.
enum ChatSchema {
  static let migrations = [
    SQLiteMigration(1, name: "0001_chats", sql: Migration0001.sql)
  ]

  /// Names in the order of their numbers, for messages about migrations.
  static var names: [String] { migrations.map(\.name) }
}

/// Users, contacts, connections, groups, chats, items and files.
///
/// Times are microseconds since 1970. What only the API looks into is kept as its JSON; what queries look into has a
/// column.
///
/// A *chat* is whatever has items: a contact's conversation, a group, a part of a group, the notes. Counters, place in
/// the list and settings are the chat's, so every kind of chat has them in the same way. Items belong to a chat and to
/// nothing else.
enum Migration0001 {
  static let sql =
    users + connections + groups + channels + chats + items + files + settings + counters + budgets + remoteControl
}
