import SNTRUP761
import SimplexCrypto

/// The source of the fresh keys of a ratchet.
///
/// ``FreshKeys`` generates them from randomness. A source may also return keys generated ahead of time, which removes
/// the most expensive part of a ratchet step from the path of a message, as ``FreshKeys/prepare(ratchetKeys:kemKeys:)``
/// does. No key may be returned twice.
public protocol RatchetKeySource {
  /// A new private key.
  mutating func makeRatchetKey() -> X448.PrivateKey
  /// A new key of the KEM.
  mutating func makeKEMKey() -> KEMSecretKey
  /// A new secret, encapsulated to a peer's key.
  mutating func encapsulate(to peer: KEMPublicKey) -> (ciphertext: KEMCiphertext, secret: KEMSharedSecret)
}

/// Fresh keys from a source of randomness, and a pool of keys generated ahead of time.
public struct FreshKeys<Random: RandomSource>: RatchetKeySource {
  /// The source of randomness.
  public var random: Random
  private var ratchetKeys: [X448.PrivateKey] = []
  private var kemKeys: [KEMSecretKey] = []

  /// A source with an empty pool. A copy of a source with a filled pool returns the same keys: keep one.
  public init(_ random: Random) { self.random = random }

  /// The number of keys in the pool.
  public var stock: (ratchetKeys: Int, kemKeys: Int) { (ratchetKeys.count, kemKeys.count) }

  /// Fills the pool up to these numbers of keys.
  public mutating func prepare(ratchetKeys: Int, kemKeys: Int) {
    while self.ratchetKeys.count < ratchetKeys { self.ratchetKeys.append(X448.PrivateKey(using: &random)) }
    while self.kemKeys.count < kemKeys { self.kemKeys.append(KEMKeyPair(using: &random).secretKey) }
  }

  /// A private key of the pool, or a new one.
  public mutating func makeRatchetKey() -> X448.PrivateKey {
    ratchetKeys.popLast() ?? X448.PrivateKey(using: &random)
  }

  /// A key of the pool, or a new one.
  public mutating func makeKEMKey() -> KEMSecretKey {
    kemKeys.popLast() ?? KEMKeyPair(using: &random).secretKey
  }

  /// A new secret, encapsulated to a peer's key.
  public mutating func encapsulate(to peer: KEMPublicKey) -> (ciphertext: KEMCiphertext, secret: KEMSharedSecret) {
    peer.encapsulate(using: &random)
  }
}

extension FreshKeys where Random == SystemRandom {
  /// Keys of the operating system's generator.
  public init() { self.init(SystemRandom()) }
}
