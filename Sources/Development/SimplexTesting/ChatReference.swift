/// The rows that a column of the chat database with an identifier refers to. ``ChatReferences/columns`` declares all
/// of them.
public enum ChatReference: Sendable {
  /// The number of the row itself.
  case key
  /// A row of a table, which is there as long as this one, where a condition holds.
  case reference(String, when: String = "1")
  /// Rows of tables that may be gone: their numbers are never used again.
  case history([String])
  /// An identifier that is none of the chat database: of the agent, of the protocol, or of an imported profile.
  case foreign
}

/// The references between the tables of the chat database.
public enum ChatReferences {
  /// Every column whose name ends with `_id`, and every other one with the number of a row: `table.column`.
  public static let columns: [String: [ChatReference]] = [
    // People
    "users.user_id": [.key],
    "users.agent_user_id": [.foreign],
    "users.contact_id": [.reference("contacts")],
    "users.profile_id": [.reference("profiles")],
    "profiles.profile_id": [.key],
    "profiles.user_id": [.reference("users")],
    "display_names.user_id": [.reference("users")],
    "contacts.contact_id": [.key],
    "contacts.user_id": [.reference("users")],
    "contacts.profile_id": [.reference("profiles")],
    "contacts.connection_id": [.reference("connections")],
    "contacts.xcontact_id": [.foreign],
    "contacts.request_id": [.reference("contact_requests")],
    "contacts.member_id": [.reference("members")],
    "contacts.welcome_shared_id": [.foreign],
    "contacts.request_shared_id": [.foreign],
    "calls.contact_id": [.reference("contacts")],
    "calls.call_id": [.foreign],
    "calls.item_id": [.reference("items")],
    "remote_controllers.remote_ctrl_id": [.key],
    "remote_hosts.remote_host_id": [.key],
    "addresses.address_id": [.key],
    "addresses.user_id": [.reference("users")],
    "addresses.group_id": [.reference("groups")],
    "addresses.group_link_id": [.foreign],
    "contact_requests.request_id": [.key],
    "contact_requests.user_id": [.reference("users")],
    "contact_requests.address_id": [.history(["addresses"])],
    "contact_requests.agent_invitation_id": [.foreign],
    "contact_requests.contact_id": [.reference("contacts")],
    "contact_requests.business_group_id": [.reference("groups")],
    "contact_requests.profile_id": [.reference("profiles")],
    "contact_requests.xcontact_id": [.foreign],
    "contact_requests.welcome_shared_id": [.foreign],
    "contact_requests.request_shared_id": [.foreign],
    "contact_requests.charged_to": [.history(["connections"])],
    "connections.connection_id": [.key],
    "connections.user_id": [.reference("users")],
    "connections.agent_conn_id": [.foreign],
    "connections.via_contact": [.history(["contacts"])],
    "connections.via_address": [.history(["addresses"])],
    "connections.group_link_id": [.foreign],
    "connections.xcontact_id": [.foreign],
    "connections.custom_profile_id": [.reference("profiles")],
    "connections.contact_id": [.reference("contacts")],
    "connections.member_id": [.reference("members")],
    "connections.address_id": [.reference("addresses")],
    "connections.last_received_id": [.foreign],
    "unhandled_messages.connection_id": [.reference("connections")],
    "unhandled_messages.agent_message_id": [.foreign],
    "peer_state.connection_id": [.reference("connections")],
    // Groups
    "groups.group_id": [.key],
    "groups.user_id": [.reference("users")],
    "groups.membership_id": [.reference("members")],
    "groups.host_member_id": [.history(["members"])],
    "groups.invitation_item_id": [.history(["items"])],
    "groups.welcome_shared_id": [.foreign],
    "groups.request_shared_id": [.foreign],
    "channel_keys.group_id": [.reference("groups")],
    "group_relays.group_relay_id": [.key],
    "group_relays.group_id": [.reference("groups")],
    "group_relays.member_id": [.reference("members")],
    "rosters.group_id": [.reference("groups")],
    "roster_transfers.group_id": [.reference("groups")],
    "roster_transfers.source_id": [.reference("members")],
    "roster_transfers.shared_id": [.foreign],
    "channel_deliveries.delivery_id": [.key],
    "channel_deliveries.group_id": [.reference("groups")],
    "channel_deliveries.scope_id": [.history(["members"])],
    "channel_deliveries.sender_id": [.history(["members"])],
    "channel_delivery_parts.delivery_id": [.reference("channel_deliveries")],
    "channel_delivery_parts.author_id": [.history(["members"])],
    "channel_delivery_parts.shared_id": [.foreign],
    "delivery_positions.member_id": [.reference("members")],
    "delivery_positions.group_id": [.reference("groups")],
    "delivery_positions.delivery_id": [.history(["channel_deliveries"])],
    "members.member_id": [.key],
    "members.group_id": [.reference("groups")],
    "members.user_id": [.reference("users")],
    "members.shared_member_id": [.foreign],
    "members.invited_by_contact": [.reference("contacts")],
    "members.invited_by_member": [.history(["members"])],
    "members.profile_id": [.reference("profiles")],
    "members.contact_profile_id": [.reference("profiles")],
    "members.contact_id": [.reference("contacts")],
    "members.connection_id": [.reference("connections")],
    "members.join_xcontact_id": [.foreign],
    "members.join_welcome_id": [.foreign],
    "members.charged_to": [.history(["connections"])],
    "pending_messages.pending_id": [.key],
    "pending_messages.member_id": [.reference("members")],
    "pending_messages.packet_id": [.reference("packets")],
    "pending_messages.item_id": [.history(["items"])],
    "item_recipients.item_id": [.reference("items")],
    "item_recipients.member_id": [.history(["members"])],
    "item_recipient_counts.item_id": [.reference("items")],
    "received_messages.group_id": [.reference("groups")],
    "received_messages.author_id": [.history(["members"])],
    "received_messages.shared_id": [.foreign],
    "received_messages.forwarded_by": [.history(["members"])],
    "received_messages.charged_to": [.history(["connections"])],
    "moderations.group_id": [.reference("groups")],
    "moderations.shared_id": [.foreign],
    "moderations.moderator_id": [.history(["members"])],
    "moderations.charged_to": [.history(["connections"])],
    "early_decisions.decision_id": [.key],
    "early_decisions.group_id": [.reference("groups")],
    "early_decisions.shared_member_id": [.foreign],
    "early_decisions.by_member": [.history(["members"])],
    "early_decisions.charged_to": [.history(["connections"])],
    "sent_probes.probe_id": [.key],
    "sent_probes.user_id": [.reference("users")],
    "sent_probes.contact_id": [.reference("contacts")],
    "sent_probes.member_id": [.reference("members")],
    "asked_probes.probe_id": [.reference("sent_probes")],
    "asked_probes.contact_id": [.reference("contacts")],
    "asked_probes.member_id": [.reference("members")],
    "received_probes.received_id": [.key],
    "received_probes.user_id": [.reference("users")],
    "received_probes.contact_id": [.reference("contacts")],
    "received_probes.member_id": [.reference("members")],
    "received_probes.charged_to": [.history(["connections"])],
    // Chats
    "note_folders.note_folder_id": [.key],
    "note_folders.user_id": [.reference("users")],
    "chats.chat_id": [.key],
    "chats.user_id": [.reference("users")],
    "chats.entity_id": [
      .reference("contacts", when: "kind = 0"), .reference("groups", when: "kind = 1"),
      .reference("note_folders", when: "kind = 2"), .reference("chats", when: "kind = 9"),
    ],
    "chats.scope": [.reference("members", when: "kind = 1 AND scope > 0")],
    "chats.last_item_id": [.reference("items")],
    "chat_tags.tag_id": [.key],
    "chat_tags.user_id": [.reference("users")],
    "chat_tagging.chat_id": [.reference("chats")],
    "chat_tagging.tag_id": [.reference("chat_tags")],
    "items.item_id": [.key],
    "items.chat_id": [.reference("chats")],
    "items.user_id": [.reference("users")],
    // The items of a chat that is deleted are removed later than its members.
    "items.member_id": [
      .reference("members", when: "chat_id NOT IN (SELECT chat_id FROM chats WHERE kind = 9)"),
      .history(["members"]),
    ],
    "items.deleted_by": [.history(["members"])],
    "items.forwarded_by": [.history(["members"])],
    "items.shared_id": [.foreign],
    "items.quoted_id": [.foreign],
    "items.file_id": [.reference("files")],
    "item_versions.version_id": [.key],
    "item_versions.item_id": [.reference("items")],
    "reactions.chat_id": [.reference("chats")],
    "reactions.shared_id": [.foreign],
    "reactions.member_id": [.history(["members"])],
    "reactions.charged_to": [.history(["connections"])],
    "deliveries.command_id": [.history(["agent_commands"])],
    "deliveries.item_id": [.reference("items")],
    "packets.packet_id": [.key],
    "agent_commands.command_id": [.key],
    "agent_commands.agent_conn_id": [.foreign],
    "agent_commands.packet_id": [.reference("packets")],
    "jobs.job_id": [.key],
    "jobs.user_id": [.history(["users"])],
    "jobs.subject_id": [.history(["members", "groups", "files", "users"])],
    "handled_events.last_event_id": [.foreign],
    "kept_messages.kept_id": [.key],
    "kept_messages.connection_id": [.reference("connections")],
    "kept_messages.chat_id": [.reference("chats")],
    "kept_messages.item_id": [.reference("items")],
    "kept_messages.shared_id": [.foreign],
    // Files
    "files.file_id": [.key],
    "files.user_id": [.history(["users"])],
    "files.item_id": [.history(["items"])],
    "files.agent_id": [.foreign],
    "files.redirect_for": [.history(["files"])],
    "files.member_id": [.history(["members"])],
    "files.charged_to": [.history(["connections"])],
    "file_descriptions.description_id": [.key],
    "file_descriptions.file_id": [.reference("files")],
    "early_descriptions.chat_id": [.reference("chats")],
    "early_descriptions.shared_id": [.foreign],
    "early_descriptions.charged_to": [.history(["connections"])],
    "file_recipients.recipient_id": [.key],
    "file_recipients.file_id": [.reference("files")],
    "file_recipients.connection_id": [.history(["connections"])],
    "file_recipients.member_id": [.history(["members"])],
    "file_recipients.description_id": [.history(["file_descriptions"])],
    "file_recipients.command_id": [.history(["agent_commands"])],
    // Settings
    "servers.server_id": [.key],
    "servers.user_id": [.reference("users")],
    "chat_relays.relay_id": [.key],
    "chat_relays.user_id": [.reference("users")],
    "operators.operator_id": [.key],
    "usage_conditions.conditions_id": [.key],
    "accepted_conditions.acceptance_id": [.key],
    "accepted_conditions.operator_id": [.reference("operators")],
    "foreign_rows.row_id": [.key],
    "foreign_values.row_id": [.reference("foreign_rows")],
  ]

