import AgentCore
import AgentStore
import ChatAPI
import ChatStore
import DoubleRatchet
import Foundation
import ProfileImport
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import SimplexJSON
import Testing

@Suite struct ProfileImportTests {
  // MARK: Chats

  @Test func takesContactsAndMessages() throws {
    let profile = try ReferenceProfile()
    let report = try profile.makeImport().run()
    #expect(report.taken[.users] == 1)
    #expect(report.taken[.contacts] == 4)
    #expect(report.taken[.connections] == 6)
    #expect(report.taken[.messages] == 39)
    #expect(report.taken[.reactions] == 1)
    #expect(report.taken[.versions] == 2)
    #expect(report.taken[.groups] == 1)
    #expect(report.taken[.members] == 3)
    #expect(report.losses.isEmpty)

    let store = try ChatDatabase(path: profile.target + "_chat.db")
    let user = try #require(try store.read { try $0.activeUser() })
    #expect(user.localDisplayName == "alice")
    #expect(user.sendRcptsContacts)
    let bob = try store.read { try $0.contact(named: "bob", of: user) }
    #expect(bob.contactId == 4)
    #expect(bob.profile.localAlias == "my bob")
    #expect(bob.activeConn?.connStatus == .ready)
    #expect(bob.activeConn?.agentConnId == "cGxqVnUxSzdDdTRyaXA0Yg==")
    #expect(bob.activeConn?.pqSndEnabled == true)
    #expect(bob.chatTags == [1])
    #expect(try store.read { try $0.chatTags(of: user) }.map(\.chatTagText) == ["friends"])

    let chat = ChatRef(chatType: .direct, chatId: 4)
    let items = try store.read { transaction in
      try [8, 9, 10, 11].map { try transaction.item($0, in: chat, of: user) }
    }
    #expect(items.map(\.meta.itemText) == ["hello bob", "hi alice", "how are you today?", "fine, thanks"])
    #expect(items.map(\.meta.itemStatus) == [received, .rcvNew, received, .rcvNew])
    #expect(items[0].meta.itemDeleted != nil)
    #expect(items[2].meta.itemEdited)
    #expect(items[2].reactions.map(\.reaction) == [.emoji(emoji: try #require(MREmojiChar(rawValue: "👍")))])
    #expect(items[3].quotedItem?.itemId == 10)
    #expect(items[3].quotedItem?.content == .text("how are you?"))
    #expect(items[0].meta.itemSharedMsgId == "RXhBa3J3MTJVdkpGUVZYcw==")
    #expect(
      try store.read { try $0.versions(ofItem: 10) }.map(\.msgContent.text) == ["how are you today?", "how are you?"])
    let stats = try store.read { try $0.stats(chat, of: user) }
    #expect(stats.unreadCount == 2)

