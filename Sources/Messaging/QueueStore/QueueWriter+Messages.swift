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
    positions.waiting.append(position)
    record(.added(queue, position: position, message))
    defer { self.positions[queue] = positions }
    return positions.isFull ? .quotaExceeded : .stored(isFirst: isFirst)
  }

  mutating func acknowledge(
    _ messageID: [UInt8], in queue: QueueNumber, readsNext: Bool
  ) throws(SQLiteError) -> StoreOutcome {
    guard var positions = try positions(of: queue) else { return .acknowledged(removed: nil, next: nil) }
    let first = try first(of: queue, positions)
    guard let first, messageID.isEmpty || messageID == first.id else {
      self.positions[queue] = positions
      return .acknowledged(removed: nil, next: readsNext ? first : nil)
    }
    record(.removed(queue, position: positions.waiting.removeFirst()))
    if positions.waiting.isEmpty { positions.isFull = false }
    let next = readsNext ? try self.first(of: queue, positions) : nil
    self.positions[queue] = positions
    return .acknowledged(removed: first, next: next)
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
    guard let position = positions.waiting.first else { return nil }
    if let message = unapplied[queue]?.message(at: position) { return message }
    return try database.first(QueueSQL.firstMessage, queue.value, position &- 1) { (row) throws(SQLiteError) in
      try row.storedMessage()
    }
  }

  /// Removes and returns the positions of a queue, cached or read from the database, to be changed and put back; nil
  /// where there is no such queue.
  mutating func positions(of queue: QueueNumber) throws(SQLiteError) -> QueuePositions? {
    if let known = positions.take(queue) { return known }
    guard try Self.exists(queue, in: database) else { return nil }
    let unapplied = unapplied[queue] ?? UnappliedMessages()
    let rows = try database.all(QueueSQL.positions, queue.value, unapplied.removedThrough) {
      (row) throws(SQLiteError) in (position: try row.integer(0), isMark: try row.bool(1))
    }
    let added = unapplied.added
    return QueuePositions(
      isFull: added.last.map { $0.message.content == .quotaExceeded } ?? rows.last?.isMark ?? false,
      waiting: rows.map(\.position) + added.map(\.position))
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
    guard !hasNothing(in: queue, before: time) else { return 0 }
    try begin()
    return try expire(queue, before: time)
  }

  /// Whether the cache shows that a queue has nothing to expire, which is nearly always the case in relays that check a
  /// queue whenever something is sent to it.
  private mutating func hasNothing(in queue: QueueNumber, before time: Int64) -> Bool {
    guard let positions = positions[queue] else { return false }
    guard let first = positions.waiting.first else { return true }
    guard let message = unapplied[queue]?.message(at: first) else { return false }
    return message.timestamp >= time
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
