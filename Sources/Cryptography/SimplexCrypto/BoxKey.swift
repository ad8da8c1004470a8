/// A key of the NaCl box: XSalsa20-Poly1305 with a 24-byte nonce.
///
/// The protocols use one construction both between two X25519 keys (`crypto_box`) and with a shared key (which they
/// call a secret box): the key is first hashed with HSalsa20. It is therefore **not** NaCl's `crypto_secretbox` on the
/// raw key.
///
/// A box is 16 bytes longer than its text: the tag precedes the ciphertext; in files it follows it.
public struct BoxKey: Sendable, Equatable {
  /// The size of a key in bytes.
  public static let size = 32
  /// The difference in size between a box and its text.
  public static let overhead = AuthTag.size

  /// The position of the tag of a box.
  public enum TagPlacement: Sendable {
    /// Before the ciphertext: messages and blocks.
    case first
    /// After the ciphertext: files and other long boxes, which can be written in one pass.
    case last
  }

  /// The key before hashing: an X25519 shared secret, or a symmetric key.
  public let secret: SecretBytes

  /// Takes a shared secret or symmetric key.
  /// - Throws: `invalidLength` unless it has 32 bytes.
  public init(_ secret: SecretBytes) throws(CryptoError) {
    try requireLength(secret.count, Self.size, of: .key)
    self.secret = secret
  }

  /// Takes a secret that is known to have 32 bytes.
  init(unchecked secret: SecretBytes) {
    self.secret = secret
  }

  /// Draws a symmetric key.
  public init(using random: inout some RandomSource) {
    secret = random.secret(Self.size)
  }

  // MARK: Whole boxes

  /// Encrypts a message without padding.
  public func seal(_ message: RawSpan, nonce: BoxNonce, tag placement: TagPlacement = .first) -> [UInt8] {
    [UInt8](filling: Self.overhead + message.byteCount) { box in
      message.withUnsafeBytes { seal($0, into: box, nonce: nonce, tag: placement) }
    }
  }

  /// Pads a message (``Padding``) and encrypts it; the box is 16 bytes longer than `paddedCount`.
  /// - Throws: `messageTooLong`.
  public func seal(_ message: RawSpan, paddedTo paddedCount: Int, nonce: BoxNonce) throws(CryptoError) -> [UInt8] {
    try Padding.check(messageCount: message.byteCount, paddedCount: paddedCount)
    return [UInt8](filling: Self.overhead + paddedCount) { box in
      let text = box.slice(Self.overhead..<box.count)
      Padding.write(message, into: text)
      seal(UnsafeRawBufferPointer(text), into: box, nonce: nonce, tag: .first)
    }
  }

  /// Decrypts a box.
  /// - Throws: `authenticationFailed`.
  public func open(
    _ box: RawSpan, nonce: BoxNonce, tag placement: TagPlacement = .first
  ) throws(CryptoError) -> [UInt8] {
    guard box.byteCount >= Self.overhead else { throw .authenticationFailed }
    return try box.withUnsafeBytes { (box) throws(CryptoError) in
      try [UInt8](filling: box.count - Self.overhead) { (message) throws(CryptoError) in
        try open(box, into: message, nonce: nonce, tag: placement)
      }
    }
  }

  /// Decrypts a box and removes the padding (``Padding``).
  /// - Throws: `authenticationFailed`, `invalidPadding`.
  public func openPadded(_ box: RawSpan, nonce: BoxNonce) throws(CryptoError) -> [UInt8] {
    try Padding.unpad(try open(box, nonce: nonce))
  }

  // MARK: In place

  /// Encrypts in place: the text follows 16 bytes of room for the tag.
  /// - Throws: `invalidLength` if the buffer is shorter than a tag.
  public func sealInPlace(_ box: inout MutableRawSpan, nonce: BoxNonce) throws(CryptoError) {
    try box.withUnsafeMutableBytes { (box) throws(CryptoError) in
      guard box.count >= Self.overhead else {
        throw .invalidLength(of: .output, expected: Self.overhead, actual: box.count)
      }
      seal(UnsafeRawBufferPointer(box.slice(Self.overhead..<box.count)), into: box, nonce: nonce, tag: .first)
    }
  }

  /// Decrypts in place: the text then follows the 16 bytes of the tag. A box that is not authentic is left unchanged.
  /// - Throws: `authenticationFailed`.
  public func openInPlace(_ box: inout MutableRawSpan, nonce: BoxNonce) throws(CryptoError) {
    guard box.byteCount >= Self.overhead else { throw .authenticationFailed }
    try box.withUnsafeMutableBytes { (box) throws(CryptoError) in
      try open(
        UnsafeRawBufferPointer(box), into: box.slice(Self.overhead..<box.count), nonce: nonce, tag: .first)
    }
  }

  private func seal(
    _ message: UnsafeRawBufferPointer, into box: UnsafeMutableRawBufferPointer, nonce: BoxNonce,
    tag placement: TagPlacement
  ) {
    let (ciphertext, tagRange) = placement.parts(of: box.count)
    let tag = secret.withUnsafeBytes {
      BoxCipher.seal(message, into: box.slice(ciphertext), key: $0, nonce: nonce)
    }
    tag.withUnsafeBytes { box.slice(tagRange).copyMemory(from: $0) }
  }

  private func open(
    _ box: UnsafeRawBufferPointer, into message: UnsafeMutableRawBufferPointer, nonce: BoxNonce,
    tag placement: TagPlacement
  ) throws(CryptoError) {
    let (ciphertext, tagRange) = placement.parts(of: box.count)
    let tag = AuthTag(unchecked: box.slice(tagRange))
    try secret.withUnsafeBytes { (key) throws(CryptoError) in
      try BoxCipher.open(box.slice(ciphertext), tag: tag, into: message, key: key, nonce: nonce)
    }
  }
}

extension BoxKey.TagPlacement {
  /// The ranges of ciphertext and tag in a box of `count` bytes, at least 16.
  fileprivate func parts(of count: Int) -> (ciphertext: Range<Int>, tag: Range<Int>) {
    switch self {
    case .first: (AuthTag.size..<count, 0..<AuthTag.size)
    case .last: (0..<count - AuthTag.size, count - AuthTag.size..<count)
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

extension BoxKey {
  /// The key of a hybrid box: SHA3-256 of an X25519 shared secret followed by the shared secret of a key encapsulation.
  public init(hybridOf dhSecret: SecretBytes, _ kemSecret: SecretBytes) {
    secret = SecretBytes(count: Self.size) { key in
      key.withUnsafeMutableBytes { key in
        var hash = IncrementalHash(.sha3_256)
        hash.update(dhSecret.bytes)
        hash.update(kemSecret.bytes)
        hash.finish(into: key)
      }
    }
  }
}
