import NIOCore
import SimplexTesting
import Testing

@testable import HTTP2Transport

/// Reads nothing of a request until it is allowed to.
private final class WaitingHandler: HTTP2RequestHandler {
  private let gate: AsyncStream<Void>

  init(_ gate: AsyncStream<Void>) { self.gate = gate }

  func handle(_ request: HTTP2Head, _ stream: HTTP2Stream) async {
    for await _ in gate {}
    var count = 0
    while let part = try? await stream.read() { count += part.count }
    try? await stream.send(HTTP2Head(status: 200))
    try? await stream.send(Array(String(count).utf8), isLast: true)
  }
}

/// Sends a large body.
private final class LargeHandler: HTTP2RequestHandler {
  static let size = 2_000_000

  func handle(_ request: HTTP2Head, _ stream: HTTP2Stream) async {
    try? await stream.send(HTTP2Head(status: 200))
    try? await stream.send([UInt8](repeating: 1, count: Self.size), isLast: true)
  }
}

/// What was received and nobody has read takes a limited amount of memory, however the peer cuts it.
@Suite("Unread data of HTTP/2", .timeLimit(.minutes(2)))
struct UnreadTests {
  // MARK: Parts

  private func slice(of storage: Int, _ range: Range<Int>) throws -> ByteBuffer {
    let buffer = ByteBuffer(bytes: (0..<storage).map { UInt8(truncatingIfNeeded: $0) })
    return try #require(buffer.getSlice(at: range.lowerBound, length: range.count))
  }

  private func data(_ part: HTTP2StreamHandler.Part?) -> [ByteBuffer] {
    if case .data(let buffers) = part { buffers } else { [] }
  }

  /// Bytes that come one by one are in one buffer, and no longer in those of which they were slices.
  @Test func smallPartsAreJoined() throws {
    var parts = ReceivedParts()
    for index in 0..<5_000 { parts.append(try slice(of: 300, index % 300..<index % 300 + 1)) }
    #expect(parts.count == 5_000)
    let buffers = data(parts.take(upTo: 1 << 20))
    #expect(buffers.count == 1 && buffers.allSatisfy { $0.storageCapacity < 10_000 })
    #expect(buffers.flatMap { Array($0.readableBytesView) } == (0..<5_000).map { UInt8(truncatingIfNeeded: $0 % 300) })
    #expect(parts.count == 0 && parts.take(upTo: 1) == nil)
  }

  /// A part that is little of a large buffer does not keep all of it.
  @Test func smallFractionsAreCopied() throws {
    var parts = ReceivedParts()
    parts.append(try slice(of: 64 << 10, 0..<2_000))
    #expect(data(parts.take(upTo: 1)).allSatisfy { $0.storageCapacity < 8_000 })
  }

  /// Parts with many bytes are kept where they are.
  @Test func largePartsAreNotCopied() throws {
    var parts = ReceivedParts()
    let large = try slice(of: 64 << 10, 100..<20_100)
    parts.append(large)
    let taken = try #require(data(parts.take(upTo: 1)).first)
    #expect(taken == large)
    large.withUnsafeReadableBytes { before in
      taken.withUnsafeReadableBytes { after in #expect(before.baseAddress == after.baseAddress) }
    }
  }

  /// Whatever their sizes are, parts come in their order, and not across a head.
  @Test(arguments: propertySeeds(10)) func partsKeepTheirOrder(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var parts = ReceivedParts()
    var expected: [UInt8] = []
    var received: [UInt8] = []
    for _ in 0..<100 {
      if Int.random(in: 0..<3, using: &generator) > 0 {
        let sizes = [1, 1, 10, 900, 1_024, 5_000, 70_000]
        let size = sizes[Int.random(in: 0..<sizes.count, using: &generator)]
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 + expected.count) }
        expected += bytes
        parts.append(ByteBuffer(bytes: bytes))
      } else {
        for buffer in data(parts.take(upTo: Int.random(in: 1...200_000, using: &generator))) {
          received += buffer.readableBytesView
        }
      }
      #expect(parts.count == expected.count - received.count)
    }
    parts.append(HTTP2Head(status: 200))
    parts.append(ByteBuffer(bytes: [7]))
    while !parts.beginsWithHead {
      for buffer in data(parts.take(upTo: 1)) { received += buffer.readableBytesView }
    }
    #expect(received == expected)
    if case .head(let head) = parts.take(upTo: 1) { #expect(head.status == 200) } else { Issue.record("no head") }
    #expect(data(parts.take(upTo: 1)) == [ByteBuffer(bytes: [7])])
  }

