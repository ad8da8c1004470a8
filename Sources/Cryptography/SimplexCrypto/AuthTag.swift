/// A 16-byte authentication tag of AES-GCM, Poly1305 boxes and files. `==` takes constant time.
public struct AuthTag: Sendable, Equatable {
  /// The size in bytes.
  public static let size = 16

  private var low: UInt64 = 0
  private var high: UInt64 = 0

  init() {}

  init(unchecked bytes: UnsafeRawBufferPointer) {
    withUnsafeMutableBytes { $0.copyMemory(from: bytes) }
  }

  /// Takes the 16 bytes of a tag.
  /// - Throws: `invalidLength` otherwise.
  public init(_ bytes: RawSpan) throws(CryptoError) {
    try requireLength(bytes.byteCount, Self.size, of: .tag)
    bytes.withUnsafeBytes { source in withUnsafeMutableBytes { $0.copyMemory(from: source) } }
  }

  /// The tag as an array.
  public var bytes: [UInt8] { Swift.withUnsafeBytes(of: self) { [UInt8]($0) } }

  /// Calls `body` with the 16 bytes.
  public func withUnsafeBytes<Result, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> Result
  ) throws(E) -> Result {
    try Swift.withUnsafeBytes(of: self, body)
  }

  mutating func withUnsafeMutableBytes<Result, E: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Result
  ) throws(E) -> Result {
    try Swift.withUnsafeMutableBytes(of: &self, body)
  }

  /// Compares in constant time.
  public static func == (left: AuthTag, right: AuthTag) -> Bool {
    (left.low ^ right.low) | (left.high ^ right.high) == 0
  }
}
