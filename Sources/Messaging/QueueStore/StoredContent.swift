import SMPServerCore
import SQLiteKit

/// What a ``SQLiteQueueStore`` contains, as its readers find it: the database, and the part of the journal that the
/// database does not have.
struct StoredContent: Sendable {
  /// The content of the journal that the database does not have.
  let unapplied: UnappliedQueues
  let records: RecordCache

  /// Answers a read; waits for the disk.
  func answer(_ read: StoreRead, _ reader: borrowing Reader) -> StoreAnswer {
    do throws(StoreFailure) {
      switch read {
      case .queue(let key): return .queue(try lookup(key, reader))
      case .firstMessage(let queue): return .firstMessage(try firstMessage(of: queue, reader))
      case .messageCount(let queue): return .messageCount(try messageCount(of: queue, reader))
      case .linkData(let queue): return .linkData(try linkData(of: queue, reader))
      case .queues(let service, let side, let after, let limit):
        return .queues(try queues(ofService: service, side, after: after, limit: limit, reader))
      case .counts: return .counts(try counts(reader))
      }
    } catch {
      return .failed(error)
    }
  }

  /// From the database, also where it is cached: the time must not tell which queues are in use.
  private func lookup(_ key: QueueKey, _ reader: borrowing Reader) throws(StoreFailure) -> QueueLookup {
    let (sql, id) =
      switch key {
      case .recipient(let id): (QueueSQL.byRecipient, id)
      case .sender(let id): (QueueSQL.bySender, id)
      case .notifier(let id): (QueueSQL.byNotifier, id)
      case .link(let id): (QueueSQL.byLink, id)
      }
    let version = records.version
    let record = try reader.first(sql, id) { (row) throws(SQLiteError) in try row.queueRecord() }
    return records.found(record, by: key, version: version)
  }

  private func firstMessage(
    of queue: QueueNumber, _ reader: borrowing Reader
  ) throws(StoreFailure) -> QueuedMessage? {
    // In this order: what is moved meanwhile is found in the database.
    let unapplied = unapplied[queue]
    let stored = try reader.first(QueueSQL.firstMessage, queue.value, unapplied?.removedThrough ?? 0) {
      (row) throws(SQLiteError) in try row.storedMessage()
    }
    return stored ?? unapplied?.added.first?.message
  }

  private func messageCount(of queue: QueueNumber, _ reader: borrowing Reader) throws(StoreFailure) -> Int {
    // In this order: what is moved meanwhile is found in the database.
    let unapplied = unapplied[queue]
    let stored = try reader.first(QueueSQL.messageCount, queue.value, unapplied?.removedThrough ?? 0) {
      (row) throws(SQLiteError) in (count: Int(try row.integer(0)), last: try row.optionalInteger(1) ?? 0)
    }
    guard let stored else { return 0 }
    // Some may have been moved meanwhile.
    return stored.count + (unapplied?.added.count { $0.position > stored.last } ?? 0)
  }

  private func linkData(of queue: QueueNumber, _ reader: borrowing Reader) throws(StoreFailure) -> LinkData? {
    try reader.first(QueueSQL.linkData, queue.value) { (row) throws(SQLiteError) in
      LinkData(fixed: try row.bytes(0), user: try row.bytes(1))
    }
  }

  private func queues(
    ofService serviceID: [UInt8], _ side: ServiceSide, after: QueueNumber, limit: Int, _ reader: borrowing Reader
  ) throws(StoreFailure) -> [ServiceQueue] {
    // In this order: what is moved meanwhile is found in the database.
    let waiting = unapplied.queuesWithMessages
    let sql = side == .recipients ? QueueSQL.serviceQueues : QueueSQL.serviceNotifiers
    return try reader.all(sql, serviceID, after.value, Int64(limit)) { (row) throws(SQLiteError) in
      let number = QueueNumber(try row.integer(0))
      return ServiceQueue(
        number: number, id: try row.bytes(1), secret: try row.bytes(2),
        mayHaveMessages: try row.bool(3) || waiting.contains(number))
    }
  }

  private func counts(_ reader: borrowing Reader) throws(StoreFailure) -> StoreCounts {
    var counts =
      try reader.first(QueueSQL.counts) { (row) throws(SQLiteError) in try row.storeCounts() } ?? StoreCounts()
    counts.messages = max(0, counts.messages + unapplied.surplus)
    return counts
  }
}

extension StoreRead {
  /// Whether it may take thousands of rows.
  var isLong: Bool { if case .queues = self { true } else { false } }
}