    let address = try store.read { try $0.address(of: user) }
    #expect(address.connLinkContact.connShortLink != nil)
    #expect(address.addressSettings.autoAccept != nil)
    let notes = try store.read { try $0.noteFolderID(of: user) }
    let note = try store.read { try $0.lastItem(in: ChatRef(chatType: .local, chatId: notes), of: user) }
    #expect(note?.meta.itemText == "a note to myself")
    #expect(try store.read { try $0.servers(.smp, of: user) }.contains { $0.enabled && !$0.preset })
  }

  private let received = CIStatus.sndRcvd(msgRcptStatus: .ok, sndProgress: .complete)

  @Test func takesGroups() throws {
    let profile = try ReferenceProfile()
    _ = try profile.makeImport().run()
    let store = try ChatDatabase(path: profile.target + "_chat.db")
    let user = try #require(try store.read { try $0.activeUser() })
    let group = try store.read { try $0.group(1, of: user) }
    #expect(group.localDisplayName == "team")
    #expect(group.membership.memberRole == .owner)
    #expect(group.membership.memberStatus == .memCreator)
    #expect(group.groupSummary.currentMembers == 3)
    #expect(group.groupProfile.groupPreferences?.history?.enable == .on)
    let members = try store.read { transaction in try [2, 3].map { try transaction.member($0, of: user) } }
    #expect(members.map(\.localDisplayName) == ["bob", "cath"])
    #expect(members.map(\.memberRole) == [.admin, .member])
    #expect(members.map(\.activeConn?.connStatus) == [.ready, .ready])
    #expect(members.map(\.invitedBy) == [.user, .user])
    #expect(try store.read { try $0.indexes(ofMember: 2) { $0 == .connected } } == [2])
    let chat = ChatRef(chatType: .group, chatId: 1)
    let items = try store.read { transaction in try [37, 38].map { try transaction.item($0, in: chat, of: user) } }
    #expect(items.map(\.meta.itemText) == ["hello team", "hi, here is bob"])
    #expect(items[0].meta.itemStatus == received)
    guard case .groupRcv(let author) = items[1].chatDir else { throw Missing() }
    #expect(author.groupMemberId == 2)
    let shared = try #require(items[1].meta.itemSharedMsgId)
    let found = try store.read {
      try $0.groupItem(sharedMsgId: shared, author: author.memberId, inGroup: 1, of: user)?.item.meta.itemId
    }
    #expect(found == 38)
  }

  @Test func takesIntroductionsOfOlderVersions() throws {
    let profile = try ReferenceProfile()
    try profile.changeChat(
      """
      UPDATE group_members SET member_relations_vector = NULL;
      INSERT INTO group_member_intros (group_member_intro_id, re_group_member_id, to_group_member_id, intro_status)
      VALUES (1, 3, 2, 're-con');
      """)
    _ = try profile.makeImport().run()
    let store = try ChatDatabase(path: profile.target + "_chat.db")
    #expect(try store.read { try $0.indexes(ofMember: 3) { $0 == .reported } } == [1])
    #expect(try store.read { try $0.indexes(ofMember: 2) { $0 == .reportedByOther } } == [2])
  }

  // MARK: The agent

  @Test func takesQueuesKeysAndRatchets() throws {
    let profile = try ReferenceProfile()
    // A key of a message that did not come, in the form of the reference.
    try profile.changeAgent(
      """
      INSERT INTO skipped_messages (conn_id, header_key, msg_n, msg_key)
      SELECT conn_id, x'\(String(repeating: "11", count: 32))', 7,
        x'20\(String(repeating: "22", count: 32))10\(String(repeating: "33", count: 16))'
      FROM connections WHERE CAST(conn_id AS TEXT) = 'pljVu1K7Cu4rip4b';
      """)
    _ = try profile.makeImport().run()
    let id = "x'706c6a5675314b374375347269703462'"
    let store = try AgentDatabase(path: profile.target + "_agent.db")
    let connection = try #require(try store.connection(ConnectionID(Array("pljVu1K7Cu4rip4b".utf8))))
    #expect(connection.mode == .invitation)
    #expect(connection.pqSupport)
    #expect(connection.agentVersion == 7)
    let row = try profile.agentRow("connections WHERE conn_id = \(id)")

    let incoming = try #require(try store.receiveQueues(of: connection.number).first)
    let incomingRow = try profile.agentRow("rcv_queues WHERE conn_id = \(id)")
    #expect(incomingRow["rcv_id"] == .blob(incoming.recipientID.bytes))
    #expect(incomingRow["snd_id"] == .blob(incoming.senderID.bytes))
    #expect(incomingRow["rcv_private_key"] == .blob(bytes(incoming.key.der)))
    #expect(incomingRow["rcv_dh_secret"] == .blob(bytes(incoming.deliveryKey.secret)))
    #expect(incomingRow["e2e_priv_key"] == .blob(bytes(incoming.privateKey.der)))
    #expect(incomingRow["e2e_dh_secret"] == .blob(bytes(try #require(incoming.sharedKey).secret)))
    #expect(incomingRow["link_key"] == .blob(try #require(incoming.link).linkKey))
    #expect(incoming.status == .active)
    #expect(incoming.isSubscribed && incoming.isPrimary)

    let outgoing = try #require(try store.sendQueues(of: connection.number).first)
    let outgoingRow = try profile.agentRow("snd_queues WHERE conn_id = \(id)")
    #expect(outgoingRow["snd_id"] == .blob(outgoing.senderID.bytes))
    #expect(outgoingRow["snd_private_key"] == .blob(bytes(outgoing.key.der)))
    #expect(outgoingRow["e2e_pub_key"] == .blob(try #require(outgoing.publicKey).der))
    #expect(outgoingRow["e2e_dh_secret"] == .blob(bytes(outgoing.sharedKey.secret)))

    let ratchet = try #require(try store.ratchet(of: connection.number))
    guard case .blob(let json) = try profile.agentRow("ratchets WHERE conn_id = \(id)")["ratchet_state"] else {
      throw Missing()
    }
    #expect(try ReferenceRatchet(jsonBytes: json).ratchet == ratchet.ratchet)
    #expect(row["last_internal_msg_id"] == .integer(ratchet.lastID))
    #expect(row["last_internal_snd_msg_id"] == .integer(ratchet.lastSent))
    #expect(row["last_external_snd_msg_id"] == .integer(ratchet.lastReceived))
    #expect(row["last_snd_msg_hash"] == .blob(ratchet.lastSentHash))
    #expect(row["last_rcv_msg_hash"] == .blob(ratchet.lastReceivedHash))
    #expect(ratchet.skippedCount == 1)
    let headerKey = try #require(try store.skippedHeaderKeys(of: connection.number).first)
    #expect(
      try store.skippedKey(of: connection.number, headerKey: headerKey, number: 7)?.secret
        == SecretBytes([UInt8](repeating: 0x22, count: 32) + [UInt8](repeating: 0x33, count: 16)))
    let hash = try profile.agentRow("encrypted_rcv_message_hashes WHERE conn_id = \(id)")["hash"]
    guard case .blob(let hash) = hash else { throw Missing() }
    #expect(try store.wasReceived(hash: hash, of: connection.number))
  }

  @Test func takesMessagesThatWaitToBeSent() throws {
    let profile = try ReferenceProfile()
    let connection = "conn_id = CAST('pljVu1K7Cu4rip4b' AS BLOB)"
    // The message with item 10, as if the relay had not taken it.
    try profile.changeAgent(
      """
      UPDATE messages SET msg_body = CAST('M{}' AS BLOB) WHERE \(connection) AND internal_id = 7;
      INSERT INTO snd_message_deliveries (snd_message_delivery_id, conn_id, snd_queue_id, internal_id, failed)
      SELECT 1, conn_id, 1, 7, 0 FROM connections WHERE \(connection);
      """)
    let report = try profile.makeImport().run()
    #expect(report.taken[.outgoingMessages] == 1)
    let store = try AgentDatabase(path: profile.target + "_agent.db")
    let number = try #require(try store.connection(ConnectionID(Array("pljVu1K7Cu4rip4b".utf8)))).number
    let task = try #require(try store.tasks(of: number).first)
    let queue = try #require(try store.sendQueues(of: number).first)
    #expect(task.lane == .sendQueue(queue.number))
    #expect(task.message == 7)
    let payload = try SealedPayload.codec.decode(task.payload)
    let row = try profile.agentRow("snd_messages WHERE \(connection) AND internal_id = 7")
    #expect(row["internal_snd_id"] == .integer(payload.header.messageID))
    #expect(row["previous_msg_hash"] == .blob(payload.header.previousHash))
    #expect(row["padded_msg_len"] == .integer(Int64(payload.paddedCount)))
    // The form of the reference, after the number of our format.
    #expect(row["msg_encrypt_key"] == .blob(Array(payload.sealer.dropFirst())))
    #expect(payload.content == Array("M{}".utf8))
    #expect(payload.purpose == .message)
    // Its outcome, and receipts, find the item.
    let key = try #require(task.messageKey)
    let chat = try ChatDatabase(path: profile.target + "_chat.db")
    #expect(try chat.read { try $0.items(ofCommand: key) } == [10])
    #expect(try store.sentMessage(number: payload.header.messageID, of: number)?.message.key == key)
    #expect(try #require(try store.ratchet(of: number)?.lastKey) >= key)
    let next = try chat.transaction { try $0.addCommand(agentConnId: "", kind: 1, payload: []) }
    #expect(next > (try #require(try store.ratchet(of: number)?.lastKey)))
  }

  @Test func takesAnInvitationThatNobodyJoined() throws {
    let profile = try ReferenceProfile()
    _ = try profile.makeImport().run()
    let store = try AgentDatabase(path: profile.target + "_agent.db")
    let connection = try #require(try store.connection(ConnectionID(Array("OIjXXEWCOGz9j6Yk".utf8))))
    let keys = try #require(try store.ratchetKeys(of: connection.number))
    #expect(keys.kem != nil)
    #expect(try store.ratchetParameters(of: connection.number) == keys.parameters(version: E2EVersion.postQuantum))
    #expect(try store.receiveQueues(of: connection.number).first?.status == .new)
  }

  // MARK: Refusals

  @Test func refusesWhatWouldBeLost() throws {
    let profile = try ReferenceProfile()
    try profile.changeChat("UPDATE groups SET use_relays = 1;")
    let before = try profile.files()
    let importing = ProfileImport(from: profile.prefix, to: profile.target)
    let error = #expect(throws: ProfileImportError.self) { try importing.run() }
    guard case .wouldLose(let report) = error else { throw Missing() }
    #expect(report.losses == [.publicGroups: 1])
    #expect(try importing.survey().losses == report.losses)
    #expect(try profile.files() == before)
  }

  /// All conversations would end: what messages go through is in another file.
  @Test func refusesTheDatabaseOfAnotherAgent() throws {
    let profile = try ReferenceProfile()
    let other = try ReferenceProfile("reference-handshakes")
    try FileManager.default.removeItem(atPath: profile.agent)
    try FileManager.default.copyItem(atPath: other.agent, toPath: profile.agent)
    let before = try profile.files()
    let error = #expect(throws: ProfileImportError.self) {
      try ProfileImport(from: profile.prefix, to: profile.target).run()
    }
    guard case .wouldLose(let report) = error else { throw Missing() }
    #expect(report.losses == [.mismatchedAgent: 6])
    #expect(try profile.files() == before)
  }

  @Test(arguments: [
    """
    INSERT INTO snd_message_deliveries (conn_id, snd_queue_id, internal_id)
    SELECT conn_id, 1, 20 FROM connections WHERE CAST(conn_id AS TEXT) = 'pljVu1K7Cu4rip4b'
    """,
    """
    INSERT INTO commands (conn_id, command_tag, command, created_at)
    SELECT conn_id, CAST('CLIENT LET' AS BLOB), CAST('CLIENT LET id 9' AS BLOB), '2026-01-01 00:00:00'
    FROM connections WHERE CAST(conn_id AS TEXT) = 'pljVu1K7Cu4rip4b'
    """,
    "UPDATE rcv_queues SET switch_status = 'switch_forgotten'", "UPDATE snd_queues SET switch_status = 'x'",
    "UPDATE connections SET ratchet_sync_state = 'begun'", "DELETE FROM ratchets",
  ])
  func reportsConnectionsThatCannotBeTaken(_ change: String) throws {
    let profile = try ReferenceProfile()
    try profile.changeAgent(change + ";")
    let report = try profile.makeImport().survey()
    #expect((report.losses[.damagedConnections] ?? 0) > 0)
    // The rest is taken.
    let taken = try profile.makeImport().run()
    #expect((taken.taken[.connections] ?? 0) < 6)
    #expect(taken.taken[.contacts] == 4)
  }

  /// Very old versions sent files over connections of their own.
  @Test func leavesConnectionsOfFiles() throws {
    let profile = try ReferenceProfile()
    try profile.changeChat(
      "UPDATE connections SET conn_type = 'snd_file', conn_status = 'new' WHERE connection_id = 6;")
    let report = try profile.makeImport().run()
    #expect(report.left[.deletedConnections] == 1)
    #expect(report.taken[.connections] == 5)
  }

  @Test func refusesTheSameStateTwice() throws {
    let profile = try ReferenceProfile()
    let originals = try profile.files()
    _ = try profile.makeImport().run()
    #expect(!FileManager.default.fileExists(atPath: profile.chat))
    for name in ["_chat.db", "_agent.db"] {
      let renamed = profile.prefix + name + ProfileImport.importedSuffix
      #expect(try Data(contentsOf: URL(filePath: renamed)) == originals["reference" + name])
      try FileManager.default.moveItem(atPath: renamed, toPath: profile.prefix + name)
    }
    var again = profile.makeImport()
    again.target += "2"
    #expect(throws: ProfileImportError.importedBefore(to: profile.target)) { try again.run() }
  }

  @Test func refusesToReplaceAProfile() throws {
    let profile = try ReferenceProfile()
    try Data("x".utf8).write(to: URL(filePath: profile.target + "_chat.db"))
    #expect(throws: ProfileImportError.targetExists(file: profile.target + "_chat.db")) {
      try profile.makeImport().run()
    }
  }

  @Test func takesThePlaceOfTheReference() throws {
    let profile = try ReferenceProfile()
    var importing = profile.makeImport()
    importing.target = profile.prefix
    _ = try importing.run()
    let store = try ChatDatabase(path: profile.chat)
    #expect(try store.read { try $0.activeUser() }?.localDisplayName == "alice")
    #expect(FileManager.default.fileExists(atPath: profile.chat + ProfileImport.importedSuffix))
  }

  @Test func knowsVersionsByTheirMigrations() throws {
    func error(_ sql: String) throws -> ProfileImportError? {
      let profile = try ReferenceProfile()
      try profile.changeChat(sql)
      return #expect(throws: ProfileImportError.self) { try profile.makeImport().run() }
    }
    guard case .older(_, "20250129_delete_unused_contacts") = try error("DELETE FROM migrations WHERE name > '2025013'")
    else { throw Missing() }
    guard case .newer(_, "20990101_later") = try error("INSERT INTO migrations (name) VALUES ('20990101_later')") else {
      throw Missing()
    }
    guard
      case .unknownVersion(_, "20250210_beta") = try error("INSERT INTO migrations (name) VALUES ('20250210_beta')")
    else { throw Missing() }
    guard case .notReference = try error("DROP TABLE migrations") else { throw Missing() }
  }

  @Test(arguments: [
    "UPDATE rcv_queues SET rcv_private_key = x'00'", "UPDATE rcv_queues SET status = 'lost'",
    "UPDATE ratchets SET ratchet_state = CAST('{}' AS BLOB) WHERE ratchet_state IS NOT NULL",
    "UPDATE connections SET last_internal_msg_id = 'x'", "UPDATE servers SET key_hash = x'ff'",
    "UPDATE conn_invitations SET cr_invitation = CAST('simplex:/' AS BLOB)",
  ])
  func refusesUnusableValues(_ sql: String) throws {
    let profile = try ReferenceProfile()
    try profile.changeAgent(sql)
    let before = try profile.files()
    var importing = profile.makeImport()
    importing.acceptsLosses = false
    let error = #expect(throws: ProfileImportError.self) { try importing.run() }
    guard case .wouldLose(let report) = error else { throw Missing() }
    #expect(!report.losses.isEmpty && report.losses.keys.allSatisfy { [.damagedConnections, .requests].contains($0) })
    #expect(report.damages.count == report.losses.values.reduce(0, +))
    #expect(try importing.survey().losses == report.losses)
    #expect(try profile.files() == before)
  }

  // MARK: Encryption and journals

  @Test(arguments: [nil, "secret"]) func recoversAJournal(_ passphrase: String?) throws {
    let profile = try ReferenceProfile()
    if let passphrase { try profile.encrypt(passphrase) }
    let secret = passphrase.map { SecretBytes(Array($0.utf8)) }
    let before = try Data(contentsOf: URL(filePath: profile.chat))
    // As an app leaves it that is killed in the middle of a transaction: some pages are written already.
    let connection =
      if let secret { try SQLiteConnection(path: profile.chat, passphrase: secret) } else {
        try SQLiteConnection(path: profile.chat)
      }
    try connection.setPragma("cache_size", "1")
    try connection.runScript(
      "BEGIN; UPDATE contact_profiles SET display_name = 'changed', image = hex(randomblob(20000));"
        + "UPDATE chat_items SET item_text = 'changed', item_content = hex(randomblob(5000));")
    let killed = profile.folder.appending(path: "killed").path
    for suffix in ["_chat.db", "_chat.db-journal", "_agent.db"] {
      try FileManager.default.copyItem(atPath: profile.prefix + suffix, toPath: killed + suffix)
    }
    let journal = try Data(contentsOf: URL(filePath: killed + "_chat.db-journal"))
    try #require(journal.count > 512)
    #expect(try Data(contentsOf: URL(filePath: killed + "_chat.db")) != before)
    var importing = ProfileImport(from: killed, to: profile.target)
    importing.sourcePassphrase = secret
    let report = try importing.run()
    #expect(report.taken[.messages] == 39)
    let store = try ChatDatabase(path: profile.target + "_chat.db")
    let user = try #require(try store.read { try $0.activeUser() })
    #expect(user.profile.displayName == "alice")
    // The original was not recovered, and its journal is kept with it.
    #expect(
      try Data(contentsOf: URL(filePath: killed + "_chat.db" + ProfileImport.importedSuffix + "-journal")) == journal)
    try connection.runScript("ROLLBACK")
  }

  @Test func readsAndWritesEncryptedDatabases() throws {
    let profile = try ReferenceProfile()
    try profile.encrypt("from")
    var importing = profile.makeImport()
    let wrong = #expect(throws: ProfileImportError.self) { try importing.run() }
    #expect(wrong == .notADatabase(file: profile.chat))
    importing.sourcePassphrase = SecretBytes(Array("from".utf8))
    importing.targetPassphrase = SecretBytes(Array("to".utf8))
    _ = try importing.run()
    let store = try ChatDatabase(
      path: profile.target + "_chat.db", passphrase: SecretBytes(Array("to".utf8)))
    #expect(try store.read { try $0.activeUser() }?.localDisplayName == "alice")
  }
}

/// What a test needs is not there.
private struct Missing: Error {}

private func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }
