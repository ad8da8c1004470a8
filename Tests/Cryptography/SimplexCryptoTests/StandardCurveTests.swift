import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("RFC 7748: X25519 and X448")
struct RFC7748Tests {
  private func multiply<A: KeyAgreementAlgorithm>(_ algorithm: A.Type, _ scalar: [UInt8], _ u: [UInt8]) throws
    -> [UInt8]
  {
    let secret = try PrivateKey<A>(secret: SecretBytes(scalar)).sharedSecret(with: PublicKey(rawBytes: u))
    return [UInt8](copying: secret.bytes)
  }

  @Test(arguments: [
    (
      "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
      "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
      "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
    ),
    (
      "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
      "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
      "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"
    ),
  ])
  func x25519(scalar: String, u: String, expected: String) throws {
    #expect(try multiply(X25519.self, hex(scalar), hex(u)).hex == expected)
  }

  @Test(arguments: [
    (
      "3d262fddf9ec8e88495266fea19a34d28882acef045104d0d1aae121700a779c984c24f8cdd78fbff44943eba368f54b29259a4f1c600ad3",
      "06fce640fa3487bfda5f6cf2d5263f8aad88334cbd07437f020f08f9814dc031ddbdc38c19c6da2583fa5429db94ada18aa7a7fb4ef8a086",
      "ce3e4ff95a60dc6697da1db1d85e6afbdf79b50a2412d7546d5f239fe14fbaadeb445fc66a01b0779d98223961111e21766282f73dd96b6f"
    ),
    (
      "203d494428b8399352665ddca42f9de8fef600908e0d461cb021f8c538345dd77c3e4806e25f46d3315c44e0a5b4371282dd2c8d5be3095f",
      "0fbcc2f993cd56d3305b0b7d9e55d4c1a8fb5dbb52f8e9a1e9b6201b165d015894e56c4d3570bee52fe205e28a78b91cdfbde71ce8d157db",
      "884a02576239ff7a2f2f63b2db6a9ff37047ac13568e1e30fe63c4a7ad1b3ee3a5700df34321d62077e63633c575c1c954514e99da7c179d"
    ),
  ])
  func x448(scalar: String, u: String, expected: String) throws {
    #expect(try multiply(X448.self, hex(scalar), hex(u)).hex == expected)
  }

  @Test func iteratedX25519() throws {
    try iterate(
      X25519.self, base: 9,
      after1: "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
      after1000: "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")
  }

  @Test func iteratedX448() throws {
    try iterate(
      X448.self, base: 5,
      after1:
        "3f482c8a9f19b01e6c46ee9711d9dc14fd4bf67af30765c2ae2b846a4d23a8cd0db897086239492caf350b51f833868b9bc2b3bca9cf4113",
      after1000:
        "aa3b4749d55b9daf1e5b00288826c467274ce3ebbdd5c17b975e09d4af6c67cf10d087202db88286e2b79fceea3ec353ef54faa26e219f38"
    )
  }

