import ChatAPI
import FoundationTypes
import SQLiteKit

/// Everything that can be done in one transaction of a ``ChatDatabase``, one file of extensions for each aggregate.
///
/// Values are the API's. What is changed is stored at once and given back as it is afterwards.
public final class ChatTransaction {
  let connection: SQLiteConnection
  /// The time of everything this transaction stores.
  public let now: Date
  /// The same in microseconds since 1970.
  let nowMicroseconds: Int64
  /// Whether the wall clock is trusted (``ClockTrust``), so that rows may be deleted for their age.
  let trustsClock: Bool
  /// Whether something outside of the database kept a statement from its work.
  public var hadOutage: Bool { outage != nil }
  /// The first error of something outside of the database.
  private(set) var outage: StoreError?
  /// The time at which the first of the items and kept messages disappears whose time to live began in this
  /// transaction; nil where none began.
  public private(set) var timer: Date?
  /// The last error of the database that no constraint caused: something is stored that cannot be read, for example.
  private(set) var lastFailure: StoreError?
  /// Whether a statement failed because the disk is full.
  private(set) var foundDiskFull = false
  /// Whether it left items for ``purge(limit:)``.
  public internal(set) var leavesItems = false
  /// The connection by which the message or request at hand came, a database id: what the user does not see of it is
  /// charged to this connection. 0 for what nobody else causes.
  public var payer: Int64 = 0

  init(_ connection: SQLiteConnection, now: Date, trustsClock: Bool) {
    self.connection = connection
    self.trustsClock = trustsClock
    nowMicroseconds = now.microseconds
    // The time as it will be read again.
    self.now = Date(microseconds: nowMicroseconds)
  }
}

extension ChatTransaction {
  /// Notes that something disappears at a time.
  func note(timer time: Date) { timer = min(time, timer ?? time) }

  /// Runs `body` within a savepoint: if it throws, only its changes are undone. After an outage all of the transaction
  /// has to be undone; see ``hadOutage``.
  @discardableResult
  public func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
    try execute("SAVEPOINT part")
    do {
      let value = try body()
      try execute("RELEASE part")
      return value
    } catch {
      // After some failures (disk full, I/O) there is nothing left to undo.
      if connection.isInTransaction {
        _ = try? connection.execute("ROLLBACK TO part")
        _ = try? connection.execute("RELEASE part")
      }
      throw error
    }
  }

  /// The error of a statement, remembered where it may not come again.
  func failure(_ error: SQLFailure) -> StoreError {
    let shown = StoreError(error)
    if error.isOutage, outage == nil { outage = shown }
    if error.kind == .diskFull { foundDiskFull = true }
    if case .constraint = error.kind { return shown }
    lastFailure = shown
    return shown
  }

  /// Runs a statement; returns the number of rows that it changed.
  @discardableResult
  func execute<each Parameter: SQLiteBindable>(
    _ sql: String, _ parameters: repeat each Parameter
  ) throws(StoreError) -> Int {
    do throws(SQLFailure) {
      return try connection.execute(sql, repeat each parameters)
    } catch {
      throw failure(error)
    }
  }

  /// Inserts a row; returns its database id; throws `duplicate` where a row like it exists.
  @discardableResult
  func insert<each Parameter: SQLiteBindable>(
    _ sql: String, _ parameters: repeat each Parameter, duplicate: StoreError = .uniqueID
  ) throws(StoreError) -> Int64 {
    do throws(SQLFailure) {
      try connection.execute(sql, repeat each parameters)
      return connection.lastInsertedRow
    } catch {
      if case .constraint(.unique) = error.kind { throw duplicate }
      throw failure(error)
    }
  }

  /// Whether an error is one of the database that no constraint caused: the same may succeed later.
  public func isStoreFailure(_ error: any Error) -> Bool {
    guard let lastFailure, let error = error as? StoreError else { return false }
    return error == lastFailure
  }

  /// The first row of a query.
  func first<each Parameter: SQLiteBindable, Value>(
    _ sql: String, _ parameters: repeat each Parameter, row body: (borrowing SQLiteRow) throws(SQLFailure) -> Value
  ) throws(StoreError) -> Value? {
    do throws(SQLFailure) {
      return try connection.first(sql, repeat each parameters) { (row) throws(SQLFailure) -> Value in
        do throws(SQLFailure) { return try body(row) } catch {
          if case .unexpectedColumn(let column) = error.kind { row.note(column: column, error.message) }
          throw error
        }
      }
    } catch {
      throw failure(error)
    }
  }

  /// All rows of a query. One that cannot be read is noted and left out, so that the others are of use.
  func all<each Parameter: SQLiteBindable, Value>(
    _ sql: String, _ parameters: repeat each Parameter, row body: (borrowing SQLiteRow) throws(SQLFailure) -> Value
  ) throws(StoreError) -> [Value] {
    do throws(SQLFailure) {
      return try connection.compactAll(sql, repeat each parameters) { (row) throws(SQLFailure) -> Value? in
        do throws(SQLFailure) { return try body(row) } catch {
          guard case .unexpectedColumn(let column) = error.kind else { throw error }
          row.note(column: column, error.message)
          return nil
        }
      }
    } catch {
      throw failure(error)
    }
  }

  /// The number that a query returns.
  func integer<each Parameter: SQLiteBindable>(
    _ sql: String, _ parameters: repeat each Parameter
  ) throws(StoreError) -> Int64? {
    do throws(SQLFailure) {
      let value = try connection.first(sql, repeat each parameters) { (row) throws(SQLFailure) in
        try row.optionalInteger(0)
      }
      return value ?? nil
    } catch {
      throw failure(error)
    }
  }

  /// The numbers that a query returns.
  func integers<each Parameter: SQLiteBindable>(
    _ sql: String, _ parameters: repeat each Parameter
  ) throws(StoreError) -> [Int64] {
    try all(sql, repeat each parameters) { (row) throws(SQLFailure) in try row.integer(0) }
  }

  /// The text that a query returns.
  func text<each Parameter: SQLiteBindable>(
    _ sql: String, _ parameters: repeat each Parameter
  ) throws(StoreError) -> String? {
    let value = try first(sql, repeat each parameters) { (row) throws(SQLFailure) in try row.optionalText(0) }
    return value ?? nil
  }

  /// The texts that a query returns.
  func texts<each Parameter: SQLiteBindable>(
    _ sql: String, _ parameters: repeat each Parameter
  ) throws(StoreError) -> [String] {
    try all(sql, repeat each parameters) { (row) throws(SQLFailure) in try row.text(0) }
  }
}
