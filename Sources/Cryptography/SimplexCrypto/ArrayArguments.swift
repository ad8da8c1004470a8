// Overloads for callers that have whole arrays and no span at hand. No bytes are copied.

extension PublicKey {
  /// Takes a raw key.
  /// - Throws: `invalidLength` if the size is not the algorithm's.
  public init(rawBytes: [UInt8]) throws(CryptoError) { try self.init(rawBytes: rawBytes.span.bytes) }

  /// Reads the SubjectPublicKeyInfo DER form (RFC 8410).
  /// - Throws: `invalidKeyEncoding` unless `der` is exactly such a key of this algorithm.
  public init(der: [UInt8]) throws(CryptoError) { try self.init(der: der.span.bytes) }
}

extension PrivateKey {
  /// Reads the PKCS#8 version 1 DER form (RFC 8410).
  /// - Throws: `invalidKeyEncoding` unless `der` is exactly such a key of this algorithm.
  public init(der: [UInt8]) throws(CryptoError) { try self.init(der: der.span.bytes) }
}

extension PrivateKey where Algorithm: SignatureAlgorithm {
  /// Signs a message.
  public func signature(of message: [UInt8]) -> [UInt8] { signature(of: message.span.bytes) }
}

extension PublicKey where Algorithm: SignatureAlgorithm {
  /// Whether `signature` is this key's signature of `message`. A signature of a wrong size is not.
  public func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    isValid(signature.span.bytes, of: message.span.bytes)
  }
}

extension AnyPublicKey {
  /// Reads the SubjectPublicKeyInfo DER form of any of the four algorithms.
  /// - Throws: `invalidKeyEncoding`.
  public init(der: [UInt8]) throws(CryptoError) { try self.init(der: der.span.bytes) }
}

extension AuthTag {
  /// Takes the 16 bytes of a tag.
  /// - Throws: `invalidLength` otherwise.
  public init(_ bytes: [UInt8]) throws(CryptoError) { try self.init(bytes.span.bytes) }
}

extension BoxNonce {
  /// Takes the 24 bytes of a nonce.
  /// - Throws: `invalidLength` otherwise.
  public init(_ bytes: [UInt8]) throws(CryptoError) { try self.init(bytes.span.bytes) }

  /// A nonce from any bytes: the first 24, filled up with zeros.
  public init(fitting bytes: [UInt8]) { self.init(fitting: bytes.span.bytes) }
}

extension BoxKey {
  /// Encrypts a message without padding.
  public func seal(_ message: [UInt8], nonce: BoxNonce, tag placement: TagPlacement = .first) -> [UInt8] {
    seal(message.span.bytes, nonce: nonce, tag: placement)
  }

  /// Pads a message and encrypts it; the box is 16 bytes longer than `paddedCount`.
  /// - Throws: `messageTooLong`.
  public func seal(_ message: [UInt8], paddedTo paddedCount: Int, nonce: BoxNonce) throws(CryptoError) -> [UInt8] {
    try seal(message.span.bytes, paddedTo: paddedCount, nonce: nonce)
  }

  /// Decrypts a box.
  /// - Throws: `authenticationFailed`.
  public func open(
    _ box: [UInt8], nonce: BoxNonce, tag placement: TagPlacement = .first
  ) throws(CryptoError) -> [UInt8] {
    try open(box.span.bytes, nonce: nonce, tag: placement)
  }

  /// Decrypts a box and removes the padding.
  /// - Throws: `authenticationFailed`, `invalidPadding`.
  public func openPadded(_ box: [UInt8], nonce: BoxNonce) throws(CryptoError) -> [UInt8] {
    try openPadded(box.span.bytes, nonce: nonce)
  }
}

extension BoxKey {
  /// Authorizes a command; see ``authenticator(of:nonce:)-(RawSpan,_)``.
  public func authenticator(of command: [UInt8], nonce: BoxNonce) -> [UInt8] {
    authenticator(of: command.span.bytes, nonce: nonce)
  }

  /// Whether `authenticator` authorizes the command; false for one of a wrong size.
  public func isValid(_ authenticator: [UInt8], of command: [UInt8], nonce: BoxNonce) -> Bool {
    isValid(authenticator.span.bytes, of: command.span.bytes, nonce: nonce)
  }
}

extension HashFunction {
  /// Hashes `bytes`.
  public func digest(of bytes: [UInt8]) -> [UInt8] { digest(of: bytes.span.bytes) }
}

extension IncrementalHash {
  /// Appends a part.
  public mutating func update(_ bytes: [UInt8]) { update(bytes.span.bytes) }
}

extension Padding {
  /// Pads a message into a new array.
  /// - Throws: `messageTooLong`.
  public static func pad(_ message: [UInt8], to paddedCount: Int) throws(CryptoError) -> [UInt8] {
    try pad(message.span.bytes, to: paddedCount)
  }

  /// The message in padded text.
  /// - Throws: `invalidPadding` if the text is shorter than its prefix says.
  public static func unpad(_ padded: [UInt8]) throws(CryptoError) -> [UInt8] {
    [UInt8](padded[try messageRange(in: padded.span.bytes)])
  }
}

/// Whether two byte sequences are equal, in time that depends on their lengths only.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  constantTimeEqual(left.span.bytes, right.span.bytes)
}
