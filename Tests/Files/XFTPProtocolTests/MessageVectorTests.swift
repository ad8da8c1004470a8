import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec
import XFTPProtocol

@Suite("Commands and responses have the bytes of the reference implementation")
struct MessageVectorTests {
  let keys: Golden

  init() throws { keys = try #require(xftpVectors).member("keys") }

  @Test func allMessagesAreThere() throws {
    let commands = Set(try cases("commands").map { try $0.string("command") })
    #expect(commands == Set(FileCommand.forms.all.map(\.keyword)))
    let responses = Set(try cases("responses").map { try $0.string("response") })
    #expect(responses == Set(FileResponse.forms.all.map(\.keyword)))
  }

  @Test(arguments: cases("commands"))
  func command(_ golden: Golden) throws {
    let command = try golden.command()
    let correlation = CorrelationID(try golden.hex("corrId"))
    let entity = EntityID(try golden.hex("entityId"))
    let relayKey: X25519.PrivateKey = try keys.privateKey("serverSessionPrivateKeyDer")
    let key = try self.key(golden)
    for form in try golden.elements("versions") {
      let session = try self.session(form)
      #expect(try FileCommand.codec.encode(command, version: session.version) == form.hex("command"))
      let expected = try XFTPBlock.padded(try withSessionID(form.hex("blockContent"), session.version))
      let signer = try key.map { try CommandSigner($0, serverKey: relayKey.publicKey) }
      let block = try XFTPBlock.command(
        command, entity: entity, correlation: correlation, signer: signer, in: session)
      #expect(block == expected)
      let received = try XFTPBlock.transmission(of: FileCommand.self, in: block, session: session).get()
      #expect(try received.message.get() == command)
      #expect(received.entityID == entity && received.correlationID == correlation)
      guard let key else { continue }
      let authorization = try #require(received.authorization)
      let verifier = AuthorizationVerifier(sessionKey: relayKey)
      #expect(verifier.isValid(authorization, by: key.publicKey, correlation: correlation))
      #expect(!verifier.isValid(authorization, by: .x25519(relayKey.publicKey), correlation: correlation))
    }
  }

  @Test(arguments: cases("responses"))
  func response(_ golden: Golden) throws {
    let response = try golden.response()
    let correlation = CorrelationID(try golden.hex("corrId"))
    let entity = EntityID(try golden.hex("entityId"))
    for form in try golden.elements("versions") {
      let session = try self.session(form)
      #expect(try FileResponse.codec.encode(response, version: session.version) == form.hex("response"))
      let expected = try XFTPBlock.padded(try withSessionID(form.hex("blockContent"), session.version))
      let block = try XFTPBlock.response(response, entity: entity, correlation: correlation, in: session)
      #expect(block == expected)
      let received = try XFTPBlock.transmission(of: FileResponse.self, in: block, session: session).get()
      #expect(try received.message.get() == response.downgraded(to: session.version))
      #expect(received.entityID == entity && received.correlationID == correlation)
    }
  }

  @Test func credentialsAreRequired() throws {
    let session = SessionContext(version: 3, sessionID: SessionID([7]))
    let put = try XFTPBlock.command(
      .fput, entity: EntityID([1]), correlation: .none, signer: nil, in: session)
    let received = try XFTPBlock.transmission(of: FileCommand.self, in: put, session: session).get()
    #expect(received.message == .failure(.message(.NO_AUTH)))
    let ping = try XFTPBlock.command(.ping, entity: EntityID([1]), correlation: .none, signer: nil, in: session)
    let receivedPing = try XFTPBlock.transmission(of: FileCommand.self, in: ping, session: session).get()
    #expect(receivedPing.message == .failure(.message(.HAS_AUTH)))
    let other = SessionContext(version: 3, sessionID: SessionID([8]))
    let foreign = try XFTPBlock.transmission(of: FileCommand.self, in: put, session: other).get()
    #expect(foreign.message == .failure(.session))
  }

  @Test func blocksHaveOneTransmission() throws {
    let session = SessionContext(version: 3, sessionID: SessionID([7]))
    let ping: [UInt8] = [0, 1, 7, 0, 0] + Array("PING".utf8)
    let item: [UInt8] = [0, UInt8(ping.count)] + ping
    let contents: [[UInt8]] = [[0], [2] + item + item, [1] + item.dropLast(), [1] + item + [0]]
    for content in contents {
      let result = XFTPBlock.transmission(
        of: FileCommand.self, in: try XFTPBlock.padded(content), session: session)
      let isRefused =
        switch result {
        case .failure(let error): error == .block
        case .success(let transmission): transmission.message == .failure(.block)
        }
      #expect(isRefused)
    }
    #expect(throws: WireError.self) { try XFTPBlock.padded([UInt8](repeating: 0, count: 16383)) }
  }

  private func session(_ form: Golden) throws -> SessionContext {
    SessionContext(version: UInt16(try form.int("version")), sessionID: SessionID(try keys.hex("sessionId")))
  }

  private func key(_ golden: Golden) throws -> AuthorizationPrivateKey? {
    switch try golden["authKey"]?.string() {
    case nil: return nil
    case "ed25519": return .ed25519(try keys.privateKey("ed25519PrivateDer"))
    case "x25519": return .x25519(try keys.privateKey("x25519PrivateDer"))
    case let other?: throw UnusableVector(reason: "unknown key \(other)")
    }
  }

  /// The content of a block with the session identifier, which the golden data omits from version 2 on.
  private func withSessionID(_ content: [UInt8], _ version: UInt16) throws -> [UInt8] {
    guard version > 1 else { return content }
    let sessionID = try keys.hex("sessionId")
    let transmission = content.dropFirst(3)
    let authorizationEnd = 1 + Int(transmission.first ?? 0)
    let changed =
      transmission.prefix(authorizationEnd) + [UInt8(sessionID.count)] + sessionID
      + transmission.dropFirst(authorizationEnd)
    return [1, UInt8(changed.count >> 8), UInt8(changed.count & 255)] + changed
  }
}

extension Golden {
  fileprivate func command() throws -> FileCommand {
    switch try string("command") {
    case "FNEW":
      let fields = try member("fields")
      let file = try fields.member("file")
      return .fnew(
        NewChunkRequest(
          chunk: ChunkInfo(
            senderKey: try file.member("sndKeyDer").authorizationKey(), size: UInt32(try file.int("size")),
            digest: try file.hex("digestSha256")),
          recipientKeys: try fields.elements("rcvKeysDer").map { try $0.authorizationKey() },
          basicAuth: try fields["basicAuth"].flatMap { BasicAuth(Array(try $0.string().utf8)) }))
    case "FADD": return .fadd(try member("fields").elements("rcvKeysDer").map { try $0.authorizationKey() })
    case "FPUT": return .fput
    case "FDEL": return .fdel
    case "FGET": return .fget(try member("fields").x25519("rcvDhKeyDer"))
    case "FACK": return .fack
    case "PING": return .ping
    case let other: throw UnusableVector(reason: "unknown command \(other)")
    }
  }

  fileprivate func response() throws -> FileResponse {
    switch try string("response") {
    case "SIDS":
      let fields = try member("fields")
      return .sids(
        sender: EntityID(try fields.hex("senderId")),
        recipients: try fields.elements("rcvIds").map { EntityID(try $0.hex()) })
    case "RIDS": return .rids(try member("fields").elements("rcvIds").map { EntityID(try $0.hex()) })
    case "FILE":
      let fields = try member("fields")
      return .file(
        ChunkBox(
          relayKey: try fields.x25519("serverDhKeyDer"), nonce: try BoxNonce(try fields.hex("nonce"))))
    case "OK": return .ok
    case "PONG": return .pong
    case "ERR": return .err(try XFTPErrorType.codec.decode(text: try member("fields").string("errorStr")))
    case let other: throw UnusableVector(reason: "unknown response \(other)")
    }
  }
}
