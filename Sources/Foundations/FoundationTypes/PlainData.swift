/// Bytes, with the part of the interface of Foundation's `Data` that libraries here use.
@frozen
public struct PlainData: Hashable, Sendable, RandomAccessCollection {
  private let bytes: [UInt8]

  /// A copy of bytes.
  public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// The index of the first byte.
  public var startIndex: Int { 0 }
  /// The index after the last byte.
  public var endIndex: Int { bytes.count }
  /// The byte at an index.
  public subscript(position: Int) -> UInt8 { bytes[position] }

  /// Calls `body` with all bytes.
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? {
    try bytes.withContiguousStorageIfAvailable(body)
  }
}
