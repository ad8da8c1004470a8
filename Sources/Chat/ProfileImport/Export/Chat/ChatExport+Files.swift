import SQLiteKit

extension ChatExport {
  /// The files of messages and notes, whose local files stay where they are. One that is being received is received
  /// from its beginning; one that is being sent never is, because its upload began with the agent that is left.
  mutating func exportFiles() throws(ProfileImportError) {
    let rows = "files f JOIN items i ON i.item_id = f.item_id JOIN taken_chats h ON h.chat_id = i.chat_id"
    let isReceiving = "(f.sent = 0 AND f.step IN ('accepted', 'connected'))"
    let isSending = "(f.sent = 1 AND f.protocol <> 'local' AND NOT EXISTS (\(Self.description(.sender))))"
    report.take(
      .files,
      try copy(
        into: "files", from: "\(rows) ORDER BY f.file_id",
        [
          "file_id": "f.file_id", "contact_id": "CASE h.kind WHEN 0 THEN h.entity_id END",
          "group_id": "CASE h.kind WHEN 1 THEN h.entity_id END",
          "note_folder_id": "CASE h.kind WHEN 2 THEN h.entity_id END", "file_name": "f.name",
          "file_path": .plain("CASE WHEN NOT \(isReceiving) THEN f.path END"), "file_size": "f.size",
          "chunk_size": "f.chunk_size", "created_at": .time("f.created_at"), "user_id": "f.user_id",
          "chat_item_id": "f.item_id", "updated_at": .time("f.updated_at"), "cancelled": "nullif(f.cancelled, 0)",
          "ci_file_status": .text(
            "CASE WHEN \(isReceiving) THEN '\"-\"' WHEN \(isSending) THEN '\"+\"' || f.status ELSE f.status END",
            Self.status),
          "file_inline": "CASE f.sent WHEN 1 THEN f.inline_mode END",
          "agent_snd_file_id": .identifier("CASE f.sent WHEN 1 THEN f.agent_id END"),
          "private_snd_file_descr": .plain("(\(Self.description(.sender)))"),
          "agent_snd_file_deleted": "CASE f.sent WHEN 1 THEN f.agent_deleted ELSE 0 END", "protocol": "f.protocol",
          "file_crypto_key": .identifier("f.crypto_key"), "file_crypto_nonce": .identifier("f.crypto_nonce"),
        ]))
    report.leave(.files, try count("files WHERE item_id IS NULL"))
    try exportDescriptions(rows)
    try exportReceivedFiles(rows, isReceiving: isReceiving)
    try exportRecipients(rows)
  }

  private enum Description: Int { case received = 0, recipient = 1, spare = 2, sender = 3 }

  private static func description(_ kind: Description) -> String {
    "SELECT d.text FROM file_descriptions d WHERE d.file_id = f.file_id AND d.kind = \(kind.rawValue) LIMIT 1"
  }

  /// The state of a file; `"-"` for one that will be received, `"+"` before that of one whose upload ended.
  private static func status(_ text: String) -> String? {
    if text == "\"-\"" { return ItemText.text(.rcvInvitation) }
    guard text.hasPrefix("\"+\"") else { return ItemText.fileStatus(text) }
    guard let status = ItemText.fileStatus(String(text.dropFirst(3))) else { return nil }
    for kind in ["snd_stored", "snd_transfer", "snd_warning"] where status.hasPrefix(kind) {
      return "snd_error other not sent before the profile was exported"
    }
    return status
  }

  private func exportDescriptions(_ rows: String) throws(ProfileImportError) {
    try copy(
      into: "xftp_file_descriptions",
      from:
        "\(rows) JOIN file_descriptions d ON d.file_id = f.file_id WHERE d.kind IN (0, 1) ORDER BY d.description_id",
      [
        "file_descr_id": "d.description_id", "user_id": "f.user_id", "file_descr_text": "d.text",
        "file_descr_part_no": "d.part", "file_descr_complete": "d.complete",
      ])
    try copy(
      into: "extra_xftp_file_descriptions",
      from: "\(rows) JOIN file_descriptions d ON d.file_id = f.file_id WHERE d.kind = 2 ORDER BY d.description_id",
      ["file_id": "f.file_id", "user_id": "f.user_id", "file_descr_text": "d.text"])
  }

  private func exportReceivedFiles(_ rows: String, isReceiving: String) throws(ProfileImportError) {
    try copy(
      into: "rcv_files", from: "\(rows) WHERE f.sent = 0 ORDER BY f.file_id",
      [
        "file_id": "f.file_id", "file_status": .plain("CASE WHEN \(isReceiving) THEN 'new' ELSE f.step END"),
        "group_member_id": Self.existing("f.member_id", in: Self.takenMembers, "member_id"),
        "created_at": .time("f.created_at"), "updated_at": .time("f.updated_at"),
        "rcv_file_inline": "f.accepted_inline", "file_inline": "f.inline_mode",
        "file_descr_id":
          "(SELECT max(d.description_id) FROM file_descriptions d WHERE d.file_id = f.file_id AND d.kind = 0)",
        "to_receive": .plain("f.to_receive OR \(isReceiving)"), "user_approved_relays": "f.approves_relays",
      ])
  }

  /// The recipients of sent files, and the description that one of them got, which serves others as well.
  private func exportRecipients(_ rows: String) throws(ProfileImportError) {
    try copy(
      into: "snd_files",
      from: """
        \(rows) JOIN file_recipients r ON r.file_id = f.file_id \
        WHERE f.sent = 1 AND r.connection_id IN \(Self.takenConnections) ORDER BY r.recipient_id
        """,
      [
        "file_id": "f.file_id", "connection_id": "r.connection_id", "file_status": "r.status",
        "group_member_id": Self.existing("r.member_id", in: Self.takenMembers, "member_id"),
        "created_at": .time("f.created_at"), "updated_at": .time("f.updated_at"),
        "file_descr_id": Self.existing(
          "r.description_id", in: "(SELECT description_id FROM file_descriptions WHERE kind IN (0, 1))",
          "description_id"),
      ])
    // A file has no recipients any more where the profile was imported.
    try copy(
      into: "snd_files",
      from: """
        \(rows) JOIN file_descriptions d ON d.file_id = f.file_id AND d.kind = 1 \
        JOIN connections n ON n.connection_id = (SELECT min(x.connection_id) FROM connections x \
        LEFT JOIN members m ON m.member_id = x.member_id JOIN taken_connections t ON t.agent_conn_id = x.agent_conn_id \
        WHERE h.kind = 0 AND x.contact_id = h.entity_id OR h.kind = 1 AND m.group_id = h.entity_id) \
        WHERE f.sent = 1 AND NOT EXISTS (SELECT 1 FROM file_recipients r WHERE r.file_id = f.file_id \
        AND r.description_id IS NOT NULL) ORDER BY d.description_id
        """,
      [
        "file_id": "f.file_id", "connection_id": "n.connection_id", "file_status": "'complete'",
        "group_member_id": "n.member_id", "created_at": .time("f.created_at"), "updated_at": .time("f.updated_at"),
        "file_descr_id": "d.description_id",
      ])
  }
}
