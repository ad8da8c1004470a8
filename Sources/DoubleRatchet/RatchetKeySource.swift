import SNTRUP761
import SimplexCrypto

/// Where the fresh keys of a ratchet come from.
///
/// ``FreshKeys`` makes them of randomness. A source may also hand out keys made ahead of time, which takes the most
/// expensive part of a ratchet step off the way of a message, as ``FreshKeys/prepare(ratchetKeys:kemKeys:)`` does.
/// No key may be handed out twice.
public protocol RatchetKeySource {
  /// A new private key.
  mutating func makeRatchetKey() -> X448.PrivateKey
  /// A new key of the KEM.
  mutating func makeKEMKey() -> KEMSecretKey
  /// A new secret, encapsulated to a peer's key.
  mutating func encapsulate(to peer: KEMPublicKey) -> (ciphertext: KEMCiphertext, secret: KEMSharedSecret)
}

/// Fresh keys of a source of randomness, and a stock of them that was made ahead of time.
public struct FreshKeys<Random: RandomSource>: RatchetKeySource {
  /// The source of randomness.
  public var random: Random
  private var ratchetKeys: [X448.PrivateKey] = []
  private var kemKeys: [KEMSecretKey] = []

  /// A source with an empty stock. A copy of a source with a stock hands out the same keys: keep one.
  public init(_ random: Random) { self.random = random }

  /// How many keys are in the stock.
  public var stock: (ratchetKeys: Int, kemKeys: Int) { (ratchetKeys.count, kemKeys.count) }

  /// Fills the stock up to these numbers of keys.
  public mutating func prepare(ratchetKeys: Int, kemKeys: Int) {
    while self.ratchetKeys.count < ratchetKeys { self.ratchetKeys.append(X448.PrivateKey(using: &random)) }
    while self.kemKeys.count < kemKeys { self.kemKeys.append(KEMKeyPair(using: &random).secretKey) }
  }

  /// A private key of the stock, or a new one.
  public mutating func makeRatchetKey() -> X448.PrivateKey {
    ratchetKeys.popLast() ?? X448.PrivateKey(using: &random)
  }

  /// A key of the stock, or a new one.
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
