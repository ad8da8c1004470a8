import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("Authorizations of messages")
struct AuthorizationTests {
  /// Every part of a SEND is authorized: what is before the message, the message, and its length.
  @Test(arguments: propertySeeds(12))
  func coversHeadAndMessage(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var keys = InsecureSeededRandom(seed: seed)
    let session = SessionContext(
      version: [6, 7, 14, 18][Int(seed % 4)], sessionID: SessionID(random.bytes(32)))
    let relayKey = X25519.PrivateKey(using: &keys)
    let key: AuthorizationPrivateKey =
      switch seed % 3 {
      case 0: .ed25519(Ed25519.PrivateKey(using: &keys))
      case 1: .ed448(Ed448.PrivateKey(using: &keys))
      default: .x25519(X25519.PrivateKey(using: &keys))
      }
    let body = random.bytes(upTo: seed.isMultiple(of: 2) ? 16_000 : 30)
    var batch = BlockBatch(session)
    try batch.add { (writer) throws(WireError) in
      let signer: CommandSigner
      do { signer = try CommandSigner(key, serverKey: relayKey.publicKey) } catch { throw writer.failure(.tooDeep) }
      try session.write(
        Command.send(SendRequest(body: body)), entity: EntityID(random.bytes(24)),
        correlation: CorrelationID(random.bytes(24)), signer: signer, to: &writer)
    }
    let content = batch.take()[0]
    for tables in [nil, SignatureTables()] {
      let verifier = AuthorizationVerifier(sessionKey: relayKey, tables: tables)
      // The second time a table of the key is there.
      for _ in 0..<2 { #expect(isValid(content, session, verifier, key), "seed \(seed)") }
      for _ in 0..<20 {
        // The count of transmissions and the length of this one are no part of it.
        var changed = content
        let position = Int.random(in: 3..<content.count, using: &random)
        changed[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        #expect(!isValid(changed, session, verifier, key), "seed \(seed), byte \(position)")
      }
      let longer = content + [0]
      #expect(
        !isValid(
          [1, UInt8((longer.count - 3) >> 8), UInt8((longer.count - 3) & 255)] + longer[3...], session, verifier, key))
    }
  }

  private func isValid(
    _ content: [UInt8], _ session: SessionContext, _ verifier: AuthorizationVerifier, _ key: AuthorizationPrivateKey
  ) -> Bool {
    let received = session.transmissions(of: Command.self, in: content)[0]
    guard case .success(.send) = received.message, let authorization = received.authorization else { return false }
    return verifier.isValid(authorization, by: key.publicKey, correlation: received.correlationID)
  }

  /// A block that is sealed in the memory of its content is the one that is sealed from a copy, and a message that is
  /// boxed in a block the one that is boxed before.
  @Test(arguments: [6, 18] as [UInt16])
  func blocksAreSealedInPlace(_ version: UInt16) throws {
    var random = SeededGenerator(seed: UInt64(version))
    var keys = InsecureSeededRandom(seed: UInt64(version))
    let session = SessionContext(version: version, sessionID: SessionID(random.bytes(32)))
    let secret = keys.secret(32)
    let key = BoxKey(using: &keys)
    var ours =
      version == 6 ? BlockSealing() : BlockSealing(sessionID: session.sessionID, secret: secret, isServer: true)
    var others = ours
    var theirs =
      version == 6 ? BlockSealing() : BlockSealing(sessionID: session.sessionID, secret: secret, isServer: false)
    for size in [0, 1, 16_000] {
      let id = MessageID(using: &keys)
      let time = try #require(UTCTime(seconds: 1_700_000_000))
      let message = DeliveredMessage.message(
        time: time, flags: MessageFlags(notification: true), body: random.bytes(size))
      let (entity, correlation) = (EntityID(random.bytes(24)), CorrelationID(random.bytes(24)))
      var first = BlockBatch(session)
      try first.add { (writer) throws(WireError) in
        try session.write(message, id: id, key: key, entity: entity, correlation: correlation, to: &writer)
      }
      var second = BlockBatch(session)
      let boxed = try message.seal(id: id, key: key)
      try second.add { (writer) throws(WireError) in
        try session.write(BrokerMessage.msg(boxed), entity: entity, correlation: correlation, to: &writer)
      }
      let blocks = try first.takeBlocks(sealing: &ours)
      #expect(first.isEmpty)
      #expect(blocks == [try others.seal(second.take()[0])])
      var block = blocks[0]
      var bytes = block.mutableBytes
      let range = try theirs.open(&bytes)
      let received = session.transmissions(of: BrokerMessage.self, in: Array(block[range]))[0]
      #expect(received.correlationID == correlation)
      guard case .msg(let delivered) = try received.message.get() else { Issue.record("not MSG"); continue }
      #expect(try DeliveredMessage(opening: delivered, key: key) == message)
    }
  }
}
