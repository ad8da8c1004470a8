import NIOHTTP2
import SimplexTransport
import Testing

@testable import HTTP2Transport

@Suite("HTTP/2 over TLS", .serialized)
struct HTTP2Tests {
  private func withServer(
    limits: HTTP2Limits = HTTP2Limits(), protocols: [String] = ["xftp/1", "h2"],
    _ body: (HTTP2Server, HTTP2Connection) async throws -> Void
  ) async throws {
    try await withHTTP2Server(limits: limits, protocols: protocols, { EchoHandler($0) }, body)
  }

  @Test func bodiesAreStreamedBothWays() async throws {
    try await withServer { _, connection in
      let stream = try await connection.request(method: "POST", path: "/echo")
      let part = [UInt8](repeating: 7, count: 100_000)
      async let sent: Void = {
        for _ in 0..<30 { try await stream.send(part) }
        try await stream.send([1, 2, 3], isLast: true)
      }()
      let head = try await stream.head()
      #expect(head.status == 200 && head["x-method"] == "POST")
      let echo = try await stream.body()
      try await sent
      #expect(echo.count == 3_000_003 && echo.suffix(3) == [1, 2, 3] && echo.dropLast(3).allSatisfy { $0 == 7 })
    }
  }

  /// Who waits for many bytes gets them together, also where the window is smaller; what comes last may be less.
  @Test(arguments: [1_000, 65_535, 1 << 20]) func readersMayWaitForMoreBytes(window: Int) async throws {
    var limits = HTTP2Limits()
    limits.streamWindow = window
    try await withServer(limits: limits) { _, connection in
      let stream = try await connection.request(method: "POST", path: "/parts")
      for _ in 0..<12 {
        try await stream.send([UInt8](repeating: 1, count: 10_000))
        try await stream.flush()
      }
      try await stream.send([1], isLast: true)
      #expect(try await stream.head().status == 200)
      let sizes = String(decoding: try await stream.body(), as: UTF8.self).split(separator: " ").compactMap {
        Int($0)
      }
      #expect(sizes.reduce(0, +) == 120_001 && sizes.dropLast().allSatisfy { $0 >= 50_000 }, "\(sizes)")
      // The end, and an empty body, do not wait for more.
      let empty = try await connection.request(method: "POST", path: "/parts", isWhole: true)
      #expect(try await empty.head().status == 200)
      #expect(try await empty.body() == [])
    }
  }

  /// Bodies of all sizes around those of records and frames arrive as they were sent.
  @Test func sizesAroundRecordsArrive() async throws {
    try await withServer { _, connection in
      for record in [0, 16_384, 32_768, 65_536, 131_072] {
        for difference in [-10, -9, -1, 0, 1, 9, 10] where record + difference >= 0 {
          let content = (0..<record + difference).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
          let stream = try await connection.request(method: "POST", path: "/echo")
          try await stream.send(content)
          try await stream.send(content, isLast: true)
          _ = try await stream.head()
          #expect(try await stream.body() == content + content, "\(content.count)")
        }
      }
    }
  }

  @Test func requestsAreConcurrent() async throws {
    try await withServer { _, connection in
      try await withThrowingTaskGroup(of: String.self) { group in
        for size in 1...20 {
          group.addTask {
            let stream = try await connection.request(method: "POST", path: "/count")
            try await stream.send([UInt8](repeating: 1, count: size * 50_000), isLast: true)
            #expect(try await stream.head().status == 200)
            return String(decoding: try await stream.body(), as: UTF8.self)
          }
        }
        var counts: Set<String> = []
        for try await count in group { counts.insert(count) }
        #expect(counts == Set((1...20).map { String($0 * 50_000) }))
      }
    }
  }

