import SNTRUP761
import SimplexCrypto
import SimplexTesting
import Testing

@Suite("Decapsulation agrees with the reference implementation")
struct KEMVectorTests {
  static let vectors = (try? Vectors.load("sntrup761.json").elements("vectors")) ?? []

  @Test func vectorsArePresent() {
    #expect(Self.vectors.count == 10)
  }

  @Test(arguments: vectors)
  func decapsulates(_ vector: Golden) throws {
    let secretKey = try KEMSecretKey(secret: SecretBytes(vector.hex("secretKey")))
    let ciphertext = try KEMCiphertext(rawBytes: vector.hex("ciphertext"))
    #expect(secretKey.publicKey == (try KEMPublicKey(rawBytes: vector.hex("publicKey"))))
    #expect(secretKey.decapsulate(ciphertext).secret == SecretBytes(try vector.hex("sharedSecret")))
  }

  @Test("A tampered ciphertext gives a secret of its own", arguments: vectors)
  func rejectsImplicitly(_ vector: Golden) throws {
    let secretKey = try KEMSecretKey(secret: SecretBytes(vector.hex("secretKey")))
    let tampered = try vector.elements("tampered")
    #expect(tampered.count == 4)
    for change in tampered {
      var bytes = try vector.hex("ciphertext")
      bytes[try change.int("changedByteIndex")] = try #require(try change.hex("changedByte").first)
      let secret = secretKey.decapsulate(try KEMCiphertext(rawBytes: bytes))
      #expect(secret.secret == SecretBytes(try change.hex("sharedSecret")))
    }
  }
}
