import SMPProtocol
import SimplexCrypto
import Testing
import WireCodec

extension TestClient {
  /// Acts as a client and its proxy, and returns the response to the client.
  func forward(
    _ command: Command, _ entity: EntityID, _ key: AuthorizationPrivateKey?,
    version: UInt16 = 17, paddedTo size: Int = ProxiedBlock.paddedSize
  ) async throws -> BrokerMessage {
    var random = SystemRandom()
    let serverKey = try #require(serverKey)
    let secret = try #require(proxySecret)
    let own = X25519.PrivateKey(using: &random)
    let inside = SessionContext(version: 17, sessionID: context.sessionID)
    var batch = BlockBatch(inside)
    let signer = try key.map { try CommandSigner($0, serverKey: serverKey) }
    let inner = CorrelationID(using: &random)
    try batch.add { (writer) throws(WireError) in
      if let signer {
        try inside.write(command, entity: entity, correlation: inner, signer: signer, to: &writer)
      } else {
        try inside.write(command, entity: entity, correlation: inner, to: &writer)
      }
    }
    let block = ProxiedBlock(key: try own.boxKey(with: serverKey), correlationID: CorrelationID(using: &random))
    let content = batch.take()[0]
    let box = try block.key.seal(content.span.bytes, paddedTo: size, nonce: block.correlationID.nonce)
    let request = ForwardRequest(version: version, key: own.publicKey, transmission: box)
    let forwarded = ForwardedTransmission(correlationID: block.correlationID, request: request)
    let outer = CorrelationID(using: &random)
    let sealed = try forwarded.seal(secret: secret, correlation: outer)
    let response = try await ask(.rfwd(sealed), correlation: outer)
    guard case .rres(let answer) = response else { throw Unexpected(message: response) }
    let opened = try ForwardedResponse(opening: answer, secret: secret, correlation: outer)
    let answered = try block.openResponse(opened.response)
    let transmissions = inside.transmissions(of: BrokerMessage.self, in: answered.span.bytes)
    #expect(transmissions.count == 1 && transmissions[0].correlationID == inner)
    return try transmissions[0].message.get()
  }
}
