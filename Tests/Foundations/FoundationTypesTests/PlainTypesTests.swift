import Foundation
import FoundationTypes
import Testing

/// The types of the C library against those of Foundation.
struct PlainTypesTests {
  @Test(arguments: [0, 1_700_000_000.123456, -62_167_219_200, 253_402_300_799.999999, 0.1, -0.000001])
  func datesCalculateAsFoundations(seconds: Double) {
    let plain = PlainDate(timeIntervalSince1970: seconds)
    let date = Date(timeIntervalSince1970: seconds)
    #expect(plain.timeIntervalSinceReferenceDate == date.timeIntervalSinceReferenceDate)
    #expect(plain.timeIntervalSince1970 == date.timeIntervalSince1970)
    #expect(
      plain.addingTimeInterval(86_400.3).timeIntervalSince1970
        == date.addingTimeInterval(86_400.3).timeIntervalSince1970)
    let other = 1_234_567_890.987654
    #expect(
      plain.timeIntervalSince(PlainDate(timeIntervalSince1970: other))
        == date.timeIntervalSince(Date(timeIntervalSince1970: other)))
    #expect(
      (plain < PlainDate(timeIntervalSince1970: other)) == (date < Date(timeIntervalSince1970: other)))
    #expect(plain == PlainDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
  }

  @Test func nowIsBetweenFoundationsMoments() {
    for _ in 0..<10_000 {
      let before = Date()
      let now = PlainDate.now
      let after = Date()
      #expect((before.timeIntervalSince1970...after.timeIntervalSince1970).contains(now.timeIntervalSince1970))
    }
    let now = PlainDate.now
    #expect(PlainDate(timeIntervalSince1970: 0).timeIntervalSinceNow <= -now.timeIntervalSince1970)
  }

  @Test(arguments: [[], [7], Array(0...255)] as [[UInt8]])
  func dataHoldsItsBytes(bytes: [UInt8]) {
    let data = PlainData(bytes)
    #expect(Array(data) == bytes)
    #expect(data.map { $0 } == bytes)
    #expect(data == PlainData(bytes[...]))
    #expect(data != PlainData(bytes + [1]))
  }
}
