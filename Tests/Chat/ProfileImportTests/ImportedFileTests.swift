import ChatAPI
import ChatStore
import Foundation
import Testing

@testable import ProfileImport

/// Files of messages are imported with their states. The local files stay where they are.
@Suite struct ImportedFileTests {
  /// A file of the golden profile's message 9 from bob, or 8 to him.
  private static func file(
    item: Int, path: String = "NULL", status: String, cancelled: Int = 0, protocol name: String = "xftp"
  ) -> String {
    """
    INSERT INTO files (file_id, contact_id, file_name, file_path, file_size, chunk_size, created_at, updated_at, \
    user_id, chat_item_id, cancelled, ci_file_status, protocol, file_crypto_key, file_crypto_nonce, \
    agent_snd_file_deleted, file_type) VALUES (5, 4, 'a/pic.jpg', \(path), 2000, 16384, '2026-11-23 08:11:20', \
    '2026-11-23 08:11:21', 1, \(item), \(cancelled), '\(status)', '\(name)', zeroblob(32), zeroblob(24), 0, 'normal');
    """
  }

  private static func received(_ step: String) -> String {
    """
    INSERT INTO xftp_file_descriptions (file_descr_id, user_id, file_descr_text, file_descr_part_no, \
    file_descr_complete) VALUES (3, 1, 'description', 2, 1);
    INSERT INTO rcv_files (file_id, file_status, created_at, updated_at, file_descr_id, agent_rcv_file_deleted, \
    user_approved_relays) VALUES (5, '\(step)', '2026-11-23 08:11:20', '2026-11-23 08:11:20', 3, 0, 1);
    """
  }

  /// Imports the profile with this file, and returns the report, the item's file, the stored file and the store.
  private func imported(_ sql: String, item: Int64) throws -> (ImportReport, CIFile?, StoredFile?, ChatDatabase) {
    let profile = try ReferenceProfile()
    try profile.changeChat(sql)
    let report = try profile.makeImport().run()
    let store = try ChatDatabase(path: profile.target + "_chat.db")
    let user = try #require(try store.read { try $0.activeUser() })
    let found = try store.read { try $0.item(item, in: ChatRef(chatType: .direct, chatId: 4), of: user) }
    return (report, found.file, try store.read { try? $0.file(5, of: user) }, store)
  }

  @Test func takesReceivedFiles() throws {
    let (report, file, stored, store) = try imported(
      Self.file(item: 9, path: "'pictures/pic.jpg'", status: "rcv_complete") + Self.received("complete"), item: 9)
    #expect(report.taken[.files] == 1)
    #expect(file?.fileStatus == .rcvComplete)
    #expect(file?.fileName == "pic.jpg")
    #expect(file?.fileSize == 2000)
    #expect(file?.fileSource?.filePath == "pictures/pic.jpg")
    #expect(file?.fileSource?.cryptoArgs?.fileKey == String(repeating: "A", count: 43) + "=")
    #expect(stored?.isSent == false)
    #expect(stored?.step == .complete)
    #expect(stored?.approvesRelays == true)
    let description = try store.read { try $0.receivedDescription(ofFile: 5) }
    #expect(description?.fileDescrText == "description")
    #expect(description?.fileDescrPartNo == 2)
    #expect(description?.fileDescrComplete == true)
  }

  @Test(arguments: [
    ("rcv_transfer 100 2000", "connected", CIFileStatus.rcvInvitation, true),
    ("rcv_accepted", "accepted", .rcvInvitation, true),
    ("rcv_warning relay host", "accepted", .rcvInvitation, true),
    ("rcv_error auth", "accepted", .rcvError(rcvFileError: .auth), false),
    ("rcv_invitation", "new", .rcvInvitation, false),
  ])
  func receivesUnfinishedFilesAgain(_ text: String, _ step: String, _ status: CIFileStatus, _ isWanted: Bool) throws {
    let (report, file, stored, store) = try imported(
      Self.file(item: 9, path: "'pic.jpg'", status: text) + Self.received(step), item: 9)
    #expect(report.losses.isEmpty)
    #expect(file?.fileStatus == status)
    #expect(file?.fileSource == nil)
    #expect(stored?.step == .new)
    let age = Date().timeIntervalSince1970
    #expect(try store.read { try $0.wantedFiles(within: age) } == (isWanted ? [5] : []))
  }

