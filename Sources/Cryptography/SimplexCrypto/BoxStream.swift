/// One box that is encrypted or decrypted in parts of any size: files and other texts that should not be in memory as a
/// whole.
///
/// Decrypted parts are not authentic until ``finish(verifying:)`` has returned.
public struct BoxStream: ~Copyable {
  /// The direction of the operation.
  public enum Direction: Sendable {
    /// From text to ciphertext.
    case seal
    /// From ciphertext to text.
    case open
  }

  private var cipher: BoxCipher
  private let direction: Direction

  /// Starts a box.
  public init(_ direction: Direction, key: BoxKey, nonce: BoxNonce) {
    self.direction = direction
    cipher = key.secret.withUnsafeBytes { BoxCipher(key: $0, nonce: nonce) }
  }

  /// Encrypts or decrypts the next part in place.
  public mutating func process(inPlace part: inout MutableRawSpan) {
    part.withUnsafeMutableBytes { process(UnsafeRawBufferPointer($0), into: $0) }
  }

  /// Encrypts or decrypts the next part into a new array.
  public mutating func process(_ part: RawSpan) -> [UInt8] {
    part.withUnsafeBytes { part in
      [UInt8](filling: part.count) { process(part, into: $0) }
    }
  }

  mutating func process(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
    switch direction {
    case .seal:
      cipher.crypt(input, into: output)
      cipher.authenticate(UnsafeRawBufferPointer(output))
    case .open:
      cipher.authenticate(input)
      cipher.crypt(input, into: output)
    }
  }

  /// The tag of the whole box.
  public consuming func finish() -> AuthTag {
    cipher.tag()
  }

  /// Checks the tag of a box that was opened.
  /// - Throws: `authenticationFailed`; then no part of the text may be trusted.
  public consuming func finish(verifying tag: AuthTag) throws(CryptoError) {
    if cipher.tag() != tag { throw .authenticationFailed }
  }
}
