import SNTRUP761
import SimplexCrypto

/// The post-quantum KEM on one core, with the operating system's randomness.
func kemSuite(_ bench: Bench) throws {
  var random = SystemRandom()
  let pair = KEMKeyPair(using: &random)
  let (ciphertext, _) = pair.publicKey.encapsulate(using: &random)
  bench.perSecond("key pairs", goal: 1_000, reference: 20) { blackHole(KEMKeyPair(using: &random)) }
  bench.perSecond("encapsulations", goal: 10_000, reference: 158) {
    blackHole(pair.publicKey.encapsulate(using: &random))
  }
  bench.perSecond("decapsulations", goal: 7_000, reference: 62) { blackHole(pair.secretKey.decapsulate(ciphertext)) }
}
