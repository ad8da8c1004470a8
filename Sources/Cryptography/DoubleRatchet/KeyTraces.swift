import SNTRUP761
import SimplexCrypto

// For checks that no key is used twice: hashes that identify keys without revealing them.

extension MessageSealer {
  /// Identifies the key of a message.
  package var keyTrace: [UInt8] { HashFunction.sha256.digest(of: key.secret.bytes) }
}

extension Ratchet {
  /// Identifies the keys that a sending chain depends on.
  package struct ChainTrace: Hashable, Sendable {
    /// The ratchet key of the side: each chain has its own.
    package var ratchetKey: [UInt8]
    /// The KEM's public key in the headers of the chain.
    package var kemKey: [UInt8]?
    /// The secret that was encapsulated to the peer, in the headers of the chain.
    package var ciphertext: [UInt8]?
  }

  /// The chain of messages to send; nil before there is one.
  package var sendingTrace: ChainTrace? {
    guard sending != nil else { return nil }
    let sha256 = HashFunction.sha256
    return ChainTrace(
      ratchetKey: sha256.digest(of: ownKey.publicKey.rawBytes),
      kemKey: kem.map { sha256.digest(of: $0.secretKey.publicKey.rawBytes) },
      ciphertext: kem?.ciphertext.map { sha256.digest(of: $0.rawBytes) })
  }
}
