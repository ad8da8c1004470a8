import AgentCore
import AgentProtocol
import AgentStore
import ChatAPI
import ChatStore
import DoubleRatchet
import Foundation
import ProfileImport
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import Testing
import WireCodec

/// What the app had not finished when the databases were copied: the relay of all others was down.
@Suite struct ImportedHandshakesTests {
  let profile: ReferenceProfile
  let report: ImportReport

  init() throws {
    profile = try ReferenceProfile("reference-handshakes")
    var importing = profile.makeImport()
    importing.acceptsLosses = false
    report = try importing.run()
  }

  private func agent() throws -> AgentDatabase { try AgentDatabase(path: profile.target + "_agent.db") }
  private func chat() throws -> ChatDatabase { try ChatDatabase(path: profile.target + "_chat.db") }

  private func connection(_ id: String, in store: AgentDatabase) throws -> StoredConnection {
    try #require(try store.connection(ConnectionID(Array(id.utf8))))
  }

  /// The commands that our agent gets with the next start, by connection.
  private func commands() throws -> [String: HandshakeCommand] {
    var found: [String: HandshakeCommand] = [:]
    for stored in try chat().read({ try $0.commands(after: 0, limit: 100) }) {
      let id = String(decoding: try #require(Base64URL.decode(stored.agentConnId)), as: UTF8.self)
      guard let command = try HandshakeCommand(kind: stored.kind, payload: stored.payload) else { throw Missing() }
      found[id] = command
    }
    return found
  }

  @Test func takesEverything() throws {
    #expect(report.losses.isEmpty)
    #expect(report.damages.isEmpty)
    #expect(report.taken[.connections] == 10)
    #expect(report.taken[.pendingMessages] == 1)
    #expect(report.taken[.probes] == 2)
    #expect(report.taken[.outgoingMessages] == 4)
    #expect(report.left.isEmpty)
    let rows = try SQLiteConnection(path: profile.target + "_chat.db")
    let statuses = try rows.all("SELECT status FROM connections ORDER BY connection_id") {
      (row) throws(SQLiteKit.SQLiteError) in try row.text(0)
    }
    #expect(
      statuses == ["ready", "ready", "ready", "joined", "sndReady", "new", "new", "accepted", "new", "new"])
  }

  @Test func takesARequestThatWasNotAnswered() throws {
    let store = try agent()
    let connection = try connection("Iq2uqsrHbHfzCs0R", in: store)
    let queue = try #require(try store.receiveQueues(of: connection.number).first)
    #expect(queue.status == .new && queue.sharedKey == nil)
    #expect(try store.ratchetKeys(of: connection.number)?.kem != nil)
    #expect(try store.sendQueues(of: connection.number).isEmpty)
  }

  @Test func takesAnInvitationThatWasJoined() throws {
    let store = try agent()
    let connection = try connection("Gw7QRFZ3Jg9eW90o", in: store)
    #expect(try store.receiveQueues(of: connection.number).map(\.status) == [.new])
    #expect(try store.sendQueues(of: connection.number).map(\.status) == [.confirmed])
    let ratchet = try #require(try store.ratchet(of: connection.number))
    #expect(ratchet.lastSent == 1 && ratchet.lastReceived == 0)
    #expect(try store.tasks(of: connection.number).isEmpty)
  }

  /// Its invitation was joined; the peer's confirmation is accepted, and the relay of the peer is not reached.
  @Test func goesOnWithAConfirmation() throws {
    let store = try agent()
    let connection = try connection("R3k68jzo9dUd9NEP", in: store)
    let id = ConfirmationID(Array("vmal_7QHvE-HLMIg".utf8))
    let confirmation = try #require(try store.confirmation(id))
    #expect(confirmation.connection == connection.number)
    let queue = try #require(try store.sendQueues(of: connection.number).first)
    #expect(queue.status == .new)
    #expect(confirmation.queues.map(\.address.senderID) == [queue.senderID])
    #expect(confirmation.queues.map(\.address.server) == [queue.server])
    #expect(try store.receiveQueues(of: connection.number).map(\.status) == [.confirmed])
    #expect(try store.ratchet(of: connection.number)?.lastReceived == 1)
    guard case .allow(id.bytes, let info)? = try commands()["R3k68jzo9dUd9NEP"] else { throw Missing() }
    #expect(String(decoding: info, as: UTF8.self).contains("x.info"))
    #expect(try store.events().isEmpty)
  }

  /// A request to a group's link was accepted, and joining by its invitation did not come further than a key.
  @Test func goesOnWithJoining() throws {
    let store = try agent()
    let (id, sender) = try half("Ei5_MRFPDEl5jmQK")
    #expect(try store.connection(ConnectionID(Array("Ei5_MRFPDEl5jmQK".utf8))) == nil)
    let known = try #require(try store.linkSenderKey(queue: sender.id, at: sender.server))
    #expect(!known.isSecured)
    guard case .join(1, let request, _, let info)? = try commands()[id] else { throw Missing() }
    let link = try ConnectionRequest.textCodec.decode(text: request)
    #expect(link.queues.map(\.address.senderID) == [sender.id])
    #expect(String(decoding: info, as: UTF8.self).contains("x.grp.link.inv"))
  }

