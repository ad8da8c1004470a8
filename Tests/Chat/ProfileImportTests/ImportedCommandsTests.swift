import AgentCore
import AgentProtocol
import AgentStore
import ChatStore
import DoubleRatchet
import Foundation
import ProfileImport
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import Testing
import WireCodec

/// States of the reference's agent that last a moment, or that only old versions leave: rows in its schema, made of the
/// golden ones.
@Suite struct ImportedCommandsTests {
  private func imported(_ change: String) throws -> (profile: ReferenceProfile, store: AgentDatabase) {
    let profile = try ReferenceProfile("reference-handshakes")
    try profile.changeAgent(change)
    var importing = profile.makeImport()
    importing.acceptsLosses = false
    _ = try importing.run()
    return (profile, try AgentDatabase(path: profile.target + "_agent.db"))
  }

  private func id(_ text: String) -> String { "CAST('\(text)' AS BLOB)" }

  private func command(_ connection: String, _ text: String) -> String {
    """
    INSERT INTO commands (command_id, conn_id, corr_id, command_tag, command, created_at)
    VALUES (90, \(id(connection)), x'', CAST('\(text.split(separator: " ").prefix(2).joined(separator: " "))' AS BLOB),
      CAST('\(text)' AS BLOB), '2026-11-24 03:00:00');
    """
  }

  private func connection(_ id: String, in store: AgentDatabase) throws -> StoredConnection {
    try #require(try store.connection(ConnectionID(Array(id.utf8))))
  }

  private func commands(_ profile: ReferenceProfile) throws -> [String: HandshakeCommand] {
    let store = try ChatDatabase(path: profile.target + "_chat.db")
    var found: [String: HandshakeCommand] = [:]
    for stored in try store.read({ try $0.commands(after: 0, limit: 100) }) {
      let id = String(decoding: try #require(Base64URL.decode(stored.agentConnId)), as: UTF8.self)
      found[id] = try HandshakeCommand(kind: stored.kind, payload: stored.payload)
    }
    return found
  }

  private static let frank = "R3k68jzo9dUd9NEP"
  /// Frank's confirmation came just before the app ended.
  private var unanswered: String {
    """
    UPDATE conn_confirmations SET accepted = 0, own_conn_info = NULL;
    DELETE FROM commands WHERE conn_id = \(id(Self.frank)); DELETE FROM snd_queues WHERE conn_id = \(id(Self.frank));
    """
  }

  @Test func reportsAConfirmationAgain() throws {
    let (profile, store) = try imported(unanswered)
    let event = try #require(try store.events().first)
    #expect(event.connection == ConnectionID(Array(Self.frank.utf8)))
    guard
      case .confirmation(let confirmation, true, let servers, let info)? = try AgentEvent.Kind(
        storedPayload: event.payload)
    else { throw Missing() }
    #expect(try store.confirmation(confirmation) != nil)
    #expect(servers.count == 1)
    #expect(String(decoding: info, as: UTF8.self).contains("frank"))
    #expect(try store.reservedEvents() == event.id)
    #expect(try commands(profile)[Self.frank] == nil)
  }

  @Test func allowsWithTheInformationOfTheCommand() throws {
    let (profile, _) = try imported(
      unanswered + command(Self.frank, "CLIENT LET vmal_7QHvE-HLMIg 3\nabc"))
    #expect(
      try commands(profile)[Self.frank]
        == .allow(confirmation: Array("vmal_7QHvE-HLMIg".utf8), info: Array("abc".utf8)))
  }