  @Test func theSessionIsTheSameOnBothSides() async throws {
    try await withServer { _, connection in
      #expect(connection.session.applicationProtocol == "xftp/1")
      let stream = try await connection.request(method: "GET", path: "/session", isWhole: true)
      _ = try await stream.head()
      #expect(try await stream.body() == connection.session.identifier)
    }
    try await withServer(protocols: []) { _, connection in #expect(connection.session.applicationProtocol == nil) }
    try await withServer(protocols: ["h2"]) { _, connection in
      #expect(connection.session.applicationProtocol == "h2")
    }
  }

  @Test func aResponseBeforeTheEndOfTheRequestArrives() async throws {
    try await withServer { _, connection in
      let stream = try await connection.request(method: "POST", path: "/refuse")
      #expect(try await stream.head().status == 403)
      await #expect(throws: HTTP2Error.self) { try await sendEndlessly(stream) }
      stream.reset()
      // The connection is still usable.
      let next = try await connection.request(method: "GET", path: "/session", isWhole: true)
      #expect(try await next.head().status == 200)
      #expect(try await !next.body().isEmpty)
    }
  }

  /// A server may answer, and read nothing more.
  @Test(.timeLimit(.minutes(1))) func sendingEndsWithTheResponse() async throws {
    try await withServer { _, connection in
      let stream = try await connection.request(method: "POST", path: "/refuse-and-wait")
      await #expect(throws: HTTP2Error.answered) { try await sendEndlessly(stream) }
      #expect(try await stream.head().status == 403)
      stream.reset()
      let next = try await connection.request(method: "GET", path: "/session", isWhole: true)
      #expect(try await next.head().status == 200)
    }
  }

  /// What has passed to the system was sent, although the response has come before somebody asked.
  @Test func aWholeRequestIsSentWhenItIsAnswered() async throws {
    try await withServer { _, connection in
      let stream = try await connection.request(method: "POST", path: "/count")
      try await stream.send([1, 2])
      try await stream.send([3], isLast: true)
      #expect(try await stream.head().status == 200)
      #expect(try await stream.body() == Array("3".utf8))
      try await stream.flush()
    }
  }

  /// A response is what follows informational heads; those are not kept.
  @Test func informationalHeadsAreSkipped() async throws {
    try await withServer { _, connection in
      let stream = try await connection.request(method: "GET", path: "/hints", isWhole: true)
      #expect(try await stream.head().status == 200)
      #expect(try await stream.body() == [1, 2, 3])
    }
  }

  private func sendEndlessly(_ stream: HTTP2Stream) async throws {
    while true { try await stream.send([UInt8](repeating: 0, count: 50_000)) }
  }

  @Test func resetsAndDeadlinesEndRequests() async throws {
    try await withServer { _, connection in
      let stream = try await connection.request(method: "POST", path: "/unknown")
      await #expect(throws: HTTP2Error.self) { try await stream.head() }
      let slow = try await connection.request(method: "POST", path: "/slow")
      try await slow.send([1])
      await #expect(throws: HTTP2Error.self) { try await slow.head() }
      #expect(connection.isOpen)
    }
  }

  @Test func aReaderThatWasTooSlowIsAnswered() async throws {
    try await withServer { _, connection in
      let stream = try await connection.request(method: "POST", path: "/answered")
      try await stream.send([1])
      #expect(try await stream.head().status == 408)
    }
  }

  /// After the peer's announcement that it goes away, another connection may work, and so after a violation.
  @Test func errorsOfConnectionsAreTold() {
    #expect(HTTP2Error(NIOHTTP2Errors.createdStreamAfterGoaway()) == .connection(.closed))
    #expect(HTTP2Error(NIOHTTP2Errors.noStreamIDAvailable()) == .connection(.closed))
    if case .connection = HTTP2Error(NIOHTTP2Errors.unableToParseFrame()) {} else { Issue.record("not a connection's") }
    #expect(
      HTTP2Error(NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: .cancel)) == .reset(code: 8))
  }

  @Test func aClosedConnectionFailsItsRequests() async throws {
    try await withServer { server, connection in
      let stream = try await connection.request(method: "POST", path: "/echo")
      #expect(try await stream.head().status == 200)
      await server.close()
      await #expect(throws: HTTP2Error.self) { while try await stream.read() != nil {} }
      await connection.closed()
      #expect(!connection.isOpen)
      await #expect(throws: HTTP2Error.self) { _ = try await connection.request(method: "GET") }
    }
  }

  @Test func aServerKeepsNoMoreThanAWindowOfWhatNobodyReads() async throws {
    var limits = HTTP2Limits()
    limits.streamWindow = 65_535
    try await withServer(limits: limits) { _, connection in
      // The echo waits until somebody reads its answer, so that sending stops.
      let stream = try await connection.request(method: "POST", path: "/echo")
      let sent = Counter()
      let sending = Task {
        while (try? await stream.send([UInt8](repeating: 0, count: 65_536))) != nil, sent.value < 100 << 20 {
          sent.add(65_536)
        }
      }
      try await Task.sleep(for: .seconds(1))
      stream.reset()
      await sending.value
      #expect(sent.value > 0 && sent.value < 4 << 20)
    }
  }

  @Test func anotherIdentityIsRefused() async throws {
    try await withServer { server, _ in
      let client = try HTTP2Client(TLSClientConfiguration(applicationProtocols: ["xftp/1"]))
      await #expect(throws: TransportError.self) {
        _ = try await client.connect(
          host: "127.0.0.1", port: server.port, policy: .relay(fingerprint: [UInt8](repeating: 1, count: 32)))
      }
    }
  }
}
