/// Bytes, as Foundation's `Data`: what of it libraries here use, by the same names.
@frozen
public struct PlainData: Hashable, Sendable, RandomAccessCollection {
  private let bytes: [UInt8]

  /// A copy of bytes.
  public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// The place of the first byte.
  public var startIndex: Int { 0 }
  /// The place after the last byte.
  public var endIndex: Int { bytes.count }
  /// The byte at a place.
  public subscript(position: Int) -> UInt8 { bytes[position] }

  /// All bytes at once.
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? {
    try bytes.withContiguousStorageIfAvailable(body)
  }
}
