import CivilTime
import SQLiteKit
import SimplexCrypto
import WireCodec

/// A row of the reference's database, with its columns by name.
///
/// Columns that an older schema lacks read as NULL. Before version 6.5 text may be kept as a blob and the other way
/// round; both are read as either.
struct SourceRow {
  let table: String
  let columns: SourceColumns
  let values: [SQLiteValue]
  /// The values of secret columns, which are not among the others.
  var secrets: [String: SecretBytes] = [:]
  /// The name of the column that names rows in errors.
  let key: String

  subscript(_ column: String) -> SQLiteValue {
    guard let place = columns.place(of: column), place < values.count else { return .null }
    return values[place]
  }

  /// The error of a value.
  func unusable(_ column: String, _ reason: String) -> ProfileImportError {
    let row =
      switch self[key] {
      case .integer(let number): "\(number)"
      case .text(let text): text
      case .blob(let bytes): Base64URL.string(bytes)
      case .null, .real: "?"
      }
    return .value(table: table, column: column, row: row, reason: reason)
  }

  func optionalInteger(_ column: String) throws(ProfileImportError) -> Int64? {
    switch self[column] {
    case .null: return nil
    case .integer(let value): return value
    case .real, .text, .blob: throw unusable(column, "it is not an integer")
    }
  }

  func integer(_ column: String) throws(ProfileImportError) -> Int64 {
    guard let value = try optionalInteger(column) else { throw unusable(column, "it is missing") }
    return value
  }

  /// A number that goes on being counted: from 0 to below 2⁵³, so that counting further cannot overflow.
  func counter(_ column: String) throws(ProfileImportError) -> Int64 {
    let value = try integer(column)
    guard value >= 0, value < 1 << 53 else { throw unusable(column, "it is out of range") }
    return value
  }

  /// An integer that is not 0; false where there is none.
  func bool(_ column: String) throws(ProfileImportError) -> Bool { try optionalInteger(column) ?? 0 != 0 }

  func optionalBool(_ column: String) throws(ProfileImportError) -> Bool? {
    try optionalInteger(column).map { $0 != 0 }
  }

  func optionalText(_ column: String) throws(ProfileImportError) -> String? {
    switch self[column] {
    case .null: return nil
    case .text(let value): return value
    case .blob(let bytes):
      guard let text = String(validating: bytes, as: UTF8.self) else { throw unusable(column, "it is not text") }
      return text
    case .integer, .real: throw unusable(column, "it is not text")
    }
  }

  func text(_ column: String) throws(ProfileImportError) -> String {
    guard let value = try optionalText(column) else { throw unusable(column, "it is missing") }
    return value
  }

  func optionalBytes(_ column: String) throws(ProfileImportError) -> [UInt8]? {
    switch self[column] {
    case .null: return nil
    case .blob(let bytes): return bytes
    case .text(let text): return Array(text.utf8)
    case .integer, .real: throw unusable(column, "it is not a blob")
    }
  }

  func bytes(_ column: String) throws(ProfileImportError) -> [UInt8] {
    guard let value = try optionalBytes(column) else { throw unusable(column, "it is missing") }
    return value
  }

  /// A value of a secret column.
  func secret(_ column: String) throws(ProfileImportError) -> SecretBytes {
    guard let secret = secrets[column] else { throw unusable(column, "it is missing") }
    return secret
  }

  /// Bytes as base64url, as our databases and the API have identifiers; nil for NULL.
  func identifier(_ column: String) throws(ProfileImportError) -> String? {
    try optionalBytes(column).map(Base64URL.string)
  }

  /// A time in microseconds since 1970; nil for NULL.
  func optionalTime(_ column: String) throws(ProfileImportError) -> Int64? {
    guard let text = try optionalText(column) else { return nil }
    guard let time = SourceTime.microseconds(text) else { throw unusable(column, "it is not a time") }
    return time
  }

  func time(_ column: String) throws(ProfileImportError) -> Int64 {
    guard let value = try optionalTime(column) else { throw unusable(column, "it is missing") }
    return value
  }
}

/// The columns of rows, in their order.
final class SourceColumns {
  let names: [String]
  private let places: [String: Int]

  init(_ names: [String]) {
    self.names = names
    places = Dictionary(zip(names, 0...)) { first, _ in first }
  }

  /// The place of a column among the values of a row; nil where there is no such column.
  func place(of name: String) -> Int? { places[name] }
}

/// Times as the reference's databases have them: `2026-11-23 08:11:20.305262913`, in UTC.
enum SourceTime {
  /// Microseconds since 1970; nil for anything else.
  static func microseconds(_ text: String) -> Int64? {
    var bytes = Array(text.utf8)
    guard bytes.count >= 19, bytes.count <= 40 else { return nil }
    if bytes[10] == UInt8(ascii: " ") { bytes[10] = UInt8(ascii: "T") }
    if bytes.last != UInt8(ascii: "Z") { bytes.append(UInt8(ascii: "Z")) }
    guard let time = bytes.withUnsafeBufferPointer(ISO8601Time.init) else { return nil }
    return time.seconds * 1_000_000 + Int64(time.nanoseconds / 1_000)
  }
}
