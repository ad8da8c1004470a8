import CivilTime

/// A time in nanoseconds since the Unix epoch, without leap seconds. Binary protocols carry its seconds, texts its
/// ISO 8601 form. Range: years 1 to 9999.
public struct UTCTime: Hashable, Sendable {
  /// Whole seconds since 1970-01-01T00:00:00Z; may be negative.
  public let seconds: Int64
  /// Nanoseconds within the second, 0 to 999,999,999.
  public let nanoseconds: UInt32

  /// The range of `seconds` that has an ISO 8601 form with a year of four digits.
  public static let secondsRange: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// A time; nil outside the years 1 to 9999 or with a whole second of nanoseconds.
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
  /// Whether one time is before another.
  public static func < (left: UTCTime, right: UTCTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

extension UTCTime: CustomStringConvertible {
  /// ISO 8601 with `Z`; the fraction of the second has as many digits as it needs, and is left out when zero.
  public var description: String {
    let days = seconds.flooredQuotient(by: 86_400)
    let second = seconds - days * 86_400
    let date = CivilDate(dayNumber: days)
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
    guard let time = Array(text.utf8).withUnsafeBufferPointer({ ISO8601Time($0) }), time.isUTC, time.year >= 1,
      !time.isLeapSecond
    else { return nil }
    self.init(seconds: time.seconds, nanoseconds: time.nanoseconds)
  }
}
