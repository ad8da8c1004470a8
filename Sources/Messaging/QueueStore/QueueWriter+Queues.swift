import SMPServerCore
import SQLiteKit

extension QueueWriter {
  mutating func create(_ record: QueueRecord, _ link: LinkData?) throws(SQLiteError) -> StoreOutcome {
    let (number, isLast) = lastNumber.addingReportingOverflow(1)
    guard !isLast else { throw SQLiteError(.damaged, "there are no more numbers for queues") }
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
    counts.count(record, 1)
    if let link { try database.execute(QueueSQL.putLinkData, number, link.fixed, link.user) }
    return outcome
  }

  func setLink(_ linkID: [UInt8], _ data: LinkData, of queue: QueueNumber) throws(SQLiteError) -> StoreOutcome {
    guard let record = try record(queue) else { return .refused }
    if let current = record.linkID {
      // Only the user part may change; the link's hash covers the fixed part.
      let stored = try database.first(QueueSQL.linkData, queue.value) { (row) throws(SQLiteError) in try row.bytes(0) }
      guard current == linkID, stored == data.fixed else { return .refused }
    }
    return try unlessDuplicate { () throws(SQLiteError) in
      try database.execute(QueueSQL.setLinkID, queue.value, linkID)
      try database.execute(QueueSQL.putLinkData, queue.value, data.fixed, data.user)
      return .done
    }
  }

  mutating func setNotifier(
    _ notifier: QueueRecord.Notifier?, of queue: QueueNumber
  ) throws(SQLiteError) -> StoreOutcome {
    guard let record = try record(queue) else { return .refused }
    let outcome = try unlessDuplicate { () throws(SQLiteError) in
      try database.execute(
        QueueSQL.setNotifier, queue.value, notifier?.id, notifier?.key, notifier?.secret, notifier?.serviceID)
      return .notifierChanged(previous: record.notifier)
    }
    guard outcome != .duplicate else { return outcome }
    counts.count(record.notifier, -1)
    counts.count(notifier, 1)
    return outcome
  }

  mutating func setService(_ serviceID: [UInt8]?, of queue: QueueNumber) throws(SQLiteError) -> StoreOutcome {
    guard let current = try services(of: queue) else { return .refused }
    try database.execute(QueueSQL.setService, queue.value, serviceID)
    counts.serviceQueues += (serviceID == nil ? 0 : 1) - (current.recipient ? 1 : 0)
    return .done
  }

  mutating func setNotifierService(
    _ serviceID: [UInt8]?, of queue: QueueNumber, notifier: [UInt8]?
  ) throws(SQLiteError) -> StoreOutcome {
    guard let current = try services(of: queue), let currentNotifier = current.notifierID,
      notifier == nil || notifier == currentNotifier
    else { return .refused }
    try database.execute(QueueSQL.setNotifierService, queue.value, serviceID)
    counts.serviceNotifiers += (serviceID == nil ? 0 : 1) - (current.notifier ? 1 : 0)
    return .done
  }

  /// Whether recipient and notifier of a queue belong to services, and the notifier; nil where there is no such queue.
  private func services(
    of queue: QueueNumber
  ) throws(SQLiteError) -> (recipient: Bool, notifier: Bool, notifierID: [UInt8]?)? {
    try database.first(QueueSQL.servicesOfQueue, queue.value) { (row) throws(SQLiteError) in
      (recipient: try row.bool(0), notifier: try row.bool(1), notifierID: try row.optionalBytes(2))
    }
  }

  mutating func delete(_ queue: QueueNumber) throws(SQLiteError) -> StoreOutcome {
    guard let record = try record(queue) else { return .refused }
    let messages = try positions(of: queue)?.waiting.count ?? 0
    try database.execute(QueueSQL.deleteQueue, queue.value)
    counts.count(record, -1)
    counts.messages -= try database.execute(QueueSQL.deleteMessages, queue.value)
    if record.linkID != nil { try database.execute(QueueSQL.deleteLinkData, queue.value) }
    positions[queue] = nil
    // Not in the journal: nobody finds the queue, and its number is not reused.
    if unapplied.removeValue(forKey: queue) != nil { changed.insert(queue) }
    return .deleted(record, messages: messages)
  }

  static func columns(of status: QueueRecord.Status) -> (code: Int64, blocking: [UInt8]?) {
    switch status {
    case .active: (0, nil)
    case .off: (1, nil)
    case .blocked(let information): (2, information)
    }
  }
}
