import SMPProtocol
import SimplexCrypto
import WireCodec

/// The cost of the wire forms of the hot commands: SEND, MSG and ACK, with their transmissions, batches and boxes.
func smpProtocolSuite(_ bench: Bench) throws {
  var random = SystemRandom()
  let session = SessionContext(version: 18, sessionID: SessionID(random.bytes(32)))
  let entity = EntityID(using: &random)
  let correlation = CorrelationID(using: &random)
  let send = Command.send(SendRequest(flags: MessageFlags(notification: true), body: random.bytes(16_000)))
  let message = BrokerMessage.msg(SealedMessage(id: MessageID(using: &random), box: random.bytes(16_122)))

  func content(_ message: some ProtocolMessage) throws -> [UInt8] {
    var batch = BlockBatch(session)
    try batch.add { (writer) throws(WireError) in
      try session.write(message, entity: entity, correlation: correlation, to: &writer)
    }
    return batch.take()[0]
  }

  let sendContent = try content(send)
  let messageContent = try content(message)
  try bench.perSecond("encode SEND of 16 KB in a block", note: "one copy") { blackHole(try content(send)) }
  bench.perSecond("decode SEND of 16 KB", note: "one copy") {
    blackHole(session.transmissions(of: Command.self, in: sendContent.span.bytes))
  }
  try bench.perSecond("encode MSG of 16 KB in a block", note: "one copy") { blackHole(try content(message)) }
  bench.perSecond("decode MSG of 16 KB", note: "one copy") {
    blackHole(session.transmissions(of: BrokerMessage.self, in: messageContent.span.bytes))
  }

  let serverKey = X25519.PrivateKey(using: &random)
  let key = X25519.PrivateKey(using: &random)
  let signer = try CommandSigner(.x25519(key), serverKey: serverKey.publicKey)
  var batch = BlockBatch(session)
  for _ in 0..<90 {
    try batch.add { (writer) throws(WireError) in
      try session.write(
        Command.ack(MessageID(using: &random)), entity: entity, correlation: CorrelationID(using: &random),
        signer: signer, to: &writer)
    }
  }
  let acks = batch.take()[0]
  let count = session.transmissions(of: Command.self, in: acks.span.bytes).count
  let rate = bench.rate { blackHole(session.transmissions(of: Command.self, in: acks.span.bytes)) }
  bench.record(
    "decode ACK in a batch of \(count)", rate * Double(count), unit: "/s", note: "with the hash to authorize")

  var signed = BlockBatch(session)
  try signed.add { (writer) throws(WireError) in
    try session.write(send, entity: entity, correlation: correlation, signer: signer, to: &writer)
  }
  let signedContent = signed.take()[0]
  let verifier = AuthorizationVerifier(sessionKey: serverKey)
  bench.perSecond("decode and verify SEND of 16 KB", note: "X25519 authenticator") {
    let received = session.transmissions(of: Command.self, in: signedContent.span.bytes)[0]
    guard let authorization = received.authorization else { return }
    blackHole(verifier.isValid(authorization, by: .x25519(key.publicKey), correlation: received.correlationID))
  }
}
