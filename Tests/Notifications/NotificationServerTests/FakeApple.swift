import Foundation
import HTTP2Transport
import NotificationProtocol
import SimplexCrypto
import SimplexTransport
import Synchronization
import Testing
import WireCodec

/// A folder with certificates and keys of the web, made by `openssl`, removed with its owner.
final class WebCertificates: Sendable {
  struct Failed: Error {
    let output: String
  }

  let folder: URL

  init(names: String = "DNS:localhost") throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "apple-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("subjectAltName=\(names)\n".utf8).write(to: folder.appending(path: "names"))
    try openssl("ecparam -name prime256v1 -genkey -noout -out ca.key")
    try openssl("req -x509 -new -key ca.key -subj /CN=Authority -days 30 -out ca.pem")
    try openssl("ecparam -name prime256v1 -genkey -noout -out server.key")
    try openssl("req -new -key server.key -subj /CN=Server -out server.csr")
    try openssl(
      "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile names -out server.pem")
    try openssl("ecparam -name prime256v1 -genkey -noout -out owner.sec1")
    try openssl("pkcs8 -topk8 -nocrypt -in owner.sec1 -out AuthKey.p8")
    try openssl("ec -in owner.sec1 -pubout -out owner.pub")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Runs `openssl` in the folder.
  @discardableResult
  func openssl(_ arguments: String) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = arguments.split(separator: " ").map(String.init)
    process.currentDirectoryURL = folder
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(output: text) }
    return text
  }

  func credential() throws -> TLSCredential {
    try TLSCredential(chainFiles: [path("server.pem")], keyFile: path("server.key"))
  }
}

/// A push as it arrived.
struct ReceivedPush: Sendable {
  let head: HTTP2Head
  let body: [UInt8]

  var device: String { head.path.split(separator: "/").last.map(String.init) ?? "" }

  /// The box with this name, opened.
  func opened(_ name: String, _ key: BoxKey) throws -> [UInt8] {
    let text = String(decoding: body, as: UTF8.self)
    guard let box = try member(name, text), let nonceBytes = try member("nonce", text) else {
      throw Missing(text: text)
    }
    return try PushBox.open(box, key: key, nonce: BoxNonce(nonceBytes.span.bytes))
  }

  struct Missing: Error {
    let text: String
  }

  private func member(_ name: String, _ text: String) throws -> [UInt8]? {
    let pattern = try Regex("\"\(name)\":\"([^\"]*)\"")
    guard let match = text.firstMatch(of: pattern), let value = match.output[1].substring else { return nil }
    return Base64URL.decode(String(value))
  }
}

/// A service in place of Apple's: HTTP/2 over TLS with a certificate of its own authority.
final class FakeApple: Sendable {
  /// How it answers a push; nil to never answer.
  typealias Answer = @Sendable (ReceivedPush, _ number: Int) -> (status: Int, body: String)?

  let certificates: WebCertificates
  let server: HTTP2Server
  private let state: State

  private final class State: Sendable {
    let pushes = Mutex<[ReceivedPush]>([])
    let answer: Mutex<Answer>
    init(_ answer: @escaping Answer) { self.answer = Mutex(answer) }
  }

  private final class Handler: HTTP2RequestHandler {
    let state: State
    init(_ state: State) { self.state = state }

    func handle(_ request: HTTP2Head, _ stream: HTTP2Stream) async {
      do {
        var body: [UInt8] = []
        while let part = try await stream.read() { body += part }
        let push = ReceivedPush(head: request, body: body)
        let number = state.pushes.withLock { pushes in
          pushes.append(push)
          return pushes.count
        }
        guard let (status, text) = state.answer.withLock({ $0 })(push, number) else {
          while try await stream.read() != nil {}
          try await Task.sleep(for: .seconds(60))
          return
        }
        try await stream.send(HTTP2Head(status: status), isWhole: text.isEmpty)
        if !text.isEmpty { try await stream.send(Array(text.utf8), isLast: true) }
      } catch {}
    }
  }

  private init(_ certificates: WebCertificates, _ server: HTTP2Server, _ state: State) {
    self.certificates = certificates
    self.server = server
    self.state = state
  }

  static func start(
    _ certificates: WebCertificates, port: Int = 0, answer: @escaping Answer = { _, _ in (200, "") }
  ) async throws -> FakeApple {
    let state = State(answer)
    let relay = try TLSCredential.selfSigned(commonName: "relay")
    var tls = TLSServerConfiguration(credential: relay, applicationProtocols: ["h2"])
    tls.webCredential = try certificates.credential()
    let transport = TransportServer.Configuration(host: "127.0.0.1", port: port, tls: tls)
    let server = try await HTTP2Server.start(HTTP2Server.Configuration(transport)) { _ in Handler(state) }
    return FakeApple(certificates, server, state)
  }

  var port: Int { server.port }

  var pushes: [ReceivedPush] { state.pushes.withLock { $0 } }

  func setAnswer(_ answer: @escaping Answer) { state.answer.withLock { $0 = answer } }

  /// Waits until there are so many pushes.
  func waitForPushes(_ count: Int) async throws -> [ReceivedPush] {
    while pushes.count < count { try await Task.sleep(for: .milliseconds(10)) }
    return pushes
  }
}
