import SimplexCrypto
import WireCodec

/// A session key of a relay or of a service, with the certificates of the party whose key signed it. Source:
/// simplex-messaging.md, "Transport handshake".
///
/// What is read is not verified yet: ``SignedKey/isSigned(by:)`` with the key of the first certificate.
public struct CertifiedKey: Hashable, Sendable {
  /// The certificates as DER, the leaf first.
  public var certificates: [[UInt8]]
  /// The key.
  public var key: SignedKey

  public init(certificates: [[UInt8]], key: SignedKey) {
    self.certificates = certificates
    self.key = key
  }

  /// The certificates, each with a 2-byte length, after a 1-byte count; then the key with a 2-byte length.
  public static let codec = Codec<CertifiedKey>.record(
    Field("certificates", \.certificates, Codec<[UInt8]>.large.nonEmptyList),
    Field("key", \.key, SignedKey.codec.inLarge),
    build: { CertifiedKey(certificates: $0, key: $1) })
}

/// A public key in the X.509 SIGNED form: the key, the algorithm of the signature, and the signature. With the
/// algorithms in use (RFC 8410) all lengths are fixed, so that decoding compares bytes.
public struct SignedKey: Hashable, Sendable {
  /// The key: X25519 of relays, Ed25519 of services.
  public let key: AnyPublicKey
  /// The signature of the key: 64 bytes with Ed25519, 114 with Ed448.
  public let signature: [UInt8]

  /// Signs a key: `sign` returns the signature of its argument by the certificate's key. Nil unless the signature has
  /// the size of a supported algorithm.
  ///
  /// The signed data is not the key's DER itself, but a SEQUENCE that contains only the key.
  public init?<E: Error>(signing key: AnyPublicKey, _ sign: ([UInt8]) throws(E) -> [UInt8]) throws(E) {
    self.init(key: key, signature: try sign(Self.signedBytes(of: key)))
  }

  private init?(key: AnyPublicKey, signature: [UInt8]) {
    guard Self.algorithm(ofSignature: signature.count) != nil else { return nil }
    self.key = key
    self.signature = signature
  }

  private static func signedBytes(of key: AnyPublicKey) -> [UInt8] {
    let der = key.der
    // The longest key has 69 bytes.
    return [sequenceTag, UInt8(der.count)] + der
  }

  /// Whether the owner of `signer` signed the key.
  public func isSigned(by signer: AnyPublicKey) -> Bool {
    let bytes = Self.signedBytes(of: key)
    return switch signer {
    case .ed25519(let signer): signer.isValid(signature.span.bytes, of: bytes.span.bytes)
    case .ed448(let signer): signer.isValid(signature.span.bytes, of: bytes.span.bytes)
    case .x25519, .x448: false
    }
  }

  /// The DER of the structure.
  public static let codec = Codec<SignedKey>(
    decode: { (reader) throws(WireError) -> SignedKey in
      let start = reader.offset
      var body = try sequence(&reader)
      var signed = try sequence(&body)
      guard let key = try? AnyPublicKey(der: signed.restSpan()) else {
        throw WireError(.expected("a public key in DER"), offset: start)
      }
      guard body.take(algorithmPrefix), let algorithm = try? body.byte(), body.take(bitStringTag) else {
        throw body.failure(.expected("a signature"))
      }
      let count = Int(try body.byte())
      let unusedBits = try body.byte()
      let signature = [UInt8](copying: body.restSpan())
      guard unusedBits == 0, count == signature.count + 1, Self.algorithm(ofSignature: signature.count) == algorithm,
        let result = SignedKey(key: key, signature: signature)
      else { throw body.failure(.expected("a signature of Ed25519 or Ed448")) }
      return result
    },
    encode: { (signed, writer) throws(WireError) in writer.append(signed.der) })

  /// The DER of the structure.
  public var der: [UInt8] {
    let algorithm = Self.algorithm(ofSignature: signature.count) ?? 0
    let body =
      Self.signedBytes(of: key) + [0x30, 5, 6, 3, 0x2b, 0x65, algorithm] + [3, UInt8(signature.count + 1), 0]
      + signature
    // The longest body has 195 bytes.
    return (body.count < 128 ? [Self.sequenceTag] : [Self.sequenceTag, 0x81]) + [UInt8(body.count)] + body
  }

  private static let sequenceTag: UInt8 = 0x30
  private static let algorithmPrefix: StaticString = "\u{30}\u{05}\u{06}\u{03}\u{2b}\u{65}"
  private static let bitStringTag: StaticString = "\u{03}"

  /// The last byte of the signature algorithm's object identifier; nil for other sizes.
  private static func algorithm(ofSignature count: Int) -> UInt8? {
    switch count {
    case Ed25519.signatureSize: KeyAlgorithmIdentifier.ed25519.rawValue
    case Ed448.signatureSize: KeyAlgorithmIdentifier.ed448.rawValue
    default: nil
    }
  }

  /// A reader of the content of the next SEQUENCE, of up to 255 bytes.
  @_lifetime(copy reader) @_lifetime(reader: copy reader)
  private static func sequence(_ reader: inout Reader) throws(WireError) -> Reader {
    guard try reader.byte() == sequenceTag else { throw reader.failure(.expected("a SEQUENCE")) }
    var count = try reader.byte()
    let isLong = count == 0x81
    if isLong { count = try reader.byte() }
    guard isLong == (count >= 0x80) else { throw reader.failure(.expected("a DER length")) }
    return try reader.nested(Int(count))
  }
}
