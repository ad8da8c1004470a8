import Foundation
import SimplexTransport
import Testing

@Suite("Interoperation with the openssl command", .enabled(if: hasOpenSSLCommand))
struct InteropTests {
  @Test("openssl s_client agrees on the algorithms", arguments: CertificateKey.Algorithm.allCases)
  func client(algorithm: CertificateKey.Algorithm) async throws {
    let server = try await EchoServer(TestIdentity(algorithm))
    let output = try await openSSLClient(port: server.server.port, input: block(65))
    for expected in [
      "New, TLSv1.3, Cipher is TLS_CHACHA20_POLY1305_SHA256", "ALPN protocol: smp/1", "SSL handshake has read",
      "Peer signature type: \(algorithm == .ed448 ? "ed448" : "ed25519")", "X25519",
    ] { #expect(output.contains(expected), "\(expected) is missing in \(output)") }
    try await eventually("the block arrived") { server.log.blocks == 1 }
    let other = try await openSSLClient(port: server.server.port, input: [], ["-groups", "X448"])
    #expect(other.contains("X448"))
    await server.server.close()
  }

  @Test("The session identifier is the Finished message that the client sends")
  func sessionIdentifier() async throws {
    let server = try await EchoServer(TestIdentity(.ed448))
    let output = try await openSSLClient(port: server.server.port, input: block(65), ["-msg"])
    try await eventually("the connection was seen") { !server.log.sessions.isEmpty }
    let session = try #require(server.log.sessions.first)
    // A line that names the message, then lines of hexadecimal bytes: type, three of length, content.
    let lines = output.split(separator: "\n").map(String.init)
    let start = try #require(lines.firstIndex { $0.hasPrefix(">>>") && $0.hasSuffix("Finished") })
    let bytes = lines[(start + 1)...].prefix { $0.hasPrefix(" ") }.joined(separator: " ").split(separator: " ")
      .compactMap { UInt8($0, radix: 16) }
    #expect(bytes == [20, 0, 0, 32] + session.identifier)
    await server.server.close()
  }

  @Test(
    "What relays do not accept is refused",
    arguments: [["-tls1_2"], ["-groups", "P-256"], ["-ciphersuites", "TLS_AES_128_GCM_SHA256"], ["-alpn", "h2"]])
  func refused(arguments: [String]) async throws {
    let server = try await EchoServer()
    let output = try await openSSLClient(port: server.server.port, input: [], arguments)
    #expect(output.contains("alert"))
    try await eventually("the server refused") { server.server.counts.handshakeFailures == 1 }
    await server.server.close()
  }

  @Test("openssl s_server with a relay's files is accepted by fingerprint")
  func server() async throws {
    let folder = try TemporaryFolder()
    let files = RelayCertificates(folder: folder.path)
    let fingerprint = try files.create(commonName: "localhost")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", files.serverCertificateFile, "-key",
      files.serverKeyFile, "-cert_chain", files.authorityCertificateFile, "-alpn", "smp/1", "-rev",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // SIGTERM may be ignored: the server inherits that from a process whose tests handle it.
    defer {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    // "ACCEPT 127.0.0.1:port"
    var greeting = ""
    while !greeting.hasSuffix("\n") || !greeting.contains("ACCEPT") {
      let part = output.fileHandleForReading.availableData
      if part.isEmpty { break }
      greeting += String(decoding: part, as: UTF8.self)
    }
    let port = try #require(greeting.split(separator: ":").last.flatMap { Int($0.trimmingCharacters(in: .newlines)) })
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
    let connection = try await AsyncBlockConnection.connect(
      client, host: "127.0.0.1", port: port, policy: .relay(fingerprint: fingerprint))
    #expect(connection.session.applicationProtocol == "smp/1")
    #expect(connection.session.peerCertificates == (try files.credential().chain))
    connection.close()
  }
}
