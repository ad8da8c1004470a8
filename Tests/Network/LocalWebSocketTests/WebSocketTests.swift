@testable import LocalWebSocket
import Testing

import NIOCore
import NIOPosix

/// A client that speaks the protocol by hand, so that it can also break it.
private struct RawClient {
  let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

  static func connect(_ port: Int) async throws -> RawClient {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return RawClient(channel: channel)
  }

  /// Sends everything, and returns what the server says until it closes or `count` bytes have come.
  static func exchange(_ port: Int, _ parts: [[UInt8]], until isEnough: @escaping @Sendable ([UInt8]) -> Bool)
    async throws -> [UInt8]
  {
    let client = try await connect(port)
    return try await client.channel.executeThenClose { inbound, outbound in
      var received: [UInt8] = []
      for part in parts { try await outbound.write(ByteBuffer(bytes: part)) }
      for try await buffer in inbound {
        received += Array(buffer: buffer)
        if isEnough(received) { break }
      }
      return received
    }
  }

  static func request(_ target: String = "/", _ headers: [String] = []) -> [UInt8] {
    let lines =
      [
        "GET \(target) HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
      ] + headers
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// A masked frame, as clients send them.
  static func frame(_ opcode: UInt8, _ text: String, isLast: Bool = true) -> [UInt8] {
    let bytes = Array(text.utf8)
    precondition(bytes.count < 126)
    let mask: [UInt8] = [1, 2, 3, 4]
    let masked = bytes.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    return [(isLast ? 0x80 : 0) | opcode, 0x80 | UInt8(bytes.count)] + mask + masked
  }
}

/// What follows the answer's head.
private func afterHead(_ bytes: [UInt8]) -> [UInt8] {
  let end = Array("\r\n\r\n".utf8)
  guard let index = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return [] }
  return Array(bytes[(index + 4)...])
}

