import SMPServerCore
import SQLiteKit

extension SQLiteRow {
  /// The row of ``QueueSQL/counts`` or ``QueueSQL/countAll``.
  func storeCounts() throws(SQLiteError) -> StoreCounts {
    var counts = StoreCounts()
    counts.queues = Int(try integer(0))
    counts.messages = Int(try integer(1))
    counts.notifiers = Int(try integer(2))
    counts.recipientServices = StoreCounts.Services(services: Int(try integer(5)), queues: Int(try integer(3)))
    counts.notifierServices = StoreCounts.Services(services: Int(try integer(6)), queues: Int(try integer(4)))
    return counts
  }

  /// The queue in the columns of ``QueueSQL/byNumber``.
  func queueRecord() throws(SQLiteError) -> QueueRecord {
    var record = QueueRecord(
      number: QueueNumber(try integer(0)), recipientID: try bytes(1), senderID: try bytes(2),
      recipientKeys: try Self.keys(in: bytes(3)), deliverySecret: try bytes(4),
      mode: try optionalInteger(6).flatMap(QueueRecord.Mode.init(rawValue:)), usedDay: try integer(9))
    record.senderKey = try optionalBytes(5)
    record.status = try status(7, blocking: 8)
    record.serviceID = try optionalBytes(10)
    record.linkID = try optionalBytes(11)
    if let id = try optionalBytes(12) {
      record.notifier = QueueRecord.Notifier(
        id: id, key: try bytes(13), secret: try bytes(14), serviceID: try optionalBytes(15))
    }
    return record
  }

  private func status(_ column: Int, blocking: Int) throws(SQLiteError) -> QueueRecord.Status {
    switch try integer(column) {
    case 0: .active
    case 1: .off
    case 2: .blocked(try bytes(blocking))
    default: throw SQLiteError(.damaged, "unknown status of a queue")
    }
  }

  /// The message in the columns of ``QueueSQL/firstMessage``, without its position.
  func storedMessage() throws(SQLiteError) -> QueuedMessage {
    let notify = try bool(3)
    return QueuedMessage(
      id: try bytes(1), timestamp: try integer(2),
      content: try optionalBytes(4).map { .message(notify: notify, body: $0) } ?? .quotaExceeded)
  }

  /// The message in the columns of ``QueueSQL/firstHead``.
  func removedMessage() throws(SQLiteError) -> RemovedMessage {
    RemovedMessage(
      id: try bytes(0), timestamp: try integer(1), content: try bool(3) ? .quotaExceeded : .message(notify: try bool(2))
    )
  }

  /// Several keys in one blob, each after its length in one byte.
  static func blob(of keys: [[UInt8]]) throws(SQLiteError) -> [UInt8] {
    var blob: [UInt8] = []
    for key in keys {
      guard let count = UInt8(exactly: key.count) else { throw SQLiteError(.other, "a key of \(key.count) bytes") }
      blob.append(count)
      blob += key
    }
    return blob
  }

  private static func keys(in blob: [UInt8]) throws(SQLiteError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    var rest = blob[...]
    while let count = rest.popFirst() {
      guard rest.count >= Int(count) else { throw SQLiteError(.damaged, "keys of a queue") }
      keys.append(Array(rest.prefix(Int(count))))
      rest = rest.dropFirst(Int(count))
    }
    return keys
  }
}

extension StoreFailure {
  init(_ error: SQLiteError) {
    self =
      switch error.kind {
      case .diskFull: .full
      case .damaged, .notADatabase, .unexpectedColumn: .damaged
      case .newerSchema(let found, let known): .newerSchema(found: found, known: known)
      case .busy: .unavailable
      default: .other(error.description)
      }
  }
}