  /// The user's attempt to accept a request failed: the request can be accepted again, with the same key.
  @Test func keepsTheKeyOfAFailedAttempt() throws {
    let store = try agent()
    let (id, sender) = try half("34oJIYhcAj-nw2Ho")
    #expect(try commands()[id] == nil)
    #expect(try store.linkSenderKey(queue: sender.id, at: sender.server) != nil)
    let user = try #require(try chat().read { try $0.activeUser() })
    let request = try chat().read { try $0.contactRequest(1, of: user) }
    #expect(try store.invitation(InvitationID(Array("qlZSqpOd6RGmikU4".utf8))) != nil)
    #expect(request.contactId_ == 5)
  }

  /// The identifier of a connection, and the queue that it began to join.
  private func half(_ id: String) throws -> (String, (id: EntityID, server: SMPServerAddress)) {
    let row = try profile.agentRow("snd_queues WHERE conn_id = CAST('\(id)' AS BLOB)")
    guard case .blob(let sender) = row["snd_id"] else { throw Missing() }
    let server = try SMPServerAddress.textCodec.decode(
      text: "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@localhost:7003")
    return (id, (EntityID(sender), server))
  }

  @Test func goesOnWithSwitching() throws {
    let store = try agent()
    let connection = try connection("TYlTkgQdHE9r8Ad3", in: store)
    let queues = try store.receiveQueues(of: connection.number)
    try #require(queues.count == 2)
    #expect(queues[0].switchStatus == .sendingQADD && queues[0].status == .active)
    #expect(queues[1].replaces == queues[0].number && queues[1].status == .new)
    let tasks = try store.tasks(of: connection.number)
    let payloads = try tasks.map { try SealedPayload.codec.decode($0.payload) }
    #expect(payloads.map(\.purpose) == [.message, .addQueue])
    guard case .addQueues(let added) = try ConnectionMessage.codec.decode(payloads[1].content) else { throw Missing() }
    #expect(added.map(\.queue.address.senderID) == [queues[1].senderID])
    #expect(added.map(\.replaces?.senderID) == [queues[0].senderID])
  }

  @Test func goesOnWithANewRatchet() throws {
    let store = try agent()
    let connection = try connection("XvEOSjYEgOsrKSCF", in: store)
    #expect(connection.ratchetSync == .started)
    let keys = try #require(try store.ratchetKeys(of: connection.number))
    #expect(try store.ratchet(of: connection.number) != nil)
    let task = try #require(try store.tasks(of: connection.number).first)
    #expect(task.kind == .sendEnvelope)
    let payload = try EnvelopePayload.codec.decode(task.payload)
    #expect(payload.purpose == .ratchetKey)
    guard case .ratchetKey(let parameters, _) = try AgentEnvelope.codec.decode(payload.envelope).content else {
      throw Missing()
    }
    #expect(parameters.key1 == keys.key1.publicKey && parameters.key2 == keys.key2.publicKey)
    let rows = try SQLiteConnection(path: profile.target + "_chat.db")
    let prohibited = try rows.all("SELECT connection_id FROM connections WHERE sending_prohibited = 1") {
      (row) throws(SQLiteKit.SQLiteError) in try row.integer(0)
    }
    #expect(prohibited == [2])
  }

  @Test func takesWhatWaitsForMembers() throws {
    let store = try chat()
    let pending = try store.read { try $0.pending(ofMember: 3, limit: 10) }
    #expect(pending.count == 1)
    #expect(pending.first?.notifies == true)
    let body = String(decoding: pending.first?.body ?? [], as: UTF8.self)
    #expect(body.contains("for all members"))
    #expect(try store.read { try $0.hasPending(member: 3) })
    let user = try #require(try store.read { try $0.activeUser() })
    let item = try #require(pending.first?.item)
    let shown = try store.read { try $0.item(item, in: ChatRef(chatType: .group, chatId: 1), of: user) }
    #expect(shown.meta.itemText == "for all members")
  }

  private func receivedProbes() throws -> [(probe: String, hash: String, contact: Int64)] {
    try SQLiteConnection(path: profile.target + "_chat.db").all(
      "SELECT probe, hash, contact_id FROM received_probes ORDER BY received_id"
    ) { (row) throws(SQLiteKit.SQLiteError) in
      (probe: try row.text(0), hash: try row.text(1), contact: try row.integer(2))
    }
  }

  @Test func takesProbes() throws {
    let probes = try receivedProbes()
    let store = try chat()
    #expect(probes.map(\.contact) == [2, 3])
    for (probe, hash, _) in probes {
      let secret = try #require(Base64URL.decode(probe))
      #expect(Base64URL.string(HashFunction.sha256.digest(of: secret)) == hash)
    }
    // Who sends the hash of a probe that came is found.
    let user = try #require(try store.read { try $0.activeUser() })
    let bob = try store.read { try $0.contact(named: "bob", of: user) }
    let found = try store.transaction {
      try $0.receive(probe: nil, hash: probes[1].hash, from: .contact(bob), of: user)
    }
    #expect(found.map(\.probe) == [probes[1].probe])
  }
}

/// What a test needs is not there.
private struct Missing: Error {}
