/// The mixed-radix coding of a list of 761 numbers below a common radix, as Streamlined NTRU Prime defines it.
///
/// Neighbours are joined to `low + high * radix`, a number below the product of their radices; its low bytes are
/// written until less than 2^14 is left of the product. The remainders of all pairs form a list of half the length,
/// coded in the same way.
///
/// Encoding takes the same time for all numbers. Decoding is only used on public data; it accepts any bytes, and reads
/// numbers out of range (which no encoder writes) modulo their radix.
struct RadixCode: Sendable {
  /// Coefficients modulo q, plus 2295: public keys.
  static let field = RadixCode(radix: 4591)
  /// Thirds of rounded coefficients, plus 765: ciphertexts.
  static let rounded = RadixCode(radix: 1531)

  /// The size of the code in bytes.
  let byteCount: Int
  private let levels: [Level]
  /// The radix of the last remaining number, and its size in bytes.
  private let lastRadix: Radix
  private let lastByteCount: Int

  /// The joining of one list. All its pairs are alike except the last one, as the last number has a radix of its own.
  private struct Level {
    let count: Int
    let pair: Pair
    let lastPair: Pair

    func pair(_ index: Int) -> Pair { 2 * index + 2 < count ? pair : lastPair }
  }

  private struct Pair {
    let low: Radix
    let high: Radix
    let byteCount: Int
    let restRadix: UInt32

    init(low: UInt32, high: UInt32) {
      self.low = Radix(low)
      self.high = Radix(high)
      var rest = low * high
      var bytes = 0
      while rest >= 1 << 14 {
        rest = (rest + 255) >> 8
        bytes += 1
      }
      byteCount = bytes
      restRadix = rest
    }
  }

  /// A divisor below 2^14 with its reciprocal.
  private struct Radix {
    let value: UInt32
    private let reciprocal: UInt64

    init(_ value: UInt32) {
      self.value = value
      reciprocal = (1 << 46) / UInt64(value) + 1
    }

    /// Exact for dividends below 2^32 whose quotient is below 2^17. Pairs stay below 2^29, and their quotients below
    /// 2^15.
    func dividing(_ dividend: UInt32) -> (quotient: UInt32, remainder: UInt32) {
      let quotient = UInt32(truncatingIfNeeded: (UInt64(dividend) &* reciprocal) &>> 46)
      return (quotient, dividend &- quotient &* value)
    }
  }

  private init(radix: UInt32) {
    var levels: [Level] = []
    var count = polynomialDegree
    var (common, last) = (radix, radix)
    var bytes = 0
    while count > 1 {
      let hasLonelyLast = !count.isMultiple(of: 2)
      let pair = Pair(low: common, high: common)
      let lastPair = hasLonelyLast ? pair : Pair(low: common, high: last)
      levels.append(Level(count: count, pair: pair, lastPair: lastPair))
      bytes += (count / 2 - 1) * pair.byteCount + lastPair.byteCount
      (common, last) = (pair.restRadix, hasLonelyLast ? last : lastPair.restRadix)
      count = (count + 1) / 2
    }
    self.levels = levels
    lastRadix = Radix(last)
    lastByteCount = last > 256 ? 2 : 1
    byteCount = bytes + lastByteCount
  }

  /// Writes `byteCount` bytes. Uses up the numbers.
  func encode(_ numbers: consuming WipedBuffer<UInt16>, into output: UnsafeMutableRawBufferPointer) {
    var position = 0
    func write(_ value: inout UInt32, bytes: Int) {
      for _ in 0..<bytes {
        output[position] = UInt8(truncatingIfNeeded: value)
        value &>>= 8
        position &+= 1
      }
    }
    for level in levels {
      for index in 0..<level.count / 2 {
        let pair = level.pair(index)
        var joined = UInt32(numbers[2 * index]) &+ UInt32(numbers[2 * index + 1]) &* pair.low.value
        write(&joined, bytes: pair.byteCount)
        numbers[index] = UInt16(truncatingIfNeeded: joined)
      }
      if !level.count.isMultiple(of: 2) { numbers[level.count / 2] = numbers[level.count - 1] }
    }
    var last = UInt32(numbers[0])
    write(&last, bytes: lastByteCount)
  }

  /// Reads `byteCount` bytes.
  func decode(_ bytes: UnsafeRawBufferPointer) -> WipedBuffer<UInt16> {
    let numbers = WipedBuffer<UInt16>(count: polynomialDegree)
    var position = byteCount
    // Reads backwards: the bytes end with those of the last pair.
    func read(_ value: inout UInt32, bytes count: Int) {
      for _ in 0..<count {
        position &-= 1
        value = value &<< 8 | UInt32(bytes[position])
      }
    }
    var last: UInt32 = 0
    read(&last, bytes: lastByteCount)
    numbers[0] = UInt16(lastRadix.dividing(last).remainder)
    for level in levels.reversed() {
      if !level.count.isMultiple(of: 2) { numbers[level.count - 1] = numbers[level.count / 2] }
      for index in (0..<level.count / 2).reversed() {
        let pair = level.pair(index)
        var joined = UInt32(numbers[index])
        read(&joined, bytes: pair.byteCount)
        let (high, low) = pair.low.dividing(joined)
        numbers[2 * index] = UInt16(truncatingIfNeeded: low)
        numbers[2 * index + 1] = UInt16(truncatingIfNeeded: pair.high.dividing(high).remainder)
      }
    }
    return numbers
  }
}
