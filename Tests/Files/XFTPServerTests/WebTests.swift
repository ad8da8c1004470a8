import Foundation
import HTTP2Transport
import RelayChassis
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
    let page = InformationPage(title: "XFTP relay", sections: [], information: try ServerInformation(ServerINI("")))
    relay = try await TestFileRelay.start {
      $0.webCredential = credential
      $0.site = WebSite(page, [:])
      $0.staticFolder = StaticFolder(folder.path + "/www")
    }
    var options = TransportClient.Options()
    options.sendsServerName = true
    let client = try HTTP2Client(TLSClientConfiguration(applicationProtocols: ["h2"]))
    connection = try await client.connect(
      host: "localhost", port: relay.server.port, policy: .relay(fingerprint: fingerprint), options: options)
    webFingerprint = fingerprint
    self.folder = folder
  }

  private func send(
    _ method: String = "POST", _ fields: [String] = [], _ body: [UInt8] = [], path: String = "/"
  ) async throws -> (head: HTTP2Head, body: [UInt8]) {
    let stream = try await connection.request(
      method: method, path: path, fields: fields.map { HTTP2Head.Field(name: $0, value: "1") }, isWhole: body.isEmpty)
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
    await relay.server.stop()
  }

  @Test func pagesAreShown() async throws {
    let (head, body) = try await send("GET")
    let text = String(decoding: body, as: UTF8.self)
    #expect(head.status == 200 && head["content-type"] == "text/html; charset=utf-8")
    #expect(text.contains("<h1>XFTP relay</h1>") && head["content-length"] == "\(body.count)")
    #expect(head["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
    let (headAlone, nothing) = try await send("HEAD")
    #expect(headAlone == head && nothing.isEmpty)
    #expect(try await send("GET", path: "/none").head.status == 404)
    #expect(try await send("PUT").head.status == 404)
    // Who does not name the server is a client, and gets none.
    let client = try HTTP2Client(TLSClientConfiguration(applicationProtocols: ["http/1.1"]))
    let other = try await client.connect(
      host: "127.0.0.1", port: relay.server.port, policy: .relay(fingerprint: relay.server.fingerprint))
    let stream = try await other.request(method: "GET", isWhole: true)
    #expect(try await stream.head() == HTTP2Head(status: 404))
    other.close()
    await relay.server.stop()
  }

  /// Clients use a relay that serves browsers as they use any, and get no fields for browsers.
  @Test func clientsAreServedBesides() async throws {
    let chunk = TestChunk()
    let client = try await relay.connect()
    let (sender, recipients) = try await client.create(chunk.request, key: chunk.key)
    try await client.upload(chunk, to: sender)
    #expect(try await client.download(chunk, of: recipients[0]) == chunk.bytes)
    client.close()
    let old = try HTTP2Client(TLSClientConfiguration(applicationProtocols: []))
    let other = try await old.connect(
      host: "127.0.0.1", port: relay.server.port, policy: .relay(fingerprint: relay.server.fingerprint))
    let stream = try await other.request(method: "POST")
    try await stream.send([UInt8](repeating: 0, count: XFTPBlock.size), isLast: true)
    #expect(try await stream.head() == HTTP2Head(status: 200))
    other.close()
    await relay.server.stop()
  }

  /// Files of the operator, such as a web client, and none outside of their folder.
  @Test func filesOfTheFolderAreShown() async throws {
    let www = folder.path + "/www"
    let manager = FileManager.default
    try manager.createDirectory(atPath: www + "/app", withIntermediateDirectories: true)
    try manager.createDirectory(atPath: www + "/well-known", withIntermediateDirectories: true)
    var random = SystemRandom()
    let script = random.bytes(300_000)
    for (name, content) in [
      ("app/index.html", Array("<p>app".utf8)), ("app/main.js", script), ("empty.txt", []), (".hidden", [1]),
      ("well-known/apple-app-site-association", Array("{}".utf8)), ("unknown", [1, 2]),
    ] { try Data(content).write(to: URL(filePath: "\(www)/\(name)")) }
    try Data([7]).write(to: URL(filePath: folder.path + "/secret"))
    try manager.createSymbolicLink(atPath: www + "/link", withDestinationPath: "../secret")
    try manager.createSymbolicLink(atPath: www + "/inside", withDestinationPath: "app/main.js")
    for (path, type, content) in [
      ("/app", "text/html; charset=utf-8", Array("<p>app".utf8)),
      ("/app/?x", "text/html; charset=utf-8", Array("<p>app".utf8)),
      ("/app/main.js", "application/javascript", script), ("/inside", "application/javascript", script),
      ("/empty.txt", "text/plain; charset=utf-8", []), ("/unknown", "application/octet-stream", [1, 2]),
      ("/.well-known/apple-app-site-association", "application/json", Array("{}".utf8)),
    ] {
      let (head, body) = try await send("GET", path: path)
      #expect(head.status == 200 && head["content-type"] == type && body == content, "\(path): \(head)")
      #expect(head["content-length"] == "\(content.count)")
      let (headAlone, nothing) = try await send("HEAD", path: path)
      #expect(headAlone == head && nothing.isEmpty)
    }
    for path in [
      "/../secret", "/app/../../secret", "/link", "/.hidden", "/app/.", "/..", "//../secret", "/%2e%2e/secret",
      "/app/main.js/x", "/\(String(repeating: "a", count: 5_000))",
    ] { #expect(try await send("GET", path: path).head.status == 404, "\(path)") }
    #expect(relay.server.relay.transfers.count == 0)
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
