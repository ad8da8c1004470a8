import Foundation
import HTTP2Transport
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Testing
import WireCodec
import XFTPProtocol

@testable import XFTPServer

/// As a browser does: it names the server, speaks HTTP/2, and says with header fields which step a request is.
@Suite("Browsers at file relays", .serialized, .timeLimit(.minutes(1)))
struct WebTests {
  let folder: TemporaryFolder
  let relay: TestFileRelay
  let connection: HTTP2Connection
  let webFingerprint: [UInt8]

  init() async throws {
    let folder = try TemporaryFolder()
    let web = RelayCertificates(folder: folder.path)
    let fingerprint = try web.create(commonName: "localhost", algorithm: .ed25519)
    let credential = try web.credential()
    relay = try await TestFileRelay.start { $0.webCredential = credential }
    var options = TransportClient.Options()
    options.sendsServerName = true
    let client = try HTTP2Client(TLSClientConfiguration(applicationProtocols: ["h2"]))
    connection = try await client.connect(
      host: "localhost", port: relay.server.port, policy: .relay(fingerprint: fingerprint), options: options)
    webFingerprint = fingerprint
    self.folder = folder
  }

  private func send(
    _ method: String = "POST", _ fields: [String] = [], _ body: [UInt8] = []
  ) async throws -> (head: HTTP2Head, body: [UInt8]) {
    let stream = try await connection.request(
      method: method, fields: fields.map { HTTP2Head.Field(name: $0, value: "1") }, isWhole: body.isEmpty)
    if !body.isEmpty { try await stream.send(body, isLast: true) }
    let head = try await stream.head()
    var answer: [UInt8] = []
    while let part = try await stream.read() { answer += part }
    return (head, answer)
  }

  @Test func preflightsAreAnswered() async throws {
    let (head, body) = try await send("OPTIONS")
    #expect(head.status == 200 && body.isEmpty)
    #expect(head["access-control-allow-origin"] == "*" && head["access-control-allow-headers"] == "*")
    #expect(head["access-control-allow-methods"] == "POST, OPTIONS")
    #expect(try await send("GET").head.status == 404)
    await relay.server.stop()
  }

  @Test func theHandshakeProvesTheIdentityBehindTheWebCertificate() async throws {
    #expect(connection.session.applicationProtocol == "h2" && webFingerprint != relay.server.fingerprint)
    // A command without a handshake.
    let early = try await send().body
    #expect(XFTPBlock.decode(early, XFTPErrorType.codec) == .SESSION)
    let challenge = (0..<32).map { UInt8($0) }
    let request = try XFTPBlock.encode(XFTPClientHello(challenge: challenge), XFTPClientHello.codec)
    let (head, body) = try await send("POST", ["xftp-web-hello"], request)
    #expect(head["access-control-allow-origin"] == "*" && head["access-control-expose-headers"] == "*")
    let hello = try #require(XFTPBlock.decode(body, XFTPServerHandshake.codec))
    #expect(hello.sessionID.bytes == connection.session.identifier)
    let credential = relay.configuration.credential
    #expect(hello.sessionKey.certificates == credential.chain.certificates.map(\.der))
    // The identity signs the challenge, since TLS has shown another one.
    #expect(hello.identityProof == (try credential.key.sign(challenge + connection.session.identifier)))
    let leaf = try #require(credential.chain.leaf)
    #expect(hello.sessionKey.key.isSigned(by: try AnyPublicKey(der: try leaf.publicKeyDER())))
    let answer = try XFTPBlock.encode(
      XFTPClientHandshake(version: 3, keyHash: relay.server.fingerprint), XFTPClientHandshake.codec)
    #expect(try await send("POST", ["xftp-handshake"], answer).body.isEmpty)
    let session = SessionContext(version: 3, sessionID: hello.sessionID)
    let ping = try XFTPBlock.command(.ping, correlation: .none, signer: nil, in: session)
    let pong = try await send("POST", [], ping).body
    let received = try XFTPBlock.transmission(of: FileResponse.self, in: pong, session: session).get()
    #expect(try received.message.get() == .pong)
    // A page that was loaded again begins anew on the connection that the browser kept.
    let again = try await send("POST", ["xftp-web-hello"], request).body
    #expect(XFTPBlock.decode(again, XFTPServerHandshake.codec) != nil)
    await relay.server.stop()
  }

  @Test func malformedHellosAreRefused() async throws {
    let body = try await send("POST", ["xftp-web-hello"], [UInt8](repeating: 7, count: 16_384)).body
    #expect(XFTPBlock.decode(body, XFTPErrorType.codec) == .HANDSHAKE)
    await relay.server.stop()
  }
}
