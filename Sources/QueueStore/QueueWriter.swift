import SMPServerCore
import SQLiteKit

/// Applies operations to the database, many in one transaction. Used by one thread at a time.
struct QueueWriter: ~Copyable {
  private let database: SQLiteConnection
  /// The highest number given to a queue; never decreases, so numbers are not given again while the relay runs.
  private var lastNumber: Int64
  private var waiting = WaitingMessages()

  init(_ database: SQLiteConnection) throws(SQLiteError) {
    self.database = database
    lastNumber =
      try database.first(QueueSQL.lastNumber) { (row) throws(SQLiteError) in try row.optionalInteger(0) ?? 0 } ?? 0
  }

  /// Applies the operations and makes them durable. When one fails, the others are applied without it.
  mutating func commit(_ operations: [StoreOperation]) -> [Result<StoreOutcome, StoreFailure>] {
    do {
      return try inTransaction(operations).map { .success($0) }
    } catch {
      guard operations.count > 1 else { return operations.map { _ in .failure(StoreFailure(error)) } }
      return operations.flatMap { commit([$0]) }
    }
  }

  private mutating func inTransaction(_ operations: [StoreOperation]) throws(SQLiteError) -> [StoreOutcome] {
    do {
      try database.execute("BEGIN IMMEDIATE")
      var outcomes: [StoreOutcome] = []
      outcomes.reserveCapacity(operations.count)
      for operation in operations { outcomes.append(try apply(operation)) }
      try database.execute("COMMIT")
      return outcomes
    } catch {
      if database.isInTransaction { _ = try? database.execute("ROLLBACK") }
      waiting.removeAll()
      throw error
    }
  }

  /// Frees some pages at the end of the file, if many are free; says whether there are more.
  func releaseSpace() -> Bool {
    do {
      let free = try database.integerPragma("freelist_count") ?? 0
      let all = try database.integerPragma("page_count") ?? 0
      guard free > 4_096, free > all / 4 else { return false }
      try database.runScript("PRAGMA incremental_vacuum(512)")
      return true
    } catch {
      // Nothing depends on it; it is tried again.
      return false
    }
  }

  private mutating func apply(_ operation: StoreOperation) throws(SQLiteError) -> StoreOutcome {
    switch operation {
    case .addMessage(let queue, let message, let quota): return try add(message, to: queue, quota: quota)
    case .acknowledge(let queue, let messageID, let readsNext):
      return try acknowledge(messageID, in: queue, readsNext: readsNext)
    case .createQueue(let record, let link): return try create(record, link)
    case .secure(let queue, let key): return try updateOne(QueueSQL.secure, queue, key)
    case .setRecipientKeys(let queue, let keys):
      return try updateOne(QueueSQL.setRecipientKeys, queue, SQLiteRow.blob(of: keys))
    case .setLink(let queue, let linkID, let data): return try setLink(linkID, data, of: queue)
    case .deleteLink(let queue):
      try database.execute(QueueSQL.deleteLinkData, queue.value)
      return try updateOne(QueueSQL.setLinkID, queue, [UInt8]?.none)
    case .setNotifier(let queue, let notifier): return try setNotifier(notifier, of: queue)
    case .deleteNotifier(let queue): return try setNotifier(nil, of: queue)
    case .setNotifierService(let queue, let serviceID):
      return try updateOne(QueueSQL.setNotifierService, queue, serviceID)
    case .setStatus(let queue, let status):
      let (code, blocking) = Self.columns(of: status)
      return try database.execute(QueueSQL.setStatus, queue.value, code, blocking) == 1 ? .done : .refused
    case .touch(let queue, let day): return try updateOne(QueueSQL.touch, queue, day)
    case .deleteQueue(let queue): return try delete(queue)
    case .expireMessages(let time, let cursor, let limit): return try expire(before: time, after: cursor, limit: limit)
    case .expireMessagesOfQueue(let queue, let time):
      return .expired(try expire(queue, before: time), next: nil)
    case .registerService(let service): return try register(service)
    }
  }

  private func updateOne(
    _ sql: String, _ queue: QueueNumber, _ value: some SQLiteBindable
  ) throws(SQLiteError) -> StoreOutcome {
    try database.execute(sql, queue.value, value) == 1 ? .done : .refused
  }

