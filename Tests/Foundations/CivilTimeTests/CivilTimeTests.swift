import CivilTime
import Foundation
import Testing

/// The calendar and the ISO 8601 reader against Foundation's and against themselves.
struct CivilTimeTests {
  @Test func datesAreThoseOfFoundation() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    // Foundation switches to the Julian calendar before October 1582.
    for day in stride(from: Int64(-141_000), through: 2_932_896, by: 97) {
      let date = CivilDate(dayNumber: day)
      #expect(date.dayNumber == day)
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(day) * 86_400))
      #expect(
        date == CivilDate(year: Int64(parts.year ?? 0), month: Int64(parts.month ?? 0), day: Int64(parts.day ?? 0)))
    }
  }

  @Test func everyDayFollowsTheOneBefore() {
    // From 0000-01-01 to 2400-12-31: all forms of leap years.
    var expected = CivilDate(year: 0, month: 1, day: 1)
    for number in CivilDate(year: 0, month: 1, day: 1).dayNumber...CivilDate(year: 2400, month: 12, day: 31).dayNumber {
      let date = CivilDate(dayNumber: number)
      guard date == expected, date.dayNumber == number else {
        Issue.record("day \(number) is \(date), expected \(expected)")
        return
      }
      let isLast = date.day == CivilDate.days(inMonth: date.month, ofYear: date.year)
      let endsYear = isLast && date.month == 12
      expected = CivilDate(
        year: date.year + (endsYear ? 1 : 0), month: endsYear ? 1 : date.month + (isLast ? 1 : 0),
        day: isLast ? 1 : date.day + 1)
    }
  }

  private func time(_ text: String) -> ISO8601Time? {
    Array(text.utf8).withUnsafeBufferPointer { ISO8601Time($0) }
  }

  @Test func formsAreRead() throws {
    let plain = try #require(time("2023-11-14T22:13:20Z"))
    #expect(plain.seconds == 1_700_000_000 && plain.nanoseconds == 0 && plain.fractionDigits == 0)
    #expect(plain.isUTC && !plain.isLeapSecond && plain.year == 2023)
    let offset = try #require(time("2023-11-15T00:43:20.5+02:30"))
    #expect(offset.seconds == 1_700_000_000 && offset.nanoseconds == 500_000_000 && !offset.isUTC)
    #expect(time("2023-11-14T20:43:20-0130")?.seconds == 1_700_000_000)
    let long = try #require(time("1970-01-01T00:00:00.12345678999Z"))
    #expect(long.nanoseconds == 123_456_789 && long.fractionDigits == 11)
    let leap = try #require(time("2016-12-31T23:59:60Z"))
    #expect(leap.isLeapSecond && leap.seconds == 1_483_228_800)
    #expect(time("0000-02-29T00:00:00Z")?.seconds == -62_162_121_600)
    #expect(time("9999-12-31T23:59:59Z")?.seconds == 253_402_300_799)
  }

  @Test(arguments: [
    "", "2023", "2023-11-14", "2023-11-14T22:13:20", "2023-11-14 22:13:20Z", "2023-13-14T22:13:20Z",
    "2023-00-14T22:13:20Z", "2023-02-29T22:13:20Z", "1900-02-29T22:13:20Z", "2023-11-31T22:13:20Z",
    "2023-11-00T22:13:20Z", "2023-11-14T24:13:20Z", "2023-11-14T22:60:20Z", "2023-11-14T22:13:61Z",
    "2023-11-14T22:13:20.Z", "2023-11-14T22:13:20,5Z", "2023-11-14T22:13:20z", "2023-11-14T22:13:20Z ",
    "2023-11-14T22:13:20+1", "2023-11-14T22:13:20+01:", "2023-11-14T22:13:20.5", "+023-11-14T22:13:20Z",
    "２023-11-14T22:13:20Z",
  ]) func otherTextsAreRefused(_ text: String) { #expect(time(text) == nil) }
}
