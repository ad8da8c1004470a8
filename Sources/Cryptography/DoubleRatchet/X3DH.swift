import SNTRUP761
import SimplexCrypto

/// The private keys of ``E2EParameters``.
public struct E2EPrivateKeys: Equatable, Sendable {
  /// The private side of the first key.
  public let key1: X448.PrivateKey
  /// The private side of the second key.
  public let key2: X448.PrivateKey
  /// The private side of the KEM; nil without post-quantum encryption.
  public let kem: PrivateKEMParameters?

  public init(key1: X448.PrivateKey, key2: X448.PrivateKey, kem: PrivateKEMParameters?) {
    self.key1 = key1
    self.key2 = key2
    self.kem = kem
  }

  /// Generates the keys for one connection. `kem` is ignored below version 3.
  public init(version: UInt16, kem: KEMUse?, keys: inout some RatchetKeySource) {
    key1 = keys.makeRatchetKey()
    key2 = keys.makeRatchetKey()
    self.kem = version >= E2EVersion.postQuantum ? kem.map { PrivateKEMParameters($0, keys: &keys) } : nil
  }

  /// The public half, which is sent to the other side.
  public func parameters(version: UInt16) -> E2EParameters {
    E2EParameters(
      version: version, key1: key1.publicKey, key2: key2.publicKey,
      kem: version >= E2EVersion.postQuantum ? kem?.parameters : nil)
  }
}

/// The result of the key agreement of a new connection, the same for both sides: extended triple Diffie–Hellman with
/// X448, and the secret of the KEM if one was accepted.
struct X3DH {
  /// The first key of the joining side ‖ that of the inviting side, raw; the security code is its hash.
  let associatedData: [UInt8]
  let keys: KeyDerivation.Agreement
  /// The KEM of the new ratchet.
  let kem: KEMState?
  /// The secret of the KEM that was accepted.
  let kemSecret: KEMSharedSecret?

  /// The agreement as computed by the joining side.
  init(joining invitation: E2EParameters, with own: E2EPrivateKeys) throws(RatchetError) {
    (kem, kemSecret) = try Self.joinKEM(invitation, own.kem)
    associatedData = own.key1.publicKey.rawBytes + invitation.key1.rawBytes
    keys = KeyDerivation.agreement(
      [
        try KeyDerivation.secret(own.key2, invitation.key1),
        try KeyDerivation.secret(own.key1, invitation.key2),
        try KeyDerivation.secret(own.key2, invitation.key2),
      ] + (kemSecret.map { [$0.secret] } ?? []))
  }

  /// The agreement as computed by the inviting side from the reply.
  init(accepting reply: E2EParameters, with own: E2EPrivateKeys) throws(RatchetError) {
    (kem, kemSecret) = try Self.acceptKEM(reply, own.kem)
    associatedData = reply.key1.rawBytes + own.key1.publicKey.rawBytes
    keys = KeyDerivation.agreement(
      [
        try KeyDerivation.secret(own.key1, reply.key2),
        try KeyDerivation.secret(own.key2, reply.key1),
        try KeyDerivation.secret(own.key2, reply.key2),
      ] + (kemSecret.map { [$0.secret] } ?? []))
  }

  private static func joinKEM(
    _ invitation: E2EParameters, _ own: PrivateKEMParameters?
  ) throws(RatchetError) -> (KEMState?, KEMSharedSecret?) {
    guard invitation.version >= E2EVersion.postQuantum, let own else { return (nil, nil) }
    switch (own, invitation.kem) {
    case (.accepted(let ciphertext, let secret, let key), .proposed):
      return (KEMState(secretKey: key, ciphertext: ciphertext), secret)
    // Both sides may propose when a ratchet is renegotiated.
    case (.proposed(let key), _): return (KEMState(secretKey: key), nil)
    default: throw .unexpectedKEM
    }
  }

  private static func acceptKEM(
    _ reply: E2EParameters, _ own: PrivateKEMParameters?
  ) throws(RatchetError) -> (KEMState?, KEMSharedSecret?) {
    guard reply.version >= E2EVersion.postQuantum, case .accepted(let ciphertext, _)? = reply.kem else {
      return (nil, nil)
    }
    guard case .proposed(let key)? = own else { throw .unexpectedKEM }
    return (KEMState(secretKey: key, ciphertext: ciphertext), key.decapsulate(ciphertext))
  }
}
