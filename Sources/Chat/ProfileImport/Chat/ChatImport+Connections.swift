import ChatAPI
import SQLiteKit
import WireCodec

extension ChatImport {
  /// The connections that the agent has, and that belong to what is taken.
  mutating func importConnections() throws(ProfileImportError) {
    for row in try source.rows("connections", key: "connection_id") {
      try writeUnlessDamaged(.damagedConnections) { (chat) throws(ProfileImportError) in
        guard let last = chat.lastMessages[try row.bytes("agent_conn_id")] else { return }
        try chat.importConnection(row, last: last)
      }
    }
  }

  private func importConnection(_ row: SourceRow, last: Int64) throws(ProfileImportError) {
    let (status, reason) = try status(row)
    try insert(
      into: "connections",
      [
        "connection_id": .integer(try row.integer("connection_id")), "user_id": .integer(try row.integer("user_id")),
        "agent_conn_id": .optional(try row.identifier("agent_conn_id")), "kind": .text(try kind(row)),
        "status": .text(status), "status_error": .optional(reason),
        "level": .integer(try row.optionalInteger("conn_level") ?? 0),
        "via_contact": .optional(try row.optionalInteger("via_contact")),
        "via_address": .optional(try row.optionalInteger("via_user_contact_link")),
        "via_group_link": .bool(try row.bool("via_group_link")),
        "group_link_id": .optional(try row.identifier("group_link_id")),
        "xcontact_id": .optional(try row.identifier("xcontact_id")),
        "custom_profile_id": .optional(try row.optionalInteger("custom_user_profile_id")),
        "initiated": .bool(try row.bool("contact_conn_initiated")),
        "local_alias": .text(try row.optionalText("local_alias") ?? ""),
        "contact_id": .optional(try row.optionalInteger("contact_id")),
        "member_id": .optional(try row.optionalInteger("group_member_id")),
        "address_id": .optional(try row.optionalInteger("user_contact_link_id")),
        "security_code": .optional(try row.optionalText("security_code")),
        "verified_at": .optional(try row.optionalTime("security_code_verified_at")),
        "pq_support": .bool(try row.bool("pq_support")), "pq_encryption": .bool(try row.bool("pq_encryption")),
        "pq_sending": .optional(try row.optionalBool("pq_snd_enabled")),
        "pq_receiving": .optional(try row.optionalBool("pq_rcv_enabled")),
        "sending_prohibited": .bool(prohibited.contains(try row.bytes("agent_conn_id"))),
        "authorization_errors": .integer(try row.optionalInteger("auth_err_counter") ?? 0),
        "quota_errors": .integer(try row.optionalInteger("quota_err_counter") ?? 0),
        "chat_version": .integer(try row.optionalInteger("conn_chat_version") ?? 1),
        "peer_min_version": .integer(try row.integer("peer_chat_min_version")),
        "peer_max_version": .integer(try row.integer("peer_chat_max_version")),
        "invitation_link": .optional(try row.optionalText("conn_req_inv")),
        "invitation_short_link": .optional(try row.optionalText("short_link_inv")),
        "via_link": .optional(try row.optionalText("via_contact_uri")),
        "via_link_hash": .optional(try row.identifier("via_contact_uri_hash")),
        "via_short_link": .optional(try row.optionalText("via_short_link_contact")),
        "to_subscribe": .bool(try row.bool("to_subscribe")), "last_received_id": .integer(last),
        "created_at": .integer(try row.time("created_at")), "updated_at": .integer(try row.time("updated_at")),
      ])
  }

  private func kind(_ row: SourceRow) throws(ProfileImportError) -> String {
    guard let kind = ConnType(rawValue: try row.text("conn_type")) else {
      throw row.unusable("conn_type", "it is not known")
    }
    return kind.rawValue
  }

  /// The name of the status, and what went wrong.
  private func status(_ row: SourceRow) throws(ProfileImportError) -> (String, String?) {
    let text = try row.text("conn_status")
    switch text {
    case "snd-ready": return ("sndReady", nil)
    case "new", "prepared", "joined", "requested", "accepted", "ready", "deleted": return (text, nil)
    default:
      guard text.hasPrefix("failed ") else { throw row.unusable("conn_status", "it is not known") }
      return ("failed", String(text.dropFirst(7)))
    }
  }

