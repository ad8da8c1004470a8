/// Why a cryptographic operation failed. Outside data can cause these errors only; none traps.
public enum CryptoError: Error, Hashable, Sendable {
  /// A key, nonce, initialisation vector, tag or buffer has `actual` bytes instead of the `expected` ones.
  case invalidLength(of: Operand, expected: Int, actual: Int)
  /// The bytes are not the canonical DER form of a key of the requested algorithm (SPKI or PKCS#8 v1).
  case invalidKeyEncoding
  /// The peer's public key lies in a small subgroup, so that anybody could compute the shared secret.
  case lowOrderPoint
  /// The authentication tag does not match this key, nonce and ciphertext.
  case authenticationFailed
  /// The message does not fit the padded length, or the format's limit: at most `limit` bytes fit.
  case messageTooLong(limit: Int)
  /// The padded text is shorter than its length prefix says, or the prefix is malformed.
  case invalidPadding
  /// The text form of keys or file arguments is malformed.
  case invalidText
  /// A streamed operation received more or fewer bytes than its declared size.
  case unexpectedSize(expected: Int64, actual: Int64)
  /// A file could not be opened, read or written; `code` is the system's `errno`.
  case file(operation: FileOperation, code: Int32)

  /// What had the wrong length.
  public enum Operand: Hashable, Sendable {
    case key, nonce, tag, output
  }

  /// The failed operation on a file.
  public enum FileOperation: Hashable, Sendable {
    case open, read, write
  }
}

/// Throws ``CryptoError/invalidLength(of:expected:actual:)`` unless both lengths agree.
@inline(__always)
func requireLength(_ actual: Int, _ expected: Int, of operand: CryptoError.Operand) throws(CryptoError) {
  if actual != expected { throw .invalidLength(of: operand, expected: expected, actual: actual) }
}
