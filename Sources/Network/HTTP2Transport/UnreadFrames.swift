import NIOCore

/// Counts the frames of each stream of a connection that its handler has not taken, and limits their number.
///
/// Until then the network library keeps each frame by itself, with some hundred bytes. Flow control limits the bytes of
/// data alone: without this a peer that sends them one by one could fill the memory, and with frames that are no data,
/// such as updates of the window, to any extent. Used on the event loop of the connection only.
final class UnreadFrames {
  private let limit: Int
  /// The frames of open streams since something was taken.
  private var counts: [Int: Int] = [:]
  /// Streams that were above the limit since it was last asked for.
  private var suspects: [Int] = []
  private var heads: FrameHeads

  /// - Parameter isServer: whether the peer begins with the preface of clients.
  init(limit: Int, isServer: Bool) {
    self.limit = limit
    heads = FrameHeads(skipping: isServer ? FrameHeads.prefaceSize : 0)
  }

  /// A stream begins.
  func open(_ stream: Int) { counts[stream] = 0 }

  /// A stream has taken everything.
  func take(_ stream: Int) { counts.updateValue(0, ifPresent: stream) }

  /// A stream has ended.
  func close(_ stream: Int) { counts[stream] = nil }

  /// Counts the frames that begin in received bytes, which the streams have already.
  func note(_ bytes: ByteBuffer) {
    bytes.withUnsafeReadableBytes { bytes in
      heads.read(bytes) { stream in
        guard let count = counts[stream] else { return }
        counts[stream] = count + 1
        if count == limit { suspects.append(stream) }
      }
    }
  }

  /// Whether no stream has more frames than the limit. Asked when those have taken frames that wait for them.
  func areWithinLimit() -> Bool {
    defer { suspects.removeAll() }
    return suspects.allSatisfy { counts[$0, default: 0] <= limit }
  }
}

extension [Int: Int] {
  fileprivate mutating func updateValue(_ value: Int, ifPresent key: Int) {
    if let index = index(forKey: key) { values[index] = value }
  }
}

/// The heads of the frames in a sequence of bytes, RFC 9113 section 4.1.
struct FrameHeads {
  /// The size of what a client sends before its first frame, section 3.4.
  static let prefaceSize = 24
  private static let headSize = 9
  /// The first bit of the stream has no meaning.
  private static let streamMask = 0x7FFF_FFFF

  /// The bytes before the next head.
  private var skipped: Int
  /// The bytes of the head that were read.
  private var position = 0
  private var length = 0
  private var stream = 0

  init(skipping count: Int) { skipped = count }

  /// Calls `body` with the stream of each head that ends in the bytes.
  mutating func read(_ bytes: UnsafeRawBufferPointer, _ body: (Int) -> Void) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if skipped > 0 {
        let count = min(skipped, rest.count)
        rest.removeFirst(count)
        skipped -= count
        continue
      }
      guard let byte = rest.popFirst() else { return }
      switch position {
      case 0..<3: length = length << 8 | Int(byte)
      case 5..<Self.headSize: stream = stream << 8 | Int(byte)
      default: break
      }
      position += 1
      guard position == Self.headSize else { continue }
      body(stream & Self.streamMask)
      (skipped, position, length, stream) = (length, 0, 0, 0)
    }
  }
}
