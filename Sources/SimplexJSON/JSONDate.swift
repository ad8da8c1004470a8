/// A moment, to the microsecond, which is the finest unit the databases hold.
///
/// Its JSON is an ISO-8601 text in UTC, `2024-05-06T07:08:09.123456Z`: the fraction is left out when it is zero and has
/// no trailing zeros otherwise.
public struct JSONDate: Hashable, Sendable, JSONDecodable, JSONEncodable {
  /// Microseconds since 1970, in the years 0 to 9999.
  public let microseconds: Int64

  /// A moment; of those outside of the years 0 to 9999 the nearest that is inside.
  public init(microseconds: Int64) {
    self.microseconds = min(max(microseconds, writableMicroseconds.lowerBound), writableMicroseconds.upperBound)
  }

  /// A moment in seconds since 1970; of those outside of the years 0 to 9999 the nearest that is inside, 1970 for what
  /// is no number.
  public init(secondsSince1970 seconds: Double) {
    self.init(microseconds: seconds.isNaN ? 0 : Int64(min(max((seconds * 1_000_000).rounded(), -1e18), 1e18)))
  }

  /// Reads a text; a fraction of up to 12 digits and an offset instead of `Z` are accepted.
  public init(json: JSONNode) throws(JSONError) {
    guard let microseconds = try json.withStringBytes(scanDate) else { throw JSONError(.invalidText(type: "date")) }
    self.microseconds = microseconds
  }

  /// Writes the text.
  public func encode(to json: inout JSONWriter) { json.date(microseconds: microseconds) }

  /// The moment that an ISO-8601 text states, or nil if it is not one.
  public init?(iso8601 text: String) {
    guard let microseconds = Array(text.utf8).withUnsafeBufferPointer(scanDate) else { return nil }
    self.microseconds = microseconds
  }

  /// The moment as ISO-8601 text.
  public var iso8601Text: String {
    var output = JSONOutput(capacity: JSONOutput.longestDate)
    output.append(date: microseconds)
    return output.text
  }

  /// Seconds since 1970.
  public var secondsSince1970: Double { Double(microseconds) / 1_000_000 }
}

extension JSONOutput {
  /// The most bytes of a date.
  static let longestDate = 27

  /// Appends an ISO-8601 text; the caller made room for ``longestDate`` bytes.
  mutating func append(date microseconds: Int64) {
    let day = floorDivide(microseconds, 86_400_000_000)
    let time = microseconds - day * 86_400_000_000
    let seconds = time / 1_000_000
    let (year, month, dayOfMonth) = civilDate(day: day)
    append(twoDigits: year / 100)
    append(twoDigits: year % 100)
    append(UInt8(ascii: "-"))
    append(twoDigits: month)
    append(UInt8(ascii: "-"))
    append(twoDigits: dayOfMonth)
    append(UInt8(ascii: "T"))
    append(twoDigits: seconds / 3600)
    append(UInt8(ascii: ":"))
    append(twoDigits: seconds / 60 % 60)
    append(UInt8(ascii: ":"))
    append(twoDigits: seconds % 60)
    append(fraction: time % 1_000_000)
    append(UInt8(ascii: "Z"))
  }

  /// Appends a point and the digits up to the last that is not 0, or nothing.
  @inline(__always)
  private mutating func append(fraction microseconds: Int64) {
    guard microseconds > 0 else { return }
    append(UInt8(ascii: "."))
    append(twoDigits: microseconds / 10_000)
    append(twoDigits: microseconds / 100 % 100)
    append(twoDigits: microseconds % 100)
    removeTrailing(UInt8(ascii: "0"))
  }

  @inline(__always)
  private mutating func append(twoDigits value: Int64) {
    append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value / 10))
    append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value % 10))
  }
}

/// Whole seconds of the years 0 to 9999, in microseconds since 1970.
private let writableMicroseconds: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_000_000

/// Microseconds since 1970, if they can be written again.
private func scanDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
  var scanner = DateScanner(bytes: bytes)
  guard let microseconds = scanner.scan(), writableMicroseconds.contains(microseconds) else { return nil }
  return microseconds
}

private struct DateScanner {
  let bytes: UnsafeBufferPointer<UInt8>
  var position = 0

  init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func scan() -> Int64? {
    guard let year = digits(4), skip("-"), let month = digits(2), skip("-"), let day = digits(2), skip("T"),
      let hour = digits(2), skip(":"), let minute = digits(2), skip(":"), let second = digits(2),
      (1...12).contains(month), (1...daysIn(month: month, year: year)).contains(day), hour < 24, minute < 60,
      second <= 60
    else { return nil }
    let fraction = skip(".") ? fractionInMicroseconds() : 0
    guard let fraction, let offset = offsetInMinutes(), position == bytes.count else { return nil }
    let minutes = (dayNumber(year: year, month: month, day: day) * 24 + hour) * 60 + minute - offset
    return (minutes * 60 + second) * 1_000_000 + fraction
  }

  private mutating func fractionInMicroseconds() -> Int64? {
    var value: Int64 = 0
    var count = 0
    while position < bytes.count, let digit = digits(1) {
      if count < 6 { value = value * 10 + digit }
      count += 1
    }
    guard count > 0, count <= 12 else { return nil }
    for _ in min(count, 6)..<6 { value *= 10 }
    return value
  }

  private mutating func offsetInMinutes() -> Int64? {
    if skip("Z") { return 0 }
    let sign: Int64 = skip("+") ? 1 : skip("-") ? -1 : 0
    guard sign != 0, let hours = digits(2), skip(":") || true, let minutes = digits(2) else { return nil }
    return sign * (hours * 60 + minutes)
  }

  @inline(__always)
  private mutating func digits(_ count: Int) -> Int64? {
    guard position + count <= bytes.count else { return nil }
    var value: Int64 = 0
    for index in position..<position + count {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    position += count
    return value
  }

  @inline(__always)
  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }
}

// MARK: - The civil calendar, days counted from 1970-01-01

private func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
  value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
}

private func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

private func daysIn(month: Int64, year: Int64) -> Int64 {
  switch month {
  case 4, 6, 9, 11: 30
  case 2: isLeap(year) ? 29 : 28
  default: 31
  }
}

/// Years begin in March here, so that the leap day is the last one: the day within the year is then a linear function
/// of the month.
private func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
  let shiftedYear = month > 2 ? year : year - 1
  let shiftedMonth = (month + 9) % 12
  let leapDays = floorDivide(shiftedYear, 4) - floorDivide(shiftedYear, 100) + floorDivide(shiftedYear, 400)
  return shiftedYear * 365 + leapDays + (153 * shiftedMonth + 2) / 5 + day - 1 - 719_468
}

/// The date of a day, by the 400 years of 146,097 days after which the calendar repeats.
private func civilDate(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
  let shifted = day + 719_468
  let era = floorDivide(shifted, 146_097)
  let dayOfEra = shifted - era * 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
  let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return (era * 400 + yearOfEra + (month > 2 ? 0 : 1), month, dayOfMonth)
}
