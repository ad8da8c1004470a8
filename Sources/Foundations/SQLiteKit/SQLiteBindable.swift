import CSQLite
import SimplexCrypto

/// A place of a statement that a value is bound to.
public struct SQLiteBinding {
  let statement: OpaquePointer
  @usableFromInline var index: Int32
}

extension SQLiteBinding {
  @usableFromInline
  func bindNull() -> Int32 { sqlite3_bind_null(statement, index) }
}

/// A value that can be a parameter of a statement.
public protocol SQLiteBindable {
  /// Binds the value; returns SQLite's result code. SQLite copies the value.
  func bind(to place: SQLiteBinding) -> Int32
}

extension Int64: SQLiteBindable {
  /// Binds as an integer.
  public func bind(to place: SQLiteBinding) -> Int32 { sqlite3_bind_int64(place.statement, place.index, self) }
}

extension Int: SQLiteBindable {
  /// Binds as an integer.
  public func bind(to place: SQLiteBinding) -> Int32 { Int64(self).bind(to: place) }
}

extension Bool: SQLiteBindable {
  /// Binds as 0 or 1.
  public func bind(to place: SQLiteBinding) -> Int32 { Int64(self ? 1 : 0).bind(to: place) }
}

extension Double: SQLiteBindable {
  /// Binds as a floating-point number.
  public func bind(to place: SQLiteBinding) -> Int32 { sqlite3_bind_double(place.statement, place.index, self) }
}

extension String: SQLiteBindable {
  /// Binds as text in UTF-8.
  public func bind(to place: SQLiteBinding) -> Int32 {
    var copy = self
    return copy.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) {
        // An empty buffer may have no address, which would bind NULL.
        sqlitekit_bind_text(place.statement, place.index, $0.baseAddress ?? emptyText, UInt64($0.count))
      }
    }
  }
}

extension [UInt8]: SQLiteBindable {
  /// Binds as a blob; an empty array is an empty blob, not NULL.
  public func bind(to place: SQLiteBinding) -> Int32 {
    if isEmpty { return sqlite3_bind_zeroblob(place.statement, place.index, 0) }
    return withUnsafeBytes {
      sqlitekit_bind_blob(place.statement, place.index, $0.baseAddress, UInt64($0.count))
    }
  }
}

extension SecretBytes: SQLiteBindable {
  /// Binds as a blob. SQLite's own copy lives as long as the statement is bound.
  public func bind(to place: SQLiteBinding) -> Int32 {
    if count == 0 { return sqlite3_bind_zeroblob(place.statement, place.index, 0) }
    return withUnsafeBytes {
      sqlitekit_bind_blob(place.statement, place.index, $0.baseAddress, UInt64($0.count))
    }
  }
}

extension Optional: SQLiteBindable where Wrapped: SQLiteBindable {
  /// Binds the value, or NULL.
  @inlinable
  public func bind(to place: SQLiteBinding) -> Int32 {
    self?.bind(to: place) ?? place.bindNull()
  }
}

private nonisolated(unsafe) let emptyText: UnsafePointer<CChar> = {
  let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  text.pointee = 0
  return UnsafePointer(text)
}()
