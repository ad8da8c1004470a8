import SQLiteKit

extension ChatExport {
  /// The addresses and links that are taken, as a table of queries.
  private static let addresses =
    "(SELECT a.address_id FROM addresses a WHERE a.group_id IS NULL OR a.group_id IN \(groups))"

  /// The connections that the agent has.
  func exportConnections() throws(ProfileImportError) {
    try copy(
      into: "connections",
      from: "connections n JOIN taken_connections t ON t.agent_conn_id = n.agent_conn_id ORDER BY n.connection_id",
      [
        "connection_id": "n.connection_id", "agent_conn_id": .identifier("n.agent_conn_id"), "conn_level": "n.level",
        "via_contact": Self.existing("n.via_contact", in: "contacts", "contact_id"),
        "conn_status":
          """
        CASE n.status WHEN 'sndReady' THEN 'snd-ready' \
        WHEN 'failed' THEN 'failed ' || coalesce(n.status_error, '') ELSE n.status END
        """,
        "conn_type": "n.kind", "user_contact_link_id": "n.address_id", "contact_id": "n.contact_id",
        "group_member_id": "n.member_id", "created_at": .time("n.created_at"), "user_id": "n.user_id",
        "updated_at": .time("n.updated_at"), "via_contact_uri_hash": .identifier("n.via_link_hash"),
        "xcontact_id": .identifier("n.xcontact_id"),
        "via_user_contact_link": Self.existing("n.via_address", in: Self.addresses, "address_id"),
        "custom_user_profile_id": Self.existing("n.custom_profile_id", in: "profiles", "profile_id"),
        "conn_req_inv": .data("n.invitation_link"), "local_alias": "n.local_alias",
        "via_group_link": "n.via_group_link", "group_link_id": .identifier("n.group_link_id"),
        "security_code": "n.security_code", "security_code_verified_at": .time("n.verified_at"),
        "auth_err_counter": "n.authorization_errors", "peer_chat_min_version": "n.peer_min_version",
        "peer_chat_max_version": "n.peer_max_version", "to_subscribe": "n.to_subscribe",
        "contact_conn_initiated": "n.initiated", "conn_chat_version": "n.chat_version", "pq_support": "n.pq_support",
        "pq_encryption": "n.pq_encryption", "pq_snd_enabled": "n.pq_sending", "pq_rcv_enabled": "n.pq_receiving",
        "quota_err_counter": "n.quota_errors", "short_link_inv": .data("n.invitation_short_link"),
        "via_short_link_contact": .data("n.via_short_link"), "via_contact_uri": .data("n.via_link"),
      ])
  }

  /// Addresses, and requests that came to them.
  mutating func exportAddresses() throws(ProfileImportError) {
    report.take(
      .addresses,
      try copy(
        into: "user_contact_links",
        from: "addresses a WHERE a.group_id IS NULL OR a.group_id IN \(Self.groups) ORDER BY a.address_id",
        [
          "user_contact_link_id": "a.address_id", "conn_req_contact": .data("a.full_link"),
          // It only has to be another one for each link.
          "local_display_name": "CASE WHEN a.group_id IS NULL THEN '' ELSE 'group_link_' || a.group_id END",
          "created_at": .time("a.created_at"), "user_id": "a.user_id", "updated_at": .time("a.updated_at"),
          "auto_accept": "a.auto_accept", "auto_reply_msg_content": "a.auto_reply", "group_id": "a.group_id",
          "auto_accept_incognito": "a.accept_incognito", "group_link_id": .identifier("a.group_link_id"),
          "group_link_member_role": "a.member_role", "business_address": "a.business",
          "short_link_contact": .data("a.short_link"), "short_link_data_set": "a.link_data_set",
          "short_link_large_data_set": "a.link_large_data_set",
        ]))
    report.take(
      .requests,
      try copy(
        into: "contact_requests", from: "contact_requests r ORDER BY r.request_id",
        [
          "contact_request_id": "r.request_id",
          "user_contact_link_id": Self.existing("r.address_id", in: Self.addresses, "address_id"),
          "agent_invitation_id": .identifier("r.agent_invitation_id"), "contact_profile_id": "r.profile_id",
          "local_display_name": "r.local_display_name", "created_at": .time("r.created_at"), "user_id": "r.user_id",
          "updated_at": .time("r.updated_at"), "xcontact_id": .identifier("r.xcontact_id"),
          "peer_chat_min_version": "r.peer_min_version", "peer_chat_max_version": "r.peer_max_version",
          "pq_support": "r.pq_support", "contact_id": Self.existing("r.contact_id", in: "contacts", "contact_id"),
          "business_group_id": Self.existing("r.business_group_id", in: Self.groups, "group_id"),
          "welcome_shared_msg_id": .identifier("r.welcome_shared_id"),
          "request_shared_msg_id": .identifier("r.request_shared_id"),
        ]))
  }
}