@Suite(.timeLimit(.minutes(1))) struct WebSocketTests {
  private func withServer(
    token: String? = nil, limit: Int = 1 << 16, change: (inout WebSocketServer.Configuration) -> Void = { _ in },
    _ body: (Int) async throws -> Void
  ) async throws {
    var configuration = WebSocketServer.Configuration(port: 0, token: token)
    configuration.messageLimit = limit
    change(&configuration)
    let server = try await WebSocketServer.start(configuration) { connection in
      await connection.receive { text in
        let text = String(decoding: text, as: UTF8.self)
        try? await connection.send(Array("echo \(text)".utf8))
        return text != "enough"
      }
    }
    let result: Result<Void, any Error>
    do { result = .success(try await body(server.port)) } catch { result = .failure(error) }
    await server.close()
    try result.get()
  }

  @Test func textsComeBack() async throws {
    try await withServer { port in
      let expected: [UInt8] = [0x81, 10] + Array("echo hello".utf8)
      let received = try await RawClient.exchange(port, [RawClient.request(), RawClient.frame(1, "hello")]) {
        afterHead($0).count >= expected.count
      }
      // The key and the answer of RFC 6455, section 1.3.
      #expect(String(decoding: received, as: UTF8.self).contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
      #expect(afterHead(received) == expected)
    }
  }

  @Test func partsAreJoinedAndPingsAnswered() async throws {
    try await withServer { port in
      let expected: [UInt8] = [0x8A, 2] + Array("hi".utf8) + [0x81, 11] + Array("echo ab + c".utf8)
      let parts = [
        RawClient.request(), RawClient.frame(1, "ab", isLast: false), RawClient.frame(9, "hi"),
        RawClient.frame(0, " + ", isLast: false), RawClient.frame(0, "c"),
      ]
      let received = try await RawClient.exchange(port, parts) { afterHead($0).count >= expected.count }
      #expect(afterHead(received) == expected)
    }
  }

  @Test func theEndIsSaid() async throws {
    try await withServer { port in
      for last in [RawClient.frame(8, ""), RawClient.frame(1, "enough")] {
        let received = try await RawClient.exchange(port, [RawClient.request(), last]) { _ in false }
        #expect(afterHead(received).suffix(4) == [0x88, 2, 0x03, 0xE8])
      }
    }
  }

  @Test func longTextsEndTheConnection() async throws {
    try await withServer(limit: 100) { port in
      let half = String(repeating: "a", count: 60)
      let parts = [RawClient.request(), RawClient.frame(1, half, isLast: false), RawClient.frame(0, half)]
      let received = try await RawClient.exchange(port, parts) { _ in false }
      #expect(afterHead(received) == [0x88, 2, 0x03, 0xF1])
    }
  }

  /// A text within another, a part of none, and a frame that is longer than anything may be.
  @Test(arguments: [
    ([RawClient.frame(1, "a", isLast: false), RawClient.frame(1, "b")], [0x03, 0xEA] as [UInt8]),
    ([RawClient.frame(0, "a")], [0x03, 0xEA]), ([[0x81, 0xFF, 0x7F, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]], [0x03, 0xF1]),
    ([[0x81, 0xFF, 0xFF, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4]], [0x03, 0xF1]),
  ])
  func brokenRulesEndTheConnection(_ frames: [[UInt8]], _ code: [UInt8]) async throws {
    try await withServer { port in
      let received = try await RawClient.exchange(port, [RawClient.request()] + frames) { _ in false }
      #expect(afterHead(received) == [0x88, 2] + code)
    }
  }

  @Test func manyClients() async throws {
    try await withServer { port in
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<100 {
          let expected = Array("echo \(number)".utf8)
          group.addTask {
            let received = try await RawClient.exchange(port, [RawClient.request(), RawClient.frame(1, "\(number)")]) {
              afterHead($0).count >= expected.count + 2
            }
            return afterHead(received).dropFirst(2) == expected[...]
          }
        }
        for try await isFine in group { #expect(isFine) }
      }
    }
  }

  @Test(arguments: [
    ("/", ["Origin: https://example.org"], nil, "Pages of other sites may not connect"),
    ("/", ["Origin: http://localhost:8000"], nil, nil), ("/", ["Origin: http://127.0.0.1"], nil, nil),
    ("/", ["Origin: http://localhost.example.org"], nil, "Pages of other sites may not connect"), ("/", [], nil, nil),
    ("/", [], "secret", "The token is missing: "), ("/?token=secret", [], "secret", nil),
    ("/?token=Secret", [], "secret", "The token is wrong."), ("/", ["Authorization: Bearer secret"], "secret", nil),
    ("/", ["Authorization: Bearer secrets"], "secret", "The token is wrong."),
    ("/?token=secret", ["Origin: https://example.org"], "secret", nil),
  ])
  func admission(_ target: String, _ headers: [String], _ token: String?, _ refusal: String?) async throws {
    try await withServer(token: token) { port in
      let received = try await RawClient.exchange(port, [RawClient.request(target, headers)]) {
        let text = String(decoding: $0, as: UTF8.self)
        return refusal == nil ? text.contains("\r\n\r\n") : text.hasSuffix(".\n")
      }
      let status = String(decoding: received.prefix(12), as: UTF8.self)
      #expect(status == (refusal == nil ? "HTTP/1.1 101" : "HTTP/1.1 403"))
      if let refusal { #expect(String(decoding: received, as: UTF8.self).contains("\r\n\r\n" + refusal)) }
    }
  }

  @Test func otherRequestsAreRefused() async throws {
    try await withServer { port in
      let received = try await RawClient.exchange(port, [Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)]) {
        _ in false
      }
      let text = String(decoding: received, as: UTF8.self)
      #expect(text.hasPrefix("HTTP/1.1 403") && text.hasSuffix("connect with a WebSocket client.\n"), "\(text)")
    }
  }

  /// A client that is silent is sent a ping; without an answer it is disconnected.
  @Test func silentClientsAreDisconnected() async throws {
    try await withServer(change: { ($0.pingInterval, $0.idleTimeout) = (.milliseconds(100), .milliseconds(300)) }) {
      port in
      let received = try await RawClient.exchange(port, [RawClient.request()]) { _ in false }
      // A bot that is busy for longer than one ping stays connected.
      #expect(afterHead(received) == [0x89, 0, 0x89, 0, 0x89, 0])
    }
  }

  /// A client that answers pings stays connected until it stops.
  @Test func clientsThatAnswerStay() async throws {
    try await withServer(change: { ($0.pingInterval, $0.idleTimeout) = (.milliseconds(400), .seconds(2)) }) { port in
      let client = try await RawClient.connect(port)
      let pings = try await client.channel.executeThenClose { inbound, outbound in
        try await outbound.write(ByteBuffer(bytes: RawClient.request()))
        var received: [UInt8] = []
        var answered = 0
        for try await buffer in inbound {
          received += Array(buffer: buffer)
          guard answered < 1, afterHead(received).count > 2 * answered else { continue }
          answered += 1
          try await outbound.write(ByteBuffer(bytes: RawClient.frame(10, "")))
        }
        return afterHead(received)
      }
      // The one that was answered, and those without an answer until the connection was closed.
      #expect(pings.count >= 2 * 6 && pings == (0..<pings.count / 2).flatMap { _ in [0x89, 0] as [UInt8] })
    }
  }

  /// A connection on which no request comes is closed, and so are those beyond the limit.
  @Test func connectionsWithoutRequestsAreClosed() async throws {
    try await withServer(change: { $0.requestTimeout = .milliseconds(100) }) { port in
      let received = try await RawClient.exchange(port, []) { _ in false }
      #expect(received == [])
    }
    try await withServer(change: { $0.connectionLimit = 0 }) { port in
      let received = try? await RawClient.exchange(port, [RawClient.request()]) { _ in false }
      #expect(received ?? [] == [])
    }
  }

  @Test func aPortThatIsTakenIsAnError() async throws {
    try await withServer { port in
      await #expect(throws: WebSocketError.self) {
        try await WebSocketServer.start(WebSocketServer.Configuration(port: port)) { _ in }
      }
    }
  }
}

@Suite struct ConnectionOwnerTests {
  /// Rows as the system writes them: an established connection of user 1000, one that its program has closed, and one
  /// that waits.
  private let table = """
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 20001 1 0 100 0 0 10 0
       1: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 20002 1 0 20 4 30 10 -1
       2: 0100007F:9C41 0100007F:1F90 05 00000000:00000000 03:00001771 00000000     0        0 0 3 0 0 0 0 0 -1
       3: 0100007F:9C42 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 0 1 0 20 4 30 10 -1
    """

  @Test func users() {
    #expect(ConnectionOwner.user(in: table, of: "0100007F:9C40", connectedTo: "0100007F:1F90") == 1000)
    // Sockets without a program look like those of root.
    #expect(ConnectionOwner.user(in: table, of: "0100007F:9C41", connectedTo: "0100007F:1F90") == nil)
    #expect(ConnectionOwner.user(in: table, of: "0100007F:9C42", connectedTo: "0100007F:1F90") == nil)
    #expect(ConnectionOwner.user(in: table, of: "0100007F:9C43", connectedTo: "0100007F:1F90") == nil)
    #expect(ConnectionOwner.user(in: table, of: "0100007F:9C40", connectedTo: "0100007F:1F91") == nil)
    #expect(ConnectionOwner.user(in: "", of: "0100007F:9C40", connectedTo: "0100007F:1F90") == nil)
  }
}
