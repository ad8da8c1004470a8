import SimplexTesting
import Testing

@testable import SNTRUP761

@Suite("Codings of polynomials")
struct CodingTests {
  @Test("Sizes of the codes")
  func sizes() {
    #expect(RadixCode.field.byteCount == KEMPublicKey.byteCount)
    #expect(RadixCode.rounded.byteCount + DomainHash.byteCount == KEMCiphertext.byteCount)
    #expect(KEMSecretKey.Layout.publicKeyHash.upperBound == KEMSecretKey.byteCount)
  }

  @Test("Lists of the smallest and largest numbers, and random ones", arguments: propertySeeds(4))
  func radixRoundTrip(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for (code, radix) in [(RadixCode.field, UInt16(4591)), (RadixCode.rounded, 1531)] {
      let random = (0..<761).map { _ in UInt16.random(in: 0..<radix, using: &generator) }
      let smallest = [UInt16](repeating: 0, count: 761)
      let largest = [UInt16](repeating: radix - 1, count: 761)
      for numbers in [random, smallest, largest] {
        #expect(code.decode(code.encode(numbers)) == numbers, "seed \(seed)")
      }
      #expect(code.encode(smallest) == [UInt8](repeating: 0, count: code.byteCount))
    }
  }

  @Test("Any bytes decode to numbers in range; a code that no encoder writes is read, too", arguments: propertySeeds(4))
  func anyBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for (code, radix) in [(RadixCode.field, UInt16(4591)), (RadixCode.rounded, 1531)] {
      for bytes in [generator.bytes(code.byteCount), [UInt8](repeating: 0xff, count: code.byteCount)] {
        let numbers = code.decode(bytes)
        #expect(numbers.allSatisfy { $0 < radix }, "seed \(seed)")
        #expect(code.decode(code.encode(numbers)) == numbers, "seed \(seed)")
      }
    }
  }

  @Test("Coefficients of R/q", arguments: [-2295, -1, 0, 1, 2295] as [Int16])
  func fieldCoefficients(_ value: Int16) {
    let values = [value] + [Int16](repeating: -2295, count: 759) + [value]
    let bytes = encoding(1158) { FieldPolynomial(values).encode(into: $0) }
    #expect(bytes.withUnsafeBytes { FieldPolynomial(decoding: $0).array } == values)
  }

  @Test("Rounded coefficients", arguments: [-2295, -3, 0, 3, 2295] as [Int16])
  func roundedCoefficients(_ value: Int16) {
    let values = [value] + [Int16](repeating: 2295, count: 759) + [value]
    let bytes = encoding(1007) { FieldPolynomial(values).encodeRounded(into: $0) }
    #expect(bytes.withUnsafeBytes { FieldPolynomial(decodingRounded: $0).array } == values)
  }

  @Test("Small polynomials: two bits a coefficient", arguments: propertySeeds(3))
  func smallCoefficients(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let values = (0..<761).map { _ in Int8.random(in: -1...1, using: &generator) }
    let bytes = encoding(191) { SmallPolynomial(values).encode(into: $0) }
    #expect(bytes.withUnsafeBytes { SmallPolynomial(decoding: $0).array } == values, "seed \(seed)")
    #expect(
      bytes[0] == UInt8(values[0] + 1) + UInt8(values[1] + 1) << 2 + UInt8(values[2] + 1) << 4 + UInt8(values[3] + 1)
        << 6)
    #expect(bytes[190] == UInt8(values[760] + 1))
  }
}

private func encoding(_ count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) -> [UInt8] {
  var bytes = [UInt8](repeating: 0xee, count: count)
  bytes.withUnsafeMutableBytes(body)
  return bytes
}

extension RadixCode {
  fileprivate func encode(_ numbers: [UInt16]) -> [UInt8] {
    encoding(byteCount) { encode(WipedBuffer(numbers), into: $0) }
  }
  fileprivate func decode(_ bytes: [UInt8]) -> [UInt16] { bytes.withUnsafeBytes { decode($0).array } }
}

extension WipedBuffer {
  /// A copy of an array.
  init(_ array: [Element]) {
    self.init(count: array.count)
    for (i, value) in array.enumerated() { self[i] = value }
  }

  /// A copy for comparisons.
  var array: [Element] { Array(elements) }
}
