import CSalsa20
import CSodium
import SimplexCrypto
import Testing

@Suite struct SalsaKernelTests {
  @Test(arguments: [0, 5, 0xffff_fff5, 0x1_0000_0000, 0xffff_ffff_ffff_fff9]) func agreesWithTheLibrary(_ block: UInt64)
  {
    var random = SystemRandom()
    let (key, nonce) = (random.bytes(32), random.bytes(8))
    for count in Array(0...130) + [1_023, 1_024, 1_025, 1_100, 2_047, 4_096, 16_352, 16_384, 20_000] {
      let text = random.bytes(count)
      var expected = [UInt8](repeating: 0, count: count)
      _ = crypto_stream_salsa20_xor_ic(&expected, text, UInt64(count), nonce, block, key)
      // What stands behind must stay.
      var output = [UInt8](repeating: 0x5a, count: count + 64)
      let isDone = simplex_salsa20_xor(&output, text, count, nonce, block, key) == 1
      // None at all on processors that it is not made for.
      #expect(Array(output.prefix(count)) == (isDone ? expected : [UInt8](repeating: 0x5a, count: count)))
      #expect(output.dropFirst(count).allSatisfy { $0 == 0x5a })
    }
  }

  @Test(arguments: [63, 1_024, 3_072, 3_100]) func worksInPlace(_ count: Int) {
    var random = SystemRandom()
    let (key, nonce, text) = (random.bytes(32), random.bytes(8), random.bytes(count))
    var bytes = text
    let isDone = bytes.withUnsafeMutableBufferPointer {
      simplex_salsa20_xor($0.baseAddress, $0.baseAddress, $0.count, nonce, 7, key) == 1
    }
    var expected = text
    if isDone { _ = crypto_stream_salsa20_xor_ic(&expected, text, UInt64(count), nonce, 7, key) }
    #expect(bytes == expected)
  }

  /// Boxes of every size around whole groups, against the library's own.
  @Test func boxesAreTheLibrarys() {
    var random = SystemRandom()
    let key = BoxKey(using: &random)
    for count in [0, 1, 31, 32, 33, 991, 992, 993, 1_055, 1_056, 1_057, 2_080, 16_382, 16_384, 17_000] {
      let nonce = BoxNonce(using: &random)
      let text = random.bytes(count)
      var hashed = [UInt8](repeating: 0, count: 32)
      let (keyBytes, nonceBytes) = (key.secret.withUnsafeBytes { [UInt8]($0) }, nonce.withUnsafeBytes { [UInt8]($0) })
      _ = crypto_core_hsalsa20(&hashed, [UInt8](repeating: 0, count: 16), keyBytes, nil)
      var expected = [UInt8](repeating: 0, count: count + 16)
      _ = crypto_secretbox_easy(&expected, text, UInt64(count), nonceBytes, hashed)
      #expect(key.seal(text.span.bytes, nonce: nonce) == expected)
      #expect((try? key.open(expected.span.bytes, nonce: nonce)) == text)
    }
  }
}