  @Test func doesNotReceiveCancelledFiles() throws {
    let (_, file, stored, _) = try imported(
      Self.file(item: 9, path: "'pic.jpg'", status: "rcv_cancelled", cancelled: 1) + Self.received("accepted"), item: 9)
    #expect(file?.fileStatus == .rcvCancelled)
    #expect(stored?.isReceivedOrCancelled == true)
  }

  @Test(
    arguments: [
      ("snd_complete", "xftp", "mine", .sndComplete),
      // It is uploaded, and the message with its description waits.
      ("snd_transfer 1 2", "xftp", "mine", .sndComplete),
      ("snd_stored", "local", nil, .sndStored),
    ] as [(String, String, String?, CIFileStatus)])
  func takesSentFiles(_ text: String, _ name: String, _ description: String?, _ status: CIFileStatus) throws {
    let (_, file, stored, store) = try imported(
      Self.file(item: 8, path: "'/home/alice/pic.jpg'", status: text, protocol: name)
        + """
        UPDATE files SET agent_snd_file_id = x'616263', private_snd_file_descr = \(description.map { "'\($0)'" } ?? "NULL");
        INSERT INTO xftp_file_descriptions (file_descr_id, user_id, file_descr_text, file_descr_part_no, \
        file_descr_complete) VALUES (3, 1, 'given', 1, 1);
        INSERT INTO snd_files (file_id, connection_id, file_status, file_descr_id) VALUES (5, 1, 'complete', 3);
        """, item: 8)
    #expect(file?.fileStatus == status)
    #expect(file?.fileSource?.filePath == "/home/alice/pic.jpg")
    #expect(stored?.isSent == true)
    #expect(stored?.agentId == "YWJj")
    #expect(stored?.isAgentDeleted == false)
    #expect(try store.read { try $0.descriptionForOthers(ofFile: 5) } == "given")
    #expect(try store.read { try $0.description(.sender, ofFile: 5) }?.fileDescrText == description)
  }

  private static let transfer = """
    UPDATE files SET agent_snd_file_id = x'616263', ci_file_status = 'snd_transfer 1 2';
    INSERT INTO xftp_file_descriptions (file_descr_id, user_id, file_descr_text, file_descr_part_no, \
    file_descr_complete) VALUES (3, 1, '', 1, 1);
    INSERT INTO snd_files (file_id, connection_id, file_status, file_descr_id) VALUES (5, 1, 'new', 3);
    """

  /// The agent's row of a file whose sending began just now.
  private static let sending = """
    INSERT INTO snd_files (snd_file_entity_id, status, created_at) VALUES (x'616263', 'uploading', datetime('now'))
    """

