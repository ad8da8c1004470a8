import Dispatch
import SQLiteKit
import SMPServerCore
import Synchronization

/// Connections that read concurrently with the writer, each on a thread of its own. Each read sees what is durable at
/// its start.
///
/// Long reads (pages of thousands of rows) never take more than one of the connections, so that others go on.
final class ReaderPool: Sendable {
  typealias Work = @Sendable (borrowing Reader) -> Void

  private struct State {
    /// Work that waits for a connection, the next first; long work apart.
    var waiting: ArraySlice<Work> = []
    var waitingLong: ArraySlice<Work> = []
    var isLongRunning = false
    /// The connections that do nothing.
    var idle: [Int]
    var isClosed = false

    mutating func next() -> (work: Work, isLong: Bool)? {
      if let work = waiting.popFirst() { return (work, false) }
      if waiting.isEmpty { waiting = [] }
      guard !isLongRunning, let work = waitingLong.popFirst() else { return nil }
      isLongRunning = true
      return (work, true)
    }
  }

  /// A reference, because a mutex cannot be in an array.
  private final class Slot: Sendable {
    let queue: DispatchQueue
    let reader: Mutex<Reader>

    init(path: String, index: Int) throws(SQLiteError) {
      queue = DispatchQueue(label: "RelayStore.read\(index)")
      let connection = try SQLiteConnection(path: path, access: .readOnly)
      try connection.setBusyTimeout(milliseconds: 5000)
      try connection.setPragma("cache_size", "-2048")
      reader = Mutex(Reader(connection: connection))
    }
  }

  private let slots: [Slot]
  private let state: Mutex<State>

  init(path: String, count: Int) throws(SQLiteError) {
    var slots: [Slot] = []
    for index in 0..<max(1, count) { slots.append(try Slot(path: path, index: index)) }
    self.slots = slots
    state = Mutex(State(idle: Array(slots.indices)))
  }

  /// Runs work on a connection, when one is free; false if closed.
  func submit(isLong: Bool, _ work: @escaping Work) -> Bool {
    let (isAccepted, index) = state.withLock { state -> (Bool, Int?) in
      guard !state.isClosed else { return (false, nil) }
      if isLong { state.waitingLong.append(work) } else { state.waiting.append(work) }
      return (true, isLong && state.isLongRunning ? nil : state.idle.popLast())
    }
    if let index { slots[index].queue.async { self.run(index) } }
    return isAccepted
  }

  /// Refuses further work, and waits until all that was accepted is done.
  func close() async {
    state.withLock { $0.isClosed = true }
    for index in slots.indices {
      await withCheckedContinuation { continuation in
        // The queue is serial: this comes after the run that is under way, if any.
        slots[index].queue.async {
          self.run(index)
          continuation.resume()
        }
      }
    }
  }

  private func run(_ index: Int) {
    while true {
      let next = state.withLock { state in
        let next = state.next()
        if next == nil { state.idle.append(index) }
        return next
      }
      guard let next else { return }
      slots[index].reader.withLock { next.work($0) }
      if next.isLong { state.withLock { $0.isLongRunning = false } }
    }
  }
}

/// A connection of a ``ReaderPool``.
struct Reader: ~Copyable {
  fileprivate let connection: SQLiteConnection

  /// The first row of a query, converted; nil where there is none.
  func first<each Parameter: SQLiteBindable & Sendable, Value: Sendable>(
    _ sql: String, _ parameters: repeat each Parameter,
    row: @Sendable (borrowing SQLiteRow) throws(SQLiteError) -> Value
  ) throws(StoreFailure) -> Value? {
    do throws(SQLiteError) { return try connection.first(sql, repeat each parameters, row: row) } catch {
      throw StoreFailure(error)
    }
  }

  /// All rows of a query, converted.
  func all<each Parameter: SQLiteBindable & Sendable, Value: Sendable>(
    _ sql: String, _ parameters: repeat each Parameter,
    row: @Sendable (borrowing SQLiteRow) throws(SQLiteError) -> Value
  ) throws(StoreFailure) -> [Value] {
    do throws(SQLiteError) { return try connection.all(sql, repeat each parameters, row: row) } catch {
      throw StoreFailure(error)
    }
  }
}
