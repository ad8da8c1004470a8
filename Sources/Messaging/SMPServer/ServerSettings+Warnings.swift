import RelayChassis

extension ServerSettings {
  /// The settings that are read.
  private static let known: [String: Set<String>] = [
    "INFORMATION": Set(ServerInformation.names),
    "STORE_LOG": [
      "enable", "expire_messages_days", "expire_messages_on_start", "expire_messages_on_send", "expire_ntfs_hours",
      "log_stats", "prometheus_interval",
    ],
    "AUTH": [
      "new_queues", "create_password", "control_port_admin_password", "control_port_user_password",
      "daily_block_queue_quota",
    ],
    "TRANSPORT": ["host", "bind", "port", "control_port", "log_tls_errors", "accept_service_credentials"],
    "PROXY": [
      "socks_proxy", "socks_mode", "host_mode", "required_host_mode", "own_server_domains", "client_concurrency",
      "private_addresses",
    ],
    "INACTIVE_CLIENTS": ["disconnect", "ttl", "check_interval"],
    "WEB": WebSettings.names,
  ]

  /// Whether a setting is read.
  static func isKnown(_ section: String, _ key: String) -> Bool { known[section]?.contains(key) == true }

  /// A setting of the reference server that this one does not have.
  private struct Foreign {
    /// The values with which both servers behave the same.
    var same: Set<String> = []
    /// The behaviour of this one.
    var here: String
  }

  private static let sqlite = "queues and messages are kept in SQLite, not in PostgreSQL"

  private static let foreign: [String: [String: Foreign]] = [
    "STORE_LOG": [
      "store_queues": Foreign(same: ["memory"], here: sqlite),
      "store_messages": Foreign(same: ["memory", "journal"], here: sqlite),
      "restore_messages": Foreign(same: ["on"], here: "messages are stored whenever queues are"),
      "db_connection": Foreign(here: sqlite), "db_schema": Foreign(here: sqlite), "db_pool_size": Foreign(here: sqlite),
      "db_store_log": Foreign(same: ["off"], here: "there is no log of changes"),
      "db_deleted_ttl": Foreign(here: "queues are deleted immediately"),
    ],
    "TRANSPORT": [
      "websockets": Foreign(same: ["off"], here: "there are no WebSockets")
    ],
  ]

  /// The settings in the file that have no effect.
  static func ignored(_ ini: ServerINI) -> [String] {
    var warnings = ini.names.compactMap { section, key -> String? in
      // Those of the pages have warnings of their own.
      if section == "WEB" || section == "NAMES" || isKnown(section, key) { return nil }
      guard let foreign = foreign[section]?[key] else { return "[\(section)] \(key) is unknown and has no effect" }
      let isSame = ini.text(section, key).map(foreign.same.contains) == true
      return isSame ? nil : "[\(section)] \(key) has no effect: \(foreign.here)"
    }
    warnings += ini.repeated.map { "[\($0.section)] \($0.key) is set twice; the first value counts" }
    if ini.text("NAMES", "enable") == "on" { warnings.append("[NAMES] has no effect: names are not resolved") }
    return warnings
  }
}
