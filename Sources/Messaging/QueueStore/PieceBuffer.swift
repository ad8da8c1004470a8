/// A buffer that is written in whole blocks, which a disk can take without a copy.
struct PieceBuffer: ~Copyable {
  /// The alignment of offsets, sizes and memory that direct writes require.
  static let blockSize = 4_096

  private var memory: UnsafeMutableRawBufferPointer
  /// The number of bytes added.
  private(set) var count = 0

  init() { memory = Self.allocate(blocks: 16) }

  deinit { memory.deallocate() }

  /// The added bytes, filled up with zeros to the end of the last block.
  var blocks: RawSpan {
    @_lifetime(borrow self)
    borrowing get {
      let size = Self.roundedUp(count)
      // The block in progress always has room.
      UnsafeMutableRawBufferPointer(rebasing: memory[count..<size]).initializeMemory(as: UInt8.self, repeating: 0)
      return _overrideLifetime(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(memory)[..<size]), borrowing: self)
    }
  }

  /// The added bytes from an offset on; empty where there are fewer.
  @_lifetime(borrow self)
  func bytes(from offset: Int) -> RawSpan {
    let start = min(max(offset, 0), count)
    return _overrideLifetime(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(memory)[start..<count]), borrowing: self)
  }

  mutating func append(_ byte: UInt8) {
    makeRoom(for: 1)
    memory[count] = byte
    count += 1
  }

  /// Adds a number, little-endian.
  mutating func append(_ number: UInt64) {
    makeRoom(for: 8)
    memory.storeBytes(of: number.littleEndian, toByteOffset: count, as: UInt64.self)
    count += 8
  }

  mutating func append(_ bytes: [UInt8]) {
    makeRoom(for: bytes.count)
    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyBytes(from: bytes)
    count += bytes.count
  }

  /// Replaces a number that was added.
  mutating func set(_ number: UInt64, at offset: Int) {
    guard offset >= 0, offset <= count - 8 else { return }
    memory.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// Empties the buffer, and releases its memory after an unusually long piece.
  mutating func removeAll() {
    count = 0
    guard memory.count > 4 << 20 else { return }
    memory.deallocate()
    memory = Self.allocate(blocks: 16)
  }

  /// The next multiple of a block's size.
  static func roundedUp(_ offset: Int) -> Int { (offset + blockSize - 1) / blockSize * blockSize }

  private mutating func makeRoom(for more: Int) {
    guard memory.count - count < more else { return }
    let larger = Self.allocate(blocks: max(memory.count * 2, count + more) / Self.blockSize + 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(memory)[..<count].rebased)
    memory.deallocate()
    memory = larger
  }

  private static func allocate(blocks: Int) -> UnsafeMutableRawBufferPointer {
    .allocate(byteCount: blocks * blockSize, alignment: blockSize)
  }
}

extension Slice<UnsafeRawBufferPointer> {
  fileprivate var rebased: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self) }
}
