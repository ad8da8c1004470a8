// The DER forms of RFC 8410. For these algorithms each form is one fixed prefix followed by the raw key, and DER allows
// no other encoding, so encoding and decoding compare bytes instead of interpreting ASN.1.

extension KeyAlgorithmIdentifier {
  /// SubjectPublicKeyInfo: SEQUENCE { SEQUENCE { OID 1.3.101.x }, BIT STRING (no unused bits) }.
  var publicKeyPrefix: [UInt8] {
    let size = UInt8(publicKeySize)
    return [0x30, size + 10, 0x30, 5, 6, 3, 0x2b, 0x65, rawValue, 3, size + 1, 0]
  }

  /// PKCS#8 version 0: SEQUENCE { INTEGER 0, SEQUENCE { OID 1.3.101.x }, OCTET STRING { OCTET STRING } }.
  var privateKeyPrefix: [UInt8] {
    let size = UInt8(privateKeySize)
    return [0x30, size + 14, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, rawValue, 4, size + 2, 4, size]
  }
}

extension PublicKey {
  /// The SubjectPublicKeyInfo DER form (RFC 8410).
  public var der: [UInt8] { Algorithm.identifier.publicKeyPrefix + rawBytes }

  /// Reads the SubjectPublicKeyInfo DER form (RFC 8410).
  /// - Throws: `invalidKeyEncoding` unless `der` is exactly such a key of this algorithm.
  public init(der: RawSpan) throws(CryptoError) {
    let raw = try Algorithm.identifier.publicKeyPrefix.rawKey(in: der, size: Algorithm.identifier.publicKeySize)
    try self.init(rawBytes: der.extracting(raw))
  }
}

extension PrivateKey {
  /// The PKCS#8 version 1 DER form (RFC 8410), without the public key.
  public var der: SecretBytes {
    let prefix = Algorithm.identifier.privateKeyPrefix
    return SecretBytes(count: prefix.count + secret.count) { der in
      der.withUnsafeMutableBytes { der in
        der.copyBytes(from: prefix)
        secret.withUnsafeBytes { der.slice(prefix.count..<der.count).copyMemory(from: $0) }
      }
    }
  }

  /// Reads the PKCS#8 version 1 DER form (RFC 8410).
  /// - Throws: `invalidKeyEncoding` unless `der` is exactly such a key of this algorithm.
  public init(der: RawSpan) throws(CryptoError) {
    let raw = try Algorithm.identifier.privateKeyPrefix.rawKey(in: der, size: Algorithm.identifier.privateKeySize)
    try self.init(secret: SecretBytes(copying: der.extracting(raw)))
  }
}

/// A public key of the algorithm that its encoding names.
public enum AnyPublicKey: Hashable, Sendable {
  case x25519(X25519.PublicKey)
  case x448(X448.PublicKey)
  case ed25519(Ed25519.PublicKey)
  case ed448(Ed448.PublicKey)

  /// Reads the SubjectPublicKeyInfo DER form of any of the four algorithms.
  public init(der: RawSpan) throws(CryptoError) {
    guard der.byteCount > KeyAlgorithmIdentifier.oidOffset,
      let algorithm = KeyAlgorithmIdentifier(
        rawValue: der.unsafeLoad(fromByteOffset: KeyAlgorithmIdentifier.oidOffset, as: UInt8.self))
    else { throw .invalidKeyEncoding }
    switch algorithm {
    case .x25519: self = .x25519(try PublicKey(der: der))
    case .x448: self = .x448(try PublicKey(der: der))
    case .ed25519: self = .ed25519(try PublicKey(der: der))
    case .ed448: self = .ed448(try PublicKey(der: der))
    }
  }

  /// The SubjectPublicKeyInfo DER form.
  public var der: [UInt8] {
    switch self {
    case .x25519(let key): key.der
    case .x448(let key): key.der
    case .ed25519(let key): key.der
    case .ed448(let key): key.der
    }
  }
}

extension KeyAlgorithmIdentifier {
  /// The offset of the last byte of the object identifier in a SubjectPublicKeyInfo.
  fileprivate static let oidOffset = 8
}

extension [UInt8] {
  /// The range of the raw key in `der`, which must be this prefix followed by exactly `size` bytes.
  fileprivate func rawKey(in der: RawSpan, size: Int) throws(CryptoError) -> Range<Int> {
    guard der.byteCount == count + size else { throw .invalidKeyEncoding }
    let matches = der.withUnsafeBytes { $0.prefix(count).elementsEqual(self) }
    guard matches else { throw .invalidKeyEncoding }
    return count..<der.byteCount
  }
}
