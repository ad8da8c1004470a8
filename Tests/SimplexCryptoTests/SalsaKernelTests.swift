import CSalsa20
import CSodium
import SimplexCrypto
import Testing

@Suite struct SalsaKernelTests {
  @Test(arguments: [0, 5, 0xffff_fff5, 0x1_0000_0000]) func agreesWithTheLibrary(_ block: UInt64) {
    var random = SystemRandom()
    let (key, nonce) = (random.bytes(32), random.bytes(8))
    for count in [0, 63, 1_023, 1_024, 1_100, 4_096, 16_384, 20_000] {
      let text = random.bytes(count)
      var expected = [UInt8](repeating: 0, count: count)
      _ = crypto_stream_salsa20_xor_ic(&expected, text, UInt64(count), nonce, block, key)
      var output = [UInt8](repeating: 0, count: count)
      let done = simplex_salsa20_xor_groups(&output, text, count, nonce, block, key)
      // None at all on processors that it is not made for.
      #expect(done == 0 || done == count / 1_024 * 1_024)
      #expect(output.prefix(done) == expected.prefix(done))
      #expect(output.dropFirst(done).allSatisfy { $0 == 0 })
    }
  }

  @Test func worksInPlace() {
    var random = SystemRandom()
    let (key, nonce, text) = (random.bytes(32), random.bytes(8), random.bytes(3_072))
    var bytes = text
    let done = bytes.withUnsafeMutableBufferPointer {
      simplex_salsa20_xor_groups($0.baseAddress, $0.baseAddress, $0.count, nonce, 7, key)
    }
    var expected = text
    _ = crypto_stream_salsa20_xor_ic(&expected, text, UInt64(done), nonce, 7, key)
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