  // MARK: Frames

  private static func frame(_ size: Int, stream: UInt32, type: UInt8 = 0) -> [UInt8] {
    let length = [16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
    let number = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) }
    return length + [type, 0] + number + [UInt8](repeating: 0xFF, count: size)
  }

  @Test(arguments: propertySeeds(20)) func framesAreCounted(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let unread = UnreadFrames(limit: 10, isServer: true)
    for stream in [1, 3, 5] { unread.open(stream) }
    unread.close(5)
    var bytes = [UInt8](repeating: 0x50, count: 24)
    // Updates of the window count, too, and those of the connection and of closed streams do not.
    for index in 0..<20 {
      bytes += Self.frame(Int.random(in: 0..<300, using: &generator), stream: index < 10 ? 1 : 0x8000_0003)
      bytes += Self.frame(4, stream: 0, type: 8) + Self.frame(4, stream: 5, type: 8)
    }
    while !bytes.isEmpty {
      let count = Int.random(in: 1...min(40, bytes.count), using: &generator)
      unread.note(ByteBuffer(bytes: bytes.prefix(count)))
      bytes.removeFirst(count)
      #expect(unread.areWithinLimit())
    }
    unread.take(1)
    unread.note(ByteBuffer(bytes: Self.frame(4, stream: 1, type: 8)))
    #expect(unread.areWithinLimit())
    unread.note(ByteBuffer(bytes: Self.frame(4, stream: 3, type: 8)))
    #expect(!unread.areWithinLimit())
    // They may be taken until the question is asked.
    unread.take(3)
    for _ in 0..<30 { unread.note(ByteBuffer(bytes: Self.frame(0, stream: 3))) }
    unread.take(3)
    #expect(unread.areWithinLimit())
  }

  // MARK: Connections

  /// A peer that fills the window of a stream with tiny frames, which nobody reads, loses its connection.
  @Test func tinyUnreadFramesEndTheConnection() async throws {
    let (gate, opening) = AsyncStream<Void>.makeStream()
    try await withHTTP2Server({ _ in WaitingHandler(gate) }) { _, connection in
      let stream = try await connection.request(method: "POST")
      // The window would take them all.
      var count = 0
      while count < 100_000, (try? await stream.send([1])) != nil { count += 1 }
      #expect(count < 100_000)
      opening.finish()
    }
  }

  /// As many bytes in large frames wait until they are read, and so do a few tiny ones.
  @Test func unreadDataWaits() async throws {
    let (gate, opening) = AsyncStream<Void>.makeStream()
    try await withHTTP2Server({ _ in WaitingHandler(gate) }) { _, connection in
      let stream = try await connection.request(method: "POST")
      for _ in 0..<500 { try await stream.send([1]) }
      try await stream.send([UInt8](repeating: 1, count: 250_000), isLast: true)
      try await stream.flush()
      opening.finish()
      #expect(try await stream.head().status == 200)
      #expect(try await stream.body() == Array("250500".utf8))
    }
  }

  /// Updates of the window during a response do not pile up, although nobody reads the request, which has ended.
  @Test func updatesOfTheWindowArePassedBy() async throws {
    var limits = HTTP2Limits.client
    limits.streamWindow = 1_000
    try await withHTTP2Server(clientLimits: limits, { _ in LargeHandler() }) { _, connection in
      let stream = try await connection.request(method: "POST", isWhole: true)
      #expect(try await stream.head().status == 200)
      var count = 0
      while let part = try await stream.read() { count += part.count }
      #expect(count == LargeHandler.size && connection.isOpen)
    }
  }
}
