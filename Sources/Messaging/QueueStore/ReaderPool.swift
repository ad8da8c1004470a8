import SQLiteKit
import SMPServerCore
import Synchronization

/// Connections that read concurrently with the writer. Each read sees what is durable at its start.
final class ReaderPool: Sendable {
  private struct Reader: ~Copyable {
    let connection: SQLiteConnection
  }

  /// A reference, because a mutex cannot be in an array.
  private final class Slot: Sendable {
    let reader: Mutex<Reader>

    init(path: String) throws(SQLiteError) {
      let connection = try SQLiteConnection(path: path, access: .readOnly)
      try connection.setBusyTimeout(milliseconds: 5000)
      try connection.setPragma("cache_size", "-2048")
      reader = Mutex(Reader(connection: connection))
    }
  }

  private let slots: [Slot]
  private let next = Atomic<Int>(0)

  init(path: String, count: Int) throws(SQLiteError) {
    var slots: [Slot] = []
    for _ in 0..<max(1, count) { slots.append(try Slot(path: path)) }
    self.slots = slots
  }

  /// The first row of a query, converted; nil where there is none.
  func first<each Parameter: SQLiteBindable & Sendable, Value: Sendable>(
    _ sql: String, _ parameters: repeat each Parameter,
    row: @Sendable (borrowing SQLiteRow) throws(SQLiteError) -> Value
  ) throws(StoreFailure) -> Value? {
    do {
      return try slot().reader.withLock { (reader) throws(SQLiteError) in
        try reader.connection.first(sql, repeat each parameters, row: row)
      }
    } catch {
      throw StoreFailure(error)
    }
  }

  /// All rows of a query, converted.
  func all<each Parameter: SQLiteBindable & Sendable, Value: Sendable>(
    _ sql: String, _ parameters: repeat each Parameter,
    row: @Sendable (borrowing SQLiteRow) throws(SQLiteError) -> Value
  ) throws(StoreFailure) -> [Value] {
    do {
      return try slot().reader.withLock { (reader) throws(SQLiteError) in
        try reader.connection.all(sql, repeat each parameters, row: row)
      }
    } catch {
      throw StoreFailure(error)
    }
  }

  private func slot() -> Slot {
    let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
    return slots[Int(UInt(bitPattern: index) % UInt(slots.count))]
  }
}
