import SimplexCrypto
import WireCodec

/// Packs transmissions into the contents of blocks: a count of up to 255, and each transmission with a 2-byte length.
/// Without batches each transmission is the content of a block. Source: simplex-messaging.md, "SMP Transmission and
/// transport block structure".
///
/// Transmissions stay in order; a block is filled before the next one is begun.
public struct BlockBatch: Sendable {
  /// The size of the blocks of relays on the wire.
  public static let blockSize = 16384
  /// The longest content of a block of a relay: 2 bytes are the length in the padding, and 16 the tag of encrypted
  /// blocks, which are always reserved.
  public static let contentLimit = blockSize - room
  /// The bytes reserved before each content, so that it becomes a block in place.
  static let room = BoxKey.overhead + Padding.prefixSize

  private let context: SessionContext
  /// The size of the blocks of this session.
  private let size: Int
  /// The content of the current block, after the reserved bytes; or nothing.
  private var content: [UInt8] = []
  private var count = 0
  /// The contents of full blocks, each after the reserved bytes.
  private var finished: [[UInt8]] = []

  /// Packs transmissions of a session.
  public init(_ context: SessionContext) {
    self.context = context
    size = context.form.blockSize
  }

  /// Adds what `write` writes as one transmission.
  /// - Throws: `WireError.Kind.tooLong(limit:)` where it does not fit a block; then nothing was added.
  public mutating func add(_ write: (inout Writer) throws(WireError) -> Void) throws(WireError) {
    guard context.form.isBatched else { return try addAlone(write) }
    if content.isEmpty { content = emptyContent }
    let start = content.count
    var writer = Writer(reusing: content, version: context.version)
    content = []
    do throws(WireError) {
      try writer.sized(UInt16.self, write)
      let limit = size - Self.room
      guard writer.count - start < limit else { throw WireError(.tooLong(limit: limit - 3)) }
    } catch {
      writer.removeAll(from: start)
      content = writer.finish()
      throw error
    }
    content = writer.finish()
    if content.count > size || count == 255 { moveToNewBlock(from: start) }
    count += 1
    content[Self.room] = UInt8(count)
  }

  /// Adds a transmission as the content of a block, which is not encrypted.
  private mutating func addAlone(_ write: (inout Writer) throws(WireError) -> Void) throws(WireError) {
    var writer = Writer(version: context.version, capacity: size)
    for _ in 0..<Self.room { writer.append(0) }
    try write(&writer)
    let limit = size - Padding.prefixSize
    guard writer.count - Self.room <= limit else { throw WireError(.tooLong(limit: limit)) }
    finished.append(writer.finish())
  }

  /// The contents of all blocks; the batch is empty afterwards.
  public mutating func take() -> [[UInt8]] { takeFilled().map { Array($0[Self.room...]) } }

  /// All blocks, sealed; the batch is empty afterwards.
  /// - Throws: `messageTooLong`, which does not happen.
  public mutating func takeBlocks(sealing: inout BlockSealing) throws(CryptoError) -> [[UInt8]] {
    var blocks: [[UInt8]] = []
    for content in takeFilled() { blocks.append(try sealing.seal(afterRoom: content, blockSize: size)) }
    return blocks
  }

  private mutating func takeFilled() -> [[UInt8]] {
    if count > 0 { finished.append(content) }
    let filled = finished
    finished = []
    content = []
    count = 0
    return filled
  }

  /// Whether the batch is empty.
  public var isEmpty: Bool { count == 0 && finished.isEmpty }

  private mutating func moveToNewBlock(from start: Int) {
    var next = emptyContent
    next.append(contentsOf: content[start...])
    content.removeSubrange(start...)
    finished.append(content)
    content = next
    count = 0
  }

  private var emptyContent: [UInt8] {
    var content: [UInt8] = []
    content.reserveCapacity(size)
    for _ in 0...Self.room { content.append(0) }
    return content
  }
}
