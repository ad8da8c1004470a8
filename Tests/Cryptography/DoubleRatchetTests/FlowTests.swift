import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@testable import DoubleRatchet

/// The ratchet layer of whole connections of the reference implementation.
@Suite struct FlowTests {
  @Test(arguments: try Vectors.load("ratchet-flow.json").elements("flows"))
  func keyAgreement(_ flow: Golden) throws {
    let version = UInt16(try flow.int("e2eVersion"))
    let states = try flow.elements("states").map(importedRatchet)
    let (alice, bob) = (try privateKeys(flow, "alice"), try privateKeys(flow, "bob"))
    let first = try #require(try flow.elements("messages").first)
    let bobState = states[try first.int("senderRatchetBefore")]
    let aliceState = states[try first.int("recipientRatchetBefore")]
    let ratchetKey = try X448.PrivateKey(der: flow.hex("bobRatchetPrivateKeyDer"))
    #expect(
      try Ratchet(
        joining: alice.parameters(version: version), keys: bob, ratchetKey: ratchetKey, versions: bobState.versions)
        == bobState)
    #expect(
      try Ratchet(
        accepting: bob.parameters(version: version), keys: alice, versions: aliceState.versions,
        wantsPQ: aliceState.supportsPQ) == aliceState)
  }

  private func privateKeys(_ flow: Golden, _ party: String) throws -> E2EPrivateKeys {
    E2EPrivateKeys(
      key1: try X448.PrivateKey(der: flow.hex(party + "X3dhPrivateKey1Der")),
      key2: try X448.PrivateKey(der: flow.hex(party + "X3dhPrivateKey2Der")),
      kem: try flow[party + "PrivateKemParams"].map { try PrivateKEMParameters.codec.decode(try $0.hex()) })
  }

  @Test(arguments: try Vectors.load("ratchet-flow.json").elements("flows"))
  func messages(_ flow: Golden) throws {
    let states = try flow.elements("states")
    for message in try flow.elements("messages") {
      var sender = try importedRatchet(states[try message.int("senderRatchetBefore")])
      let plain = try message.hex("agentMessage")
      let encrypted = try sender.encrypt(plain, paddedTo: try message.int("ratchetPaddedLen"))
      #expect(
        try HashFunction.sha256.digest(of: encrypted) == message.hex("encAgentMessageSha256"), "\(message.path)")

      var recipient = try importedRatchet(states[try message.int("recipientRatchetBefore")])
      let after = states[try message.int("recipientRatchetAfter")]
      var keys = RecordedKeys(state: after)
      var skipped = SkippedKeys()
      #expect(try recipient.decrypt(encrypted, skipped: &skipped, keys: &keys).body == plain, "\(message.path)")
      #expect(try recipient == importedRatchet(after), "\(message.path)")
      #expect(skipped == SkippedKeys())
    }
  }
}
