import ChatAPI
import ChatStore
import FileAccess
import SQLiteKit

extension ChatImport {
  /// The files of messages and notes. The local files stay where they are.
  mutating func importFiles() throws(ProfileImportError) {
    let unfinished = try Self.unfinishedUploads(source, agent: agentSource)
    try source.forEachPage("files", number: "file_id", where: "chat_item_id IS NOT NULL") {
      (page) throws(ProfileImportError) in
      for row in page {
        try writeUnlessDamaged(.damagedItems) { (chat) throws(ProfileImportError) in
          let item = try row.integer("chat_item_id")
          guard try chat.isTaken(item: item) else { return }
          let upload = unfinished.contains(try row.integer("file_id")) ? try chat.upload(row) : nil
          try chat.importFile(row, of: item, isSentAgain: upload != nil)
          if let upload { chat.uploads.append(upload) }
          chat.report.take(.files)
        }
      }
    }
    report.take(.uploads, uploads.count)
  }

  private func importFile(_ row: SourceRow, of item: Int64, isSentAgain: Bool) throws(ProfileImportError) {
    let id = SQLiteValue.integer(try row.integer("file_id"))
    let received = try source.rows("rcv_files", where: "file_id = ?", [id], key: "file_id").first
    let state = try received.map { (received) throws(ProfileImportError) in try ReceivedState(row, received) }
    let status: CIFileStatus =
      if let state { state.status } else if isSentAgain { .sndStored } else { try Self.sentStatus(row) }
    // Names of files that come later were chosen by others, too.
    let name = try row.text("file_name")
    try insert(
      into: "files",
      [
        "file_id": id, "user_id": .integer(try row.integer("user_id")), "item_id": .integer(item),
        "sent": .bool(received == nil), "protocol": .text(try Self.fileProtocol(row).rawValue),
        "name": .text(received == nil ? name : ReceivedFileName.safe(Self.lastPart(name)) ?? "file"),
        "size": .integer(try row.integer("file_size")), "chunk_size": .integer(try row.integer("chunk_size")),
        "path": .optional(state?.hasFile == false ? nil : try row.optionalText("file_path")),
        "crypto_key": .optional(try row.identifier("file_crypto_key")),
        "crypto_nonce": .optional(try row.identifier("file_crypto_nonce")), "status": .text(status.jsonText()),
        "cancelled": .bool(try row.bool("cancelled")),
        // With it and the sender's description the file is deleted at relays. Transfers of received files are gone.
        "agent_id": .optional(received == nil ? try row.identifier("agent_snd_file_id") : nil),
        "agent_deleted": .bool(received == nil ? try row.bool("agent_snd_file_deleted") : true),
        "inline_mode": .optional(try Self.inlineMode(received ?? row, "file_inline")),
        "accepted_inline": .optional(
          try received.flatMap { (row) throws(ProfileImportError) in
            try Self.inlineMode(row, "rcv_file_inline")
          }),
        "step": .text((state?.step ?? .new).rawValue),
        "member_id": .optional(try received?.optionalInteger("group_member_id")),
        "to_receive": .bool(state?.isWanted ?? false),
        "approves_relays": .bool(try received?.bool("user_approved_relays") ?? false),
        "created_at": .integer(try row.time("created_at")),
        "updated_at": .integer(try row.time(row["updated_at"] == .null ? "created_at" : "updated_at")),
      ])
    try writing { (target) throws(SQLFailure) in
      try target.execute("UPDATE items SET file_id = ? WHERE item_id = ?", values: [id, .integer(item)])
    }
    if isSentAgain { try importRecipients(ofFile: id) } else { try importDescriptions(row, received, file: id) }
  }

  /// The files that were being sent, and whose sending can begin again: they were not uploaded, it is known where they
  /// are, and the agent has not given them up. It does so after a day, and says nothing to the chat.
  static func unfinishedUploads(
    _ chat: SourceDatabase, agent: SourceDatabase
  ) throws(ProfileImportError) -> Set<Int64> {
    var uploads: Set<String> = []
    for row in try agent.rows(
      "snd_files", columns: ["snd_file_id", "snd_file_entity_id"],
      where: "\(beingSent) AND julianday(CAST(created_at AS TEXT)) >= julianday('now') - 1", key: "snd_file_id")
    {
      if let id = try row.identifier("snd_file_entity_id") { uploads.insert(id) }
    }
    guard !uploads.isEmpty else { return [] }
    var files: Set<Int64> = []
    let condition = """
      CAST(protocol AS TEXT) = 'xftp' AND agent_snd_file_id IS NOT NULL AND file_path IS NOT NULL \
      AND private_snd_file_descr IS NULL AND coalesce(cancelled, 0) = 0 AND chat_item_id IS NOT NULL \
      AND (CAST(ci_file_status AS TEXT) = 'snd_stored' OR CAST(ci_file_status AS TEXT) LIKE 'snd_transfer%' \
      OR CAST(ci_file_status AS TEXT) LIKE 'snd_warning%') \
      AND EXISTS (SELECT 1 FROM snd_files s WHERE s.file_id = files.file_id) \
      AND NOT EXISTS (SELECT 1 FROM rcv_files r WHERE r.file_id = files.file_id)
      """
    for row in try chat.rows(
      "files", columns: ["file_id", "agent_snd_file_id"], where: condition, key: "file_id")
    {
      guard let id = try row.identifier("agent_snd_file_id"), uploads.contains(id) else { continue }
      files.insert(try row.integer("file_id"))
    }
    return files
  }

  /// The condition for files that the agent is sending.
  static let beingSent = "coalesce(deleted, 0) = 0 AND CAST(status AS TEXT) NOT IN ('complete', 'error')"

