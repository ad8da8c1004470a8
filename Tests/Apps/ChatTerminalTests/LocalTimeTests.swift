import Foundation
import Testing

@testable import ChatTerminal

@Suite struct LocalTimeTests {
  private func time(_ text: String) throws -> LocalTime {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd HH:mm"
    return LocalTime(try #require(formatter.date(from: text)))
  }

  @Test(arguments: [
    ("2026-03-10 09:05", "2026-03-10 20:00", "09:05"), ("2026-03-09 18:00", "2026-03-10 11:59", "18:00"),
    ("2026-03-09 17:59", "2026-03-10 11:59", "03-09"), ("2026-03-09 18:00", "2026-03-10 12:00", "03-09"),
    ("2025-12-31 23:00", "2026-01-01 08:00", "23:00"), ("2025-12-31 10:00", "2026-12-31 11:00", "12-31"),
  ])
  func recentTimesAreTimesOfDay(_ text: String, _ now: String, _ shown: String) throws {
    #expect(try time(text).short(now: try time(now)) == shown)
  }

  @Test func wholeTimes() throws {
    #expect(try time("2026-03-09 18:07").full == "2026-03-09 18:07:00")
  }
}
