import SMPProtocol
import SMPServerCore

/// A line of the log in which the reference server keeps queues (`smp-server-store.log`). Queues are named by the
/// identifiers of their recipients.
enum StoreLogRecord: Equatable {
  case create(QueueRecord, LinkData?)
  case setLink(queue: [UInt8], linkID: [UInt8], LinkData)
  case deleteLink(queue: [UInt8])
  case secure(queue: [UInt8], senderKey: [UInt8])
  case setKeys(queue: [UInt8], [[UInt8]])
  case setNotifier(queue: [UInt8], QueueRecord.Notifier)
  case deleteNotifier(queue: [UInt8])
  case setStatus(queue: [UInt8], QueueRecord.Status)
  case delete(queue: [UInt8])
  case used(queue: [UInt8], day: Int64)
  case service(ServiceRecord)
  case setService(queue: [UInt8], ServiceSide, serviceID: [UInt8]?)

  private static let secondsOfDay: Int64 = 86_400

  init(line: some StringProtocol) throws(LogLineError) {
    var fields = LogFields(line)
    let keyword = try fields.word()
    switch keyword {
    case "CREATE": self = try Self.create(&fields)
    case "LINK": self = .setLink(queue: try fields.bytes(), linkID: try fields.bytes(), try Self.linkData(&fields))
    case "LDELETE": self = .deleteLink(queue: try fields.bytes())
    case "SECURE": self = .secure(queue: try fields.bytes(), senderKey: try LogFields.key(try fields.word()))
    case "KEYS": self = .setKeys(queue: try fields.bytes(), try LogFields.keys(try fields.word()))
    case "NOTIFIER":
      let queue = try fields.bytes()
      self = .setNotifier(queue: queue, try Self.notifier(try fields.bytes(), &fields))
    case "NDELETE": self = .deleteNotifier(queue: try fields.bytes())
    case "SUSPEND": self = .setStatus(queue: try fields.bytes(), .off)
    case "BLOCK":
      let queue = try fields.bytes()
      self = .setStatus(queue: queue, try Self.blocked(try fields.word()))
    case "UNBLOCK": self = .setStatus(queue: try fields.bytes(), .active)
    case "DELETE": self = .delete(queue: try fields.bytes())
    case "TIME": self = .used(queue: try fields.bytes(), day: try Self.day(try fields.word()))
    case "NEW_SERVICE": self = try Self.service(&fields)
    case "QUEUE_SERVICE": self = try Self.queueService(&fields)
    default: throw LogLineError(reason: "unknown record")
    }
    guard fields.isAtEnd else { throw LogLineError(reason: "more than the fields of the record") }
  }

  private static func create(_ fields: inout LogFields) throws(LogLineError) -> StoreLogRecord {
    let recipientID = try fields.bytes("rid")
    let keys = try LogFields.keys(try fields.word("rk"))
    let secret = try LogFields.secret(try fields.bytes("rdh"))
    let senderID = try fields.bytes("sid")
    let senderKey = try fields.word("sk")
    var record = QueueRecord(
      recipientID: recipientID, senderID: senderID, recipientKeys: keys, deliverySecret: secret,
      mode: try mode(&fields), usedDay: 0)
    if !senderKey.isEmpty { record.senderKey = try LogFields.key(senderKey) }
    var link: LinkData?
    if let linkID = try fields.optionalBytes("link_id") {
      record.linkID = linkID
      link = LinkData(fixed: try fields.bytes("queue_data"), user: try fields.bytes())
    }
    if let id = try fields.optionalBytes("notifier") { record.notifier = try notifier(id, &fields) }
    if let time = fields.optionalWord("updated_at") { record.usedDay = try day(time) }
    if let status = fields.optionalWord("status") { record.status = try self.status(status) }
    record.serviceID = try fields.optionalBytes("rsrv")
    return .create(record, link)
  }

