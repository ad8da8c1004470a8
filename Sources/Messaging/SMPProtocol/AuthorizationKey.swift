import SimplexCrypto
import WireCodec

/// The public key with which a relay checks commands: of signatures, or (from version 7) of X25519 authenticators.
public enum AuthorizationKey: Hashable, Sendable {
  case ed25519(Ed25519.PublicKey)
  case ed448(Ed448.PublicKey)
  case x25519(X25519.PublicKey)

  /// The key; nil where its algorithm cannot authorize commands.
  public init?(_ key: AnyPublicKey) {
    switch key {
    case .ed25519(let key): self = .ed25519(key)
    case .ed448(let key): self = .ed448(key)
    case .x25519(let key): self = .x25519(key)
    case .x448: return nil
    }
  }

  /// The key as one of any algorithm.
  public var publicKey: AnyPublicKey {
    switch self {
    case .ed25519(let key): .ed25519(key)
    case .ed448(let key): .ed448(key)
    case .x25519(let key): .x25519(key)
    }
  }

  /// DER after a 1-byte length.
  public static let codec = AnyPublicKey.codec.compactMap(
    "a key of a signature or of X25519", { AuthorizationKey($0) }, \.publicKey)

  /// DER in base64url.
  public static let textCodec = AnyPublicKey.textCodec.compactMap(
    "a key of a signature or of X25519", { AuthorizationKey($0) }, \.publicKey)
}

/// The private key with which a client authorizes commands.
public enum AuthorizationPrivateKey: Equatable, Sendable {
  case ed25519(Ed25519.PrivateKey)
  case ed448(Ed448.PrivateKey)
  case x25519(X25519.PrivateKey)

  /// The public key for the relay.
  public var publicKey: AuthorizationKey {
    switch self {
    case .ed25519(let key): .ed25519(key.publicKey)
    case .ed448(let key): .ed448(key.publicKey)
    case .x25519(let key): .x25519(key.publicKey)
    }
  }
}

extension AuthorizationPrivateKey {
  /// Reads the PKCS#8 DER form of a key of any of the three algorithms; nil for anything else.
  public init?(der: [UInt8]) {
    if let key = try? Ed25519.PrivateKey(der: der) {
      self = .ed25519(key)
    } else if let key = try? X25519.PrivateKey(der: der) {
      self = .x25519(key)
    } else if let key = try? Ed448.PrivateKey(der: der) {
      self = .ed448(key)
    } else {
      return nil
    }
  }

  /// The PKCS#8 DER form.
  public var der: SecretBytes {
    switch self {
    case .ed25519(let key): key.der
    case .ed448(let key): key.der
    case .x25519(let key): key.der
    }
  }

  /// The PKCS#8 DER form in base64url. The text holds the secret.
  public static let textCodec = Codec<[UInt8]>.base64url.compactMap(
    "a private key in DER", { AuthorizationPrivateKey(der: $0) }, { [UInt8](copying: $0.der.bytes) })
}
