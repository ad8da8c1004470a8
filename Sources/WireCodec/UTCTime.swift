/// A moment in time: nanoseconds of the Unix epoch, without leap seconds. Binary protocols carry its seconds, texts
/// its ISO 8601 form. Range: years 1 to 9999.
public struct UTCTime: Hashable, Sendable {
  /// Whole seconds since 1970-01-01T00:00:00Z; may be negative.
  public let seconds: Int64
  /// Nanoseconds within the second, 0 to 999,999,999.
  public let nanoseconds: UInt32

  /// The range of `seconds` that has an ISO 8601 form with a year of four digits.
  public static let secondsRange: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// A moment; nil outside the years 1 to 9999 or with a whole second of nanoseconds.
  public init?(seconds: Int64, nanoseconds: UInt32 = 0) {
    guard Self.secondsRange.contains(seconds), nanoseconds < 1_000_000_000 else { return nil }
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Whole seconds since 1970 as a signed 8-byte integer (SystemTime of the protocols).
  public static let secondsCodec = Codec<Int64>.integer.compactMap(
    "a time", { UTCTime(seconds: $0) }, { $0.seconds })

  /// ISO 8601 with `Z`, for example `2023-11-14T22:13:20.123Z`.
  public static let textCodec = Codec<String>.word(endingAt: " \n,;").compactMap(
    "an ISO 8601 time", { UTCTime(iso8601: $0) }, { $0.description })
}

extension UTCTime: Comparable {
  /// Earlier than.
  public static func < (left: UTCTime, right: UTCTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

extension UTCTime: CustomStringConvertible {
  /// ISO 8601 with `Z`; the fraction of the second has as many digits as it needs, and is left out when zero.
  public var description: String {
    let days = seconds.flooredQuotient(by: 86_400)
    let second = seconds - days * 86_400
    let date = CivilDate(daysSinceEpoch: days)
    var text = "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))T"
    text += "\(digits(second / 3600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))"
    if nanoseconds > 0 {
      var fraction = digits(Int64(nanoseconds), 9)
      while fraction.last == "0" { fraction.removeLast() }
      text += "." + fraction
    }
    return text + "Z"
  }

  private func digits(_ value: Int64, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }

  /// Reads `YYYY-MM-DDTHH:MM:SS[.fraction]Z`; digits of the fraction beyond nanoseconds are dropped. Nil where the
  /// text is anything else.
  public init?(iso8601 text: String) {
    var parser = DigitParser(text.utf8[...])
    guard let year = parser.number(4), year >= 1, parser.take("-"), let month = parser.number(2),
      (1...12).contains(month), parser.take("-"), let day = parser.number(2),
      day >= 1, day <= CivilDate.daysInMonth(year: year, month: month), parser.take("T"),
      let hour = parser.number(2), hour < 24, parser.take(":"), let minute = parser.number(2), minute < 60,
      parser.take(":"), let second = parser.number(2), second < 60
    else { return nil }
    let nanoseconds = parser.take(".") ? parser.fraction() : 0
    guard let nanoseconds, parser.take("Z"), parser.rest.isEmpty else { return nil }
    let days = CivilDate(year: year, month: month, day: day).daysSinceEpoch
    self.init(seconds: days * 86_400 + hour * 3600 + minute * 60 + second, nanoseconds: nanoseconds)
  }
}

/// A date of the proleptic Gregorian calendar, and its day number (1970-01-01 is 0).
///
/// Years are counted from March here, so that the leap day is the last of its year.
private struct CivilDate {
  let year: Int64
  let month: Int64
  let day: Int64

  init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  private static let daysPerEra: Int64 = 146_097  // 400 years
  private static let epochShift: Int64 = 719_468  // days from 0000-03-01 to 1970-01-01

  init(daysSinceEpoch: Int64) {
    let days = daysSinceEpoch + Self.epochShift
    let era = days.flooredQuotient(by: Self.daysPerEra)
    let dayOfEra = days - era * Self.daysPerEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  var daysSinceEpoch: Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let era = marchYear.flooredQuotient(by: 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysPerEra + dayOfEra - Self.epochShift
  }

  static func daysInMonth(year: Int64, month: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

private struct DigitParser {
  var rest: Substring.UTF8View.SubSequence

  init(_ text: Substring.UTF8View.SubSequence) { rest = text }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func digit() -> Int64? {
    guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
    rest = rest.dropFirst()
    return Int64(byte - UInt8(ascii: "0"))
  }

  mutating func number(_ width: Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<width {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  mutating func fraction() -> UInt32? {
    var value: UInt32 = 0
    var count = 0
    while let digit = digit() {
      if count < 9 { value = value * 10 + UInt32(digit) }
      count += 1
    }
    guard count > 0 else { return nil }
    for _ in 0..<max(0, 9 - count) { value *= 10 }
    return value
  }
}

extension Int64 {
  /// The quotient rounded towards minus infinity; the divisor is positive.
  fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
