import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("What travels in boxes has the bytes of the reference implementation")
struct BoxTests {
  let keys: Golden

  init() throws { keys = try #require(smpVectors).member("keys") }

  @Test(arguments: cases("rcvMessageBodies"))
  func deliveredMessage(_ golden: Golden) throws {
    let serverKey: X25519.PrivateKey = try keys.privateKey("serverSessionPrivateKeyDer")
    let key = try serverKey.boxKey(with: keys.x25519("rcvDhPublicDer"))
    let time = try #require(UTCTime(seconds: Int64(try golden.int("timestamp"))))
    var message = DeliveredMessage.quota(time: time)
    if try golden.string("type") == "message" {
      let flags = MessageFlags(notification: try golden.bool("notification"))
      message = .message(time: time, flags: flags, body: try golden.bytes("body"))
    }
    let sealed = try message.seal(id: MessageID(golden.hex("msgId (also nonce)")), key: key)
    #expect(sealed.box.count == DeliveredMessage.paddedSize + 16)
    #expect(try HashFunction.sha256.digest(of: sealed.box.span.bytes) == golden.hex("encBodySha256"))
    #expect(try DeliveredMessage(opening: sealed, key: key) == message)
    var tampered = sealed
    tampered.box[40] ^= 1
    #expect(throws: MessageBoxError.crypto(.authenticationFailed)) { try DeliveredMessage(opening: tampered, key: key) }
  }

  @Test(arguments: cases("notificationMeta"))
  func notification(_ golden: Golden) throws {
    let own: X25519.PrivateKey = try golden.privateKey("rcvNtfDhPrivateKeyDer")
    let key = try own.boxKey(with: golden.x25519("serverPublicKeyDer"))
    let time = try #require(UTCTime(seconds: Int64(try golden.int("timestamp"))))
    let metadata = NotificationMetadata(messageID: MessageID(try golden.hex("msgId")), time: time)
    #expect(try NotificationMetadata.codec.encode(metadata) == golden.hex("plain"))
    let sealed = try metadata.seal(key: key, nonce: golden.nonce("nonce"))
    #expect(try sealed.box == golden.hex("encMeta"))
    #expect(try NotificationMetadata(opening: sealed, key: key) == metadata)
  }

  @Test func senderIdentifier() throws {
    let golden = try #require(smpVectors).member("senderIdFromCorrId")
    #expect(try EntityID.sender(for: CorrelationID(golden.hex("corrId"))) == golden.entity("senderId"))
  }

  @Test(arguments: cases("proxy"))
  func proxiedCommand(_ golden: Golden) throws {
    let relayKey: X25519.PrivateKey = try golden.privateKey("relaySessionPrivateKeyDer")
    let clientKey: X25519.PrivateKey = try golden.privateKey("clientCommandPrivateKeyDer")
    let proxyKey: X25519.PrivateKey = try golden.privateKey("proxySessionPrivateKeyDer")
    let client = CorrelationID(try golden.hex("clientCorrIdNonce"))
    let proxy = CorrelationID(try golden.hex("proxyCorrIdNonce"))
    let version = UInt16(try golden.int("version"))
    let block = ProxiedBlock(key: try clientKey.boxKey(with: relayKey.publicKey), correlationID: client)
    let secret = try proxyKey.boxKey(with: relayKey.publicKey)

    let inner = try block.sealCommand(golden.hex("innerBlockContent"))
    #expect(try sha256(inner) == golden.hex("encTransmissionSha256"))
    let request = ForwardRequest(version: version, key: clientKey.publicKey, transmission: inner)
    #expect(try sha256(Command.codec.encode(.pfwd(request), version: version)) == golden.hex("pfwdCommandSha256"))
    let forwarded = ForwardedTransmission(correlationID: client, request: request)
    let outer = try forwarded.seal(secret: secret, correlation: proxy)
    #expect(try sha256(Command.codec.encode(.rfwd(outer), version: version)) == golden.hex("rfwdCommandSha256"))
    #expect(try ForwardedTransmission(opening: outer, secret: secret, correlation: proxy) == forwarded)
    #expect(try block.openCommand(inner) == golden.hex("innerBlockContent"))

    let relaySession = SessionContext(version: version, sessionID: SessionID(try golden.hex("relaySessionId")))
    let received = relaySession.transmissions(of: Command.self, in: try golden.hex("innerBlockContent"))[0]
    guard case .success(.send(let sent)) = received.message else { throw UnusableVector(reason: "not SEND") }
    #expect(sent == SendRequest(flags: MessageFlags(notification: true), body: Array("proxied message".utf8)))

    let responseContent = try golden.hex("responseBlockContent")
    let response = try block.sealResponse(responseContent)
    #expect(try sha256(response) == golden.hex("encResponseSha256"))
    let answered = ForwardedResponse(correlationID: client, response: response)
    let box = try answered.seal(secret: secret, correlation: proxy)
    #expect(try sha256(box) == golden.hex("rresEncFwdResponseSha256"))
    #expect(try ForwardedResponse(opening: box, secret: secret, correlation: proxy) == answered)
    #expect(try block.openResponse(response) == responseContent)
    let answer = relaySession.transmissions(of: BrokerMessage.self, in: responseContent)[0]
    #expect(try answer.message.get() == .ok)
  }

  @Test func sizes() throws {
    let sizes = try #require(smpVectors).member("sizes")
    #expect(try BlockBatch.blockSize == sizes.int("blockSize"))
    #expect(try ProxiedBlock.paddedSize == sizes.int("paddedProxiedTLength"))
    for limit in try sizes.elements("maxMessageLength") {
      let pair = try limit.elements()
      #expect(SMPVersion.messageLimit(UInt16(try pair[0].int())) == (try pair[1].int()))
    }
  }

  private func sha256(_ bytes: [UInt8]) -> [UInt8] { HashFunction.sha256.digest(of: bytes.span.bytes) }
}
