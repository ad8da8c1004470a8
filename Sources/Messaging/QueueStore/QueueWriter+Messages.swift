import SMPServerCore
import SQLiteKit

extension QueueWriter {
  mutating func add(
    _ message: QueuedMessage, to queue: QueueNumber, quota: Int
  ) throws(SQLiteError) -> StoreOutcome {
    guard var positions = try positions(of: queue) else { return .refused }
    guard !positions.isFull else {
      self.positions[queue] = positions
      return .quotaExceeded
    }
    var message = message
    positions.isFull = positions.waiting.count >= quota
    if positions.isFull { message.content = .quotaExceeded }
    let position = try nextPosition()
    let isFirst = positions.waiting.isEmpty
    positions.waiting.append(QueuePositions.Waiting(position: position, timestamp: message.timestamp))
    record(.added(queue, position: position, message))
    defer { self.positions[queue] = positions }
    return positions.isFull ? .quotaExceeded : .stored(isFirst: isFirst)
  }

  mutating func acknowledge(
    _ messageID: [UInt8], in queue: QueueNumber, readsNext: Bool
  ) throws(SQLiteError) -> StoreOutcome {
    guard var positions = try positions(of: queue) else { return .acknowledged(removed: nil, next: nil) }
    let head = try head(of: queue, positions)
    guard let head, messageID.isEmpty || messageID == head.id else {
      let first = readsNext ? try first(of: queue, positions) : nil
      self.positions[queue] = positions
      return .acknowledged(removed: nil, next: first)
    }
    record(.removed(queue, position: positions.waiting.removeFirst().position))
    if positions.waiting.isEmpty { positions.isFull = false }
    let next = readsNext ? try first(of: queue, positions) : nil
    self.positions[queue] = positions
    return .acknowledged(removed: head, next: next)
  }

  /// A position that no message had before, in any queue.
  mutating func nextPosition() throws(SQLiteError) -> Int64 {
    let (position, isLast) = lastPosition.addingReportingOverflow(1)
    guard !isLast else { throw SQLiteError(.damaged, "there are no more positions for messages") }
    lastPosition = position
    return position
  }

  private mutating func record(_ record: JournalRecord) {
    journal.add(record)
    unapplied.apply(record)
    changed.insert(record.queue)
  }

  private func first(of queue: QueueNumber, _ positions: QueuePositions) throws(SQLiteError) -> QueuedMessage? {
    guard let position = positions.waiting.first?.position else { return nil }
    if let message = unapplied[queue]?.message(at: position) { return message }
    return try database.first(QueueSQL.firstMessage, queue.value, position &- 1) { (row) throws(SQLiteError) in
      try row.storedMessage()
    }
  }

  /// The first message without its body, which an acknowledgement does not need: all changes wait for this thread.
  private func head(of queue: QueueNumber, _ positions: QueuePositions) throws(SQLiteError) -> RemovedMessage? {
    guard let position = positions.waiting.first?.position else { return nil }
    if let message = unapplied[queue]?.message(at: position) { return RemovedMessage(message) }
    return try database.first(QueueSQL.firstHead, queue.value, position &- 1) { (row) throws(SQLiteError) in
      try row.removedMessage()
    }
  }

  /// Removes and returns the positions of a queue, cached or read from the database, to be changed and put back; nil
  /// where there is no such queue.
  mutating func positions(of queue: QueueNumber) throws(SQLiteError) -> QueuePositions? {
    if let known = positions.take(queue) { return known }
    guard try Self.exists(queue, in: database) else { return nil }
    let unapplied = unapplied[queue] ?? UnappliedMessages()
    let rows = try database.all(QueueSQL.positions, queue.value, unapplied.removedThrough) {
      (row) throws(SQLiteError) in
      let waiting = QueuePositions.Waiting(position: try row.integer(0), timestamp: try row.integer(2))
      return (waiting: waiting, isMark: try row.bool(1))
    }
    let added = unapplied.added
    return QueuePositions(
      isFull: added.last.map { $0.message.content == .quotaExceeded } ?? rows.last?.isMark ?? false,
      waiting: rows.map(\.waiting)
        + added.map { QueuePositions.Waiting(position: $0.position, timestamp: $0.message.timestamp) })
  }

  static func exists(_ queue: QueueNumber, in database: SQLiteConnection) throws(SQLiteError) -> Bool {
    try database.first(QueueSQL.queueExists, queue.value, row: { (_) in true }) == true
  }

  /// Writes a message into the database.
  mutating func insert(_ added: UnappliedMessages.Added, into queue: QueueNumber) throws(SQLiteError) {
    let (notify, body): (Bool, [UInt8]?) =
      switch added.message.content {
      case .message(let notify, let body): (notify, body)
      case .quotaExceeded: (false, nil)
      }
    try database.execute(
      QueueSQL.insertMessage, queue.value, added.position, added.message.id, added.message.timestamp, notify, body)
    counts.messages += 1
  }

  mutating func expire(
    before time: Int64, after cursor: QueueNumber, limit: Int
  ) throws(SQLiteError) -> StoreOutcome {
    var queue = cursor
    var removed = 0
    for _ in 0..<limit {
      let next = try database.first(QueueSQL.nextQueueWithMessages, queue.value) { (row) throws(SQLiteError) in
        try row.optionalInteger(0)
      }
      guard case .some(.some(let number)) = next else { return .expired(removed, next: nil) }
      queue = QueueNumber(number)
      removed += try expire(queue, before: time)
      if removed >= limit { break }
    }
    return .expired(removed, next: queue)
  }

  /// Removes expired messages of a queue where there may be some; returns their number.
  mutating func expireUnlessNothing(in queue: QueueNumber, before time: Int64) throws(SQLiteError) -> Int {
    guard try hasExpired(in: queue, before: time) else { return 0 }
    try begin()
    return try expire(queue, before: time)
  }

  /// Whether a queue has something to expire: nearly never in relays that check a queue whenever something is sent to
  /// it. A transaction for it would cost a commit of the database for each message.
  private mutating func hasExpired(in queue: QueueNumber, before time: Int64) throws(SQLiteError) -> Bool {
    guard let positions = try positions(of: queue) else { return false }
    self.positions[queue] = positions
    return positions.waiting.contains { $0.timestamp < time }
  }

  /// Removes expired messages of a queue from the database, except those that are gone already.
  mutating func expire(_ queue: QueueNumber, before time: Int64) throws(SQLiteError) -> Int {
    let removed = try database.execute(
      QueueSQL.expireMessages, queue.value, unapplied[queue]?.removedThrough ?? 0, time)
    counts.messages -= removed
    if removed > 0 { positions[queue] = nil }
    return removed
  }
}

extension JournalRecord {
  /// The queue that it is about.
  var queue: QueueNumber {
    switch self {
    case .added(let queue, _, _), .removed(let queue, _): queue
    }
  }

  /// The position that it is about.
  var position: Int64 {
    switch self {
    case .added(_, let position, _), .removed(_, let position): position
    }
  }
}

extension [QueueNumber: UnappliedMessages] {
  /// Applies a record of the journal.
  mutating func apply(_ record: JournalRecord) {
    switch record {
    case .added(let queue, let position, let message):
      self[queue, default: UnappliedMessages()].add(message, at: position)
    case .removed(let queue, let position):
      self[queue, default: UnappliedMessages()].remove(at: position)
      if self[queue]?.isEmpty == true { self[queue] = nil }
    }
  }
}
