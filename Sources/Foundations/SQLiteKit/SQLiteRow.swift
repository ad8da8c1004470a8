import CSQLite
import SimplexCrypto

/// The row a statement stands at. It is valid only inside the closure that gets it.
///
/// Columns are read by their place in the result, from 0. A column of another type, or NULL where a value is asked
/// for, throws ``SQLiteError/Kind/unexpectedColumn(_:)``: a file can hold anything.
public struct SQLiteRow: ~Copyable {
  private let statement: OpaquePointer?
  private let notes: RowNotes

  @usableFromInline
  init(_ statement: OpaquePointer?, _ notes: RowNotes) {
    self.statement = statement
    self.notes = notes
  }

  /// Notes in ``SQLiteConnection/notes`` that something of this row cannot be read, with the name of its first column,
  /// which identifies it, and no content.
  /// - Parameters:
  ///   - column: the column that cannot be read; nil where that is part of the reason.
  ///   - reason: why; without content.
  public func note(column: Int? = nil, _ reason: String) {
    var place = Self.name(statement, 0)
    if let number = try? integer(0) { place += " \(number)" }
    if let column, column != 0 { place += ", \(Self.name(statement, column))" }
    notes.add("\(place): \(reason)")
  }

  private static func name(_ statement: OpaquePointer?, _ column: Int) -> String {
    sqlite3_column_name(statement, Int32(column)).map { String(cString: $0) } ?? "column \(column)"
  }

  /// An integer.
  public func integer(_ column: Int) throws(SQLiteError) -> Int64 {
    try expect(SQLITE_INTEGER, column)
    return sqlite3_column_int64(statement, Int32(column))
  }

  /// An integer, or nil for NULL.
  public func optionalInteger(_ column: Int) throws(SQLiteError) -> Int64? {
    isNull(column) ? nil : try integer(column)
  }

  /// Whether an integer is not 0.
  public func bool(_ column: Int) throws(SQLiteError) -> Bool { try integer(column) != 0 }

  /// A floating-point number.
  public func double(_ column: Int) throws(SQLiteError) -> Double {
    try expect(SQLITE_FLOAT, column)
    return sqlite3_column_double(statement, Int32(column))
  }

  /// A copy of a blob.
  public func bytes(_ column: Int) throws(SQLiteError) -> [UInt8] {
    try expect(SQLITE_BLOB, column)
    let start = sqlite3_column_blob(statement, Int32(column))
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// A copy of a blob, or nil for NULL.
  public func optionalBytes(_ column: Int) throws(SQLiteError) -> [UInt8]? {
    isNull(column) ? nil : try bytes(column)
  }

  /// A copy of a blob that is secret.
  public func secret(_ column: Int) throws(SQLiteError) -> SecretBytes {
    try expect(SQLITE_BLOB, column)
    let start = sqlite3_column_blob(statement, Int32(column))
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    return SecretBytes(copying: RawSpan(_unsafeBytes: bytes))
  }

  /// A copy of a secret blob, or nil for NULL.
  public func optionalSecret(_ column: Int) throws(SQLiteError) -> SecretBytes? {
    isNull(column) ? nil : try secret(column)
  }

  /// Text; bytes that are not UTF-8 are repaired.
  public func text(_ column: Int) throws(SQLiteError) -> String {
    try expect(SQLITE_TEXT, column)
    let start = sqlite3_column_text(statement, Int32(column))
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
  }

  /// Text, or nil for NULL.
  public func optionalText(_ column: Int) throws(SQLiteError) -> String? { isNull(column) ? nil : try text(column) }

  /// A value of whatever type it has.
  public func value(_ column: Int) throws(SQLiteError) -> SQLiteValue {
    switch sqlite3_column_type(statement, Int32(column)) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer(try integer(column))
    case SQLITE_FLOAT: .real(try double(column))
    case SQLITE_TEXT: .text(try text(column))
    default: .blob(try bytes(column))
    }
  }

  /// Whether the column is NULL.
  public func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL }

  private func expect(_ type: Int32, _ column: Int) throws(SQLiteError) {
    guard sqlite3_column_type(statement, Int32(column)) == type else {
      throw SQLiteError(.unexpectedColumn(column), "column \(column) is of another type")
    }
  }
}
