import SMPServerCore
import Synchronization

/// What the journal says of the messages of a queue that the database does not know yet.
///
/// **Invariant.** What waits in the queue is what the database has after `removedThrough`, then `added`.
struct UnappliedMessages: Sendable {
  /// A message in its place.
  struct Added: Sendable {
    let position: Int64
    let message: StoredMessage
  }

  /// What the database has up to this position is gone.
  private(set) var removedThrough: Int64 = 0
  /// How many messages of the database are gone.
  private(set) var removedCount = 0
  /// Messages that the database has not, the first to deliver first.
  private(set) var added: [Added] = []

  /// Whether the database knows everything.
  var isEmpty: Bool { removedCount == 0 && added.isEmpty }

  /// Adds a message at the end.
  mutating func add(_ message: StoredMessage, at position: Int64) {
    added.append(Added(position: position, message: message))
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

  /// The message at a position, if it is not the database that has it.
  func message(at position: Int64) -> StoredMessage? {
    // Nearly always the first is asked for.
    added.first { $0.position == position }?.message
  }
}

/// The unapplied messages of all queues as far as they are durable, for those who read.
///
/// Whoever reads looks here first, and then at the database: what is applied between both is still found, in the
/// database.
final class UnappliedQueues: Sendable {
  private let queues = Mutex<[QueueNumber: UnappliedMessages]>([:])

  subscript(queue: QueueNumber) -> UnappliedMessages? { queues.withLock { $0[queue] } }

  /// Takes over what a commit changed.
  func publish(_ changed: Set<QueueNumber>, of current: [QueueNumber: UnappliedMessages]) {
    queues.withLock { queues in
      for queue in changed { queues[queue] = current[queue] }
    }
  }

  /// Forgets everything, because the database has it.
  func removeAll() { queues.withLock { $0.removeAll() } }

  /// The queues that have messages here.
  var queuesWithMessages: Set<QueueNumber> {
    queues.withLock { Set($0.lazy.filter { !$0.value.added.isEmpty }.map(\.key)) }
  }

  /// How many messages more than the database has wait; may be negative.
  var surplus: Int {
    queues.withLock { $0.values.reduce(0) { $0 + $1.added.count - $1.removedCount } }
  }
}
