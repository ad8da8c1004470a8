#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A moment, as Foundation's `Date`: what of it libraries here use, by the same names and with the same rounding.
@frozen
public struct PlainDate: Hashable, Comparable, Sendable {
  /// Seconds since the beginning of 2001 in UTC.
  public let timeIntervalSinceReferenceDate: Double

  /// Seconds from the beginning of 1970 to that of 2001.
  public static let timeIntervalBetween1970AndReferenceDate = 978_307_200.0

  /// Now.
  public init() {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    self.init(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000)
  }

  /// The moment so many seconds after the beginning of 2001.
  public init(timeIntervalSinceReferenceDate seconds: Double) { timeIntervalSinceReferenceDate = seconds }

  /// The moment so many seconds after the beginning of 1970.
  public init(timeIntervalSince1970 seconds: Double) {
    timeIntervalSinceReferenceDate = seconds - Self.timeIntervalBetween1970AndReferenceDate
  }

  /// Now.
  public static var now: PlainDate { PlainDate() }

  /// Seconds since the beginning of 1970.
  public var timeIntervalSince1970: Double {
    timeIntervalSinceReferenceDate + Self.timeIntervalBetween1970AndReferenceDate
  }

  /// Seconds from now; negative for what is past.
  public var timeIntervalSinceNow: Double { timeIntervalSince(PlainDate()) }

  /// Seconds from another moment to this one.
  public func timeIntervalSince(_ other: PlainDate) -> Double {
    timeIntervalSinceReferenceDate - other.timeIntervalSinceReferenceDate
  }

  /// The moment so many seconds later.
  public func addingTimeInterval(_ seconds: Double) -> PlainDate {
    PlainDate(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate + seconds)
  }

  /// Whether one moment is before another.
  public static func < (one: PlainDate, other: PlainDate) -> Bool {
    one.timeIntervalSinceReferenceDate < other.timeIntervalSinceReferenceDate
  }
}
