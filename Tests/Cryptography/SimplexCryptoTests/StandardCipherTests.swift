import SimplexTesting
import Testing
import WireCodec

@testable import SimplexCrypto

@Suite("NaCl: crypto_box")
struct NaClTests {
  @Test func boxOfTheReferenceTests() throws {
    let alice = try X25519.PrivateKey(
      secret: SecretBytes(hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")))
    let bob = try X25519.PublicKey(rawBytes: hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
    let nonce = try BoxNonce(hex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37"))
    let message = hex(
      """
      be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c6129
      6cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde
      048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705
      """)
    let box = hex(
      """
      f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a
      c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae
      90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74
      e355a5
      """)
    let key = try alice.boxKey(with: bob)
    #expect(key.seal(message, nonce: nonce) == box)
    #expect(try key.open(box, nonce: nonce) == message)
  }
}

@Suite("AES-256-GCM: the vectors of the specification (McGrew and Viega, cases 13 to 18)")
struct AESGCMStandardTests {
  private static let zeroKey = String(repeating: "0", count: 64)
  private static let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
  private static let text = """
    d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525
    b16aedf5aa0de657ba637b39
    """
  private static let data = "feedfacedeadbeeffeedfacedeadbeefabaddad2"

  @Test(arguments: [
    ["", "", "", "530f8afbc74536b9a963b4f1c4cb738b"],
    [
      String(repeating: "0", count: 32), "", "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919",
    ],
  ])
  func zeroKey(_ vector: [String]) throws {
    try check(key: Self.zeroKey, iv: String(repeating: "0", count: 24), vector)
  }

  @Test func ivOf96Bits() throws {
    try check(
      key: Self.key, iv: "cafebabefacedbaddecaf888",
      [
        Self.text + "1aafd255", "",
        """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838
        c5f61e6393ba7a0abcc9f662898015ad
        """, "b094dac5d93471bdec1a502270e3cc6c",
      ])
    try check(
      key: Self.key, iv: "cafebabefacedbaddecaf888",
      [
        Self.text, Self.data,
        """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838
        c5f61e6393ba7a0abcc9f662
        """, "76fc6ece0f4e1768cddf8853bb2d551b",
      ])
  }

  /// The product uses 16 bytes only; other sizes show that the vector is hashed as the specification says.
  @Test func ivOfOtherSizes() throws {
    try check(
      key: Self.key, iv: "cafebabefacedbad",
      [
        Self.text, Self.data,
        """
        c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0feb582d33934a4f0954cc2363bc73f78
        62ac430e64abe499f47c9b1f
        """, "3a337dbf46a792c45e454913fe2ea8f2",
      ])
    try check(
      key: Self.key,
      iv: """
        9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e2429a6b5254
        16aedbf5a0de6a57a637b39b
        """,
      [
        Self.text, Self.data,
        """
        5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf40fc0c3b780f244452da3ebf1c5d82cde
        a2418997200ef82e44ae7e3f
        """, "a44a8266ee1c8eb0c8b5d4cf5ae9f19a",
      ])
  }

  /// A vector is plaintext, authenticated data, ciphertext and tag.
  private func check(key: String, iv: String, _ vector: [String]) throws {
    let cipher = CipherOperation.Cipher("AES-256-GCM", ivSizes: [hex(iv).count])
    try checkAEAD(cipher, key: hex(key), iv: hex(iv), vector.map(hex))
  }

  @Test(arguments: [0, 1, 8, 11, 13, 15, 17, 32])
  func otherVectorSizesAreRefused(size: Int) {
    let key = [UInt8](repeating: 1, count: 32)
    let iv = [UInt8](repeating: 2, count: size)
    var buffer: [UInt8] = [1, 2, 3]
    #expect(throws: CryptoError.invalidLength(of: .nonce, expected: 16, actual: size)) {
      try buffer.inPlace { _ = try AESGCM.seal(inPlace: &$0, key: key.span.bytes, iv: iv.span.bytes) }
    }
    #expect(buffer == [1, 2, 3])
  }

  @Test(arguments: [0, 16, 24, 31, 33])
  func otherKeySizesAreRefused(size: Int) {
    let key = [UInt8](repeating: 1, count: size)
    let iv = [UInt8](repeating: 2, count: 16)
    #expect(throws: CryptoError.invalidLength(of: .key, expected: 32, actual: size)) {
      try AESGCM.open(RawSpan(), tag: AuthTag([UInt8](repeating: 0, count: 16)), key: key.span.bytes, iv: iv.span.bytes)
    }
  }

  @Test func aBufferThatIsNotAuthenticIsWiped() throws {
    let key = [UInt8](repeating: 1, count: 32)
    let iv = [UInt8](repeating: 2, count: 16)
    var buffer = [UInt8](repeating: 3, count: 100)
    let tag = try buffer.inPlace { try AESGCM.seal(inPlace: &$0, key: key.span.bytes, iv: iv.span.bytes) }
    buffer[50] ^= 1
    #expect(throws: CryptoError.authenticationFailed) {
      try buffer.inPlace { try AESGCM.open(inPlace: &$0, tag: tag, key: key.span.bytes, iv: iv.span.bytes) }
    }
    #expect(buffer == [UInt8](repeating: 0, count: 100))
  }
}

/// Encrypts and decrypts a vector of plaintext, authenticated data, ciphertext and tag in place.
func checkAEAD(_ cipher: CipherOperation.Cipher, key: [UInt8], iv: [UInt8], _ vector: [[UInt8]]) throws {
  let data = vector[1]
  var buffer = vector[0]
  let tag = try buffer.inPlace {
    try CipherOperation.seal(
      cipher, inPlace: &$0, key: key.span.bytes, iv: iv.span.bytes, authenticating: data.span.bytes)
  }
  #expect(buffer == vector[2])
  #expect(tag.bytes == vector[3])
  try buffer.inPlace {
    try CipherOperation.open(
      cipher, inPlace: &$0, tag: tag, key: key.span.bytes, iv: iv.span.bytes, authenticating: data.span.bytes)
  }
  #expect(buffer == vector[0])
}

@Suite("ChaCha20-Poly1305: RFC 8439")
struct ChaCha20Poly1305Tests {
  private let key = Array(UInt8(0x80)...0x9f)
  private let nonce = hex("070000004041424344454647")

