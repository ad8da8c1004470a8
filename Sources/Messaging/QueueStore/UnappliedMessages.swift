import SMPServerCore
import SQLiteKit
import Synchronization

/// The changes in the journal to the messages of a queue that are not in the database yet.
///
/// **Invariant.** The messages of the queue are those of the database after `removedThrough`, then `added`.
struct UnappliedMessages: Sendable {
  /// A message and its position.
  struct Added: Sendable {
    let position: Int64
    let message: QueuedMessage
  }

  /// Messages of the database up to this position are removed.
  private(set) var removedThrough: Int64 = 0
  /// The number of removed messages of the database.
  private(set) var removedCount = 0
  /// Messages that are not in the database, the first to deliver first.
  private(set) var added: [Added] = []

  /// Whether the database is up to date.
  var isEmpty: Bool { removedCount == 0 && added.isEmpty }

  /// Adds a message at the end.
  mutating func add(_ message: QueuedMessage, at position: Int64) {
    added.append(Added(position: position, message: message))
  }

  /// Moves the added messages to other positions, in order.
  mutating func move(to position: () throws(SQLiteError) -> Int64) throws(SQLiteError) {
    added = try added.map { (added) throws(SQLiteError) in
      Added(position: try position(), message: added.message)
    }
  }

  /// Removes the first message, which is at this position.
  mutating func remove(at position: Int64) {
    if let first = added.first, first.position == position {
      added.removeFirst()
    } else {
      removedThrough = position
      removedCount += 1
    }
  }

  /// The message at a position, if it is not in the database.
  func message(at position: Int64) -> QueuedMessage? {
    // Nearly always the first is requested.
    added.first { $0.position == position }?.message
  }
}

/// The unapplied messages of all queues as far as they are durable, for readers.
///
/// A read looks here first, and then in the database: messages that are moved in between are found in the database.
final class UnappliedQueues: Sendable {
  private let queues = Mutex<[QueueNumber: UnappliedMessages]>([:])

  subscript(queue: QueueNumber) -> UnappliedMessages? { queues.withLock { $0[queue] } }

  /// Adopts the changes of a commit.
  func publish(_ changed: Set<QueueNumber>, of current: [QueueNumber: UnappliedMessages]) {
    queues.withLock { queues in
      for queue in changed { queues[queue] = current[queue] }
    }
  }

  /// Removes everything, because the database has it.
  func removeAll() { queues.withLock { $0.removeAll() } }

  /// The queues that have messages here.
  var queuesWithMessages: Set<QueueNumber> {
    queues.withLock { Set($0.lazy.filter { !$0.value.added.isEmpty }.map(\.key)) }
  }

  /// The number of messages beyond those of the database; may be negative.
  var surplus: Int {
    queues.withLock { $0.values.reduce(0) { $0 + $1.added.count - $1.removedCount } }
  }
}
