import WireCodec

/// The days of the statistics, as numbers since 1970.
public enum CalendarDay {
  /// Whether a week ends with the day, which is on Sunday; the first day of 1970 was a Thursday.
  public static func endsWeek(_ day: Int64) -> Bool { (day + 3) % 7 == 6 }

  /// Whether a month ends with the day.
  public static func endsMonth(_ day: Int64) -> Bool { text(day).prefix(7) != text(day + 1).prefix(7) }

  /// The first day of the month.
  public static func firstOfMonth(_ day: Int64) -> Int64 { day + 1 - (Int64(text(day).suffix(2)) ?? 1) }

  /// The date as `2026-11-25`.
  public static func text(_ day: Int64) -> String {
    String(UTCTime(seconds: day * 86_400)?.description.prefix(10) ?? "")
  }
}
