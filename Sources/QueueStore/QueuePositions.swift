import SMPServerCore

/// Where the messages of a queue are, in the database or in the journal. Known for the queues that were used last, so
/// that a message that comes and goes needs no reading.
///
/// **Invariant.** A queue whose positions are known exists.
struct QueuePositions: Sendable {
  /// Of the message that was added last.
  var last: Int64 = 0
  /// Whether the last is the mark of a full queue.
  var isFull = false
  /// Of the messages that wait, in order.
  var waiting: [Int64] = []
}
