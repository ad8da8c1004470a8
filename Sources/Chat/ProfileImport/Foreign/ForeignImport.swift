import SQLiteKit

extension ChatImport {
  /// Keeps the rows of features that are not there yet.
  /// - Parameter database: the database that they come from.
  mutating func keepForeignRows(
    _ database: ForeignTables, of source: SourceDatabase
  ) throws(ProfileImportError) {
    // Whose groups are kept.
    var users: [SQLiteValue: SQLiteValue] = [:]
    let takenGroups = database == .chat ? try Self.takenGroups(source) : "1"
    for table in database.names {
      // Pairings that cannot be used are kept with the import of the others.
      if ForeignTables.pairings.contains(table) { continue }
      if takesNotifications, ForeignTables.notifications.contains(table) { continue }
      // Without public groups there is nothing that belongs to them, and the tables may be missing.
      if table == "chat_relays", try !source.has("group_relays") { continue }
      if table == "messages", try !source.has("delivery_tasks") { continue }
      let kept = ForeignTables.condition(table, takenGroups: takenGroups)
      func keep(_ rows: [SourceRow]) throws(ProfileImportError) {
        for row in rows {
          if table == "groups" { users[row["group_id"]] = row["user_id"] }
          try keepForeignRow(row, database, user: users[row["group_id"]])
        }
      }
      if let number = ForeignTables.rowIDColumn(of: table) {
        guard try source.has(table) else { continue }
        try source.forEachPage(table, number: number, where: kept, secrets: database.secrets, body: keep)
      } else {
        try keep(try source.rows(table, where: kept, order: "1", key: "", secrets: database.secrets))
      }
    }
  }

  /// - Parameter user: whose group the row is about; nil for other rows.
  mutating func keepForeignRow(
    _ row: SourceRow, _ database: ForeignTables, user: SQLiteValue?
  ) throws(ProfileImportError) {
    let number = try insert(
      into: "foreign_rows", ["database": .integer(database.rawValue), "table_name": .text(row.table)])
    if let user, row["user_id"] == .null {
      // An export leaves it out, but the row is deleted with its user.
      try insert(into: "foreign_values", ["row_id": .integer(number), "column_name": .text("user_id"), "value": user])
    }
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

  /// The tables whose rows keep their numbers, with the column of these and our table.
  private static let numbered = [
    ("users", "user_id", "users"), ("contact_profiles", "contact_profile_id", "profiles"),
    ("contacts", "contact_id", "contacts"), ("user_contact_links", "user_contact_link_id", "addresses"),
    ("contact_requests", "contact_request_id", "contact_requests"), ("connections", "connection_id", "connections"),
    ("groups", "group_id", "groups"), ("group_members", "group_member_id", "members"),
    ("note_folders", "note_folder_id", "note_folders"), ("chat_items", "chat_item_id", "items"),
    ("files", "file_id", "files"), ("remote_controllers", "remote_ctrl_id", "remote_controllers"),
    ("remote_hosts", "remote_host_id", "remote_hosts"),
  ]

  /// Keeps new rows from getting the numbers of rows that were left, that are kept as they are, or that the reference
  /// deleted and does not number again.
  func reserveNumbers() throws(ProfileImportError) {
    let remembersLast = try source.has("sqlite_sequence")
    for (table, column, ours) in Self.numbered where try source.has(table) {
      let last = try source.read { (connection) throws(SQLFailure) in
        let present = try connection.first("SELECT max(\(column)) FROM \(table)") { (row) throws(SQLFailure) in
          try row.optionalInteger(0)
        }
        guard remembersLast else { return present ?? nil }
        let former = try connection.first("SELECT seq FROM sqlite_sequence WHERE name = ?", table) {
          (row) throws(SQLFailure) in try row.optionalInteger(0)
        }
        return [present ?? nil, former ?? nil].compactMap { $0 }.max()
      }
      guard let last else { continue }
      try writing { (target) throws(SQLFailure) in
        let isKnown = try target.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", last, ours)
        if isKnown == 0 { try target.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", ours, last) }
      }
    }
  }
}
