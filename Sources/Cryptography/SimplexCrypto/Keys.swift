import WireCodec

/// A curve algorithm with fixed-size keys. ``X25519``, ``X448``, ``Ed25519`` and ``Ed448`` conform to it; their keys
/// are `X448.PublicKey`, `X448.PrivateKey` and so on, and cannot be confused.
public protocol KeyAlgorithm: Sendable {
  /// Name, object identifier and sizes.
  static var identifier: KeyAlgorithmIdentifier { get }
  /// Computes the public key of a private key. Both have exactly the algorithm's sizes.
  static func derivePublicKey(privateKey: UnsafeRawBufferPointer, into publicKey: UnsafeMutableRawBufferPointer)
}

extension KeyAlgorithm {
  /// A public key of this algorithm.
  public typealias PublicKey = SimplexCrypto.PublicKey<Self>
  /// A private key of this algorithm.
  public typealias PrivateKey = SimplexCrypto.PrivateKey<Self>
}

/// The algorithms of RFC 8410, with the constants of their encodings.
public enum KeyAlgorithmIdentifier: UInt8, CaseIterable, Sendable {
  // The raw value is the last byte of the object identifier 1.3.101.x.
  case x25519 = 110
  case x448 = 111
  case ed25519 = 112
  case ed448 = 113

  /// The size of the raw public key in bytes.
  public var publicKeySize: Int { keySize }

  /// The size of the raw private key in bytes (for Ed25519 and Ed448 the seed).
  public var privateKeySize: Int { keySize }

  private var keySize: Int {
    switch self {
    case .x25519, .ed25519: 32
    case .x448: 56
    case .ed448: 57
    }
  }
}

/// A public key: raw bytes of the right size. An unusable point is detected on use.
public struct PublicKey<Algorithm: KeyAlgorithm>: Hashable, Sendable {
  /// The raw key.
  public let rawBytes: [UInt8]

  /// Takes a raw key.
  /// - Throws: `invalidLength` if the size is not the algorithm's.
  public init(rawBytes: RawSpan) throws(CryptoError) {
    try requireLength(rawBytes.byteCount, Algorithm.identifier.publicKeySize, of: .key)
    self.rawBytes = [UInt8](copying: rawBytes)
  }

  init(derivedFrom privateKey: PrivateKey<Algorithm>) {
    rawBytes = [UInt8](filling: Algorithm.identifier.publicKeySize) { publicKey in
      privateKey.secret.withUnsafeBytes { Algorithm.derivePublicKey(privateKey: $0, into: publicKey) }
    }
  }
}

/// A private key. It is zeroed with the last copy, never printed, and compared in constant time.
public struct PrivateKey<Algorithm: KeyAlgorithm>: Sendable {
  /// The raw key (for Ed25519 and Ed448 the seed).
  public let secret: SecretBytes
  let knownPublicKey: PublicKey<Algorithm>?

  /// Generates a key. Its public key is computed at once and kept.
  public init(using random: inout some RandomSource) {
    let unpaired = PrivateKey(uncheckedSecret: random.secret(Algorithm.identifier.privateKeySize))
    self.init(uncheckedSecret: unpaired.secret, publicKey: unpaired.publicKey)
  }

  /// A stored raw key.
  /// - Parameter publicKey: its public key when the caller has stored it, which avoids computing it. It is not checked.
  /// - Throws: `invalidLength` if the size is not the algorithm's.
  public init(secret: SecretBytes, publicKey: PublicKey<Algorithm>? = nil) throws(CryptoError) {
    try requireLength(secret.count, Algorithm.identifier.privateKeySize, of: .key)
    self.init(uncheckedSecret: secret, publicKey: publicKey)
  }

  private init(uncheckedSecret: SecretBytes, publicKey: PublicKey<Algorithm>? = nil) {
    secret = uncheckedSecret
    knownPublicKey = publicKey
  }

  /// The public key. A key that was read without its public key computes it at every call: keep the result.
  public var publicKey: PublicKey<Algorithm> {
    knownPublicKey ?? PublicKey(derivedFrom: self)
  }
}

extension PublicKey: CustomStringConvertible {
  /// The algorithm and the first bytes.
  public var description: String {
    let start = rawBytes.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "\(Algorithm.identifier) public key \(start)…"
  }
}

extension PrivateKey: Equatable {
  /// Compares the secrets in constant time.
  public static func == (left: PrivateKey, right: PrivateKey) -> Bool { left.secret == right.secret }
}

extension PrivateKey: CustomStringConvertible, CustomReflectable {
  /// Only the algorithm.
  public var description: String { "\(Algorithm.identifier) private key" }
  /// No children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
