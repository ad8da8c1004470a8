import CivilTime
import SQLiteKit
import SimplexCrypto
import WireCodec

/// What a column of the reference gets: expressions over our tables, and how their values become its value.
struct ExportColumn: ExpressibleByStringLiteral {
  let sources: [String]
  /// Returns nil for a value that cannot be converted.
  let convert: ([SQLiteValue]) -> SQLiteValue?

  /// The value as it is.
  init(stringLiteral source: String) { self.init([source]) { $0[0] } }

  private init(_ sources: [String], _ convert: @escaping ([SQLiteValue]) -> SQLiteValue?) {
    (self.sources, self.convert) = (sources, convert)
  }

  /// The value as it is.
  static func plain(_ source: String) -> ExportColumn { ExportColumn(stringLiteral: source) }

  /// Microseconds since 1970 as text. Peers and relays choose some times: they are clamped to the years 0 to 9999.
  static func time(_ source: String) -> ExportColumn {
    ExportColumn([source]) { values in
      switch values[0] {
      case .null: .null
      case .integer(let time):
        ReferenceTime.text(microseconds: min(max(time, ReferenceTime.first), ReferenceTime.last)).map(SQLiteValue.text)
      default: nil
      }
    }
  }

  /// An identifier, which ours have as base64url, as bytes.
  static func identifier(_ source: String) -> ExportColumn {
    ExportColumn([source]) { values in
      switch values[0] {
      case .null: .null
      case .text(let text): Base64URL.decode(text).map(SQLiteValue.blob)
      default: nil
      }
    }
  }

  /// Text as the bytes of its UTF-8.
  static func data(_ source: String) -> ExportColumn {
    ExportColumn([source]) { values in
      switch values[0] {
      case .null: .null
      case .text(let text): .blob(Array(text.utf8))
      default: nil
      }
    }
  }

  /// Text that is made of text.
  static func text(_ source: String, _ convert: @escaping (String) -> String?) -> ExportColumn {
    ExportColumn([source]) { values in
      switch values[0] {
      case .null: .null
      case .text(let text): convert(text).map(SQLiteValue.text)
      default: nil
      }
    }
  }

  /// What identifies a link, SHA-256 of its text; the hash that ours have, as base64url, where the link is not known.
  static func linkHash(_ link: String, or hash: String) -> ExportColumn {
    ExportColumn([link, hash]) { values in
      switch (values[0], values[1]) {
      case (.text(let link), _): .blob(HashFunction.sha256.digest(of: Array(link.utf8)))
      case (.null, .null): .null
      case (.null, .text(let hash)): Base64URL.decode(hash).map(SQLiteValue.blob)
      default: nil
      }
    }
  }

  /// A number and a text, which may be absent, as text.
  static func code(
    _ number: String, detail: String, convert: @escaping (Int64, String?) -> String
  ) -> ExportColumn {
    ExportColumn([number, detail]) { values in
      guard case .integer(let number) = values[0] else { return nil }
      if case .text(let detail) = values[1] { return .text(convert(number, detail)) }
      return .text(convert(number, nil))
    }
  }
}

/// Times as the reference's databases have them; see `SourceTime`.
enum ReferenceTime {
  /// The beginning of the year 0, in microseconds.
  static let first: Int64 = -62_167_219_200_000_000
  /// The end of the year 9999.
  static let last: Int64 = 253_402_300_799_999_999

  /// Nil for a time outside of the years 0 to 9999.
  static func text(microseconds: Int64) -> String? {
    let (second, rest) = floored(microseconds, by: 1_000_000)
    let (day, time) = floored(second, by: 86_400)
    let date = CivilDate(dayNumber: day)
    guard (0...9999).contains(date.year) else { return nil }
    let clock = "\(pad(time / 3600, 2)):\(pad(time / 60 % 60, 2)):\(pad(time % 60, 2))"
    let fraction = rest == 0 ? "" : "." + pad(rest, 6)
    return "\(pad(date.year, 4))-\(pad(date.month, 2))-\(pad(date.day, 2)) \(clock)\(fraction)"
  }

  /// The text of a time in milliseconds since 1970; 1970-01-01 00:00:00 for times outside of the years 0 to 9999.
  static func text(milliseconds: Int64) -> String {
    text(microseconds: milliseconds.multipliedReportingOverflow(by: 1_000).partialValue) ?? "1970-01-01 00:00:00"
  }

  private static func floored(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private static func pad(_ value: Int64, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }
}
