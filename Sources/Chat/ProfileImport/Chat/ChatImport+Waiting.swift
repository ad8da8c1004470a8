import ChatAPI
import ChatStore
import FoundationTypes
import SQLiteKit

/// What waits in groups: messages for members who are not connected yet, and questions whether a contact and a member
/// are the same person.
extension ChatImport {
  /// The events of the chat protocol that wake the receiver's device.
  private static let notifying: Set<String> = [
    "x.msg.new", "x.file", "x.contact", "x.grp.inv", "x.grp.mem.fwd", "x.grp.del", "x.call.inv",
  ]

  /// Messages for members that nothing can be sent to yet; a body is stored once for all members it waits for.
  mutating func importPendingMessages() throws(ProfileImportError) {
    var packets: [Int64: Int64] = [:]
    for row in try source.rows("pending_group_messages", key: "pending_group_message_id") {
      try writeUnlessDamaged(.pendingGroupMessages) { (chat) throws(ProfileImportError) in
        try chat.importPendingMessage(row, &packets)
      }
    }
  }

  private mutating func importPendingMessage(
    _ row: SourceRow, _ packets: inout [Int64: Int64]
  ) throws(ProfileImportError) {
    let member = try row.integer("group_member_id")
    guard memberNames[member] != nil else { return }
    let id = try row.integer("message_id")
    let messages = try source.rows("messages", where: "message_id = ?", [.integer(id)], key: "message_id")
    // Counted by `ProfileSource.remainder`.
    guard let message = messages.first else { return }
    let (notifies, item) = (Self.notifying.contains(try message.text("chat_msg_event")), try item(ofMessage: id))
    var packet = packets[id]
    if packet == nil { packet = try insert(into: "packets", ["body": .blob(try message.bytes("msg_body"))]) }
    try insert(
      into: "pending_messages",
      [
        "member_id": .integer(member), "packet_id": .optional(packet), "notify": .bool(notifies),
        "item_id": .optional(item), "is_held": .bool(false),
        // They wait for another month.
        "created_at": .integer(Int64(Date().timeIntervalSince1970 * 1_000_000)),
      ])
    try writing { (target) throws(SQLFailure) in
      try target.execute("UPDATE members SET has_pending = 1 WHERE member_id = ?", member)
      // The app sends them when the connection is ready, and may have ended before it had done so. Everything else
      // waits for them, so they go with the first start.
      try target.execute(
        """
        INSERT INTO jobs (user_id, kind, subject_id, payload, created_at) \
        SELECT n.user_id, ?2, n.member_id, '', 0 FROM connections n \
        WHERE n.member_id = ?1 AND n.status IN ('ready', 'sndReady') AND n.quota_errors < ?3 LIMIT 1 \
        ON CONFLICT DO NOTHING
        """, member, Int64(ChatJob.Kind.pending.rawValue), Int64(Connection.quotaErrorLimit))
    }
    packets[id] = packet
    report.take(.pendingMessages)
  }

  /// The item that shows a message, if it is taken.
  private func item(ofMessage message: Int64) throws(ProfileImportError) -> Int64? {
    let rows = try source.rows(
      "chat_item_messages", where: "message_id = ?", [.integer(message)], key: "chat_item_id")
    guard let item = try rows.first?.integer("chat_item_id"), try isTaken(item: item) else { return nil }
    return item
  }

  /// Probes that were sent, with those who were asked about them, and probes that came.
  mutating func importProbes() throws(ProfileImportError) {
    var sent: Set<Int64> = []
    for row in try source.rows("sent_probes", key: "sent_probe_id") {
      try writeUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
        guard let (contact, member) = try chat.person(row) else { return }
        let id = try row.integer("sent_probe_id")
        try chat.insert(
          into: "sent_probes",
          [
            "probe_id": .integer(id), "user_id": .integer(try row.integer("user_id")),
            "probe": .optional(try row.identifier("probe")), "contact_id": contact, "member_id": member,
            "created_at": .integer(try row.time("created_at")),
          ])
        sent.insert(id)
        chat.report.take(.probes)
      }
    }
    for row in try source.rows("sent_probe_hashes", key: "sent_probe_hash_id") {
      try writeUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
        let probe = try row.integer("sent_probe_id")
        guard sent.contains(probe), let (contact, member) = try chat.person(row) else { return }
        try chat.insert(
          into: "asked_probes", ["probe_id": .integer(probe), "contact_id": contact, "member_id": member])
      }
    }
    for row in try source.rows("received_probes", key: "received_probe_id") {
      try writeUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
        guard let (contact, member) = try chat.person(row) else { return }
        try chat.insert(
          into: "received_probes",
          [
            "received_id": .integer(try row.integer("received_probe_id")),
            "user_id": .integer(try row.integer("user_id")), "hash": .optional(try row.identifier("probe_hash")),
            "probe": .optional(try row.identifier("probe")), "contact_id": contact, "member_id": member,
            "created_at": .integer(try row.time("created_at")),
          ])
        chat.report.take(.probes)
      }
    }
  }

  /// The contact or the member that a row is about; nil for one that is not taken.
  private func person(
    _ row: SourceRow
  ) throws(ProfileImportError) -> (contact: SQLiteValue, member: SQLiteValue)? {
    if let contact = try row.optionalInteger("contact_id") {
      return chats[.contact(contact)] == nil ? nil : (.integer(contact), .null)
    }
    guard let member = try row.optionalInteger("group_member_id"), memberNames[member] != nil else { return nil }
    return (.null, .integer(member))
  }
}
