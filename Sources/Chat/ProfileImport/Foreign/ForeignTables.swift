/// The tables of the reference whose features are not there yet. Their rows are kept as they are (`foreign_rows`), for
/// a version that supports them, and are written back by an export.
enum ForeignTables: Int64, CaseIterable {
  // The numbers are stored.
  case chat = 0
  case agent = 1

  /// Their names; a table follows those that it refers to.
  var names: [String] {
    switch self {
    // Linked devices whose keys cannot be used; public groups with their members, rosters, and what their relays
    // deliver.
    case .chat:
      [
        "remote_hosts", "remote_controllers", "chat_relays", "group_profiles", "groups", "group_members",
        "group_relays", "rcv_roster_transfers", "messages", "delivery_tasks", "delivery_jobs",
      ]
    // Push notifications that cannot be used; certificates by which relays know a bot with many queues.
    case .agent: ["ntf_servers", "ntf_tokens", "ntf_subscriptions", "ntf_tokens_to_delete", "client_services"]
    }
  }

  /// The tables of pairings, which are imported; only rows that cannot be used are kept.
  static let pairings: Set<String> = ["remote_hosts", "remote_controllers"]

  /// The tables about push notifications, which are imported; if a row cannot be used, all of them are kept.
  static let notifications: Set<String> = ["ntf_servers", "ntf_tokens", "ntf_subscriptions", "ntf_tokens_to_delete"]

  /// The column that SQLite numbers the rows of a table by, of those that may have many.
  static func rowIDColumn(of table: String) -> String? {
    switch table {
    case "group_members": "group_member_id"
    case "messages": "message_id"
    case "delivery_tasks": "delivery_task_id"
    case "delivery_jobs": "delivery_job_id"
    default: nil
    }
  }

  /// Their columns with private keys and shared secrets.
  var secrets: Set<String> {
    switch self {
    case .chat: ["ca_key", "id_key", "dh_priv_key", "prev_dh_priv_key", "root_priv_key", "member_priv_key"]
    case .agent: ["tkn_priv_key", "tkn_priv_dh_key", "tkn_dh_secret", "service_priv_key"]
    }
  }

  /// The condition for the rows of a table that are kept; of the tables that have others as well.
  /// - Parameter takenGroups: the condition for groups that are not public.
  static func condition(_ table: String, takenGroups: String) -> String {
    let groups = "FROM groups WHERE NOT (\(takenGroups))"
    let isOfGroup = "group_id IN (SELECT group_id \(groups))"
    return switch table {
    case "group_profiles": "group_profile_id IN (SELECT group_profile_id \(groups))"
    case "groups": "NOT (\(takenGroups))"
    case "chat_relays": "chat_relay_id IN (SELECT chat_relay_id FROM group_relays WHERE \(isOfGroup))"
    case "messages": "message_id IN (SELECT message_id FROM delivery_tasks WHERE \(isOfGroup))"
    case "group_members", "group_relays", "rcv_roster_transfers", "delivery_tasks", "delivery_jobs": isOfGroup
    default: "1"
    }
  }

  /// The columns of a table that refer to what may not be there, with the table and column that they refer to: its row
  /// is written without them then. Connections and messages of public groups are not kept.
  static func optionalReferences(_ table: String) -> [String: (table: String, column: String)] {
    switch table {
    case "groups": ["chat_item_id": ("chat_items", "chat_item_id")]
    case "group_members":
      [
        "invited_by": ("contacts", "contact_id"), "contact_id": ("contacts", "contact_id"),
        "invited_by_group_member_id": ("group_members", "group_member_id"),
      ]
    case "messages":
      [
        "connection_id": ("connections", "connection_id"),
        "author_group_member_id": ("group_members", "group_member_id"),
        "forwarded_by_group_member_id": ("group_members", "group_member_id"),
      ]
    default: [:]
    }
  }
}
