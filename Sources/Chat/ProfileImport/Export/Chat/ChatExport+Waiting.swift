import SQLiteKit
import SimplexJSON
import WireCodec

/// What waits in groups; see `ChatImport+Waiting`.
extension ChatExport {
  /// Messages for members that nothing can be sent to yet. Those that wait for introductions are left.
  mutating func exportPendingMessages() throws(ProfileImportError) {
    struct Pending {
      let member: Int64
      let group: Int64
      let packet: Int64
      let item: Int64?
    }
    let waiting = try reading { (source) throws(SQLFailure) in
      try source.all(
        """
        SELECT w.member_id, m.group_id, w.packet_id, \
        (SELECT x.item_id FROM \(Self.takenItems) x WHERE x.item_id = w.item_id) \
        FROM pending_messages w JOIN members m ON m.member_id = w.member_id \
        WHERE w.is_held = 0 AND w.member_id IN \(Self.takenMembers) ORDER BY w.pending_id
        """
      ) { (row) throws(SQLFailure) in
        Pending(
          member: try row.integer(0), group: try row.integer(1), packet: try row.integer(2),
          item: try row.optionalInteger(3))
      }
    }
    var messages: [Int64: Int64?] = [:]
    for pending in waiting {
      let message: Int64?
      if let known = messages[pending.packet] {
        message = known
      } else {
        let body = try body(ofPacket: pending.packet)
        message = try body.flatMap { (body) throws(ProfileImportError) in
          try insertMessage(body, inGroup: pending.group, item: pending.item)
        }
        messages[pending.packet] = .some(message)
      }
      // A part of a file, which only versions without file relays sent, or nothing.
      guard let message else {
        report.leave(.pendingGroupMessages)
        continue
      }
      try target.insert(
        into: "pending_group_messages",
        [
          "group_member_id": .integer(pending.member), "message_id": .integer(message), "created_at": .text(now),
          "updated_at": .text(now),
        ])
      report.take(.pendingMessages)
    }
  }

  private func body(ofPacket packet: Int64) throws(ProfileImportError) -> [UInt8]? {
    try reading { (source) throws(SQLFailure) in
      try source.first("SELECT body FROM packets WHERE packet_id = ?", packet) { (row) throws(SQLFailure) in
        try row.bytes(0)
      }
    }
  }

  /// Stores a message of the chat protocol; nil for one without an identifier.
  private func insertMessage(
    _ body: [UInt8], inGroup group: Int64, item: Int64?
  ) throws(ProfileImportError) -> Int64? {
    guard let json = try? JSONValue(jsonBytes: body), let event = json["event"]?.stringValue,
      let id = json["msgId"]?.stringValue.flatMap({ Base64URL.decode($0) })
    else { return nil }
    let message = try target.insert(
      into: "messages",
      [
        "msg_sent": .integer(1), "chat_msg_event": .text(event), "msg_body": .blob(body), "created_at": .text(now),
        "updated_at": .text(now), "group_id": .integer(group), "shared_msg_id": .blob(id),
        "shared_msg_id_user": .integer(1),
      ])
    if let message, let item {
      try target.insert(
        into: "chat_item_messages",
        [
          "chat_item_id": .integer(item), "message_id": .integer(message), "created_at": .text(now),
          "updated_at": .text(now),
        ])
    }
    return message
  }

  /// Questions whether a contact and a member are the same person.
  mutating func exportProbes() throws(ProfileImportError) {
    func people(_ table: String) -> String {
      "(\(table).contact_id IN (SELECT contact_id FROM contacts) OR \(table).member_id IN \(Self.takenMembers))"
    }
    report.take(
      .probes,
      try copy(
        into: "sent_probes", from: "sent_probes p WHERE \(people("p")) ORDER BY p.probe_id",
        [
          "sent_probe_id": "p.probe_id", "contact_id": "p.contact_id", "group_member_id": "p.member_id",
          "probe": .identifier("p.probe"), "user_id": "p.user_id", "created_at": .time("p.created_at"),
          "updated_at": .time("p.created_at"),
        ]))
    try copy(
      into: "sent_probe_hashes",
      from: "asked_probes a JOIN sent_probes p ON p.probe_id = a.probe_id WHERE \(people("p")) AND \(people("a")) "
        + "ORDER BY a.rowid",
      [
        "sent_probe_id": "a.probe_id", "contact_id": "a.contact_id", "group_member_id": "a.member_id",
        "user_id": "p.user_id", "created_at": .time("p.created_at"), "updated_at": .time("p.created_at"),
      ])
    report.take(
      .probes,
      try copy(
        into: "received_probes", from: "received_probes p WHERE \(people("p")) ORDER BY p.received_id",
        [
          "received_probe_id": "p.received_id", "contact_id": "p.contact_id", "group_member_id": "p.member_id",
          "probe": .identifier("p.probe"), "probe_hash": .identifier("p.hash"), "user_id": "p.user_id",
          "created_at": .time("p.created_at"), "updated_at": .time("p.created_at"),
        ]))
  }
}
