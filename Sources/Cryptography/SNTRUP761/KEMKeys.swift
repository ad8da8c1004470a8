import SimplexCrypto

/// Why bytes were rejected.
public enum SNTRUP761Error: Error, Hashable, Sendable {
  /// A key, ciphertext or secret has `actual` bytes instead of the `expected` ones.
  case invalidLength(of: Operand, expected: Int, actual: Int)

  /// What had the wrong length.
  public enum Operand: Hashable, Sendable {
    case publicKey, secretKey, ciphertext, sharedSecret
  }

  /// Throws ``invalidLength(of:expected:actual:)`` unless both lengths agree.
  static func requireLength(_ actual: Int, _ expected: Int, of operand: Operand) throws(SNTRUP761Error) {
    if actual != expected { throw .invalidLength(of: operand, expected: expected, actual: actual) }
  }
}

/// A public key of the key encapsulation mechanism sntrup761: 1158 bytes. All byte values are acceptable.
public struct KEMPublicKey: Hashable, Sendable {
  /// The size in bytes.
  public static let byteCount = 1158
  /// The key in its wire form.
  public let rawBytes: [UInt8]

  /// A key in its wire form.
  /// - Throws: `invalidLength` unless it has 1158 bytes.
  public init(rawBytes: [UInt8]) throws(SNTRUP761Error) {
    try SNTRUP761Error.requireLength(rawBytes.count, Self.byteCount, of: .publicKey)
    self.rawBytes = rawBytes
  }

  init(unchecked rawBytes: [UInt8]) { self.rawBytes = rawBytes }
}

/// An encapsulated shared secret: 1039 bytes. All byte values are acceptable.
public struct KEMCiphertext: Hashable, Sendable {
  /// The size in bytes.
  public static let byteCount = 1039
  /// The ciphertext in its wire form.
  public let rawBytes: [UInt8]

  /// A ciphertext in its wire form.
  /// - Throws: `invalidLength` unless it has 1039 bytes.
  public init(rawBytes: [UInt8]) throws(SNTRUP761Error) {
    try SNTRUP761Error.requireLength(rawBytes.count, Self.byteCount, of: .ciphertext)
    self.rawBytes = rawBytes
  }

  init(unchecked rawBytes: [UInt8]) { self.rawBytes = rawBytes }
}

/// A secret key of sntrup761: 1763 bytes. It is wiped with the last copy, never printed, and compared in constant time.
public struct KEMSecretKey: Equatable, Sendable {
  /// The size in bytes.
  public static let byteCount = 1763
  /// The key in its stored form.
  public let secret: SecretBytes

  /// A stored key.
  /// - Throws: `invalidLength` unless it has 1763 bytes.
  public init(secret: SecretBytes) throws(SNTRUP761Error) {
    try SNTRUP761Error.requireLength(secret.count, Self.byteCount, of: .secretKey)
    self.secret = secret
  }

  init(unchecked secret: SecretBytes) { self.secret = secret }
}

/// The secret that both sides share after an encapsulation: 32 bytes. It is wiped with the last copy, never printed,
/// and compared in constant time.
public struct KEMSharedSecret: Equatable, Sendable {
  /// The size in bytes.
  public static let byteCount = 32
  /// The bytes of the secret.
  public let secret: SecretBytes

  /// A stored secret.
  /// - Throws: `invalidLength` unless it has 32 bytes.
  public init(secret: SecretBytes) throws(SNTRUP761Error) {
    try SNTRUP761Error.requireLength(secret.count, Self.byteCount, of: .sharedSecret)
    self.secret = secret
  }

  init(unchecked secret: SecretBytes) { self.secret = secret }
}

extension KEMSecretKey: CustomStringConvertible, CustomReflectable {
  /// The name of the type only.
  public var description: String { "sntrup761 secret key" }
  /// No children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension KEMSharedSecret: CustomStringConvertible, CustomReflectable {
  /// The name of the type only.
  public var description: String { "sntrup761 shared secret" }
  /// No children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
