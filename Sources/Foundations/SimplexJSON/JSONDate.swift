import CivilTime

/// A time with the resolution of the databases, microseconds.
///
/// Its JSON is an ISO 8601 text in UTC, `2024-05-06T07:08:09.123456Z`: the fraction is left out when it is zero and has
/// no trailing zeros otherwise.
public struct JSONDate: Hashable, Sendable, JSONDecodable, JSONEncodable {
  /// Microseconds since 1970, in the years 0 to 9999.
  public let microseconds: Int64

  /// A time; those outside the years 0 to 9999 are clamped to that range.
  public init(microseconds: Int64) {
    self.microseconds = min(max(microseconds, writableMicroseconds.lowerBound), writableMicroseconds.upperBound)
  }

  /// A time in seconds since 1970; those outside the years 0 to 9999 are clamped to that range, NaN is 1970.
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

  /// The time of an ISO 8601 text; nil if the text is malformed.
  public init?(iso8601 text: String) {
    guard let microseconds = Array(text.utf8).withUnsafeBufferPointer(scanDate) else { return nil }
    self.microseconds = microseconds
  }

  /// The time as ISO 8601 text.
  public var iso8601Text: String {
    var output = JSONOutput(capacity: JSONOutput.longestDate)
    output.append(date: microseconds)
    return output.text
  }

  /// Seconds since 1970.
  public var secondsSince1970: Double { Double(microseconds) / 1_000_000 }
}

extension JSONOutput {
  /// The maximum number of bytes of a date.
  static let longestDate = 27

  /// Appends an ISO 8601 text; the caller made room for ``longestDate`` bytes.
  mutating func append(date microseconds: Int64) {
    let day = microseconds.flooredQuotient(by: 86_400_000_000)
    let time = microseconds - day * 86_400_000_000
    let seconds = time / 1_000_000
    let date = CivilDate(dayNumber: day)
    append(twoDigits: date.year / 100)
    append(twoDigits: date.year % 100)
    append(UInt8(ascii: "-"))
    append(twoDigits: date.month)
    append(UInt8(ascii: "-"))
    append(twoDigits: date.day)
    append(UInt8(ascii: "T"))
    append(twoDigits: seconds / 3600)
    append(UInt8(ascii: ":"))
    append(twoDigits: seconds / 60 % 60)
    append(UInt8(ascii: ":"))
    append(twoDigits: seconds % 60)
    append(fraction: time % 1_000_000)
    append(UInt8(ascii: "Z"))
  }

  /// Appends a point and the digits up to the last nonzero one, or nothing.
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

/// Microseconds since 1970, if the time can be written again. Fractions have at most 12 digits.
private func scanDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
  guard let time = ISO8601Time(bytes), time.fractionDigits <= 12 else { return nil }
  let microseconds = time.seconds * 1_000_000 + Int64(time.nanoseconds / 1000)
  return writableMicroseconds.contains(microseconds) ? microseconds : nil
}
