import CSQLite

/// A prepared statement. It belongs to its connection and is used where the connection is.
public final class SQLiteStatement {
  @usableFromInline var handle: OpaquePointer?
  @usableFromInline unowned let connection: SQLiteConnection

  init(_ sql: String, connection: SQLiteConnection) throws(SQLiteError) {
    self.connection = connection
    let code = sqlite3_prepare_v3(
      connection.database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    try connection.check(code)
    guard handle != nil else { throw SQLiteError(.other, "an empty statement") }
  }

  /// Called by the connection before it closes; the statement cannot be used afterwards.
  func finalize() {
    sqlite3_finalize(handle)
    handle = nil
  }

  /// Runs the statement to its end; returns the number of rows that it changed.
  @inlinable
  @discardableResult
  public func execute<each Parameter: SQLiteBindable>(
    _ parameters: repeat each Parameter
  ) throws(SQLiteError) -> Int {
    try bind(repeat each parameters)
    defer { reset() }
    while try step() {}
    return connection.changes
  }

  /// The first row, converted; nil where there is none.
  @inlinable
  public func first<each Parameter: SQLiteBindable, Value>(
    _ parameters: repeat each Parameter, row: (borrowing SQLiteRow) throws(SQLiteError) -> Value
  ) throws(SQLiteError) -> Value? {
    try bind(repeat each parameters)
    defer { reset() }
    return try step() ? try row(SQLiteRow(handle, connection.notes)) : nil
  }

  /// All rows, converted.
  @inlinable
  public func all<each Parameter: SQLiteBindable, Value>(
    _ parameters: repeat each Parameter, row: (borrowing SQLiteRow) throws(SQLiteError) -> Value
  ) throws(SQLiteError) -> [Value] {
    try bind(repeat each parameters)
    return try allUnbound(row: row)
  }

  /// The rows that `row` converts; those for which it returns nil are left out.
  @inlinable
  public func compactAll<each Parameter: SQLiteBindable, Value>(
    _ parameters: repeat each Parameter, row: (borrowing SQLiteRow) throws(SQLiteError) -> Value?
  ) throws(SQLiteError) -> [Value] {
    try bind(repeat each parameters)
    defer { reset() }
    var values: [Value] = []
    while try step() { if let value = try row(SQLiteRow(handle, connection.notes)) { values.append(value) } }
    return values
  }

  /// All rows with every parameter NULL; for `EXPLAIN`, which does not look at them.
  @inlinable
  func allUnbound<Value>(
    row: (borrowing SQLiteRow) throws(SQLiteError) -> Value
  ) throws(SQLiteError) -> [Value] {
    defer { reset() }
    var values: [Value] = []
    while try step() { values.append(try row(SQLiteRow(handle, connection.notes))) }
    return values
  }

  @inlinable
  func bind<each Parameter: SQLiteBindable>(_ parameters: repeat each Parameter) throws(SQLiteError) {
    var place = try firstPlace()
    for parameter in repeat each parameters {
      try connection.check(parameter.bind(to: place))
      place.index += 1
    }
    try expectEnd(place)
  }

  @usableFromInline
  func firstPlace() throws(SQLiteError) -> SQLiteBinding {
    guard let handle else { throw SQLiteError(.other, "the connection of the statement is closed") }
    return SQLiteBinding(statement: handle, index: 1)
  }

  @usableFromInline
  func expectEnd(_ place: SQLiteBinding) throws(SQLiteError) {
    let count = sqlite3_bind_parameter_count(handle)
    guard place.index == count + 1 else {
      throw SQLiteError(.other, "\(place.index - 1) parameters for \(count) places")
    }
  }

  /// Whether there is a row.
  @usableFromInline
  func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(code: code, database: connection.database)
    }
  }

  @usableFromInline
  func reset() {
    connection.work?.note(handle)
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }
}
