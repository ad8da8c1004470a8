import SNTRUP761
import SimplexCrypto
import WireCodec

/// The public state of a side's post-quantum KEM, in the parameters of a connection and in message headers.
public enum KEMParameters: Hashable, Sendable {
  /// A key to which the other side may encapsulate a secret.
  case proposed(KEMPublicKey)
  /// A secret for the key that the other side proposed, and the key for its next one.
  case accepted(KEMCiphertext, KEMPublicKey)

  /// The key to which the other side may encapsulate.
  public var publicKey: KEMPublicKey {
    switch self {
    case .proposed(let key), .accepted(_, let key): key
    }
  }

  /// `P` and a key, or `A`, a ciphertext and a key.
  public static let codec = Codec<KEMParameters>.tagged(
    "KEM parameters",
    Alternative("P", KEMPublicKey.codec, { .proposed($0) }, { if case .proposed(let key) = $0 { key } else { nil } }),
    Alternative(
      "A", KEMCiphertext.codec.pair(KEMPublicKey.codec, separator: ""), { .accepted($0, $1) },
      { if case .accepted(let ciphertext, let key) = $0 { (ciphertext, key) } else { nil } }))
}

/// How a side takes part in post-quantum encryption when it creates the parameters of a connection.
public enum KEMUse: Hashable, Sendable {
  /// Propose a key.
  case propose
  /// Encapsulate a secret to the key that the other side proposed, and propose a key.
  case accept(KEMPublicKey)

  /// The reply of the joining side to an invitation; nil where post-quantum encryption is disabled or not possible.
  public static func reply(to invitation: E2EParameters, wantsPQ: Bool) -> KEMUse? {
    guard wantsPQ, invitation.version >= E2EVersion.postQuantum else { return nil }
    return switch invitation.kem {
    case .proposed(let key)?: .accept(key)
    default: .propose
    }
  }
}

/// The private side of ``KEMParameters``.
public enum PrivateKEMParameters: Equatable, Sendable {
  /// The key whose public half was proposed.
  case proposed(KEMSecretKey)
  /// The secret that was encapsulated, as sent and as kept, and the key for the next one.
  case accepted(KEMCiphertext, KEMSharedSecret, KEMSecretKey)

  init(_ use: KEMUse, keys: inout some RatchetKeySource) {
    let key = keys.makeKEMKey()
    switch use {
    case .propose: self = .proposed(key)
    case .accept(let peer):
      let (ciphertext, secret) = keys.encapsulate(to: peer)
      self = .accepted(ciphertext, secret, key)
    }
  }

  /// The public half, which is sent to the other side.
  public var parameters: KEMParameters {
    switch self {
    case .proposed(let key): .proposed(key.publicKey)
    case .accepted(let ciphertext, _, let key): .accepted(ciphertext, key.publicKey)
    }
  }
}
