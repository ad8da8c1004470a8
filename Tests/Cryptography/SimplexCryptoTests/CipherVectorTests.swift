import SimplexCrypto
import SimplexTesting
import Testing

@Suite("Hashes, key derivation and AES-GCM agree with the reference implementation")
struct CipherVectorTests {
  @Test(arguments: cases("hash"))
  func hash(_ golden: Golden) throws {
    let message = try golden.hex("message")
    let names: [(HashFunction, String)] = [
      (.sha256, "sha256"), (.sha512, "sha512"), (.sha3_256, "sha3_256"), (.sha3_384, "sha3_384"),
    ]
    for (function, name) in names {
      #expect(function.digest(of: message).hex == (try golden.string(name)))
      var incremental = IncrementalHash(function)
      for part in [message.prefix(1), message.dropFirst(1)] { incremental.update(Array(part)) }
      #expect(incremental.finish().hex == (try golden.string(name)))
    }
  }

  @Test(arguments: cases("hkdf"))
  func hkdf(_ golden: Golden) throws {
    let secret = try golden.hex("ikm")
    let salt = try golden.hex("salt")
    let info = Array(try golden.string("info").utf8)
    let output = HKDF.derive(
      from: secret.span.bytes, salt: salt.span.bytes, info: info.span.bytes, count: try golden.int("length"))
    #expect(output == (try golden.secret("output")))
  }

  @Test(arguments: cases("aesGcm16"))
  func ratchetEncryption(_ golden: Golden) throws {
    let padded = try Padding.pad(golden.hex("message"), to: golden.int("paddedLen"))
    let opened = try check(golden, plaintext: padded, iv: "iv16", authenticating: golden.hex("ad"))
    #expect(try Padding.unpad(opened) == (try golden.hex("message")))
  }

  @Test(arguments: cases("aesGcm12NoPad"))
  func frameEncryption(_ golden: Golden) throws {
    _ = try check(golden, plaintext: golden.hex("message"), iv: "iv12", authenticating: [])
  }

  /// Encrypts in place, decrypts in place and into a new array, and checks that no part can be changed.
  private func check(
    _ golden: Golden, plaintext: [UInt8], iv: String, authenticating ad: [UInt8]
  ) throws -> [UInt8] {
    let key = try golden.hex("key")
    let iv = try golden.hex(iv)
    let ciphertext = try golden.hex("ciphertext")
    var buffer = plaintext
    let tag = try buffer.inPlace {
      try AESGCM.seal(inPlace: &$0, key: key.span.bytes, iv: iv.span.bytes, authenticating: ad.span.bytes)
    }
    #expect(buffer == ciphertext)
    #expect(tag.bytes == (try golden.hex("tag")))

    try buffer.inPlace {
      try AESGCM.open(inPlace: &$0, tag: tag, key: key.span.bytes, iv: iv.span.bytes, authenticating: ad.span.bytes)
    }
    #expect(buffer == plaintext)

    func open(_ ciphertext: [UInt8], _ tag: [UInt8], _ ad: [UInt8]) throws -> [UInt8] {
      let tag = try AuthTag(tag)
      return try AESGCM.open(
        ciphertext.span.bytes, tag: tag, key: key.span.bytes, iv: iv.span.bytes,
        authenticating: ad.span.bytes)
    }
    #expect(throws: CryptoError.authenticationFailed) { try open(ciphertext, tag.bytes.flippingBit(127), ad) }
    #expect(throws: CryptoError.authenticationFailed) { try open(ciphertext, tag.bytes, ad + [0]) }
    if !ciphertext.isEmpty {
      #expect(throws: CryptoError.authenticationFailed) { try open(ciphertext.flippingBit(0), tag.bytes, ad) }
    }
    return try open(ciphertext, tag.bytes, ad)
  }
}

extension [UInt8] {
  /// Lets `body` change the array in place.
  mutating func inPlace<Result>(_ body: (inout MutableRawSpan) throws -> Result) rethrows -> Result {
    try withUnsafeMutableBytes {
      var span = $0.mutableBytes
      return try body(&span)
    }
  }
}
