#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A time as the clock on the wall shows it.
struct LocalTime {
  private let fields: tm
  private let days: Int

  init(_ date: Date) {
    var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
    var fields = tm()
    localtime_r(&seconds, &fields)
    self.fields = fields
    days = (Int(seconds) + fields.tm_gmtoff).dividedDown(by: 86_400)
  }

  /// Date and time to the second.
  var full: String { "\(year)-\(month)-\(day) \(hour):\(minute):\(two(fields.tm_sec))" }

  /// The time of day of recent times, of others the date. Recent is today, and in the morning also last evening.
  func short(now: LocalTime) -> String {
    let isToday = days == now.days
    let isLastEvening = days == now.days - 1 && fields.tm_hour >= 18 && now.fields.tm_hour < 12
    return isToday || isLastEvening ? "\(hour):\(minute)" : "\(month)-\(day)"
  }

  private var year: String { String(Int(fields.tm_year) + 1900) }
  private var month: String { two(fields.tm_mon + 1) }
  private var day: String { two(fields.tm_mday) }
  private var hour: String { two(fields.tm_hour) }
  private var minute: String { two(fields.tm_min) }

  private func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int {
  fileprivate func dividedDown(by divisor: Int) -> Int {
    self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
  }
}