  /// The column with the number of a table's rows.
  public static func key(of table: String) -> String {
    let names = columns.filter { name, references in
      guard name.hasPrefix(table + "."), case .key? = references.first else { return false }
      return true
    }
    return names.keys.first.map { String($0.dropFirst(table.count + 1)) } ?? "rowid"
  }

  /// A query for the rows of which nothing is left that they refer to, for each reference; 0 and -1 are no numbers.
  public static let danglingQueries: [(name: String, sql: String)] = columns.sorted { $0.key < $1.key }.flatMap {
    name, references -> [(name: String, sql: String)] in
    let parts = name.split(separator: ".").map(String.init)
    return references.compactMap { reference in
      guard case .reference(let target, let condition) = reference else { return nil }
      return (
        name: "\(name) -> \(target)",
        sql: """
        SELECT \(parts[1]) FROM \(parts[0]) WHERE \(parts[1]) > 0 AND (\(condition)) \
        AND \(parts[1]) NOT IN (SELECT \(key(of: target)) FROM \(target))
        """
      )
    }
  }

  /// One query for the names of all references with such rows.
  public static let danglingQuery = danglingQueries.map { "SELECT '\($0.name)' WHERE EXISTS (\($0.sql))" }
    .joined(separator: " UNION ALL ")
}
