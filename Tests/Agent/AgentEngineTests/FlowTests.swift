import AgentCore
import AgentEngine
import AgentProtocol
import AgentStore
import DoubleRatchet
import Foundation
import SMPProtocol
import SNTRUP761
import SQLiteKit
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

/// What the reference agent sent in two whole connections, taken through all layers by the engine.
@Suite struct FlowTests {
  @Test(arguments: try Vectors.load("agent-flow.json").elements("flows"))
  func reference(_ flow: Golden) throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let usesPQ = try flow.bool("pq")
    let link = try alice.create(.invitation, ConnectionOptions(pq: usesPQ))
    let joined = try bob.join(link.link.full, ConnectionOptions(pq: usesPQ))
    try impersonate(flow, alice, link.id, bob, joined.id)
    alice.forgetEvents()
    bob.forgetEvents()

    let messages = try flow.elements("messages")
    for (index, message) in messages.enumerated() {
      let isForAlice = try message.string("queue") == "A"
      let (agent, relay, id) = isForAlice ? (alice, world.first, link.id) : (bob, world.second, joined.id)
      let plain = try AgentMessage.codec.decode(message.hex("agentMessage"))
      if index > 0 { try setRatchet(before: message, plain, of: id, agent) }
      let queue = try #require(relay.queues.values.first)
      relay.inject(try message.hex("sendBody"), to: queue.senderID)
      agent.events.isEmpty ? () : agent.forgetEvents()
      world.settle()
      #expect(queue.messages.isEmpty, "acknowledged: \(message.path)")
      try check(plain, agent, message.path)
      if index == 0 {
        let confirmation = try #require(alice.confirmation)
        try alice.run { engine, now in try engine.allow(link.id, confirmation.id, info: [], now: now) }
        #expect(
          try alice.engine.verificationCode(link.id) == flow.hex("securityCodeSha256"))
      }
    }
  }

  /// Gives the agents the keys of the reference agents.
  private func impersonate(
    _ flow: Golden, _ alice: TestAgent, _ a: ConnectionID, _ bob: TestAgent, _ b: ConnectionID
  ) throws {
    try setQueueKey(flow.member("queueA"), alice)
    try setQueueKey(flow.member("queueB"), bob)
    try alice.database.execute("DELETE FROM ratchets")
    try alice.database.execute("DELETE FROM confirmations")
    let kem = try flow["alicePrivateKemParams"].map { params in
      PrivateKEMParameters.proposed(try KEMSecretKey(secret: SecretBytes(Array(try params.hex().suffix(1763)))))
    }
    let keys = E2EPrivateKeys(
      key1: try X448.PrivateKey(der: flow.hex("aliceX3dhPrivateKey1Der")),
      key2: try X448.PrivateKey(der: flow.hex("aliceX3dhPrivateKey2Der")), kem: kem)
    let store = try AgentDatabase(alice.database)
    let connection = try #require(try store.connection(a))
    try store.setRatchetKeys(
      keys, parameters: keys.parameters(version: UInt16(try flow.int("e2eVersion"))), of: connection.number)
  }

  private func setQueueKey(_ queue: Golden, _ agent: TestAgent) throws {
    let key = try X25519.PrivateKey(der: queue.hex("recipientDhPrivateKeyDer"))
    try agent.database.execute(
      "UPDATE receive_queues SET private_key = ?, shared_secret = NULL, status = 0, last_relay_id = NULL",
      [UInt8](copying: key.secret.bytes) + key.publicKey.rawBytes)
  }

  private func setRatchet(
    before message: Golden, _ plain: AgentMessage, of id: ConnectionID, _ agent: TestAgent
  ) throws {
    let state = try message.member("recipientRatchetBefore")
    let reference = try ReferenceRatchet(jsonBytes: Array(JSONSerialization.data(withJSONObject: state.value)))
    var ratchet = StoredRatchet(reference.ratchet)
    if case .message(let header, _) = plain {
      ratchet.lastReceived = header.messageID - 1
      ratchet.lastReceivedHash = header.previousHash
    }
    let store = try AgentDatabase(agent.database)
    let connection = try #require(try store.connection(id))
    try store.setRatchet(ratchet, of: connection.number)
  }

  private func check(_ plain: AgentMessage, _ agent: TestAgent, _ path: String) throws {
    switch plain {
    case .connectionInfoReply(_, let info):
      #expect(agent.confirmation?.info == info, "\(path)")
      #expect(agent.errors.isEmpty, "\(path)")
    case .connectionInfo(let info):
      #expect(agent.last { if case .information(_, let info) = $0 { info } else { nil } } == info, "\(path)")
      #expect(agent.errors.isEmpty, "\(path)")
    case .message(_, .message(let body)):
      #expect(agent.texts == [String(decoding: body, as: UTF8.self)], "\(path)")
      #expect(agent.integrities == [.ok], "\(path)")
    case .message(_, .hello):
      // The queue of who joined is active as soon as the other side has confirmed.
      #expect(agent.errors.allSatisfy { $0 == .peer(.prohibited("HELLO in an active queue")) }, "\(path)")
    case .message(_, .received): #expect(agent.errors.isEmpty, "\(path)")
    default: Issue.record("unexpected message \(path)")
    }
  }

  @Test(arguments: try Vectors.load("agent-flow.json").elements("flows"))
  func referenceRequest(_ flow: Golden) throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    _ = try alice.create(.contact)
    let request = try flow.member("contactRequest")
    let key = try X25519.PrivateKey(der: request.hex("contactQueueDhPrivateKeyDer"))
    try alice.database.execute(
      "UPDATE receive_queues SET private_key = ?", [UInt8](copying: key.secret.bytes) + key.publicKey.rawBytes)
    let queue = try #require(world.first.queues.values.first)
    world.first.inject(try request.hex("sendBody"), to: queue.senderID)
    world.settle()
    guard case .invitation(_, let info) = try AgentEnvelope.codec.decode(request.hex("envelope")).content else {
      Issue.record("no invitation")
      return
    }
    #expect(alice.invitation?.info == info)
    #expect(alice.errors.isEmpty && queue.messages.isEmpty)
  }
}
