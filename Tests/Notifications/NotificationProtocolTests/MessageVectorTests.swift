import NotificationProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("Commands and responses have the bytes of the reference implementation")
struct MessageVectorTests {
  let keys: Golden

  init() throws { keys = try #require(notificationVectors).member("keys") }

  @Test func allMessagesAreThere() throws {
    let commands = Set(try cases("commands").map { try $0.string("command") })
    #expect(commands == Set(NotificationCommand.forms.all.map(\.keyword)))
    let responses = Set(try cases("responses").map { try $0.string("response") })
    #expect(responses == Set(NotificationResponse.forms.all.map(\.keyword)))
  }

  @Test(arguments: cases("commands"))
  func command(_ golden: Golden) throws {
    let command = try golden.command()
    let correlation = CorrelationID(try golden.hex("corrId"))
    let entity = EntityID(try golden.hex("entityId"))
    let serverKey: X25519.PrivateKey = try keys.privateKey("serverSessionPrivateKeyDer")
    let key = try self.key(golden)
    for form in try golden.elements("versions") {
      let session = try self.session(form)
      let bytes = try form.hex("command")
      #expect(try NotificationCommand.codec.encode(command, version: session.version) == bytes)
      #expect(try NotificationCommand.codec.decode(bytes, version: session.version) == command)
      let signer = try key.map { try CommandSigner($0, serverKey: serverKey.publicKey) }
      var batch = BlockBatch(session)
      try batch.add { (writer) throws(WireError) in
        if let signer {
          try session.write(command, entity: entity, correlation: correlation, signer: signer, to: &writer)
        } else {
          try session.write(command, entity: entity, correlation: correlation, to: &writer)
        }
      }
      let content = try form.hex("blockContent")
      #expect(batch.take() == [content])
      let received = session.transmissions(of: NotificationCommand.self, in: content.span.bytes)
      let transmission = try #require(received.first)
      #expect(received.count == 1)
      #expect(try transmission.message.get() == command)
      #expect(transmission.entityID == entity && transmission.correlationID == correlation)
      guard let key else { continue }
      let authorization = try #require(transmission.authorization)
      let verifier = AuthorizationVerifier(sessionKey: serverKey)
      #expect(verifier.isValid(authorization, by: key.publicKey, correlation: correlation))
      #expect(!verifier.isValid(authorization, by: .x25519(serverKey.publicKey), correlation: correlation))
    }
  }

  @Test(arguments: cases("responses"))
  func response(_ golden: Golden) throws {
    let response = try golden.response()
    let correlation = CorrelationID(try golden.hex("corrId"))
    let entity = EntityID(try golden.hex("entityId"))
    for form in try golden.elements("versions") {
      let session = try self.session(form)
      let version = session.version
      #expect(try NotificationResponse.codec.encode(response, version: version) == form.hex("response"))
      var batch = BlockBatch(session)
      try batch.add { (writer) throws(WireError) in
        try session.write(response, entity: entity, correlation: correlation, to: &writer)
      }
      let content = try form.hex("blockContent")
      #expect(batch.take() == [content])
      let received = session.transmissions(of: NotificationResponse.self, in: content.span.bytes)
      #expect(received.count == 1)
      #expect(try received.first?.message.get() == response.downgraded(to: version))
      #expect(received.first?.entityID == entity && received.first?.correlationID == correlation)
    }
  }

  @Test func blocksHave512Bytes() throws {
    for version in UInt16(1)...3 {
      let session = SessionContext.notifications(version: version, sessionID: SessionID([7]))
      var batch = BlockBatch(session)
      for _ in 0..<100 {
        try batch.add { (writer) throws(WireError) in
          try session.write(
            NotificationResponse.pong, entity: .none, correlation: CorrelationID([1, 2]), to: &writer)
        }
      }
      var sealing = BlockSealing()
      var received = 0
      let blocks = try batch.takeBlocks(sealing: &sealing)
      for var block in blocks {
        #expect(block.count == 512)
        var bytes = block.mutableBytes
        let content = try sealing.open(&bytes)
        for transmission in session.transmissions(
          of: NotificationResponse.self, in: block.span.bytes.extracting(content))
        {
          #expect(try transmission.message.get() == .pong)
          received += 1
        }
      }
      #expect(received == 100)
      #expect(blocks.count == (version == 1 ? 100 : 3))
    }
  }

  @Test(arguments: UInt16(1)...3)
  func transmissionsBeyondABlockAreRefused(version: UInt16) throws {
    let session = SessionContext.notifications(version: version, sessionID: SessionID([7]))
    var batch = BlockBatch(session)
    #expect(throws: WireError.self) {
      try batch.add { (writer) throws(WireError) in
        try session.write(
          NotificationResponse.sub(.error(String(repeating: "x", count: 500))), entity: EntityID([1]),
          correlation: .none, to: &writer)
      }
    }
    #expect(batch.isEmpty)
  }

