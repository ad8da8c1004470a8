import SimplexCrypto
import WireCodec

/// Packs transmissions into the contents of blocks: a count of up to 255, and each transmission with a 2-byte length.
/// Source: simplex-messaging.md, "SMP Transmission and transport block structure".
///
/// Transmissions stay in order; a block is filled before the next one is begun.
public struct BlockBatch: Sendable {
  /// The size of blocks on the wire.
  public static let blockSize = 16384
  /// The longest content of a block: 2 bytes are the length in the padding, and 16 the tag of encrypted blocks, which
  /// are left free in all.
  public static let contentLimit = blockSize - 18

  private let context: SessionContext
  private var content: [UInt8] = []
  private var count = 0
  private var finished: [[UInt8]] = []

  /// Packs transmissions of a session.
  public init(_ context: SessionContext) { self.context = context }

  /// Adds what `write` writes as one transmission.
  /// - Throws: ``WireError/Kind/tooLong(limit:)`` where it does not fit a block; then nothing was added.
  public mutating func add(_ write: (inout Writer) throws(WireError) -> Void) throws(WireError) {
    if content.isEmpty { content = Self.emptyContent }
    let start = content.count
    var writer = Writer(reusing: content, version: context.version)
    content = []
    do throws(WireError) {
      try writer.sized(UInt16.self, write)
      content = writer.finish()
      guard content.count - start < Self.contentLimit else { throw WireError(.tooLong(limit: Self.contentLimit - 3)) }
    } catch {
      if content.isEmpty { content = writer.finish() }
      content.removeSubrange(start...)
      throw error
    }
    if content.count > Self.contentLimit || count == 255 { moveToNewBlock(from: start) }
    count += 1
    content[0] = UInt8(count)
  }

  /// The contents of all blocks; the batch is empty afterwards.
  public mutating func take() -> [[UInt8]] {
    if count > 0 { finished.append(content) }
    let blocks = finished
    finished = []
    content = []
    count = 0
    return blocks
  }

  /// Whether nothing was added.
  public var isEmpty: Bool { count == 0 && finished.isEmpty }

  private mutating func moveToNewBlock(from start: Int) {
    let next = Self.emptyContent + content[start...]
    content.removeSubrange(start...)
    finished.append(content)
    content = next
    count = 0
  }

  private static var emptyContent: [UInt8] {
    var content: [UInt8] = []
    content.reserveCapacity(blockSize)
    content.append(0)
    return content
  }
}
