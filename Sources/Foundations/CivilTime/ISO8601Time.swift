/// A time in the form `YYYY-MM-DDTHH:MM:SS[.fraction](Z|±HH[:]MM)` of ISO 8601, as read. Whether years, leap seconds,
/// offsets and long fractions are accepted is for the caller to decide.
public struct ISO8601Time: Hashable, Sendable {
  /// The year that the text names, 0 to 9999.
  public let year: Int64
  /// Seconds since 1970 in UTC; a leap second is the next minute's first.
  public let seconds: Int64
  /// Nanoseconds within the second; further digits of the fraction are dropped.
  public let nanoseconds: UInt32
  /// The number of digits of the fraction; 0 if there is none.
  public let fractionDigits: Int
  /// Whether the second is the 61st of its minute.
  public let isLeapSecond: Bool
  /// Whether the text ends in `Z`, not in an offset.
  public let isUTC: Bool

  /// Reads a text, the whole of it; nil where it has another form or names a time that no day has.
  @inlinable public init?(_ text: UnsafeBufferPointer<UInt8>) {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
      let day = scanner.number(2), scanner.skip("T"), let hour = scanner.number(2), scanner.skip(":"),
      let minute = scanner.number(2), scanner.skip(":"), let second = scanner.number(2), (1...12).contains(month),
      (1...CivilDate.days(inMonth: month, ofYear: year)).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    let fraction = scanner.skip(".") ? scanner.fraction() : (nanoseconds: 0, digits: 0)
    guard let fraction, let offset = scanner.offset(), scanner.isAtEnd else { return nil }
    self.year = year
    let minutes = (CivilDate(year: year, month: month, day: day).dayNumber * 24 + hour) * 60 + minute - offset.minutes
    seconds = minutes * 60 + second
    nanoseconds = fraction.nanoseconds
    fractionDigits = fraction.digits
    isLeapSecond = second == 60
    isUTC = offset.isUTC
  }
}

/// Reads numbers of a fixed number of digits.
@usableFromInline
struct DigitScanner {
  @usableFromInline let text: UnsafeBufferPointer<UInt8>
  @usableFromInline var position = 0

  @inlinable init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  @inlinable var isAtEnd: Bool { position == text.count }

  @inlinable @inline(__always)
  mutating func number(_ count: Int) -> Int64? {
    guard text.count - position >= count else { return nil }
    var value: Int64 = 0
    for index in position..<position + count {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    position += count
    return value
  }

  @inlinable @inline(__always)
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Reads the digits after the point; at least one.
  @inlinable mutating func fraction() -> (nanoseconds: UInt32, digits: Int)? {
    var value: UInt32 = 0
    var count = 0
    while position < text.count, let digit = number(1) {
      if count < 9 { value = value * 10 + UInt32(digit) }
      count += 1
    }
    guard count > 0 else { return nil }
    for _ in min(count, 9)..<9 { value *= 10 }
    return (value, count)
  }

  /// Reads `Z`, `±HH:MM` or `±HHMM`.
  @inlinable mutating func offset() -> (minutes: Int64, isUTC: Bool)? {
    if skip("Z") { return (0, true) }
    let sign: Int64 = skip("+") ? 1 : skip("-") ? -1 : 0
    guard sign != 0, let hours = number(2), skip(":") || true, let minutes = number(2) else { return nil }
    return (sign * (hours * 60 + minutes), false)
  }
}
