import ChatAPI
import FoundationTypes
import SQLiteKit
import SimplexJSON

/// The next column of a row to be read. Lists of columns and the functions that read them have the same order.
struct ColumnIndex {
  private var value = 0

  mutating func next() -> Int {
    defer { value += 1 }
    return value
  }

  /// Leaves columns out.
  mutating func skip(_ count: Int) { value += count }
}

extension SQLiteRow {
  func integer(_ at: inout ColumnIndex) throws(SQLFailure) -> Int64 { try integer(at.next()) }

  func int(_ at: inout ColumnIndex) throws(SQLFailure) -> Int { Int(try integer(at.next())) }

  func optionalInteger(_ at: inout ColumnIndex) throws(SQLFailure) -> Int64? { try optionalInteger(at.next()) }

  func bool(_ at: inout ColumnIndex) throws(SQLFailure) -> Bool { try bool(at.next()) }

  func optionalBool(_ at: inout ColumnIndex) throws(SQLFailure) -> Bool? {
    try optionalInteger(at.next()).map { $0 != 0 }
  }

  func text(_ at: inout ColumnIndex) throws(SQLFailure) -> String { try text(at.next()) }

  func optionalText(_ at: inout ColumnIndex) throws(SQLFailure) -> String? { try optionalText(at.next()) }

  func date(_ at: inout ColumnIndex) throws(SQLFailure) -> Date { Date(microseconds: try integer(at.next())) }

  func optionalDate(_ at: inout ColumnIndex) throws(SQLFailure) -> Date? {
    try optionalInteger(at.next()).map { Date(microseconds: $0) }
  }

  /// A value kept as JSON.
  func json<Value: JSONDecodable>(_ at: inout ColumnIndex, as _: Value.Type = Value.self) throws(SQLFailure) -> Value {
    let column = at.next()
    return try parsed(try text(column), column)
  }

  /// A value kept as JSON, or `otherwise` where it cannot be read: the rest of its row is of use without it.
  func json<Value: JSONDecodable>(_ at: inout ColumnIndex, otherwise: Value) throws(SQLFailure) -> Value {
    try optionalJSON(&at) ?? otherwise
  }

  /// A value kept as JSON, or nil for NULL and where it cannot be read.
  func optionalJSON<Value: JSONDecodable>(
    _ at: inout ColumnIndex, as _: Value.Type = Value.self
  ) throws(SQLFailure) -> Value? {
    let column = at.next()
    guard let text = try optionalText(column) else { return nil }
    do throws(SQLFailure) { return try parsed(text, column) } catch {
      note(column: column, "not the expected JSON")
      return nil
    }
  }

  /// One of the names of an enumeration, or `otherwise` for a name that is not known, such as one of a later version.
  func name<Value: RawRepresentable<String>>(_ at: inout ColumnIndex, otherwise: Value) throws(SQLFailure) -> Value {
    try optionalName(&at) ?? otherwise
  }

  /// One of the names of an enumeration, or nil for NULL and for a name that is not known.
  func optionalName<Value: RawRepresentable<String>>(
    _ at: inout ColumnIndex, as _: Value.Type = Value.self
  ) throws(SQLFailure) -> Value? {
    let column = at.next()
    guard let text = try optionalText(column) else { return nil }
    if let value = Value(rawValue: text) { return value }
    note(column: column, "no such name")
    return nil
  }

  private func parsed<Value: JSONDecodable>(_ text: String, _ column: Int) throws(SQLFailure) -> Value {
    do throws(JSONError) {
      return try Value(jsonText: text)
    } catch {
      throw unexpected(column)
    }
  }

  private func unexpected(_ column: Int) -> SQLFailure {
    SQLFailure(.unexpectedColumn(column), "column \(column) holds no such value")
  }
}

extension Date {
  /// Microseconds since 1970, as near as 64 bits allow.
  var microseconds: Int64 {
    let value = (timeIntervalSince1970 * 1_000_000).rounded()
    return Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }

  init(microseconds: Int64) { self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}

extension JSONEncodable {
  /// The text that a column keeps.
  var column: String { jsonText() }
}
