/// A 24-byte nonce of a NaCl box.
public struct BoxNonce: Hashable, Sendable {
  /// The size in bytes.
  public static let size = 24

  private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)

  /// Takes the 24 bytes of a nonce.
  /// - Throws: `invalidLength` otherwise.
  public init(_ bytes: RawSpan) throws(CryptoError) {
    try requireLength(bytes.byteCount, Self.size, of: .nonce)
    self.init(fitting: bytes)
  }

  /// A nonce from any bytes: the first 24, filled up with zeros. Message identifiers and texts become nonces in this
  /// way.
  public init(fitting bytes: RawSpan) {
    bytes.withUnsafeBytes { source in
      withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: source.slice(0..<min(source.count, Self.size))) }
    }
  }

  /// Draws a nonce.
  public init(using random: inout some RandomSource) {
    withUnsafeMutableBytes(of: &words) { random.fill($0) }
  }

  /// The nonce with its bytes in reverse order, which encrypts the response to a proxied command.
  public var reversed: BoxNonce {
    var result = self
    result.words = (words.2.byteSwapped, words.1.byteSwapped, words.0.byteSwapped)
    return result
  }

  /// The nonce as an array.
  public var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

  /// Calls `body` with the 24 bytes.
  public func withUnsafeBytes<Result, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> Result
  ) throws(E) -> Result {
    try Swift.withUnsafeBytes(of: words, body)
  }

  /// Whether the bytes are equal. Nonces are not secret.
  public static func == (left: BoxNonce, right: BoxNonce) -> Bool { left.words == right.words }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