  /// Older servers wrote whether the sender may secure the queue.
  private static func mode(_ fields: inout LogFields) throws(LogLineError) -> QueueRecord.Mode? {
    if let isMessaging = fields.optionalWord("sndSecure") { return isMessaging == "T" ? .messaging : .contact }
    switch fields.optionalWord("queue_mode") {
    case nil: return nil
    case "M": return .messaging
    case "C": return .contact
    default: throw LogLineError(reason: "unknown mode of a queue")
    }
  }

  private static func linkData(_ fields: inout LogFields) throws(LogLineError) -> LinkData {
    LinkData(fixed: try fields.bytes(), user: try fields.bytes())
  }

  private static func notifier(
    _ id: [UInt8], _ fields: inout LogFields
  ) throws(LogLineError) -> QueueRecord.Notifier {
    let key = try LogFields.key(try fields.word())
    let secret = try LogFields.secret(try fields.bytes())
    return QueueRecord.Notifier(id: id, key: key, secret: secret, serviceID: try fields.optionalBytes("nsrv"))
  }

  private static func status(_ text: Substring) throws(LogLineError) -> QueueRecord.Status {
    switch text {
    case "active": return .active
    case "off": return .off
    default:
      guard text.hasPrefix("blocked,") else { throw LogLineError(reason: "unknown status of a queue") }
      return try blocked(text.dropFirst("blocked,".utf8.count))
    }
  }

  /// The information is stored as it is sent, which is the same text.
  private static func blocked(_ text: Substring) throws(LogLineError) -> QueueRecord.Status {
    let information = Array(text.utf8)
    guard (try? BlockingInfo.codec.decode(information)) != nil else {
      throw LogLineError(reason: "the reason for blocking a queue cannot be read")
    }
    return .blocked(information)
  }

  private static func day(_ text: Substring) throws(LogLineError) -> Int64 {
    try LogFields.number(text) / secondsOfDay
  }

  private static func service(_ fields: inout LogFields) throws(LogLineError) -> StoreLogRecord {
    let id = try fields.bytes("service_id")
    guard let role = try fields.word("role").utf8.first,
      [UInt8(ascii: "M"), UInt8(ascii: "N"), UInt8(ascii: "P")].contains(role)
    else { throw LogLineError(reason: "unknown role of a service") }
    // Its certificates are of no use: it shows them again.
    _ = try fields.word("cert")
    let hash = try fields.bytes("cert_hash")
    let day = try day(try fields.word("created_at"))
    return .service(ServiceRecord(id: id, role: role, certificateHash: hash, createdDay: day))
  }

  private static func queueService(_ fields: inout LogFields) throws(LogLineError) -> StoreLogRecord {
    let queue = try fields.bytes()
    let side: ServiceSide
    switch try fields.word() {
    case "R": side = .recipients
    case "N": side = .notifiers
    default: throw LogLineError(reason: "unknown kind of service")
    }
    let id = try fields.word()
    return .setService(queue: queue, side, serviceID: id.isEmpty ? nil : try LogFields.bytes(id))
  }
}

/// A line of the file in which the reference server keeps messages while it is stopped (`smp-server-messages.log`).
struct MessageLogRecord: Equatable {
  /// The identifier of the queue's recipient.
  let queue: [UInt8]
  let message: StoredMessage

  init(line: some StringProtocol) throws(LogLineError) {
    var fields = LogFields(line)
    guard try fields.word() == "v3" else { throw LogLineError(reason: "unknown version of a message") }
    queue = try fields.bytes()
    let id = try fields.bytes()
    let timestamp = try LogFields.number(try fields.word())
    let flags = fields.optionalWord("flags")
    let body = try fields.word()
    guard fields.isAtEnd else { throw LogLineError(reason: "more than the fields of a message") }
    let content: StoredMessage.Content =
      flags == nil && body == "quota"
      ? .quotaExceeded : .message(notify: flags?.hasPrefix("T") == true, body: try LogFields.bytes(body))
    message = StoredMessage(id: id, timestamp: timestamp, content: content)
  }
}