  /// The command that sends a file again from its beginning; nil if its user is not there.
  private func upload(_ row: SourceRow) throws(ProfileImportError) -> UploadCommand? {
    guard let name = try row.identifier("agent_snd_file_id"), let user = agentUsers[try row.integer("user_id")] else {
      return nil
    }
    var arguments: CryptoFileArgs?
    if let key = try row.identifier("file_crypto_key"), let nonce = try row.identifier("file_crypto_nonce") {
      arguments = CryptoFileArgs(fileKey: key, fileNonce: nonce)
    }
    let recipients = try source.count("snd_files", where: "file_id = \(try row.integer("file_id"))")
    return UploadCommand(
      id: name, user: user, source: CryptoFile(filePath: try row.text("file_path"), cryptoArgs: arguments),
      name: try row.text("file_name"), recipients: recipients)
  }

  /// Those who get a description once the file is uploaded.
  private func importRecipients(ofFile file: SQLiteValue) throws(ProfileImportError) {
    for row in try source.rows("snd_files", where: "file_id = ?", [file], key: "connection_id") {
      try insert(
        into: "file_recipients",
        [
          "file_id": file, "connection_id": .optional(try row.optionalInteger("connection_id")),
          "member_id": .optional(try row.optionalInteger("group_member_id")), "status": .text(FileStatus.new.rawValue),
        ])
    }
  }

  /// The commands that send files again.
  func importUploads() throws(ProfileImportError) {
    for upload in uploads {
      try insert(
        into: "agent_commands",
        [
          "agent_conn_id": .text(""), "kind": .integer(Int64(UploadCommand.kind)), "is_follow_up": .bool(false),
          "payload": .blob(upload.jsonBytes()), "created_at": .integer(0),
        ])
    }
  }

  private static func lastPart(_ path: String) -> Substring {
    ReceivedFileName.parts(ofPath: path).last ?? ""
  }

  private static func fileProtocol(_ row: SourceRow) throws(ProfileImportError) -> FileProtocol {
    guard let found = FileProtocol(rawValue: try row.text("protocol")) else {
      throw row.unusable("protocol", "it is not known")
    }
    return found
  }

  private static func inlineMode(_ row: SourceRow, _ column: String) throws(ProfileImportError) -> String? {
    try row.optionalText(column).flatMap(InlineFileMode.init)?.rawValue
  }

  /// A file that was not uploaded yet and is not sent again never is. Descriptions of one that was are among the
  /// messages that wait to be sent.
  private static func sentStatus(_ row: SourceRow) throws(ProfileImportError) -> CIFileStatus {
    let status = FileStatusText.status(try row.optionalText("ci_file_status") ?? "snd_complete")
    guard try fileProtocol(row) != .local else { return status }
    switch status {
    case .sndStored, .sndTransfer, .sndWarning:
      guard try row.optionalText("private_snd_file_descr") == nil else { return .sndComplete }
      return .sndError(sndFileError: .other(fileError: "not sent before the profile was imported"))
    default: return status
    }
  }

  /// The descriptions with which the file is received, given to others, and deleted at relays.
  private func importDescriptions(
    _ row: SourceRow, _ received: SourceRow?, file: SQLiteValue
  ) throws(ProfileImportError) {
    func add(_ text: String, _ kind: FileDescriptionKind, part: Int64 = 1, isComplete: Bool = true)
      throws(ProfileImportError)
    {
      try insert(
        into: "file_descriptions",
        [
          "file_id": file, "kind": .integer(Int64(kind.rawValue)), "text": .text(text), "part": .integer(part),
          "complete": .bool(isComplete),
        ])
    }
    // One that a recipient got serves others as well: the recipients of a file are not known to each other.
    let sent = try source.rows(
      "snd_files", where: "file_id = ? AND file_descr_id IS NOT NULL", [file], order: "file_descr_id LIMIT 1",
      key: "file_id")
    if let number = try (received ?? sent.first)?.optionalInteger("file_descr_id"),
      let found = try source.rows(
        "xftp_file_descriptions", where: "file_descr_id = ?", [.integer(number)], key: "file_descr_id"
      ).first
    {
      try add(
        try found.text("file_descr_text"), received == nil ? .recipient : .received,
        part: try found.integer("file_descr_part_no"), isComplete: try found.bool("file_descr_complete"))
    }
    for spare in try source.rows(
      "extra_xftp_file_descriptions", where: "file_id = ?", [file], key: "extra_file_descr_id")
    {
      try add(try spare.text("file_descr_text"), .spare)
    }
    if let text = try row.optionalText("private_snd_file_descr") { try add(text, .sender) }
  }
}

/// How far receiving a file came, and how it goes on.
private struct ReceivedState {
  var status: CIFileStatus
  var step: FileStatus
  /// Whether the local file is the whole one.
  var hasFile: Bool { step == .complete }
  /// Whether it is received with the next start, from its beginning.
  var isWanted: Bool

  init(_ file: SourceRow, _ received: SourceRow) throws(ProfileImportError) {
    let known = FileStatus(rawValue: try received.text("file_status")) ?? .cancelled
    status = FileStatusText.status(try file.optionalText("ci_file_status") ?? "rcv_invitation")
    step = try file.bool("cancelled") ? .cancelled : known
    isWanted = try received.bool("to_receive")
    guard step == .accepted || step == .connected else { return }
    guard try file.optionalText("protocol") == FileProtocol.xftp.rawValue else {
      // Its parts came over a connection of its own, or in messages that nobody sends again.
      (status, step, isWanted) = (.rcvCancelled, .cancelled, false)
      return
    }
    step = .new
    switch status {
    case .rcvAccepted, .rcvTransfer, .rcvWarning: (status, isWanted) = (.rcvInvitation, true)
    default: break
    }
  }
}
