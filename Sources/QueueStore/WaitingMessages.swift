import SMPServerCore

/// What waits in the queues that are in use, as far as it is known without reading: so that a message that comes and
/// goes is written once and never read.
///
/// **Invariant.** A queue that is known exists, and its positions are those that are stored, in order. Bodies are kept
/// of the messages that were added last, up to `bodyLimit` bytes together.
struct WaitingMessages {
  /// A message in its place.
  struct Entry {
    let position: Int64
    /// Nil where it has to be read.
    var message: StoredMessage?
  }

  /// The messages of one queue.
  struct Queue {
    var lastPosition: Int64 = 0
    var isFull = false
    var entries: [Entry] = []
  }

  /// A message that may be in memory.
  private struct Kept {
    let queue: QueueNumber
    let position: Int64
    let size: Int
  }

  private static let queueLimit = 8_192
  private static let bodyLimit = 16 << 20
  /// What a message takes beside its body.
  private static let overhead = 512

  private var queues = RecentValues<QueueNumber, Queue>(limit: queueLimit)
  /// The messages that were added last, in order from `firstKept` on. Some may be gone.
  private var kept: [Kept] = []
  private var firstKept = 0
  private var keptBytes = 0

  /// Takes out what is known of a queue, to be changed and put back; nil where nothing is.
  mutating func take(_ queue: QueueNumber) -> Queue? { queues.take(queue) }

  /// Puts back what is known of a queue.
  mutating func put(_ messages: Queue, of queue: QueueNumber) { queues[queue] = messages }

  /// Notes that an entry with a message was added to a queue; drops messages where there are too many.
  mutating func added(_ message: StoredMessage, at position: Int64, to queue: QueueNumber) {
    let size = message.bodySize + Self.overhead
    kept.append(Kept(queue: queue, position: position, size: size))
    keptBytes += size
    while keptBytes > Self.bodyLimit, firstKept < kept.count {
      drop(kept[firstKept])
      firstKept += 1
    }
    if firstKept > 1_024, firstKept > kept.count / 2 {
      kept.removeFirst(firstKept)
      firstKept = 0
    }
  }

  /// Forgets a queue, which is gone or has lost messages.
  mutating func forget(_ queue: QueueNumber) { queues[queue] = nil }

  /// Forgets everything, because a transaction was rolled back.
  mutating func removeAll() {
    queues.removeAll()
    kept = []
    firstKept = 0
    keptBytes = 0
  }

  private mutating func drop(_ message: Kept) {
    keptBytes -= message.size
    guard var queue = queues.take(message.queue) else { return }
    if let index = queue.entries.firstIndex(where: { $0.position == message.position }) {
      queue.entries[index].message = nil
    }
    queues[message.queue] = queue
  }
}

extension StoredMessage {
  fileprivate var bodySize: Int {
    if case .message(_, let body) = content { body.count } else { 0 }
  }
}
