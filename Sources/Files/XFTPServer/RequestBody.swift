import HTTP2Transport

/// The body of a request, read in parts of any size.
struct RequestBody {
  private let stream: HTTP2Stream
  private var rest: [UInt8] = []

  init(_ stream: HTTP2Stream) { self.stream = stream }

  /// The next `count` bytes; fewer only at the end.
  mutating func read(_ count: Int) async throws(HTTP2Error) -> [UInt8] {
    while rest.count < count, let part = try await stream.read() { rest += part }
    defer { rest.removeFirst(min(count, rest.count)) }
    return Array(rest.prefix(count))
  }

  /// The next bytes, as many as have arrived; nil at the end. Of what came with bytes that were read before there may
  /// be fewer than `count`.
  mutating func readPart(atLeast count: Int) async throws(HTTP2Error) -> [UInt8]? {
    guard rest.isEmpty else {
      defer { rest = [] }
      return rest
    }
    return try await stream.read(atLeast: count)
  }
}
