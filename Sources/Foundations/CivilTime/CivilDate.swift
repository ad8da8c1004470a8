/// A date of the proleptic Gregorian calendar, and its day number (1970-01-01 is 0).
///
/// The calculation counts years from March, so that the leap day is the last of its year and the day within the year is
/// a linear function of the month; the calendar repeats after 400 years of 146,097 days.
public struct CivilDate: Hashable, Sendable {
  /// The year; 0 is the year before the year 1.
  public let year: Int64
  /// The month, 1 to 12.
  public let month: Int64
  /// The day of the month, from 1.
  public let day: Int64

  /// The date of these numbers, which is not checked.
  @inlinable public init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The date of a day number between -2⁵⁵ and 2⁵⁵.
  @inlinable public init(dayNumber: Int64) {
    let days = dayNumber &+ Self.epochShift
    let era = days.flooredQuotient(by: Self.daysPerEra)
    let dayOfEra = days - era * Self.daysPerEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The day number of the date.
  @inlinable public var dayNumber: Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let era = marchYear.flooredQuotient(by: 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysPerEra + dayOfEra - Self.epochShift
  }

  /// The number of days of a month, 28 to 31.
  @inlinable public static func days(inMonth month: Int64, ofYear year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// 400 years.
  @usableFromInline static let daysPerEra: Int64 = 146_097
  /// Days from 0000-03-01 to 1970-01-01.
  @usableFromInline static let epochShift: Int64 = 719_468
}

extension Int64 {
  /// The quotient rounded towards minus infinity; the divisor is positive.
  @inlinable public func flooredQuotient(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
