import NIOCore
import SimplexTransport
import Testing

@Suite("Connecting")
struct ConnectTests {
  let client: TransportClient

  init() throws { client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"])) }

  private func connect(
    _ host: String, _ port: Int, _ options: TransportClient.Options = .init()
  ) async throws -> AsyncBlockConnection {
    try await AsyncBlockConnection.connect(client, host: host, port: port, policy: .anyRelay, options: options)
  }

  @Test(
    "An address that cannot be is an error",
    arguments: [("", 5223), ("localhost", 0), ("localhost", 65536), ("localhost", -1)])
  func invalidAddress(host: String, port: Int) async throws {
    await #expect(throws: TransportError.invalidAddress("\(host):\(port)")) { try await connect(host, port) }
  }

  @Test("Nobody there")
  func refused() async throws {
    // A port that was free a moment ago.
    let listener = try await PlainServer { _ in }
    let port = listener.port
    await listener.close()
    do {
      _ = try await connect("127.0.0.1", port)
      Issue.record("connected to nobody")
    } catch let error as TransportError {
      guard case .unreachable("127.0.0.1", port, "Connection refused") = error else { throw error }
      #expect("\(error)" == "127.0.0.1:\(port) cannot be reached (Connection refused)")
    }
  }

  @Test("A name that nobody knows")
  func unknownName() async throws {
    do {
      _ = try await connect("relay.invalid", 5223)
      Issue.record("connected to nobody")
    } catch let error as TransportError {
      guard case .unreachable("relay.invalid", 5223, _) = error else { throw error }
    }
  }

  @Test("A server that says nothing")
  func timeout() async throws {
    let listener = try await PlainServer { _ in }
    var options = TransportClient.Options()
    // Long enough for a busy machine to reach the step that is never answered.
    options.timeout = .seconds(2)
    await #expect(throws: TransportError.connectTimeout(.tls)) {
      try await connect("127.0.0.1", listener.port, options)
    }
    options.proxy = SOCKS5Proxy(host: "127.0.0.1", port: listener.port)
    await #expect(throws: TransportError.connectTimeout(.proxy)) { try await connect("relay.example", 5223, options) }
    await listener.close()
  }

  @Test("Cancelling ends the attempt at once")
  func cancel() async throws {
    let listener = try await PlainServer { _ in }
    let attempt = Task { try await connect("127.0.0.1", listener.port) }
    try await Task.sleep(for: .milliseconds(50))
    attempt.cancel()
    await #expect(throws: TransportError.cancelled) { try await attempt.value }
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await connect("127.0.0.1", listener.port)
    }
    await #expect(throws: TransportError.cancelled) { try await early.value }
    await listener.close()
  }

  @Test("A port that is taken cannot be bound")
  func bind() async throws {
    let server = try await EchoServer()
    do {
      _ = try await EchoServer { $0.port = server.server.port }
      Issue.record("bound twice")
    } catch let error as TransportError {
      guard case .system = error else { throw error }
    }
    await server.server.close()
  }

  @Test("Without a host, IPv4 and IPv6 are both served")
  func allInterfaces() async throws {
    let server = try await EchoServer { $0.host = nil }
    for host in ["127.0.0.1", "::1", "localhost"] {
      let connection = try await AsyncBlockConnection.connect(
        client, host: host, port: server.server.port, policy: .relay(fingerprint: server.identity.fingerprint))
      try await connection.send(block(1))
    }
    try await eventually("all were served") { server.log.blocks == 3 }
    await server.server.close()
  }
}