  /// The commands for our agent that go on with connecting.
  func importHandshakes() throws(ProfileImportError) {
    for handshake in handshakes {
      let stored: (kind: Int, payload: [UInt8])
      do throws(WireError) { stored = try handshake.command.stored() } catch {
        throw .value(
          table: "commands", column: "command", row: Base64URL.string(handshake.connection), reason: "\(error)")
      }
      try insert(
        into: "agent_commands",
        [
          "agent_conn_id": .text(Base64URL.string(handshake.connection)), "kind": .integer(Int64(stored.kind)),
          "is_follow_up": .bool(false), "payload": .blob(stored.payload), "created_at": .integer(0),
        ])
    }
  }

  /// Addresses, and requests that came to them.
  mutating func importAddresses() throws(ProfileImportError) {
    for row in try source.rows("user_contact_links", key: "user_contact_link_id", secrets: ["link_priv_sig_key"]) {
      try writeUnlessDamaged(.damagedChats) { (chat) throws(ProfileImportError) in try chat.importAddress(row) }
    }
    let requests = try source.rows(
      "contact_requests",
      where: "contact_profile_id IS NOT NULL AND NOT (\(ProfileSource.requestWithoutAddress))",
      key: "contact_request_id")
    for row in requests {
      try writeUnlessDamaged(.requests) { (chat) throws(ProfileImportError) in try chat.importRequest(row) }
    }
  }

  private mutating func importAddress(_ row: SourceRow) throws(ProfileImportError) {
    let group = try row.optionalInteger("group_id")
    if let group, chats[.group(group)] == nil { return }
    try insert(
      into: "addresses",
      [
        "address_id": .integer(try row.integer("user_contact_link_id")),
        "user_id": .integer(try row.integer("user_id")), "group_id": .optional(group),
        "full_link": .text(try row.text("conn_req_contact")),
        "group_link_id": .optional(try row.identifier("group_link_id")),
        "member_role": .optional(try row.optionalText("group_link_member_role")),
        "short_link": .optional(try row.optionalText("short_link_contact")),
        "link_data_set": .bool(try row.bool("short_link_data_set")),
        "link_large_data_set": .bool(try row.bool("short_link_large_data_set")),
        "business": .bool(try row.bool("business_address")), "auto_accept": .bool(try row.bool("auto_accept")),
        "accept_incognito": .bool(try row.bool("auto_accept_incognito")),
        "auto_reply": .optional(try row.json("auto_reply_msg_content", as: MsgContent.self)),
        "created_at": .integer(try row.time("created_at")), "updated_at": .integer(try row.time("updated_at")),
      ])
    report.take(.addresses)
  }

  private mutating func importRequest(_ row: SourceRow) throws(ProfileImportError) {
    try insert(
      into: "contact_requests",
      [
        "request_id": .integer(try row.integer("contact_request_id")), "user_id": .integer(try row.integer("user_id")),
        "address_id": .optional(try row.optionalInteger("user_contact_link_id")),
        "agent_invitation_id": .optional(try row.identifier("agent_invitation_id")),
        "contact_id": .optional(try row.optionalInteger("contact_id")),
        "business_group_id": .optional(try row.optionalInteger("business_group_id")),
        "profile_id": .integer(try row.integer("contact_profile_id")),
        "local_display_name": .text(try row.text("local_display_name")),
        "xcontact_id": .optional(try row.identifier("xcontact_id")), "pq_support": .bool(try row.bool("pq_support")),
        "welcome_shared_id": .optional(try row.identifier("welcome_shared_msg_id")),
        "request_shared_id": .optional(try row.identifier("request_shared_msg_id")),
        "peer_min_version": .integer(try row.integer("peer_chat_min_version")),
        "peer_max_version": .integer(try row.integer("peer_chat_max_version")),
        "created_at": .integer(try row.time("created_at")), "updated_at": .integer(try row.time("updated_at")),
      ])
    report.take(.requests)
  }
}