  /// Runs a change that may find an identifier taken.
  private func unlessDuplicate(_ change: () throws(SQLiteError) -> StoreOutcome) throws(SQLiteError) -> StoreOutcome {
    do { return try change() } catch {
      guard error.kind == .constraint(.unique) else { throw error }
      return .duplicate
    }
  }

  private func record(_ queue: QueueNumber) throws(SQLiteError) -> QueueRecord? {
    try database.first(QueueSQL.byNumber, queue.value) { (row) throws(SQLiteError) in try row.queueRecord() }
  }
}

// MARK: Messages

extension QueueWriter {
  private mutating func add(
    _ message: StoredMessage, to queue: QueueNumber, quota: Int
  ) throws(SQLiteError) -> StoreOutcome {
    guard var messages = try messages(of: queue) else { return .refused }
    guard !messages.isFull else {
      waiting.put(messages, of: queue)
      return .quotaExceeded
    }
    var message = message
    messages.isFull = messages.entries.count >= quota
    if messages.isFull { message.content = .quotaExceeded }
    messages.lastPosition += 1
    let (notify, body): (Bool, [UInt8]?) =
      switch message.content {
      case .message(let notify, let body): (notify, body)
      case .quotaExceeded: (false, nil)
      }
    try database.execute(
      QueueSQL.insertMessage, queue.value, messages.lastPosition, message.id, message.timestamp, notify, body)
    messages.entries.append(WaitingMessages.Entry(position: messages.lastPosition, message: message))
    waiting.put(messages, of: queue)
    waiting.added(message, at: messages.lastPosition, to: queue)
    return messages.isFull ? .quotaExceeded : .stored(isFirst: messages.entries.count == 1)
  }

  private mutating func acknowledge(
    _ messageID: [UInt8], in queue: QueueNumber, readsNext: Bool
  ) throws(SQLiteError) -> StoreOutcome {
    guard var messages = try messages(of: queue) else {
      return .acknowledged(removed: nil, next: nil)
    }
    var removed = try first(of: queue, &messages)
    if let first = removed, messageID.isEmpty || messageID == first.id {
      try database.execute(QueueSQL.deleteMessage, queue.value, messages.entries.removeFirst().position)
      if messages.entries.isEmpty { messages.isFull = false }
    } else {
      removed = nil
    }
    let next = readsNext ? try first(of: queue, &messages) : nil
    waiting.put(messages, of: queue)
    return .acknowledged(removed: removed, next: next)
  }

  /// The first message, read where it is not in memory.
  private func first(
    of queue: QueueNumber, _ messages: inout WaitingMessages.Queue
  ) throws(SQLiteError) -> StoredMessage? {
    guard let entry = messages.entries.first else { return nil }
    if let message = entry.message { return message }
    return try database.first(QueueSQL.firstMessage, queue.value) { (row) throws(SQLiteError) in
      try row.storedMessage()
    }
  }

  private mutating func messages(of queue: QueueNumber) throws(SQLiteError) -> WaitingMessages.Queue? {
    if let known = waiting.take(queue) { return known }
    return try stored(queue)
  }

  /// What the database has of the messages of a queue; nil where there is no such queue.
  private func stored(_ queue: QueueNumber) throws(SQLiteError) -> WaitingMessages.Queue? {
    guard try database.first(QueueSQL.queueExists, queue.value, row: { (_) in true }) == true else { return nil }
    let rows = try database.all(QueueSQL.positions, queue.value) { (row) throws(SQLiteError) in
      (position: try row.integer(0), isMark: try row.bool(1))
    }
    return WaitingMessages.Queue(
      lastPosition: rows.last?.position ?? 0, isFull: rows.last?.isMark ?? false,
      entries: rows.map { WaitingMessages.Entry(position: $0.position, message: nil) })
  }

