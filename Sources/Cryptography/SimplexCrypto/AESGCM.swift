/// AES-256-GCM (NIST SP 800-38D): the ratchet's encryption, with 16-byte initialisation vectors, and that of WebRTC
/// frames, with 12-byte ones. Messages are not padded here; the ratchet pads them first (``Padding``).
public enum AESGCM {
  /// The size of a key in bytes.
  public static let keySize = 32
  /// The size of the ratchet's initialisation vectors in bytes.
  public static let ratchetIVSize = 16
  /// The size of a WebRTC frame's initialisation vector in bytes.
  public static let frameIVSize = 12

  /// Encrypts `buffer` in place and authenticates it together with `authenticated`.
  /// - Parameters:
  ///   - key: 32 bytes.
  ///   - iv: 12 or 16 bytes, never used twice with a key.
  /// - Throws: `invalidLength` for the key or the vector.
  public static func seal(
    inPlace buffer: inout MutableRawSpan, key: RawSpan, iv: RawSpan, authenticating authenticated: RawSpan = RawSpan()
  ) throws(CryptoError) -> AuthTag {
    try CipherOperation.seal(.aes256GCM, inPlace: &buffer, key: key, iv: iv, authenticating: authenticated)
  }

  /// Decrypts `buffer` in place. When the tag does not match, the buffer is wiped.
  /// - Throws: `authenticationFailed`; `invalidLength` for the key or the vector.
  public static func open(
    inPlace buffer: inout MutableRawSpan, tag: AuthTag, key: RawSpan, iv: RawSpan,
    authenticating authenticated: RawSpan = RawSpan()
  ) throws(CryptoError) {
    try CipherOperation.open(.aes256GCM, inPlace: &buffer, tag: tag, key: key, iv: iv, authenticating: authenticated)
  }

  /// Decrypts `ciphertext` into a new array of its size.
  /// - Throws: `authenticationFailed`; `invalidLength` for the key or the vector.
  public static func open(
    _ ciphertext: RawSpan, tag: AuthTag, key: RawSpan, iv: RawSpan, authenticating authenticated: RawSpan = RawSpan()
  ) throws(CryptoError) -> [UInt8] {
    try ciphertext.withUnsafeBytes { (ciphertext) throws(CryptoError) in
      try [UInt8](filling: ciphertext.count) { (output) throws(CryptoError) in
        try CipherOperation.open(
          .aes256GCM, ciphertext, into: output, tag: tag, key: key, iv: iv, authenticating: authenticated)
      }
    }
  }
}
