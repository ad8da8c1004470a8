// Runs one operation of sntrup761 or Ed25519 on secrets that were never initialized. Valgrind follows such bytes through
// all computations and reports every branch and every address that depends on one of them.
import CEd25519
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
case "sign":
  // With the library's multiplication, because valgrind has no AVX-512. The public key is not secret.
  let key = try Ed25519.PrivateKey(secret: SecretBytes([UInt8](repeating: 7, count: 32)))
  let publicKey = key.publicKey.rawBytes
  let message = [UInt8](repeating: 1, count: 100)
  var signature = [UInt8](repeating: 0, count: 64)
  let seed = undefined.bytes(32)
  seed.withUnsafeBytes { seed in
    message.withUnsafeBytes { message in
      signature.withUnsafeMutableBytes { signature in
        Ed25519.sign(message, privateKey: seed, publicKey: publicKey, into: signature)
      }
    }
  }
case "multiply":
  // The own multiplication, with a simulated vector unit.
  let memory = UnsafeMutableRawPointer.allocate(byteCount: simplex_ed25519_multiples_size(), alignment: 32)
  let table = OpaquePointer(memory)
  simplex_ed25519_portable_fill_multiples(table)
  var point = [UInt8](repeating: 0, count: 32)
  simplex_ed25519_portable_multiply_base(&point, undefined.bytes(32), table)
  memory.deallocate()
default:
  fatalError("unknown operation")
}
