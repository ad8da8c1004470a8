import NIOCore

/// What a stream has received and nobody has taken, in order.
///
/// A part of data is a slice of a larger buffer, which exists as long as the part. Small parts, and those of much
/// larger buffers, are copied together; others are kept as they are. So data takes at most about 16 times the memory of
/// its bytes, however a peer cuts it.
struct ReceivedParts {
  private enum Arrival {
    case head(HTTP2Head)
    case data(ByteBuffer)
  }

  /// Parts with fewer bytes are copied.
  static let small = 1 << 10
  /// Parts that are less than this fraction of their storage are copied.
  private static let fraction = 16
  /// The bytes that are copied together; no more, because a buffer that grows is copied itself.
  private static let joinedLimit = 64 << 10

  private var arrivals = CircularBuffer<Arrival>()
  /// The small parts after all of them.
  private var joined = ByteBuffer()
  /// The bytes of data.
  private(set) var count = 0

  /// Whether a head is next.
  var beginsWithHead: Bool { if case .head = arrivals.first { true } else { false } }

  mutating func append(_ head: HTTP2Head) {
    endJoining()
    arrivals.append(.head(head))
  }

  mutating func append(_ data: ByteBuffer) {
    let size = data.readableBytes
    count += size
    guard size < Self.small || size < data.storageCapacity / Self.fraction else {
      endJoining()
      return arrivals.append(.data(data))
    }
    if joined.readableBytes + size > Self.joinedLimit { endJoining() }
    joined.writeImmutableBuffer(data)
  }

  private mutating func endJoining() {
    guard joined.readableBytes > 0 else { return }
    arrivals.append(.data(joined))
    joined = ByteBuffer()
  }

  /// The head that is next, or the data before the next head, up to a limit, which the last buffer may exceed; nil
  /// where there is nothing.
  mutating func take(upTo limit: Int) -> HTTP2StreamHandler.Part? {
    var parts: [ByteBuffer] = []
    var taken = 0
    while taken < limit {
      if arrivals.isEmpty { endJoining() }
      guard let first = arrivals.first else { break }
      switch first {
      case .head(let head):
        if !parts.isEmpty { return .data(parts) }
        arrivals.removeFirst()
        return .head(head)
      case .data(let buffer):
        arrivals.removeFirst()
        parts.append(buffer)
        taken += buffer.readableBytes
        count -= buffer.readableBytes
      }
    }
    return parts.isEmpty ? nil : .data(parts)
  }
}
