/// ChaCha20-Poly1305 as the IETF defined it (RFC 8439).
public enum ChaCha20Poly1305 {
  /// The size of a key in bytes.
  public static let keySize = 32
  /// The size of a nonce in bytes.
  public static let nonceSize = 12

  /// Encrypts `buffer` in place and authenticates it together with `authenticated`.
  /// - Throws: `invalidLength` for the key or the nonce.
  public static func seal(
    inPlace buffer: inout MutableRawSpan, key: RawSpan, nonce: RawSpan,
    authenticating authenticated: RawSpan = RawSpan()
  ) throws(CryptoError) -> AuthTag {
    try CipherOperation.seal(.chaCha20Poly1305, inPlace: &buffer, key: key, iv: nonce, authenticating: authenticated)
  }

  /// Decrypts `buffer` in place. When the tag does not match, the buffer is wiped.
  /// - Throws: `authenticationFailed`; `invalidLength` for the key or the nonce.
  public static func open(
    inPlace buffer: inout MutableRawSpan, tag: AuthTag, key: RawSpan, nonce: RawSpan,
    authenticating authenticated: RawSpan = RawSpan()
  ) throws(CryptoError) {
    try CipherOperation.open(
      .chaCha20Poly1305, inPlace: &buffer, tag: tag, key: key, iv: nonce, authenticating: authenticated)
  }
}
