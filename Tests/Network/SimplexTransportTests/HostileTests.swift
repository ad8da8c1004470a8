import NIOCore
import NIOPosix
import SimplexTransport
import Testing

@Suite("Hostile peers")
struct HostileTests {
  @Test("Garbage instead of a handshake is refused, whatever it looks like")
  func garbage() async throws {
    let server = try await EchoServer()
    let hello: [UInt8] = [22, 3, 1, 0, 200, 1, 0, 0, 196]
    let samples: [[UInt8]] = [
      Array("GET / HTTP/1.1\r\n\r\n".utf8), [UInt8](repeating: 0, count: 5), [UInt8](repeating: 0xFF, count: 70_000),
      hello + [UInt8](repeating: 0, count: 196), [22, 3, 3, 0x50, 0], [21, 3, 3, 0, 2, 2, 40], [23, 3, 3, 0, 1, 0],
    ]
    for sample in samples {
      let peer = try await RawConnection(port: server.server.port)
      try await peer.send(sample)
      try await peer.waitForClose()
    }
    try await eventually("all were refused") { server.server.counts.handshakeFailures == samples.count }
    #expect(server.log.sessions.isEmpty)
    // And an honest client is still served.
    let client = try await server.connect()
    try await client.send(block(1))
    await server.server.close()
  }

  @Test("A peer that says nothing, or stops in the middle of its hello, is given up")
  func silence() async throws {
    let server = try await EchoServer { $0.handshakeTimeout = .milliseconds(200) }
    for sample: [UInt8] in [[], [22, 3, 1], [22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3]] {
      let peer = try await RawConnection(port: server.server.port)
      if !sample.isEmpty { try await peer.send(sample) }
      try await peer.waitForClose()
    }
    try await eventually("all were given up") { server.server.counts.handshakeFailures == 3 }
    await server.server.close()
  }

  @Test("Connections beyond the number of handshakes are closed at once, and established ones do not count")
  func handshakeLimit() async throws {
    let server = try await EchoServer { $0.handshakeLimit = 2 }
    let client = try await server.connect()
    let first = try await RawConnection(port: server.server.port)
    let second = try await RawConnection(port: server.server.port)
    try await eventually("both were accepted") { server.server.counts.open == 3 }
    let third = try await RawConnection(port: server.server.port)
    try await third.waitForClose()
    #expect(server.server.counts.refused == 1)
    await first.close()
    try await eventually("it was forgotten") { server.server.counts.open == 2 }
    let next = try await server.connect()
    for client in [client, next] { try await client.send(block(1)) }
    await second.close()
    await server.server.close()
  }

