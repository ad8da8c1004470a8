import SQLiteKit
import SimplexJSON

extension ChatExport {
  /// Servers, operators, and the settings that the app saved.
  mutating func exportSettings() throws(ProfileImportError) {
    try exportServers()
    func role(_ roles: String, _ name: String) -> ExportColumn {
      .plain("coalesce(json_extract(o.\(roles), '$.\(name)'), 0)")
    }
    try copy(
      into: "server_operators", from: "operators o ORDER BY o.operator_id",
      [
        "server_operator_id": "o.operator_id", "server_operator_tag": "o.tag", "trade_name": "o.trade_name",
        "legal_name": "o.legal_name",
        "server_domains": .text("o.domains") { (try? [String](jsonText: $0))?.joined(separator: ",") },
        "enabled": "o.enabled", "smp_role_storage": role("smp_roles", "storage"),
        "smp_role_proxy": role("smp_roles", "proxy"), "xftp_role_storage": role("xftp_roles", "storage"),
        "xftp_role_proxy": role("xftp_roles", "proxy"),
      ])
    try copy(
      into: "usage_conditions", from: "usage_conditions c ORDER BY c.conditions_id",
      [
        "usage_conditions_id": "c.conditions_id", "conditions_commit": "c.document",
        "notified_at": .time("c.notified_at"), "created_at": .time("c.created_at"),
        "updated_at": .time("c.created_at"),
      ])
    try copy(
      into: "operator_usage_conditions",
      from: "accepted_conditions a JOIN operators o ON o.operator_id = a.operator_id ORDER BY a.acceptance_id",
      [
        "server_operator_id": "a.operator_id", "server_operator_tag": "o.tag", "conditions_commit": "a.document",
        "accepted_at": .time("a.accepted_at"), "auto_accepted": "a.automatically",
      ])
    try copy(into: "app_settings", from: "settings s WHERE s.name = 'app'", ["app_settings": "s.value"])
    try writing { (target) throws(SQLFailure) in
      // The app looks once at which of its connections the agent has.
      try target.execute("INSERT INTO connections_sync (connections_sync_id, should_sync) VALUES (1, 0)")
      for (status, isCurrent) in Self.memberStatuses {
        try target.execute("INSERT INTO group_member_status_predicates VALUES (?, ?)", status, isCurrent)
      }
    }
  }

  /// Which members count as current ones, which the triggers of the reference's schema look up.
  private static let memberStatuses: KeyValuePairs<String, Bool> = [
    "rejected": false, "removed": false, "left": false, "deleted": false, "unknown": false, "invited": false,
    "pending_approval": false, "pending_review": false, "introduced": true, "intro-inv": true, "accepted": true,
    "announced": true, "connected": true, "complete": true, "creator": true,
  ]

  /// The servers that the users have chosen; addresses go to columns of their own.
  private mutating func exportServers() throws(ProfileImportError) {
    let rows = try reading { (source) throws(SQLFailure) in
      try source.all(
        """
        SELECT server_id, user_id, protocol, address, preset, tested, enabled, created_at, updated_at FROM servers \
        ORDER BY server_id
        """
      ) { (row) throws(SQLFailure) in
        (
          id: try row.integer(0), user: try row.integer(1), scheme: try row.text(2), address: try row.text(3),
          preset: try row.bool(4), tested: try row.optionalInteger(5), enabled: try row.bool(6),
          created: ReferenceTime.text(microseconds: try row.integer(7)),
          updated: ReferenceTime.text(microseconds: try row.integer(8))
        )
      }
    }
    for row in rows {
      guard let address = ServerAddress(row.address, scheme: row.scheme) else {
        throw .value(table: "servers", column: "address", row: "\(row.id)", reason: "it is not the address of a server")
      }
      let isNew = try target.insert(
        into: "protocol_servers",
        [
          "smp_server_id": .integer(row.id), "host": .text(address.host), "port": .text(address.port),
          "key_hash": .blob(Array(address.keyHash.utf8)), "basic_auth": .optional(address.password),
          "preset": .bool(row.preset), "tested": .optional(row.tested), "enabled": .bool(row.enabled),
          "user_id": .integer(row.user), "created_at": .text(row.created ?? now),
          "updated_at": .text(row.updated ?? now),
          "protocol": .text(row.scheme),
        ])
      if isNew != nil { report.take(.servers) }
    }
  }
}

/// The parts of `scheme://fingerprint[:password]@hosts[:port]`.
private struct ServerAddress {
  let keyHash: String
  let password: String?
  let host: String
  let port: String

  init?(_ text: String, scheme: String) {
    let prefix = scheme + "://"
    guard text.hasPrefix(prefix) else { return nil }
    let parts = text.dropFirst(prefix.count).split(separator: "@", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    let credentials = parts[0].split(separator: ":", maxSplits: 1)
    guard let key = credentials.first else { return nil }
    keyHash = String(key)
    password = credentials.count > 1 ? String(credentials[1]) : nil
    let place = parts[1]
    // Colons are in hosts as well: in addresses of IPv6, in brackets.
    guard let colon = place.lastIndex(of: ":"), UInt16(place[place.index(after: colon)...]) != nil else {
      (host, port) = (String(place), "")
      return
    }
    host = String(place[..<colon])
    port = String(place[place.index(after: colon)...])
  }
}
