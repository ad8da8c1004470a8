import Foundation
import SimplexTransport
import Synchronization

@testable import HTTP2Transport

/// A folder with the certificates of a relay, removed with its owner.
final class TestCertificates: Sendable {
  let folder: String
  let credential: TLSCredential
  let fingerprint: [UInt8]

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("http2-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let files = RelayCertificates(folder: folder)
    fingerprint = try files.create(commonName: "localhost", algorithm: .ed25519)
    credential = try files.credential()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}

/// A number that tasks share.
final class Counter: Sendable {
  private let state = Mutex(0)

  var value: Int { state.withLock { $0 } }

  func add(_ amount: Int) { state.withLock { $0 += amount } }
}

/// Answers requests with what their path asks for.
final class EchoHandler: HTTP2RequestHandler {
  let peer: HTTP2Peer

  init(_ peer: HTTP2Peer) { self.peer = peer }

  func handle(_ request: HTTP2Head, _ stream: HTTP2Stream) async {
    do {
      switch request.path {
      case "/echo":
        try await stream.send(HTTP2Head(status: 200, fields: [.init(name: "x-method", value: request.method)]))
        while let part = try await stream.read() { try await stream.send(part) }
        try await stream.send([], isLast: true)
      case "/count":
        var count = 0
        while let part = try await stream.read() { count += part.count }
        try await stream.send(HTTP2Head(status: 200))
        try await stream.send(Array(String(count).utf8), isLast: true)
      case "/parts":
        // The sizes of the parts, of which each but the last has as many bytes as asked for.
        var sizes: [String] = []
        while let part = try await stream.read(atLeast: 50_000) { sizes.append(String(part.count)) }
        try await stream.send(HTTP2Head(status: 200))
        try await stream.send(Array(sizes.joined(separator: " ").utf8), isLast: true)
      case "/session":
        try await stream.send(HTTP2Head(status: 200))
        try await stream.send(peer.session.identifier, isLast: true)
      case "/refuse":
        try await stream.send(HTTP2Head(status: 403), isWhole: true)
      case "/refuse-and-wait":
        try await stream.send(HTTP2Head(status: 403), isWhole: true)
        // Neither reads nor resets: the client learns from the response alone.
        await withCheckedContinuation { end in stream.whenEnded { end.resume() } }
      case "/hints":
        for _ in 0..<1_000 { try await stream.send(HTTP2Head(status: 103)) }
        try await stream.send(HTTP2Head(status: 200))
        try await stream.send([1, 2, 3], isLast: true)
      case "/slow":
        stream.setDeadline(.milliseconds(50))
        do { while try await stream.read() != nil {} } catch HTTP2Error.timeout {}
      case "/answered":
        stream.setDeadline(.milliseconds(50), grace: .seconds(10))
        do { while try await stream.read() != nil {} } catch HTTP2Error.timeout {
          try await stream.send(HTTP2Head(status: 408), isWhole: true)
        }
      case "/progress":
        stream.setDeadline(.seconds(2), renewedBy: 10)
        var count = 0
        while let part = try await stream.read() { count += part.count }
        try await stream.send(HTTP2Head(status: 200))
        try await stream.send(Array(String(count).utf8), isLast: true)
      default: stream.reset()
      }
    } catch {
      stream.reset()
    }
  }
}

/// Runs a test with a server and a connection to it.
func withHTTP2Server(
  limits: HTTP2Limits = HTTP2Limits(), clientLimits: HTTP2Limits = .client, protocols: [String] = ["h2"],
  _ makeHandler: @escaping @Sendable (HTTP2Peer) -> any HTTP2RequestHandler,
  _ body: (HTTP2Server, HTTP2Connection) async throws -> Void
) async throws {
  let certificates = try TestCertificates()
  let tls = TLSServerConfiguration(credential: certificates.credential, applicationProtocols: ["xftp/1", "h2"])
  var configuration = HTTP2Server.Configuration(.init(host: "127.0.0.1", port: 0, tls: tls))
  configuration.limits = limits
  let server = try await HTTP2Server.start(configuration) { peer in FirstHandler(makeHandler(peer)) }
  let client = try HTTP2Client(TLSClientConfiguration(applicationProtocols: protocols), limits: clientLimits)
  let connection = try await client.connect(
    host: "127.0.0.1", port: server.port, policy: .relay(fingerprint: certificates.fingerprint))
  // The library does not open a small window again for streams that began before both sides knew the limits.
  _ = try await connection.request(method: FirstHandler.method, isWhole: true).body()
  try await body(server, connection)
  connection.close()
  await server.close()
}

/// Answers the first request of a test by itself.
private final class FirstHandler: HTTP2RequestHandler {
  static let method = "FIRST"

  private let handler: any HTTP2RequestHandler

  init(_ handler: any HTTP2RequestHandler) { self.handler = handler }

  func handle(_ request: HTTP2Head, _ stream: HTTP2Stream) async {
    guard request.method == Self.method else { return await handler.handle(request, stream) }
    try? await stream.send(HTTP2Head(status: 200), isWhole: true)
  }
}

extension HTTP2Stream {
  /// The rest of the body.
  func body() async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let part = try await read() { bytes += part }
    return bytes
  }
}