  @Test("Clients of another authority, or without one, get the alert that names the reason")
  func unknownAuthority() async throws {
    let known = try TestIdentity()
    let fingerprint = known.fingerprint
    let server = try await EchoServer { $0.tls.acceptsAuthority = { $0 == fingerprint } }
    let credentials: [(TLSCredential?, TLSError)] = [(try TestIdentity().credential, .alert(48)), (nil, .alert(116))]
    for (credential, alert) in credentials {
      // The client has finished before the server judges its certificate.
      let client = try await server.connect(credential: credential)
      await #expect(throws: TransportError.tls(alert)) {
        for try await _ in client.blocks {}
      }
    }
    let client = try await server.connect(credential: known.credential)
    try await client.send(block(1))
    var blocks = client.blocks.makeAsyncIterator()
    #expect(try await blocks.next() == block(1))
    await server.server.close()
  }

  @Test("A peer that leaves during the handshake is forgotten")
  func leaving() async throws {
    let server = try await EchoServer()
    let peer = try await RawConnection(port: server.server.port)
    try await peer.send([22, 3, 1])
    await peer.close()
    try await eventually("it was forgotten") { server.server.counts.open == 0 && server.server.counts.accepted == 1 }
    #expect(server.server.counts.handshakeFailures == 1)
    await server.server.close()
  }

  @Test("A server that is not TLS, or leaves, is an error", arguments: ["SSH-2.0-x\r\n", ""])
  func wrongServer(answer: String) async throws {
    let listener = try await PlainServer { channel in
      channel.eventLoop.execute {
        channel.writeAndFlush(ByteBuffer(string: answer)).whenComplete { _ in channel.close(promise: nil) }
      }
    }
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
    do {
      _ = try await AsyncBlockConnection.connect(client, host: "127.0.0.1", port: listener.port, policy: .anyRelay)
      Issue.record("connected to something that is no TLS server")
    } catch {
      switch error {
      case .tls, .system: break
      default: throw error
      }
    }
    await listener.close()
  }

  /// What the tampering proxy does to the bytes from client to server once the handshake is over.
  enum Tampering: CaseIterable, Sendable { case garbage, change, truncate }

  @Test("Bytes changed, added or cut after the handshake end the connection", arguments: Tampering.allCases)
  func tampering(_ tampering: Tampering) async throws {
    let server = try await EchoServer()
    let proxy = try await TamperingProxy(target: server.server.port)
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
    let connection = try await AsyncBlockConnection.connect(
      client, host: "127.0.0.1", port: proxy.port, policy: .relay(fingerprint: server.identity.fingerprint))
    var blocks = connection.blocks.makeAsyncIterator()
    try await connection.send(block(1))
    #expect(try await blocks.next() == block(1))

    switch tampering {
    case .garbage: proxy.transform { ByteBuffer(bytes: [1, 2, 3, 4, 5, 6, 7, 8]) + $0 }
    case .change:
      proxy.transform { bytes in
        var bytes = bytes
        bytes.setInteger(
          (bytes.getInteger(at: bytes.readerIndex + 100) as UInt8? ?? 0) ^ 1, at: bytes.readerIndex + 100)
        return bytes
      }
    case .truncate: proxy.truncate(after: 5000)
    }
    try await connection.send(block(2))
    try await eventually("the server ended the connection") { server.log.endings.count == 1 }
    #expect(server.log.blocks == 1)
    switch (tampering, server.log.endings.first) {
    case (.truncate, .some(.some(.truncatedBlock))), (.truncate, .some(.none)): break
    case (.garbage, .some(.some(.tls(.protocolViolation)))), (.change, .some(.some(.tls(.protocolViolation)))): break
    case (_, let ending): Issue.record("ended with \(String(describing: ending))")
    }
    await proxy.close()
    await server.server.close()
  }

  @Test("A block that is cut is reported with what arrived of it", .enabled(if: hasOpenSSLCommand))
  func cutBlock() async throws {
    let server = try await EchoServer()
    // Not our client: it can send a part of a block and then leave.
    try await openSSLClient(port: server.server.port, input: [UInt8](repeating: 65, count: 10_000))
    try await eventually("the server saw the end") { server.log.endings.count == 1 }
    #expect(server.log.blocks == 0)
    #expect(server.log.endings == [.truncatedBlock(received: 10_000)])
    await server.server.close()
  }

  @Test("A client that never sends the rest of a block is closed", .enabled(if: hasOpenSSLCommand))
  func halfABlockForEver() async throws {
    let server = try await EchoServer { $0.blockTimeout = .milliseconds(200) }
    try await openSSLClient(port: server.server.port, input: [UInt8](repeating: 65, count: 10_000), stays: true)
    try await eventually("the server ended the connection") { server.log.endings.count == 1 }
    #expect(server.log.endings == [.truncatedBlock(received: 10_000)])
    await server.server.close()
  }

  @Test(
    "A client that never sends the rest of a record is closed; one that sends nothing is not", arguments: [5_000, 5, 3])
  func halfARecordForEver(_ count: Int) async throws {
    let server = try await EchoServer { $0.blockTimeout = .seconds(1) }
    let proxy = try await TamperingProxy(target: server.server.port)
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
    let connection = try await AsyncBlockConnection.connect(
      client, host: "127.0.0.1", port: proxy.port, policy: .relay(fingerprint: server.identity.fingerprint))
    var blocks = connection.blocks.makeAsyncIterator()
    for byte: UInt8 in 1...2 {
      try await connection.send(block(byte))
      #expect(try await blocks.next() == block(byte))
      // Longer than the deadline, after a whole block.
      try await Task.sleep(for: .milliseconds(1_500))
    }
    #expect(server.log.endings.isEmpty)
    proxy.hold(after: count)
    try await connection.send(block(3))
    try await eventually("the server ended the connection") { server.log.endings.count == 1 }
    #expect(server.log.blocks == 2)
    await proxy.close()
    await server.server.close()
  }

  @Test("Connections beyond the limit are closed, and counted")
  func limit() async throws {
    let server = try await EchoServer { $0.connectionLimit = 2 }
    let kept = [try await server.connect(), try await server.connect()]
    await #expect(throws: TransportError.self) { try await server.connect() }
    #expect(server.server.counts.refused == 1)
    for client in kept {
      try await client.send(block(1))
      client.close()
    }
    try await eventually("there is room again") { server.server.counts.open == 0 }
    _ = try await server.connect()
    await server.server.close()
  }
}

private func + (left: ByteBuffer, right: ByteBuffer) -> ByteBuffer {
  var left = left
  left.writeImmutableBuffer(right)
  return left
}
