import SMPServerCore

/// The positions of the messages of a queue, in the database or in the journal. Positions of all queues come from one
/// counter, so none is ever used again. Cached for the queues that were used last, so that a message that comes and
/// goes needs no read, and expiry reads the database only where something has expired.
///
/// **Invariant.** A queue whose positions are cached exists.
struct QueuePositions: Sendable {
  /// Whether the last is the mark of a full queue.
  var isFull = false
  /// The messages, in the order of their positions.
  var waiting: [Waiting] = []

  /// Where a message is, and when the relay received it.
  struct Waiting: Sendable {
    let position: Int64
    let timestamp: Int64
  }
}
