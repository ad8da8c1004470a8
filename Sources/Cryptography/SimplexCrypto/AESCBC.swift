import COpenSSL

/// AES-256 in CBC mode without padding, with a key that is prepared once: the encryption of database pages.
///
/// It authenticates nothing; callers add a code over the result. Not for use by two threads at once.
public final class AESCBC {
  /// The size of a key in bytes.
  public static let keySize = 32
  /// The size of a block, and of an initialisation vector, in bytes.
  public static let blockSize = 16

  private static nonisolated(unsafe) let cipher = required(EVP_CIPHER_fetch(nil, "AES-256-CBC", nil))  // immutable

  private let encryption = required(EVP_CIPHER_CTX_new())
  private let decryption = required(EVP_CIPHER_CTX_new())

  /// Prepares a key of 32 bytes.
  /// - Throws: `invalidLength`.
  public init(key: RawSpan) throws(CryptoError) {
    try requireLength(key.byteCount, Self.keySize, of: .key)
    key.withUnsafeBytes { key in
      for (context, isEncryption) in [(encryption, Int32(1)), (decryption, 0)] {
        required(EVP_CipherInit_ex2(context, Self.cipher, key.octets, nil, isEncryption, nil) == 1)
      }
    }
  }

  deinit {
    EVP_CIPHER_CTX_free(encryption)
    EVP_CIPHER_CTX_free(decryption)
  }

  /// Encrypts whole blocks in place.
  /// - Throws: `invalidLength` where the vector is not a block or the buffer is not a whole number of blocks.
  public func encrypt(inPlace buffer: inout MutableRawSpan, iv: RawSpan) throws(CryptoError) {
    try process(&buffer, iv: iv, context: encryption)
  }

  /// Decrypts whole blocks in place.
  /// - Throws: `invalidLength` where the vector is not a block or the buffer is not a whole number of blocks.
  public func decrypt(inPlace buffer: inout MutableRawSpan, iv: RawSpan) throws(CryptoError) {
    try process(&buffer, iv: iv, context: decryption)
  }

  private func process(
    _ buffer: inout MutableRawSpan, iv: RawSpan, context: OpaquePointer
  ) throws(CryptoError) {
    try requireLength(iv.byteCount, Self.blockSize, of: .nonce)
    guard buffer.byteCount.isMultiple(of: Self.blockSize), let count = Int32(exactly: buffer.byteCount) else {
      throw .invalidLength(of: .output, expected: Self.blockSize, actual: buffer.byteCount)
    }
    iv.withUnsafeBytes { iv in
      buffer.withUnsafeMutableBytes { buffer in
        required(EVP_CipherInit_ex2(context, nil, nil, iv.octets, -1, nil) == 1)
        required(EVP_CIPHER_CTX_set_padding(context, 0) == 1)
        var written: Int32 = 0
        required(EVP_CipherUpdate(context, buffer.octets, &written, buffer.octets, count) == 1)
      }
    }
  }
}