  private mutating func expire(before time: Int64, after cursor: QueueNumber, limit: Int) throws(SQLiteError)
    -> StoreOutcome
  {
    var queue = cursor
    var removed = 0
    for _ in 0..<limit {
      let next = try database.first(QueueSQL.nextQueueWithMessages, queue.value) { (row) throws(SQLiteError) in
        try row.optionalInteger(0)
      }
      guard case .some(.some(let number)) = next else { return .expired(removed, next: nil) }
      queue = QueueNumber(number)
      removed += try expire(queue, before: time)
    }
    return .expired(removed, next: queue)
  }

  private mutating func expire(_ queue: QueueNumber, before time: Int64) throws(SQLiteError) -> Int {
    let removed = try database.execute(QueueSQL.expireMessages, queue.value, time)
    if removed > 0 { waiting.forget(queue) }
    return removed
  }
}

// MARK: Queues

extension QueueWriter {
  private mutating func create(_ record: QueueRecord, _ link: LinkData?) throws(SQLiteError) -> StoreOutcome {
    let number = lastNumber + 1
    let (status, blocking) = Self.columns(of: record.status)
    let keys = try SQLiteRow.blob(of: record.recipientKeys)
    let outcome = try unlessDuplicate { () throws(SQLiteError) in
      try database.execute(
        QueueSQL.insertQueue, number, record.recipientID, record.senderID, keys, record.deliverySecret,
        record.senderKey, record.mode?.rawValue, status, blocking, record.usedDay, record.serviceID, record.linkID,
        record.notifier?.id, record.notifier?.key, record.notifier?.secret, record.notifier?.serviceID)
      return .created(QueueNumber(number))
    }
    guard case .created = outcome else { return outcome }
    lastNumber = number
    if let link { try database.execute(QueueSQL.putLinkData, number, link.fixed, link.user) }
    return outcome
  }

  private func setLink(_ linkID: [UInt8], _ data: LinkData, of queue: QueueNumber) throws(SQLiteError) -> StoreOutcome {
    guard let record = try record(queue) else { return .refused }
    if let current = record.linkID {
      // Only the user part may change; the fixed part is what the link's hash promises.
      let stored = try database.first(QueueSQL.linkData, queue.value) { (row) throws(SQLiteError) in try row.bytes(0) }
      guard current == linkID, stored == data.fixed else { return .refused }
    }
    return try unlessDuplicate { () throws(SQLiteError) in
      try database.execute(QueueSQL.setLinkID, queue.value, linkID)
      try database.execute(QueueSQL.putLinkData, queue.value, data.fixed, data.user)
      return .done
    }
  }

  private func setNotifier(_ notifier: QueueRecord.Notifier?, of queue: QueueNumber) throws(SQLiteError) -> StoreOutcome
  {
    guard let record = try record(queue) else { return .refused }
    return try unlessDuplicate { () throws(SQLiteError) in
      try database.execute(
        QueueSQL.setNotifier, queue.value, notifier?.id, notifier?.key, notifier?.secret, notifier?.serviceID)
      return .notifierChanged(previous: record.notifier)
    }
  }

  private mutating func delete(_ queue: QueueNumber) throws(SQLiteError) -> StoreOutcome {
    guard let record = try record(queue) else { return .refused }
    try database.execute(QueueSQL.deleteQueue, queue.value)
    let messages = try database.execute(QueueSQL.deleteMessages, queue.value)
    if record.linkID != nil { try database.execute(QueueSQL.deleteLinkData, queue.value) }
    waiting.forget(queue)
    return .deleted(record, messages: messages)
  }

  private func register(_ service: ServiceRecord) throws(SQLiteError) -> StoreOutcome {
    let known = try database.first(QueueSQL.serviceByHash, service.certificateHash) { (row) throws(SQLiteError) in
      (id: try row.bytes(0), role: try row.integer(1))
    }
    if let known { return known.role == Int64(service.role) ? .service(id: known.id) : .refused }
    return try unlessDuplicate { () throws(SQLiteError) in
      try database.execute(
        QueueSQL.insertService, service.id, Int64(service.role), service.certificateHash, service.createdDay)
      return .service(id: service.id)
    }
  }

  private static func columns(of status: QueueRecord.Status) -> (code: Int64, blocking: [UInt8]?) {
    switch status {
    case .active: (0, nil)
    case .off: (1, nil)
    case .blocked(let information): (2, information)
    }
  }
}
