import RelayChassis

extension ServerSettings {
  /// The settings that are read.
  static let names = ForeignSettings(
    foreign,
    own: [
      "STORE_LOG": [
        "enable", "expire_messages_days", "expire_messages_on_start", "expire_messages_on_send", "expire_ntfs_hours",
      ],
      "AUTH": ["new_queues", "daily_block_queue_quota"],
      "TRANSPORT": ["accept_service_credentials", "threads"],
      "PROXY": [
        "socks_proxy", "socks_mode", "host_mode", "required_host_mode", "own_server_domains", "client_concurrency",
        "private_addresses",
      ],
    ], silent: ["NAMES"])

  /// Whether a setting is read.
  static func isKnown(_ section: String, _ key: String) -> Bool { names.isKnown(section, key) }

  private static let sqlite = "queues and messages are kept in SQLite, not in PostgreSQL"

  private static let foreign: [String: [String: ForeignSettings.Setting]] = [
    "STORE_LOG": [
      "store_queues": .init(same: ["memory"], here: sqlite),
      "store_messages": .init(same: ["memory", "journal"], here: sqlite),
      "restore_messages": .init(same: ["on"], here: "messages are stored whenever queues are"),
      "db_connection": .init(here: sqlite), "db_schema": .init(here: sqlite), "db_pool_size": .init(here: sqlite),
      "db_store_log": .init(same: ["off"], here: "there is no log of changes"),
      "db_deleted_ttl": .init(here: "queues are deleted immediately"),
    ],
    "TRANSPORT": [
      "websockets": .init(same: ["off"], here: "there are no WebSockets")
    ],
  ]

  /// The settings in the file that have no effect.
  static func ignored(_ ini: ServerINI) -> [String] {
    var warnings = names.warnings(ini)
    if ini.text("NAMES", "enable") == "on" { warnings.append("[NAMES] has no effect: names are not resolved") }
    return warnings
  }
}