  private func iterate<A: KeyAgreementAlgorithm>(
    _ algorithm: A.Type, base: UInt8, after1: String, after1000: String
  ) throws {
    var scalar = [base] + [UInt8](repeating: 0, count: A.identifier.publicKeySize - 1)
    var u = scalar
    for round in 1...1000 {
      (scalar, u) = (try multiply(algorithm, scalar, u), scalar)
      if round == 1 { #expect(scalar.hex == after1) }
    }
    #expect(scalar.hex == after1000)
  }

  @Test func exchangeOfX25519() throws {
    try exchange(
      X25519.self, alice: "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
      alicePublic: "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
      bob: "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
      bobPublic: "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
      shared: "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
  }

  @Test func exchangeOfX448() throws {
    try exchange(
      X448.self,
      alice:
        "9a8f4925d1519f5775cf46b04b5800d4ee9ee8bae8bc5565d498c28dd9c9baf574a9419744897391006382a6f127ab1d9ac2d8c0a598726b",
      alicePublic:
        "9b08f7cc31b7e3e67d22d5aea121074a273bd2b83de09c63faa73d2c22c5d9bbc836647241d953d40c5b12da88120d53177f80e532c41fa0",
      bob:
        "1c306a7ac2a0e2e0990b294470cba339e6453772b075811d8fad0d1d6927c120bb5ee8972b0d3e21374c9c921b09d1b0366f10b65173992d",
      bobPublic:
        "3eb7a829b0cd20f5bcfc0b599b6feccf6da4627107bdb0d4f345b43027d8b972fc3e34fb4232a13ca706dcb57aec3dae07bdc1c67bf33609",
      shared:
        "07fff4181ac6cc95ec1c16a94a0f74d12da232ce40a77552281d282bb60c0b56fd2464c335543936521c24403085d59a449a5037514a879d"
    )
  }

  private func exchange<A: KeyAgreementAlgorithm>(
    _ algorithm: A.Type, alice: String, alicePublic: String, bob: String, bobPublic: String, shared: String
  ) throws {
    let alice = try PrivateKey<A>(secret: SecretBytes(hex(alice)))
    let bob = try PrivateKey<A>(secret: SecretBytes(hex(bob)))
    #expect(alice.publicKey.rawBytes.hex == alicePublic)
    #expect(bob.publicKey.rawBytes.hex == bobPublic)
    #expect(try alice.sharedSecret(with: bob.publicKey) == SecretBytes(hex(shared)))
    #expect(try bob.sharedSecret(with: alice.publicKey) == SecretBytes(hex(shared)))
  }
}

@Suite("RFC 8032: Ed25519 and Ed448")
struct RFC8032Tests {
  @Test(arguments: [
    (
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
      """
      e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b
      d25bf5f0595bbe24655141438e7a100b
      """
    ),
    (
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
      """
      92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c
      387b2eaeb4302aeeb00d291612bb0c00
      """
    ),
    (
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
      """
      6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659
      4a7c15e9716ed28dc027beceea1ec40a
      """
    ),
  ])
  func ed25519(seed: String, publicKey: String, message: String, signature: String) throws {
    try check(Ed25519.self, seed, publicKey, message, signature)
  }

  @Test(arguments: [
    (
      "6c82a562cb808d10d632be89c8513ebf6c929f34ddfa8c9f63c9960ef6e348a3528c8a3fcc2f044e39a3fc5b94492f8f032e7549a20098f95b",
      "5fd7449b59b461fd2ce787ec616ad46a1da1342485a70e1f8a0ea75d80e96778edf124769b46c7061bd6783df1e50f6cd1fa1abeafe8256180",
      "",
      """
      533a37f6bbe457251f023c0d88f976ae2dfb504a843e34d2074fd823d41a591f2b233f034f628281f2fd7a22ddd47d78
      28c59bd0a21bfd3980ff0d2028d4b18a9df63e006c5d1c2d345b925d8dc00b4104852db99ac5c7cdda8530a113a0f4db
      b61149f05a7363268c71d95808ff2e652600
      """
    ),
    (
      "c4eab05d357007c632f3dbb48489924d552b08fe0c353a0d4a1f00acda2c463afbea67c5e8d2877c5e3bc397a659949ef8021e954e0a12274e",
      "43ba28f430cdff456ae531545f7ecd0ac834a55d9358c0372bfa0c6c6798c0866aea01eb00742802b8438ea4cb82169c235160627b4c3a9480",
      "03",
      """
      26b8f91727bd62897af15e41eb43c377efb9c610d48f2335cb0bd0087810f4352541b143c4b981b7e18f62de8ccdf633
      fc1bf037ab7cd779805e0dbcc0aae1cbcee1afb2e027df36bc04dcecbf154336c19f0af7e0a6472905e799f1953d2a0f
      f3348ab21aa4adafd1d234441cf807c03a00
      """
    ),
  ])
  func ed448(seed: String, publicKey: String, message: String, signature: String) throws {
    try check(Ed448.self, seed, publicKey, message, signature)
  }

  private func check<A: SignatureAlgorithm>(
    _ algorithm: A.Type, _ seed: String, _ publicKey: String, _ message: String, _ signature: String
  ) throws {
    let key = try PrivateKey<A>(secret: SecretBytes(hex(seed)))
    #expect(key.publicKey.rawBytes == hex(publicKey))
    #expect(key.signature(of: hex(message)) == hex(signature))
    #expect(key.publicKey.isValid(hex(signature), of: hex(message)))
  }
}
