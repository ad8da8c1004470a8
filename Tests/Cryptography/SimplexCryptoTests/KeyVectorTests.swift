import SimplexCrypto
import SimplexTesting
import Testing

@Suite("Keys agree with the reference implementation")
struct KeyVectorTests {
  @Test(arguments: cases("x25519"))
  func x25519(_ golden: Golden) throws { try checkAgreement(X25519.self, golden) }

  @Test(arguments: cases("x448"))
  func x448(_ golden: Golden) throws { try checkAgreement(X448.self, golden) }

  @Test(arguments: cases("ed25519"))
  func ed25519(_ golden: Golden) throws { try checkSignature(Ed25519.self, golden) }

  @Test(arguments: cases("ed448"))
  func ed448(_ golden: Golden) throws { try checkSignature(Ed448.self, golden) }

  private func checkAgreement<A: KeyAgreementAlgorithm>(_ algorithm: A.Type, _ golden: Golden) throws {
    let alice = try PrivateKey<A>(secret: golden.secret("alicePrivateKey"))
    let bob = try PrivateKey<A>(secret: golden.secret("bobPrivateKey"))
    #expect(alice.publicKey.rawBytes == (try golden.hex("alicePublicKey")))
    #expect(bob.publicKey.rawBytes == (try golden.hex("bobPublicKey")))
    try checkEncodings(alice, golden, prefix: "alice")
    try checkEncodings(bob, golden, prefix: "bob")

    let expected = try golden.secret("sharedSecret")
    #expect(try alice.sharedSecret(with: bob.publicKey) == expected)
    #expect(try bob.sharedSecret(with: alice.publicKey) == expected)
    let paired = try PrivateKey<A>(secret: alice.secret, publicKey: alice.publicKey)
    #expect(try paired.sharedSecret(with: bob.publicKey) == expected)
  }

  private func checkSignature<A: SignatureAlgorithm>(_ algorithm: A.Type, _ golden: Golden) throws {
    let key = try PrivateKey<A>(secret: golden.secret("privateKey"))
    let message = try golden.hex("message")
    let signature = try golden.hex("signature")
    #expect(key.publicKey.rawBytes == (try golden.hex("publicKey")))
    #expect(try PrivateKey<A>(der: golden.hex("privateKeyDer")) == key)
    #expect(key.der == (try golden.secret("privateKeyDer")))
    #expect(key.publicKey.der == (try golden.hex("publicKeyDer")))
    #expect(key.signature(of: message) == signature)
    #expect(key.publicKey.isValid(signature, of: message))
    #expect(!key.publicKey.isValid(signature, of: (message + [0])))
  }

  private func checkEncodings<A>(_ key: PrivateKey<A>, _ golden: Golden, prefix: String) throws {
    let publicDER = try golden.hex("\(prefix)PublicKeyDer")
    #expect(key.publicKey.der == publicDER)
    #expect(try PublicKey<A>(der: publicDER) == key.publicKey)
    #expect(key.der == (try golden.secret("\(prefix)PrivateKeyDer")))
    #expect(try PrivateKey<A>(der: golden.hex("\(prefix)PrivateKeyDer")) == key)
  }
}