  /// A file that was not uploaded is sent again from its beginning, and goes to the same recipients.
  @Test func sendsUnfinishedFilesAgain() throws {
    let profile = try ReferenceProfile()
    try profile.changeChat(Self.file(item: 8, path: "'/home/alice/pic.jpg'", status: "") + Self.transfer)
    try profile.changeAgent(Self.sending)
    var importing = profile.makeImport()
    importing.acceptsLosses = false
    #expect(try importing.survey().left[.transfers] == nil)
    importing.acceptsLosses = true
    let report = try importing.run()
    #expect(report.taken[.uploads] == 1 && report.left[.transfers] == nil)
    let path = profile.target + "_chat.db"
    do {
      let store = try ChatDatabase(path: path)
      let user = try #require(try store.read { try $0.activeUser() })
      let file = try #require(try store.read { try? $0.file(5, of: user) })
      #expect(file.agentId == "YWJj" && !file.isAgentDeleted)
      let item = try store.read { try $0.item(8, in: ChatRef(chatType: .direct, chatId: 4), of: user) }
      #expect(item.file?.fileStatus == .sndStored)
      let command = try #require(
        try store.read { try $0.commands(after: 0, limit: 100).last { $0.kind == UploadCommand.kind } })
      let key = String(repeating: "A", count: 43) + "="
      #expect(
        try UploadCommand(jsonBytes: command.payload)
          == UploadCommand(
            id: "YWJj", user: 1,
            source: CryptoFile(
              filePath: "/home/alice/pic.jpg",
              cryptoArgs: CryptoFileArgs(fileKey: key, fileNonce: String(repeating: "A", count: 32))),
            name: "a/pic.jpg", recipients: 1))
      // The first one that is uploaded gets the description.
      try store.transaction { rows in
        try rows.setDescriptions(sender: "mine", count: 1, ofFile: 5) { _ in "theirs" }
        #expect(try rows.waitingRecipients(ofFile: 5, limit: 10).map(\.description) == ["theirs"])
      }
    }
  }

  /// A file that the app's agent gave up is not sent years later: it is not there any more, or too old.
  @Test(arguments: [
    "", "INSERT INTO snd_files (snd_file_entity_id, status) VALUES (x'616263', 'error')",
    "INSERT INTO snd_files (snd_file_entity_id, status, created_at) VALUES (x'616263', 'uploading', '2024-01-01 00:00:00')",
  ])
  func leavesFilesThatWereGivenUp(_ sql: String) throws {
    let profile = try ReferenceProfile()
    try profile.changeChat(Self.file(item: 8, path: "'/home/alice/pic.jpg'", status: "") + Self.transfer)
    if !sql.isEmpty { try profile.changeAgent(sql) }
    let report = try profile.makeImport().run()
    #expect(report.taken[.uploads] == nil)
    #expect(report.left[.transfers] == (sql.contains("uploading") ? 1 : nil))
  }

  /// What cannot be sent again is lost: the app did not store where it is, or it goes to nobody.
  @Test(arguments: ["UPDATE files SET file_path = NULL", "DELETE FROM snd_files"])
  func reportsFilesThatCannotBeSent(_ sql: String) throws {
    let profile = try ReferenceProfile()
    try profile.changeChat(Self.file(item: 8, path: "'pic.jpg'", status: "") + Self.transfer + sql)
    try profile.changeAgent(Self.sending)
    let report = try profile.makeImport().run()
    #expect(report.taken[.uploads] == nil && report.left[.transfers] == 1)
    let store = try ChatDatabase(path: profile.target + "_chat.db")
    let user = try #require(try store.read { try $0.activeUser() })
    let item = try store.read { try $0.item(8, in: ChatRef(chatType: .direct, chatId: 4), of: user) }
    let reason = FileError.other(fileError: "not sent before the profile was imported")
    #expect(item.file?.fileStatus == .sndError(sndFileError: reason))
  }

  @Test func leavesFilesOfUnknownProtocols() throws {
    let profile = try ReferenceProfile()
    try profile.changeChat(Self.file(item: 8, status: "snd_complete", protocol: "ftp"))
    let report = try profile.makeImport().run()
    #expect(report.losses == [.damagedItems: 1] && report.taken[.files] == nil)
    #expect(report.damages.first?.contains("column protocol") == true)
  }

  @Test(arguments: [
    ("snd_complete", CIFileStatus.sndComplete), ("snd_error", .sndError(sndFileError: .other(fileError: ""))),
    ("snd_transfer 10 20", .sndTransfer(sndProgress: 10, sndTotal: 20)),
    ("rcv_error relay version", .rcvError(rcvFileError: .relay(srvError: .version))),
    (
      "rcv_error blocked xftp://a@b reason=spam",
      .rcvError(
        rcvFileError: .blocked(server: "xftp://a@b", blockInfo: BlockingInfo(reason: .spam, notice: nil)))
    ),
    ("rcv_warning other disk full", .rcvWarning(rcvFileError: .other(fileError: "disk full"))),
    ("lost", .invalid(text: "lost")),
  ])
  func readsStates(_ text: String, _ status: CIFileStatus) { #expect(FileStatusText.status(text) == status) }
}
