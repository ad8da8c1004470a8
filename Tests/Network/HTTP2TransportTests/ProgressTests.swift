import Foundation
import SimplexTransport
import Testing

@testable import HTTP2Transport

/// Sends 64 KB at once, and notes when it sees progress.
private final class PartHandler: HTTP2RequestHandler {
  static let content = (0..<64 << 10).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 >> 8) }

  let progress = Counter()

  func handle(_ request: HTTP2Head, _ stream: HTTP2Stream) async {
    stream.setDeadline(.seconds(3_600), renewedBy: 1 << 20)
    try? await Task.sleep(for: .milliseconds(20))
    let before = stream.idleTime
    try? await stream.send(HTTP2Head(status: 200))
    let sending = Task { try await stream.send(Self.content, isLast: true) }
    while stream.idleTime >= before, (try? await Task.sleep(for: .milliseconds(1))) != nil {}
    progress.add(1)
    _ = try? await sending.value
    try? await stream.flush()
  }
}

/// What counts as progress of a transfer.
@Suite("Progress of HTTP/2 streams", .serialized, .timeLimit(.minutes(1)))
struct ProgressTests {
  /// Bytes in steps of 16 KB are progress, fewer are none.
  @Test func idleTimeIsThatSinceTheLastStep() async throws {
    let progress = StreamProgress()
    try await Task.sleep(for: .milliseconds(300))
    let idle = progress.idleTime
    #expect(idle >= .milliseconds(300))
    progress.note()
    #expect(progress.idleTime < idle)
    try await withHTTP2Server({ EchoHandler($0) }) { _, connection in
      // Of what is idle since its beginning, more time has passed than since the step of another one after it.
      let small = try await connection.request(method: "POST", path: "/echo")
      // It comes back, and counts in both directions.
      try await small.send([UInt8](repeating: 1, count: 8_000))
      try await Task.sleep(for: .milliseconds(50))
      let large = try await connection.request(method: "POST", path: "/echo")
      try await large.send([UInt8](repeating: 1, count: 16_384))
      for stream in [small, large] {
        try await stream.flush()
        _ = try await stream.head()
      }
      let beforeStep = large.idleTime
      try await Task.sleep(for: .milliseconds(50))
      try await large.send([UInt8](repeating: 1, count: 16_384), isLast: true)
      while try await large.read() != nil {}
      #expect(large.idleTime < small.idleTime && beforeStep < small.idleTime)
      small.reset()
    }
  }

  /// Of a large part that the peer takes slowly, each 16 KB are progress: not all of it has to have passed.
  @Test func stepsOfAPartAreProgress() async throws {
    var limits = HTTP2Limits.client
    limits.streamWindow = 20_000
    let handler = PartHandler()
    try await withHTTP2Server(clientLimits: limits, { _ in handler }) { _, connection in
      let stream = try await connection.request(method: "GET", isWhole: true)
      #expect(try await stream.head().status == 200)
      // Nothing more is read: the window is less than the part.
      while handler.progress.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(try await stream.body() == PartHandler.content)
    }
  }

  /// A deadline begins again with a number of bytes, and not with fewer.
  @Test func deadlinesOfProgress() async throws {
    try await withHTTP2Server({ EchoHandler($0) }) { _, connection in
      let stream = try await connection.request(method: "POST", path: "/progress")
      for _ in 0..<8 {
        try await stream.send([UInt8](repeating: 1, count: 10))
        try await Task.sleep(for: .milliseconds(300))
      }
      try await stream.send([], isLast: true)
      #expect(try await stream.head().status == 200)
      #expect(try await stream.body() == Array("80".utf8))
      let slow = try await connection.request(method: "POST", path: "/progress")
      let trickle = Task {
        for _ in 0..<20 {
          try? await slow.send([1])
          try? await Task.sleep(for: .milliseconds(300))
        }
      }
      await #expect(throws: HTTP2Error.self) { try await slow.head() }
      trickle.cancel()
    }
  }
}
