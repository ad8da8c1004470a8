import CSodium

/// A key of the NaCl box: XSalsa20-Poly1305 with a 24-byte nonce.
///
/// The protocols use one construction both between two X25519 keys (`crypto_box`) and with a shared key (which they call a secret
/// box): the key is first hashed with HSalsa20. It is therefore **not** NaCl's `crypto_secretbox` on the raw key.
///
/// A box is the 16-byte tag followed by the ciphertext.
public struct BoxKey: Sendable, Equatable {
  /// The size of a key in bytes.
  public static let size = 32
  /// How much longer than its text a box is.
  public static let overhead = AuthTag.size

  /// The key before hashing: an X25519 shared secret, or a symmetric key.
  public let secret: SecretBytes

  /// Takes a shared secret or symmetric key.
  /// - Throws: `invalidLength` unless it has 32 bytes.
  public init(_ secret: SecretBytes) throws(CryptoError) {
    try requireLength(secret.count, Self.size, of: .key)
    self.secret = secret
  }

  /// Draws a symmetric key.
  public init(using random: inout some RandomSource) {
    secret = random.secret(Self.size)
  }

  // MARK: Whole boxes

  /// Encrypts a message as it is.
  public func seal(_ message: RawSpan, nonce: BoxNonce) -> [UInt8] {
    [UInt8](filling: Self.overhead + message.byteCount) { box in
      message.withUnsafeBytes { seal($0, into: box, nonce: nonce) }
    }
  }

  /// Pads a message and encrypts it; the box is 16 bytes longer than `paddedCount`.
  /// - Throws: `messageTooLong`.
  public func seal(_ message: RawSpan, paddedTo paddedCount: Int, nonce: BoxNonce) throws(CryptoError) -> [UInt8] {
    try Padding.check(messageCount: message.byteCount, paddedCount: paddedCount)
    return [UInt8](filling: Self.overhead + paddedCount) { box in
      Padding.write(message, into: box.part(Self.overhead..<box.count))
      sealInPlace(box, nonce: nonce)
    }
  }

  /// Decrypts a box.
  /// - Throws: `authenticationFailed`.
  public func open(_ box: RawSpan, nonce: BoxNonce) throws(CryptoError) -> [UInt8] {
    guard box.byteCount >= Self.overhead else { throw .authenticationFailed }
    return try box.withUnsafeBytes { (box) throws(CryptoError) in
      try [UInt8](filling: box.count - Self.overhead) { (message) throws(CryptoError) in
        try open(box, into: message, nonce: nonce)
      }
    }
  }

  /// Decrypts a box and removes the padding.
  /// - Throws: `authenticationFailed`, `invalidPadding`.
  public func openPadded(_ box: RawSpan, nonce: BoxNonce) throws(CryptoError) -> [UInt8] {
    let padded = try open(box, nonce: nonce)
    return [UInt8](try Padding.unpad(padded.span.bytes))
  }

  // MARK: In place

  /// Encrypts in place: the text stands after 16 bytes of room for the tag.
  /// - Throws: `invalidLength` if the buffer is shorter than a tag.
  public func sealInPlace(_ box: inout MutableRawSpan, nonce: BoxNonce) throws(CryptoError) {
    try Self.checkRoom(box.byteCount)
    box.withUnsafeMutableBytes { sealInPlace($0, nonce: nonce) }
  }

  /// Decrypts in place: the text then stands after the 16 bytes of the tag. A box that is not authentic is left as it was.
  /// - Throws: `authenticationFailed`.
  public func openInPlace(_ box: inout MutableRawSpan, nonce: BoxNonce) throws(CryptoError) {
    guard box.byteCount >= Self.overhead else { throw .authenticationFailed }
    try box.withUnsafeMutableBytes { (box) throws(CryptoError) in
      try open(UnsafeRawBufferPointer(box), into: box.part(Self.overhead..<box.count), nonce: nonce)
    }
  }

  private static func checkRoom(_ count: Int) throws(CryptoError) {
    if count < overhead { throw .invalidLength(of: .output, expected: overhead, actual: count) }
  }

  private func sealInPlace(_ box: UnsafeMutableRawBufferPointer, nonce: BoxNonce) {
    seal(UnsafeRawBufferPointer(box.part(Self.overhead..<box.count)), into: box, nonce: nonce)
  }

  /// The text may stand where its ciphertext goes.
  private func seal(_ message: UnsafeRawBufferPointer, into box: UnsafeMutableRawBufferPointer, nonce: BoxNonce) {
    withHashedKey { key in
      nonce.withUnsafeBytes { nonce in
        _ = crypto_box_detached_afternm(
          box.octets + Self.overhead, box.octets, message.octets, UInt64(message.count), nonce.octets, key)
      }
    }
  }

  private func open(
    _ box: UnsafeRawBufferPointer, into message: UnsafeMutableRawBufferPointer, nonce: BoxNonce
  ) throws(CryptoError) {
    let isValid = withHashedKey { key in
      nonce.withUnsafeBytes { nonce in
        crypto_box_open_detached_afternm(
          message.octets, box.octets + Self.overhead, box.octets, UInt64(message.count), nonce.octets, key) == 0
      }
    }
    if !isValid { throw .authenticationFailed }
  }

  /// Calls `body` with HSalsa20 of the key and 16 zero bytes.
  private func withHashedKey<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    prepareSodium()
    return withWipedScratch(count: Self.size) { hashed in
      withUnsafeBytes(of: (UInt64(0), UInt64(0))) { zeros in
        secret.withUnsafeBytes { _ = crypto_core_hsalsa20(hashed.octets, zeros.octets, $0.octets, nil) }
      }
      return body(UnsafeRawBufferPointer(hashed).octets)
    }
  }
}

extension PrivateKey where Algorithm == X25519 {
  /// The key of the boxes between this key and a peer's.
  /// - Throws: `lowOrderPoint`.
  public func boxKey(with peer: PublicKey<X25519>) throws(CryptoError) -> BoxKey {
    try BoxKey(sharedSecret(with: peer))
  }
}
