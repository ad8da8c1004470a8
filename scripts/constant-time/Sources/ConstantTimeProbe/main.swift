// Runs one operation of sntrup761 on secrets that were never initialized. Valgrind follows such bytes through all
// computations and reports every branch and every address that depends on one of them.
import SNTRUP761
import SimplexCrypto

/// Random bytes that valgrind takes for undefined, after some defined ones.
struct UndefinedRandom: RandomSource {
  /// How many requests are still answered with defined bytes.
  var definedRequests = 0
  var seeded = InsecureSeededRandom(seed: 1)

  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    if definedRequests > 0 {
      definedRequests -= 1
      seeded.fill(buffer)
    } else {
      let undefined = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count, alignment: 16)
      buffer.copyMemory(from: UnsafeRawBufferPointer(undefined))
      undefined.deallocate()
    }
  }
}

var seeded = InsecureSeededRandom(seed: 2)
let pair = KEMKeyPair(using: &seeded)
let (ciphertext, _) = pair.publicKey.encapsulate(using: &seeded)
var undefined = UndefinedRandom()

switch CommandLine.arguments.dropFirst().first {
case "control":
  // Must be reported: a branch on a secret byte.
  if undefined.bytes(1)[0] > 100 { print("control") }
case "keypair":
  // The first request is for the polynomial g, whose rejection may show.
  undefined.definedRequests = 1
  _ = KEMKeyPair(using: &undefined)
case "keypair-g":
  _ = KEMKeyPair(using: &undefined)
case "encapsulate":
  _ = pair.publicKey.encapsulate(using: &undefined)
case "decapsulate":
  // f, 1/g and the rejection seed are secret; the public key and its hash, between and behind them, are not.
  let secret = SecretBytes(count: KEMSecretKey.byteCount) { span in
    span.withUnsafeMutableBytes { memory in
      undefined.fill(memory)
      pair.secretKey.secret.withUnsafeBytes { key in
        for i in Array(382..<1540) + Array(1731..<1763) { memory[i] = key[i] }
      }
    }
  }
  _ = try KEMSecretKey(secret: secret).decapsulate(ciphertext)
default:
  fatalError("unknown operation")
}
