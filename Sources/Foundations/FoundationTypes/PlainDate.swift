#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A point in time, with the part of the interface of Foundation's `Date` that libraries here use, and the same
/// rounding.
@frozen
public struct PlainDate: Hashable, Comparable, Sendable {
  /// Seconds since the beginning of 2001 in UTC.
  public let timeIntervalSinceReferenceDate: Double

  /// Seconds from the beginning of 1970 to that of 2001.
  public static let timeIntervalBetween1970AndReferenceDate = 978_307_200.0

  /// The current time.
  public init() {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    // Nanoseconds are added last: nearer to zero, the sum is rounded less.
    let seconds = Double(time.tv_sec) - Self.timeIntervalBetween1970AndReferenceDate
    self.init(timeIntervalSinceReferenceDate: seconds + 1e-9 * Double(time.tv_nsec))
  }

  /// A time in seconds since the beginning of 2001.
  public init(timeIntervalSinceReferenceDate seconds: Double) { timeIntervalSinceReferenceDate = seconds }

  /// A time in seconds since the beginning of 1970.
  public init(timeIntervalSince1970 seconds: Double) {
    timeIntervalSinceReferenceDate = seconds - Self.timeIntervalBetween1970AndReferenceDate
  }

  /// The current time.
  public static var now: PlainDate { PlainDate() }

  /// Seconds since the beginning of 1970.
  public var timeIntervalSince1970: Double {
    timeIntervalSinceReferenceDate + Self.timeIntervalBetween1970AndReferenceDate
  }

  /// Seconds from now; negative for times in the past.
  public var timeIntervalSinceNow: Double { timeIntervalSince(PlainDate()) }

  /// Seconds from another time to this one.
  public func timeIntervalSince(_ other: PlainDate) -> Double {
    timeIntervalSinceReferenceDate - other.timeIntervalSinceReferenceDate
  }

  /// The time that is later by this many seconds.
  public func addingTimeInterval(_ seconds: Double) -> PlainDate {
    PlainDate(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate + seconds)
  }

  /// Whether one time is before another.
  public static func < (one: PlainDate, other: PlainDate) -> Bool {
    one.timeIntervalSinceReferenceDate < other.timeIntervalSinceReferenceDate
  }
}
