import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("Commands have the bytes of the reference implementation, and their authorizations verify")
struct CommandVectorTests {
  let keys: Golden

  init() throws { keys = try #require(smpVectors).member("keys") }

  @Test func allCommandsAreThere() throws {
    let names = Set(try cases("commands").map { try $0.string("command") })
    // The golden data ends with version 18.
    let known = Command.forms.all.filter { $0.since < SMPVersion.serviceQueues }
    #expect(names == Set(known.map(\.keyword)))
  }

  @Test(arguments: cases("commands"))
  func message(_ golden: Golden) throws {
    let command = try golden.command()
    for form in try golden.elements("forms") {
      let bytes = try form.hex("command")
      for version in try form.elements("versions").map({ UInt16(try $0.int()) }) {
        #expect(try Command.codec.encode(command, version: version) == bytes)
        let decoded = try Command.codec.decode(bytes, version: version)
        #expect(try Command.codec.encode(decoded, version: version) == bytes)
        if version >= SMPVersion.notifierInNew { #expect(decoded == command) }
      }
    }
  }

  @Test(arguments: cases("commands"))
  func transmission(_ golden: Golden) throws {
    let command = try golden.command()
    let correlation = CorrelationID(try golden.hex("corrId"))
    let entity = try golden.entity("entityId")
    let serverKey: X25519.PrivateKey = try keys.privateKey("serverSessionPrivateKeyDer")
    let key = try golden["authKey"].map { try authorizationKey($0.string()) }
    for form in try golden.elements("forms") {
      let bytes = try form.hex("transmission")
      for version in try form.elements("versions").map({ UInt16(try $0.int()) }) {
        let session = SessionContext(version: version, sessionID: SessionID(try keys.hex("sessionId")))
        var writer = Writer(version: version)
        if let key {
          let signer = try CommandSigner(key, serverKey: serverKey.publicKey)
          try session.write(command, entity: entity, correlation: correlation, signer: signer, to: &writer)
        } else {
          try session.write(command, entity: entity, correlation: correlation, to: &writer)
        }
        #expect(writer.bytes == bytes)
        try check(bytes, in: session, sentBy: key?.publicKey, serverKey)
      }
    }
  }

  /// Reads the transmission as a relay does.
  private func check(
    _ bytes: [UInt8], in session: SessionContext, sentBy key: AuthorizationKey?, _ serverKey: X25519.PrivateKey
  ) throws {
    let received = session.transmissions(of: Command.self, in: block(bytes))[0]
    var writer = Writer(version: session.version)
    try session.write(
      try received.message.get(), entity: received.entityID, correlation: received.correlationID, to: &writer)
    #expect(bytes.suffix(writer.count - 1) == writer.bytes.dropFirst())
    guard let key else { return #expect(received.authorization == nil) }
    let authorization = try #require(received.authorization)
    let verifier = AuthorizationVerifier(sessionKey: serverKey)
    #expect(verifier.isValid(authorization, by: key, correlation: received.correlationID))
    #expect(
      !verifier.isValid(authorization, by: key, correlation: CorrelationID([1])) || !isAuthenticator(authorization))
    let wrong: AuthorizationKey = .x25519(serverKey.publicKey)
    #expect(!verifier.isValid(authorization, by: wrong, correlation: received.correlationID))
    for position in 0..<bytes.count {
      var tampered = bytes
      tampered[position] ^= 1
      guard bytes.count < 400, let read = session.transmissions(of: Command.self, in: block(tampered)).first,
        let authorization = read.authorization
      else { continue }
      #expect(!verifier.isValid(authorization, by: key, correlation: read.correlationID))
    }
  }

  private func isAuthenticator(_ authorization: ReceivedAuthorization) -> Bool {
    if case .authenticator = authorization.proof { true } else { false }
  }

  @Test(arguments: cases("serviceCommands"))
  func serviceSignature(_ golden: Golden) throws {
    let version = UInt16(try golden.int("version"))
    let session = SessionContext(version: version, sessionID: SessionID(try keys.hex("sessionId")))
    let serverKey: X25519.PrivateKey = try keys.privateKey("serverSessionPrivateKeyDer")
    let serviceKey: Ed25519.PrivateKey = try golden.privateKey("serviceKeyPrivateDer")
    let hash = try golden.hex("serviceCertHash")
    let key = try authorizationKey("x25519")
    let bytes = try golden.hex("transmission")
    let received = session.transmissions(of: Command.self, in: block(bytes))[0]
    #expect(try received.message.get() == .sub)
    let authorization = try #require(received.authorization)
    let service = ServiceIdentity(certificateHash: hash, sessionKey: serviceKey.publicKey)
    let verifier = AuthorizationVerifier(sessionKey: serverKey, service: service)
    #expect(verifier.isSignedByService(authorization))
    #expect(!verifier.isAuthorizedByService(authorization))
    #expect(verifier.isValid(authorization, by: key.publicKey, correlation: received.correlationID))
    let another = ServiceIdentity(certificateHash: hash.reversed(), sessionKey: serviceKey.publicKey)
    let wrong = AuthorizationVerifier(sessionKey: serverKey, service: another)
    #expect(!wrong.isValid(authorization, by: key.publicKey, correlation: received.correlationID))

    var writer = Writer(version: version)
    try session.write(
      Command.sub, entity: received.entityID, correlation: received.correlationID,
      signer: CommandSigner(key, serverKey: serverKey.publicKey),
      service: ServiceSigner(certificateHash: hash, sessionKey: serviceKey), to: &writer)
    #expect(writer.bytes == bytes)
  }

  @Test(arguments: cases("commandParsing"))
  func parsing(_ golden: Golden) throws {
    let session = SessionContext(version: UInt16(try golden.int("version")), sessionID: SessionID([1, 2]))
    let signature = try golden.bool("signed") ? [UInt8](repeating: 7, count: 64) : []
    var writer = Writer(version: session.version)
    try Codec<[UInt8]>.short.encode(signature, &writer)
    if session.hasServiceSignatures, !signature.isEmpty { writer.append(literal: "0") }
    if !session.impliesSessionID { writer.append([2, 1, 2]) }
    writer.append([1, 5])
    try Codec<[UInt8]>.short.encode(try golden.bool("entity") ? [9, 9] : [], &writer)
    writer.append(try golden.string("command"))
    let received = session.transmissions(of: Command.self, in: block(writer.bytes))[0]
    let result = try golden.member("result")
    switch received.message {
    case .success(let command):
      #expect(try Command.codec.text(command, version: session.version) == result.string("ok"))
    case .failure(let error):
      #expect(try ProtocolErrorType.textCodec.text(ProtocolErrorType(error)) == result.string("error"))
    }
    #expect(received.correlationID.bytes == [5])
  }

  private func authorizationKey(_ name: String) throws -> AuthorizationPrivateKey {
    switch name {
    case "ed25519": .ed25519(try keys.privateKey("ed25519PrivateDer"))
    case "ed448": .ed448(try keys.privateKey("ed448PrivateDer"))
    default: .x25519(try keys.privateKey("x25519PrivateDer"))
    }
  }
}

/// The content of a block with a single transmission.
private func block(_ transmission: [UInt8]) -> [UInt8] {
  [1, UInt8(transmission.count >> 8), UInt8(truncatingIfNeeded: transmission.count)] + transmission
}

extension SessionContext {
  /// The transmissions in the content of a block.
  func transmissions<Message: ProtocolMessage>(of type: Message.Type, in content: [UInt8]) -> [ReceivedTransmission<
    Message
  >] {
    transmissions(of: type, in: content.span.bytes)
  }
}
