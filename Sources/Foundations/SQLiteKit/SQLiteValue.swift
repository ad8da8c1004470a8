import CSQLite

/// A value of one of SQLite's types, for tables whose columns are known only at run time.
public enum SQLiteValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension SQLiteValue: SQLiteBindable {
  /// Binds as the type that it has.
  public func bind(to place: SQLiteBinding) -> Int32 {
    switch self {
    case .null: place.bindNull()
    case .integer(let value): value.bind(to: place)
    case .real(let value): value.bind(to: place)
    case .text(let value): value.bind(to: place)
    case .blob(let value): value.bind(to: place)
    }
  }
}

extension SQLiteStatement {
  fileprivate func bind(values: [SQLiteValue]) throws(SQLiteError) {
    var place = try firstPlace()
    for value in values {
      try connection.check(value.bind(to: place))
      place.index += 1
    }
    try expectEnd(place)
  }
}

extension SQLiteConnection {
  /// Runs a statement without rows once, with as many parameters as there are values.
  @discardableResult
  public func execute(_ sql: String, values: [SQLiteValue]) throws(SQLiteError) -> Int {
    let statement = try prepare(sql)
    try statement.bind(values: values)
    defer { statement.reset() }
    while try statement.step() {}
    return changes
  }

  /// Calls `row` for each row of a query, which is not run again until the last row was handled.
  public func forEach(
    _ sql: String, values: [SQLiteValue] = [], row: (borrowing SQLiteRow) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    let statement = try prepare(sql)
    try statement.bind(values: values)
    defer { statement.reset() }
    while try statement.step() { try row(SQLiteRow(statement.handle, notes)) }
  }

  /// The names of the columns of a table, in order; none where there is no such table.
  public func columns(of table: String) throws(SQLiteError) -> [String] {
    try all("SELECT name FROM pragma_table_info(?) ORDER BY cid", table) { (row) throws(SQLiteError) in try row.text(0)
    }
  }
}
