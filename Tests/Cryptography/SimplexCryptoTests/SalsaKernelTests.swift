import CSalsa20
import CSodium
import SimplexCrypto
import SimplexTesting
import Testing

private let hasKernel =
  simplex_salsa20_xor(nil, nil, 0, [0, 0, 0, 0, 0, 0, 0, 0], 0, [UInt8](repeating: 0, count: 32)) == 1

/// Salsa20 as its specification has it, word by word: an implementation of its own, for comparison.
private struct ReferenceSalsa20 {
  var key: [UInt8]
  var nonce: [UInt8]

  func xor(_ text: [UInt8], block: UInt64) -> [UInt8] {
    var output: [UInt8] = []
    var number = block
    for start in stride(from: 0, to: text.count, by: 64) {
      let stream = Self.bytes(of: keyStream(block: number))
      output += zip(text[start..<min(start + 64, text.count)], stream).map { $0 ^ $1 }
      number &+= 1
    }
    return output
  }

  private func keyStream(block: UInt64) -> [UInt32] {
    let (k, n) = (Self.words(of: key), Self.words(of: nonce))
    let c = Self.words(of: Array("expand 32-byte k".utf8))
    let input = [
      c[0], k[0], k[1], k[2], k[3], c[1], n[0], n[1], UInt32(truncatingIfNeeded: block),
      UInt32(truncatingIfNeeded: block >> 32), c[2], k[4], k[5], k[6], k[7], c[3],
    ]
    return zip(Self.rounds(input), input).map { $0 &+ $1 }
  }

  /// HSalsa20: the key of a box, from a key and the first 16 bytes of a nonce.
  static func hashedKey(_ key: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
    let (k, n) = (words(of: key), words(of: nonce))
    let c = words(of: Array("expand 32-byte k".utf8))
    let x = rounds([
      c[0], k[0], k[1], k[2], k[3], c[1], n[0], n[1], n[2], n[3], c[2], k[4], k[5], k[6], k[7], c[3],
    ])
    return bytes(of: [x[0], x[5], x[10], x[15], x[6], x[7], x[8], x[9]])
  }

  private static func rounds(_ input: [UInt32]) -> [UInt32] {
    var x = input
    func quarter(_ a: Int, _ b: Int, _ c: Int, _ d: Int) {
      func step(_ target: Int, _ one: Int, _ other: Int, _ bits: UInt32) {
        let sum = x[one] &+ x[other]
        x[target] ^= sum << bits | sum >> (32 - bits)
      }
      step(b, a, d, 7)
      step(c, b, a, 9)
      step(d, c, b, 13)
      step(a, d, c, 18)
    }
    for _ in 0..<10 {
      quarter(0, 4, 8, 12)
      quarter(5, 9, 13, 1)
      quarter(10, 14, 2, 6)
      quarter(15, 3, 7, 11)
      quarter(0, 1, 2, 3)
      quarter(5, 6, 7, 4)
      quarter(10, 11, 8, 9)
      quarter(15, 12, 13, 14)
    }
    return x
  }

  private static func words(of bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count, by: 4).map { at in
      (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << UInt32(8 * $1) }
    }
  }

  private static func bytes(of words: [UInt32]) -> [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * $0)) } }
  }
}

/// The kernel alone, on processors that it is made for.
@Suite(.enabled(if: hasKernel, "needs AVX-512")) struct SalsaKernelTests {
  @Test(arguments: propertySeeds(2), [0, 5, 0xffff_fff5, 0x1_0000_0000, 0xffff_ffff_ffff_fff9] as [UInt64])
  func agreesWithTheSpecification(_ seed: UInt64, _ block: UInt64) {
    var random = SeededGenerator(seed: seed)
    let (key, nonce) = (random.bytes(32), random.bytes(8))
    let reference = ReferenceSalsa20(key: key, nonce: nonce)
    for count in Array(0...130) + [1_023, 1_024, 1_025, 1_100, 2_047, 4_096, 16_352, 16_384, 20_000] {
      let text = random.bytes(count)
      // The bytes after the output must not change.
      var output = [UInt8](repeating: 0x5a, count: count + 64)
      #expect(simplex_salsa20_xor(&output, text, count, nonce, block, key) == 1)
      #expect(Array(output.prefix(count)) == reference.xor(text, block: block))
      #expect(output.dropFirst(count).allSatisfy { $0 == 0x5a })
    }
  }

  @Test(arguments: propertySeeds(2), [63, 1_024, 3_072, 3_100]) func worksInPlace(_ seed: UInt64, _ count: Int) {
    var random = SeededGenerator(seed: seed)
    let (key, nonce, text) = (random.bytes(32), random.bytes(8), random.bytes(count))
    var bytes = text
    let isDone = bytes.withUnsafeMutableBufferPointer {
      simplex_salsa20_xor($0.baseAddress, $0.baseAddress, $0.count, nonce, 7, key) == 1
    }
    #expect(isDone)
    #expect(bytes == ReferenceSalsa20(key: key, nonce: nonce).xor(text, block: 7))
  }
}

/// Boxes on any processor, with the kernel and without.
@Suite struct BoxReferenceTests {
  /// The first block of the eSTREAM test vectors for Salsa20/20 with keys of 256 bits: set 1, vector 0.
  @Test func theReferenceIsSalsa20() {
    let key = [0x80] + [UInt8](repeating: 0, count: 31)
    let stream = ReferenceSalsa20(key: key, nonce: [UInt8](repeating: 0, count: 8))
      .xor([UInt8](repeating: 0, count: 64), block: 0)
    #expect(
      stream.hex
        == "e3be8fdd8beca2e3ea8ef9475b29a6e7003951e1097a5c38d23b7a5fad9f6844b22c97559e2723c7cbbd3fe4fc8d9a0744652a83e72a9c461876af4d7ef1a117"
    )
  }

  /// Boxes of every size around whole groups, against the specification's key stream and libsodium's authenticator.
  @Test(arguments: propertySeeds(2)) func boxesAreThoseOfTheSpecification(_ seed: UInt64) throws {
    var random = InsecureSeededRandom(seed: seed)
    let key = BoxKey(using: &random)
    for count in [0, 1, 31, 32, 33, 991, 992, 993, 1_055, 1_056, 1_057, 2_080, 16_382, 16_384, 17_000] {
      let nonce = BoxNonce(using: &random)
      let text = random.bytes(count)
      let keyBytes = key.secret.withUnsafeBytes { [UInt8]($0) }
      // The protocol hashes the key with zeros first; then it is a secret box.
      let hashed = ReferenceSalsa20.hashedKey(keyBytes, [UInt8](repeating: 0, count: 16))
      let boxKey = ReferenceSalsa20.hashedKey(hashed, Array(nonce.bytes.prefix(16)))
      let padded = ReferenceSalsa20(key: boxKey, nonce: Array(nonce.bytes.suffix(8)))
        .xor([UInt8](repeating: 0, count: 32) + text, block: 0)
      let ciphertext = Array(padded.dropFirst(32))
      var tag = [UInt8](repeating: 0, count: 16)
      _ = crypto_onetimeauth_poly1305(&tag, ciphertext, UInt64(count), Array(padded.prefix(32)))
      #expect(key.seal(text.span.bytes, nonce: nonce) == tag + ciphertext)
      #expect(try key.open((tag + ciphertext).span.bytes, nonce: nonce) == text)
    }
  }
}