  /// Versions before 6.0 kept several confirmations: the one counts that the user allowed.
  @Test func allowsTheConfirmationOfTheCommand() throws {
    let (profile, store) = try imported(
      unanswered
        + """
        INSERT INTO conn_confirmations SELECT x'01', conn_id, e2e_snd_pub_key, sender_key, x'', sender_conn_info, 0, NULL,
          '2027-01-01 00:00:00', smp_reply_queues, smp_client_version FROM conn_confirmations;
        \(command(Self.frank, "CLIENT LET vmal_7QHvE-HLMIg 3\nabc"))
        """)
    #expect(
      try commands(profile)[Self.frank]
        == .allow(confirmation: Array("vmal_7QHvE-HLMIg".utf8), info: Array("abc".utf8)))
    #expect(try store.confirmation(ConfirmationID(Array("vmal_7QHvE-HLMIg".utf8))) != nil)
  }

  /// The queue for the answer was created, so the confirmation or request may have been sent: the app does not know.
  @Test(arguments: [
    (
      "Gw7QRFZ3Jg9eW90o",
      "UPDATE snd_queues SET status = CAST('secured' AS BLOB) WHERE conn_id = CAST('Gw7QRFZ3Jg9eW90o' AS BLOB)"
    ),
    ("Iq2uqsrHbHfzCs0R", "UPDATE connections SET conn_mode = conn_mode"),
  ])
  func namesAttemptsThatMayHaveReachedThePeer(_ id: String, _ change: String) throws {
    let profile = try ReferenceProfile("reference-handshakes")
    try profile.changeAgent(change)
    try profile.changeChat("UPDATE connections SET conn_status = 'prepared' WHERE agent_conn_id = \(self.id(id))")
    #expect(try profile.makeImport().run().losses == [.earlierAttempts: 1])
  }

  /// The reference forgets this command of old versions, and keeps the connection.
  @Test func keepsAConnectionWithAnOldCommandToDeleteIt() throws {
    let bob = "ZuSTL5rmkZQL8c_L"
    let (_, store) = try imported(command(bob, "INTERNAL DELETE_CONN"))
    #expect(try store.connection(ConnectionID(Array(bob.utf8))) != nil)
  }

  /// Before version 6.0 the agent made the ratchet when the confirmation was allowed.
  @Test func takesTheRatchetOfAConfirmation() throws {
    let (_, store) = try imported("")
    let (_, old) = try imported(
      unanswered
        + """
        UPDATE ratchets SET ratchet_state = NULL WHERE conn_id = \(id(Self.frank));
        UPDATE rcv_queues SET e2e_dh_secret = NULL, status = 'new' WHERE conn_id = \(id(Self.frank));
        INSERT INTO conn_confirmations SELECT x'01', conn_id, e2e_snd_pub_key, sender_key, x'', sender_conn_info, 0, NULL,
          '2020-01-01 00:00:00', smp_reply_queues, smp_client_version FROM conn_confirmations;
        """)
    let number = try connection(Self.frank, in: store).number
    let oldNumber = try connection(Self.frank, in: old).number
    #expect(try store.ratchet(of: number)?.ratchet == old.ratchet(of: oldNumber)?.ratchet)
    let queues = try (store.receiveQueues(of: number).first, old.receiveQueues(of: oldNumber).first)
    #expect(queues.1?.status == .confirmed)
    #expect(queues.0?.sharedKey?.secret == queues.1?.sharedKey?.secret)
  }

  @Test func securesAQueueAndSendsHello() throws {
    let eve = "Gw7QRFZ3Jg9eW90o"
    let profile = try ReferenceProfile("reference-handshakes")
    guard case .blob(let queue) = try profile.agentRow("rcv_queues WHERE conn_id = \(id(eve))")["rcv_id"] else {
      throw Missing()
    }
    var random = SystemRandom()
    let key = AuthorizationKey.ed25519(Ed25519.PrivateKey(using: &random).publicKey)
    let text = String(decoding: try AuthorizationKey.textCodec.encode(key), as: UTF8.self)
    let (_, store) = try imported(
      command(eve, "INTERNAL DUPLEX_SECURE \(Base64URL.string(queue)) \(text)"))
    let connection = try connection(eve, in: store)
    let tasks = try store.tasks(of: connection.number)
    #expect(tasks.map(\.kind) == [.secureReceiveQueue, .sendMessage])
    #expect(try SecurePayload.codec.decode(tasks[0].payload).senderKey == key)
    let hello = try SealedPayload.codec.decode(tasks[1].payload)
    #expect(hello.purpose == .hello && hello.header.messageID == 2)
    let ratchet = try #require(try store.ratchet(of: connection.number))
    #expect(ratchet.lastSent == 2 && tasks[1].message == ratchet.lastID)
  }

  @Test func beginsToSwitch() throws {
    let bob = "ZuSTL5rmkZQL8c_L"
    let (_, store) = try imported(command(bob, "CLIENT SWCH"))
    let connection = try connection(bob, in: store)
    let queue = try #require(try store.receiveQueues(of: connection.number).first)
    #expect(queue.switchStatus == .started)
    let task = try #require(try store.tasks(of: connection.number).first { $0.kind == .createQueue })
    guard case .replacement(queue.number) = try QueuePlan.codec.decode(task.payload) else { throw Missing() }
  }

  @Test func deletesAReplacedQueue() throws {
    let bob = "TYlTkgQdHE9r8Ad3"
    let profile = try ReferenceProfile("reference-handshakes")
    let row = try profile.agentRow("rcv_queues WHERE conn_id = \(id(bob)) AND rcv_queue_id = 1")
    guard case .blob(let queue) = row["rcv_id"] else { throw Missing() }
    let (_, store) = try imported(
      """
      UPDATE rcv_queues SET switch_status = 'received_message' WHERE rcv_id = x'\(hexadecimal(queue))';
      \(command(bob, "INTERNAL QDELETE \(Base64URL.string(queue))"))
      """)
    let connection = try connection(bob, in: store)
    let replaced = try #require(
      try store.receiveQueues(of: connection.number).first { $0.recipientID.bytes == queue })
    #expect(replaced.switchStatus == .receivedMessage)
    #expect(
      try store.tasks(of: connection.number).contains {
        $0.kind == .drainQueue && $0.lane == .receiveQueue(replaced.number)
      })
  }

  @Test func createsAnInvitation() throws {
    let eve = "Gw7QRFZ3Jg9eW90o"
    let (profile, store) = try imported(
      """
      DELETE FROM rcv_queues WHERE conn_id = \(id(eve)); DELETE FROM snd_queues WHERE conn_id = \(id(eve));
      DELETE FROM ratchets WHERE conn_id = \(id(eve)); \(command(eve, "CLIENT NEW T INV pq=disable subscribe"))
      """)
    #expect(try store.connection(ConnectionID(Array(eve.utf8))) == nil)
    #expect(try commands(profile)[eve] == .create(user: 1, pq: true))
  }

  @Test(arguments: [
    "UPDATE conn_confirmations SET smp_reply_queues = x'05'", "UPDATE conn_confirmations SET sender_key = x'0102'",
    "UPDATE commands SET command = CAST('CLIENT JOIN T' AS BLOB) WHERE command_id = 1",
    "UPDATE commands SET command = CAST('INTERNAL QDELETE !' AS BLOB) WHERE command_id = 5",
    "UPDATE messages SET msg_type = CAST('C' AS BLOB) WHERE CAST(msg_type AS TEXT) = 'S'",
    "UPDATE messages SET msg_body = x'00' WHERE CAST(msg_type AS TEXT) = 'S'",
  ])
  func namesWhatCannotBeRead(_ change: String) throws {
    let profile = try ReferenceProfile("reference-handshakes")
    try profile.changeAgent(change)
    let report = try profile.makeImport().run()
    #expect(report.losses == [.damagedConnections: 1])
    #expect(report.damages.count == 1)
    #expect(report.taken[.connections] == 9)
    // What was begun for the connection is not left behind.
    #expect(try commands(profile).count <= 2)
  }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

/// What a test needs is not there.
private struct Missing: Error {}
