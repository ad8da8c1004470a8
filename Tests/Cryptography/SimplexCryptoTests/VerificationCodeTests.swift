import SimplexCrypto
import Testing

@Suite("Security codes are those of the reference implementation")
struct VerificationCodeTests {
  @Test func codesAreNumbersInGroups() {
    #expect(VerificationCode.text([1]) == "1")
    #expect(VerificationCode.text([0, 0, 1, 0]) == "256")
    #expect(VerificationCode.text([0x0f, 0x42, 0x40]) == "10000 00")
    #expect(VerificationCode.text([]) == "")
    let code = VerificationCode.text([UInt8](repeating: 0xff, count: 32))
    // 2²⁵⁶ − 1.
    #expect(code.filter(\.isNumber) == "115792089237316195423570985008687907853269984665640564039457584007913129639935")
    // As the reference has it for the hash of "abcd".
    let hash: [UInt8] = [
      0x88, 0xd4, 0x26, 0x6f, 0xd4, 0xe6, 0x33, 0x8d, 0x13, 0xb8, 0x45, 0xfc, 0xf2, 0x89, 0x57, 0x9d, 0x20, 0x9c, 0x89,
      0x78, 0x23, 0xb9, 0x21, 0x7d, 0xa3, 0xe1, 0x61, 0x93, 0x6f, 0x03, 0x15, 0x89,
    ]
    #expect(
      VerificationCode.text(hash)
        == "61889 38426 63934 09576 96390 79389 84124 85253 63658 69469 70853 37788 95900 68296 20156 25")
    #expect(VerificationCode.isSame("12345 678", "1234 5678\n"))
    #expect(!VerificationCode.isSame("12345", "12346"))
  }
}
