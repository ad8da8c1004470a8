import SMPProtocol
import SimplexCrypto
import Testing
import WireCodec

@testable import SMPServerCore

@Suite struct CommandGateTests {
  /// A wrong signature is checked with the keys of its kind alone.
  @Test func keysOfOtherKindsAreNotChecked() {
    var random = SystemRandom()
    let keys: [AuthorizationPrivateKey] = [
      .ed25519(Ed25519.PrivateKey(using: &random)), .ed448(Ed448.PrivateKey(using: &random)),
      .x25519(X25519.PrivateKey(using: &random)),
    ]
    let proofs: [ReceivedAuthorization.Proof] = [.ed25519([]), .ed448([]), .authenticator([])]
    for (index, proof) in proofs.enumerated() {
      #expect(keys.indices.filter { proof.isOfKind(of: keys[$0].publicKey) } == [index])
    }
  }

  /// What is refused for a reason of the queue costs one check, whatever the reason.
  @Test func refusalsMakeOneCheck() throws {
    var random = SystemRandom()
    let kinds: [AuthorizationPrivateKey] = [
      .ed25519(Ed25519.PrivateKey(using: &random)), .ed448(Ed448.PrivateKey(using: &random)),
      .x25519(X25519.PrivateKey(using: &random)),
    ]
    let others: [AuthorizationPrivateKey] = [
      .ed25519(Ed25519.PrivateKey(using: &random)), .ed448(Ed448.PrivateKey(using: &random)),
      .x25519(X25519.PrivateKey(using: &random)),
    ]
    let serverKey = X25519.PrivateKey(using: &random)
    let gate = CommandGate(verifier: AuthorizationVerifier(sessionKey: serverKey))
    for (index, key) in kinds.enumerated() {
      let own = key.publicKey.stored
      let wrong = others[index].publicKey.stored
      let otherKind = kinds[(index + 1) % kinds.count].publicKey.stored
      let send = try transmission(.send(SendRequest(body: [1])), key, serverKey)
      let sub = try transmission(.sub, key, serverKey)
      let refused: [(Command, ReceivedTransmission<Command>, QueueRecord?)] = [
        (.send(SendRequest(body: [1])), send, nil), (.send(SendRequest(body: [1])), send, record(sender: wrong)),
        (.send(SendRequest(body: [1])), send, record(sender: otherKind)),
        (.send(SendRequest(body: [1])), send, record(sender: nil)), (.sub, sub, nil),
        (.sub, sub, record(recipient: wrong)), (.sub, sub, record(recipient: otherKind)),
      ]
      for (command, transmission, queue) in refused {
        var checks = 0
        let refusal = gate.refusal(of: command, in: transmission, queue: queue) { authorization, key in
          checks += 1
          guard let key else { return false }
          return gate.verifier.isValid(authorization, by: key, correlation: transmission.correlationID)
        }
        #expect(refusal == .AUTH && checks == 1, "\(key) \(command) \(String(describing: queue))")
        #expect(gate.refusal(of: command, in: transmission, queue: queue) == .AUTH)
      }
      #expect(gate.refusal(of: .send(SendRequest(body: [1])), in: send, queue: record(sender: own)) == nil)
      #expect(gate.refusal(of: .sub, in: sub, queue: record(recipient: own)) == nil)
    }
  }

  private func record(recipient: [UInt8]? = nil, sender: [UInt8]? = nil) -> QueueRecord {
    var record = QueueRecord(
      recipientID: [1], senderID: [2], recipientKeys: recipient.map { [$0] } ?? [], deliverySecret: [],
      mode: .messaging, usedDay: 0)
    record.senderKey = sender
    return record
  }

  /// A command as the relay receives it, authorized with a key.
  private func transmission(
    _ command: Command, _ key: AuthorizationPrivateKey, _ serverKey: X25519.PrivateKey
  ) throws -> ReceivedTransmission<Command> {
    let session = SessionContext(version: 18, sessionID: SessionID([1, 2, 3]))
    var writer = Writer(version: 18)
    try session.write(
      command, entity: EntityID([7]), correlation: CorrelationID([UInt8](repeating: 5, count: 24)),
      signer: CommandSigner(key, serverKey: serverKey.publicKey), to: &writer)
    let bytes = writer.finish()
    let block = [1, UInt8(bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    return try #require(session.transmissions(of: Command.self, in: block.span.bytes).first)
  }
}
