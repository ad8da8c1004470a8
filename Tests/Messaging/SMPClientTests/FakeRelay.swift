import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

/// The relay's side of a session without a network: hands out a hello, and answers what it is sent.
struct FakeRelay {
  let sessionID: SessionID
  let sessionKey: X25519.PrivateKey
  private let certifiedKey: CertifiedKey?
  private(set) var context: SessionContext?
  private var sealing = BlockSealing()

  /// A relay in a TLS session; `sign` signs with the key of its certificate.
  init(sessionID: SessionID, sign: ([UInt8]) throws -> [UInt8]) throws {
    self.sessionID = sessionID
    var random = SystemRandom()
    sessionKey = X25519.PrivateKey(using: &random)
    let signed = try SignedKey(signing: .x25519(sessionKey.publicKey), sign)
    certifiedKey = signed.map { CertifiedKey(certificates: [[1]], key: $0) }
  }

  /// A relay in a made-up session, whose certificate has this key.
  init(certificateKey: Ed25519.PrivateKey) throws {
    var random = SystemRandom()
    try self.init(sessionID: SessionID(random.bytes(32))) { certificateKey.signature(of: $0.span.bytes) }
  }

  /// The content of the relay's first block.
  func hello() throws -> [UInt8] {
    try ServerHello.codec.encode(
      ServerHello(versions: SMPVersion.supported, sessionID: sessionID, sessionKey: certifiedKey))
  }

  /// Takes the content of the client's first block.
  mutating func accept(_ content: [UInt8]) throws {
    let hello = try ClientHello.codec.decode(content)
    context = SessionContext(version: hello.version, sessionID: sessionID)
    if let key = hello.sessionKey, hello.version >= SMPVersion.encryptedBlocks, !hello.isProxy {
      let secret = try sessionKey.sharedSecret(with: key)
      sealing = BlockSealing(sessionID: sessionID, secret: secret, isServer: true)
    }
  }

  /// The commands in a block.
  mutating func commands(in block: [UInt8]) throws -> [ReceivedTransmission<Command>] {
    var block = block
    var bytes = block.mutableBytes
    let range = try sealing.open(&bytes)
    guard let context else { return [] }
    return context.transmissions(of: Command.self, in: block.span.bytes.extracting(range))
  }

  /// A block with responses or events.
  mutating func block(_ messages: [(CorrelationID, EntityID, BrokerMessage)]) throws -> [UInt8] {
    try blocks(messages).first ?? []
  }

  /// As many blocks as responses or events need.
  mutating func blocks(_ messages: [(CorrelationID, EntityID, BrokerMessage)]) throws -> [[UInt8]] {
    guard let context else { return [] }
    var batch = BlockBatch(context)
    for (correlation, entity, message) in messages {
      try batch.add { (writer) throws(WireError) in
        try context.write(message, entity: entity, correlation: correlation, to: &writer)
      }
    }
    var blocks: [[UInt8]] = []
    for content in batch.take() { blocks.append(try sealing.seal(content)) }
    return blocks
  }
}