  @Test func section282() throws {
    let text =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
    try checkAEAD(
      .chaCha20Poly1305, key: key, iv: nonce,
      [
        Array(text.utf8), hex("50515253c0c1c2c3c4c5c6c7"),
        hex(
          """
          d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b
          1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc
          3ff4def08e4b7a9de576d26586cec64b6116
          """), hex("1ae10b594f09e26a7e902ecbd0600691"),
      ])
  }

  @Test func refusals() throws {
    var buffer: [UInt8] = [1, 2, 3]
    let tag = try buffer.inPlace {
      try ChaCha20Poly1305.seal(inPlace: &$0, key: key.span.bytes, nonce: nonce.span.bytes)
    }
    let wrong = try AuthTag(tag.bytes.flippingBit(0))
    var copy = buffer
    #expect(throws: CryptoError.authenticationFailed) {
      try copy.inPlace {
        try ChaCha20Poly1305.open(inPlace: &$0, tag: wrong, key: key.span.bytes, nonce: nonce.span.bytes)
      }
    }
    try buffer.inPlace {
      try ChaCha20Poly1305.open(inPlace: &$0, tag: tag, key: key.span.bytes, nonce: nonce.span.bytes)
    }
    #expect(buffer == [1, 2, 3])
    #expect(throws: CryptoError.invalidLength(of: .nonce, expected: 12, actual: 32)) {
      try buffer.inPlace { _ = try ChaCha20Poly1305.seal(inPlace: &$0, key: key.span.bytes, nonce: key.span.bytes) }
    }
  }
}