  @Test func credentialsAreRequired() throws {
    let session = SessionContext.notifications(version: 3, sessionID: SessionID([7]))
    let expected: [(NotificationCommand, EntityID, ProtocolCommandError)] = [
      (.tchk, EntityID([1]), .NO_AUTH), (.sdel, .none, .NO_AUTH), (.ping, EntityID([1]), .HAS_AUTH),
    ]
    for (command, entity, error) in expected {
      var batch = BlockBatch(session)
      try batch.add { (writer) throws(WireError) in
        try session.write(command, entity: entity, correlation: .none, to: &writer)
      }
      let content = try #require(batch.take().first)
      let received = session.transmissions(of: NotificationCommand.self, in: content.span.bytes)
      #expect(received.map(\.message) == [.failure(.message(error))])
    }
  }

  private func session(_ form: Golden) throws -> SessionContext {
    .notifications(version: UInt16(try form.int("version")), sessionID: SessionID(try keys.hex("sessionId")))
  }

  private func key(_ golden: Golden) throws -> AuthorizationPrivateKey? {
    switch try golden["authKey"]?.string() {
    case nil: return nil
    case "ed25519": return .ed25519(try keys.privateKey("ed25519PrivateDer"))
    case "x25519": return .x25519(try keys.privateKey("x25519PrivateDer"))
    case let other?: throw UnusableVector(reason: "unknown key \(other)")
    }
  }
}

extension Golden {
  fileprivate func command() throws -> NotificationCommand {
    switch try string("command") {
    case "TNEW":
      let fields = try member("fields")
      return .tnew(
        NewTokenRequest(
          device: try fields.member("token").device(), verifyKey: try fields.authorizationKey("verifyKeyDer"),
          dhKey: try fields.x25519("dhKeyDer")))
    case "TVFY": return .tvfy(RegistrationCode(try member("fields").hex("code")))
    case "TCHK": return .tchk
    case "TRPL": return .trpl(try member("fields").device())
    case "TDEL": return .tdel
    case "TCRN": return .tcrn(UInt16(try member("fields").int("interval")))
    case "SNEW": return .snew(try member("fields").newSubscription())
    case "SCHK": return .schk
    case "SDEL": return .sdel
    case "PING": return .ping
    case let other: throw UnusableVector(reason: "unknown command \(other)")
    }
  }

  private func newSubscription() throws -> NewSubscriptionRequest {
    let server = try member("smpServer")
    let hosts = try server.elements("hosts").map { try TransportHost.textCodec.decode(text: $0.string()) }
    guard let key = AuthorizationPrivateKey(der: try hex("notifierPrivateKeyDer")),
      let relay = SMPServerAddress(
        hosts: hosts, port: UInt16(try server.string("port")), keyHash: try server.hex("keyHash"))
    else { throw UnusableVector(reason: "\(path) has no key or no hosts") }
    return NewSubscriptionRequest(
      token: EntityID(try hex("tokenId")),
      queue: NotifierQueue(relay: relay, notifier: EntityID(try hex("notifierId"))), notifierKey: key)
  }

  fileprivate func response() throws -> NotificationResponse {
    switch try string("response") {
    case "IDTKN":
      let fields = try member("fields")
      return .idtkn(EntityID(try fields.hex("tokenId")), dhKey: try fields.x25519("serverDhKeyDer"))
    case "IDSUB": return .idsub(EntityID(try member("fields").hex("subscriptionId")))
    case "OK": return .ok
    case "PONG": return .pong
    case "ERR": return .err(try ProtocolErrorType.codec.decode(text: try string("fields")))
    case "TKN": return .tkn(try TokenStatus.codec.decode(text: try string("fields")))
    case "SUB": return .sub(try NotifierStatus.codec.decode(text: try string("fields")))
    case let other: throw UnusableVector(reason: "unknown response \(other)")
    }
  }
}
