/// The size of a small polynomial in bytes: four coefficients a byte.
let smallPolynomialByteCount = 191

extension SmallPolynomial {
  /// Reads 191 bytes, two bits for each coefficient plus 1.
  init(decoding bytes: UnsafeRawBufferPointer) {
    self.init(count: polynomialDegree)
    for i in 0..<polynomialDegree {
      self[i] = Int8(truncatingIfNeeded: bytes[i / 4] &>> UInt8(2 * (i % 4)) & 3) &- 1
    }
  }

  /// Writes 191 bytes.
  borrowing func encode(into output: UnsafeMutableRawBufferPointer) {
    for i in 0..<smallPolynomialByteCount { output[i] = 0 }
    for i in 0..<polynomialDegree {
      output[i / 4] |= UInt8(truncatingIfNeeded: self[i] &+ 1) &<< UInt8(2 * (i % 4))
    }
  }
}

extension FieldPolynomial {
  /// Reads the 1158 bytes of a public key.
  init(decoding bytes: UnsafeRawBufferPointer) {
    self.init(count: polynomialDegree)
    let numbers = RadixCode.field.decode(bytes)
    for i in 0..<polynomialDegree { self[i] = Int16(truncatingIfNeeded: numbers[i]) &- fieldLimit }
  }

  /// Writes 1158 bytes.
  borrowing func encode(into output: UnsafeMutableRawBufferPointer) {
    let numbers = WipedBuffer<UInt16>(count: polynomialDegree)
    for i in 0..<polynomialDegree { numbers[i] = UInt16(truncatingIfNeeded: self[i] &+ fieldLimit) }
    RadixCode.field.encode(numbers, into: output)
  }

  /// Reads the 1007 bytes of rounded coefficients.
  init(decodingRounded bytes: UnsafeRawBufferPointer) {
    self.init(count: polynomialDegree)
    let numbers = RadixCode.rounded.decode(bytes)
    for i in 0..<polynomialDegree { self[i] = Int16(truncatingIfNeeded: numbers[i]) &* 3 &- fieldLimit }
  }

  /// Writes rounded coefficients as 1007 bytes.
  borrowing func encodeRounded(into output: UnsafeMutableRawBufferPointer) {
    let numbers = WipedBuffer<UInt16>(count: polynomialDegree)
    for i in 0..<polynomialDegree {
      // Divides by 3: 10923 = (2^15 + 1) / 3 is exact for multiples of 3 up to 2^15.
      numbers[i] = UInt16(truncatingIfNeeded: (Int32(self[i] &+ fieldLimit) &* 10923) &>> 15)
    }
    RadixCode.rounded.encode(numbers, into: output)
  }
}