@Suite("Key derivation: RFC 5869, RFC 4231, RFC 8018, with SHA-512")
struct KeyDerivationTests {
  /// The inputs of RFC 5869's cases; the outputs for SHA-512 come from an independent implementation.
  @Test(
    arguments: [
      (
        [UInt8](repeating: 0x0b, count: 22), Array(UInt8(0)...12), Array(UInt8(0xf0)...0xf9),
        "832390086cda71fb47625bb5ceb168e4c8e26a1a16ed34d9fc7fe92c1481579338da362cb8d9f925d7cb"
      ),
      (
        Array(UInt8(0)..<0x50), Array(UInt8(0x60)..<0xb0), Array(UInt8(0xb0)...0xff),
        """
        ce6c97192805b346e6161e821ed165673b84f400a2b514b2fe23d84cd189ddf1b695b48cbd1c8388441137b3ce28f16a
        a64ba33ba466b24df6cfcb021ecff235f6a2056ce3af1de44d572097a8505d9e7a93
        """
      ),
      (
        [UInt8](repeating: 0x0b, count: 22), [], [],
        "f5fa02b18298a72a8c23898a8703472c6eb179dc204c03425c970e3b164bf90fff22d04836d0e2343bac"
      ),
      (
        Array(repeating: UInt8(ascii: "k"), count: 200), Array(repeating: UInt8(ascii: "s"), count: 200), [],
        """
        f810e0fae15ab1784e01aa88e146043713ef17d0f28949ff656a5871190e033d3f24de2819f17acee9a5eaef656b87cd
        11a092af5776693815eb35c487b5bb93041b7f89f4403183281a623ffc4452ce1b6998470e5c89142f44e9a659049a48
        93b440e5d2217bb1c7f6206230a0f8a68efc9e43b20e294ca10475d1588a4b9c00eb6cfe2b413d5e1b83280dce7588c4
        a6191392c68524cd69fa74065648e09a91665139adfd3208a308536c255f9407771cfc37131a0718bf19b8b67d1a42fa
        ca637fb317e95e84
        """
      ),
    ] as [([UInt8], [UInt8], [UInt8], String)])
  func hkdf(secret: [UInt8], salt: [UInt8], info: [UInt8], expected: String) {
    let output = HKDF.derive(
      from: secret.span.bytes, salt: salt.span.bytes, info: info.span.bytes, count: hex(expected).count)
    #expect(output == SecretBytes(hex(expected)))
  }

  @Test func hkdfOutputsOfAnySizeAreAPrefixOfTheLongest() {
    let longest = HKDF.derive(from: RawSpan(), info: "test", count: HKDF.maximumCount)
    for count in [0, 1, 63, 64, 65, 16320] {
      #expect(HKDF.derive(from: RawSpan(), info: "test", count: count) == longest.slice(0..<count))
    }
  }

  @Test(
    arguments: [
      (
        [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
        """
        87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4
        be9d914eeb61f1702e696c203a126854
        """
      ),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        """
        164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd
        caeab1a34d4a6b4b636e070a38bce737
        """
      ),
      (
        [UInt8](repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        """
        80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e52
        95e64f73f63f0aec8b915a985d786598
        """
      ),
    ] as [([UInt8], [UInt8], String)])
  func hmac(key: [UInt8], message: [UInt8], expected: String) {
    let prepared = HMACSHA512(key: key.span.bytes)
    for split in [0, 1, message.count] {
      let start = Array(message[..<split])
      let rest = Array(message[split...])
      #expect(prepared.code(of: start.span.bytes, rest.span.bytes) == hex(expected))
    }
  }

  @Test(
    arguments: [
      (
        "password", "salt", 1,
        """
        867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252c02d470a285a0501bad999bfe943c08f
        050235d7d68b1da55e63f73b60a57fce
        """
      ),
      (
        "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096,
        """
        8c0511f4c6e597c6ac6315d8f0362e225f3c501495ba23b868c005174dc4ee71115b59f9e60cd9532fa33e0f75aefe30
        225c583a186cd82bd4daea9724a3d3b8
        """
      ),
      ("", "salt", 1, "00ef42cdbfc98d29db20976608e455567fdddf14"),
    ] as [(String, String, Int32, String)])
  func pbkdf2(passphrase: String, salt: String, iterations: Int32, expected: String) {
    let passphrase = Array(passphrase.utf8)
    let salt = Array(salt.utf8)
    let key = PBKDF2.derive(
      from: passphrase.span.bytes, salt: salt.span.bytes, iterations: iterations, count: hex(expected).count)
    #expect(key == SecretBytes(hex(expected)))
  }
}
