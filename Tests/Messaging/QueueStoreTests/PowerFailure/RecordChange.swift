import SMPServerCore

@testable import QueueStore

/// A change of a queue's record in a story, with small numbers in place of keys and identifiers.
enum RecordChange: Equatable {
  case secure(Int)
  case recipientKeys(Int)
  case link(Int, user: Int)
  case deleteLink
  case notifier(Int)
  case deleteNotifier
  case service(Int?)
  case notifierService(Int?)
  case status(Int)

  /// One of them. Numbers come from small ranges, so that identifiers are taken now and then.
  static func random(using random: inout some RandomNumberGenerator) -> RecordChange {
    let number = Int.random(in: 1...3, using: &random)
    return switch Int.random(in: 0..<9, using: &random) {
    case 0: .secure(number)
    case 1: .recipientKeys(number)
    case 2: .link(number, user: Int.random(in: 0...3, using: &random))
    case 3: .deleteLink
    case 4: .notifier(number)
    case 5: .deleteNotifier
    case 6: .service(Bool.random(using: &random) ? number : nil)
    case 7: .notifierService(Bool.random(using: &random) ? number : nil)
    default: .status(number)
    }
  }

  func operation(on queue: QueueNumber) -> StoreOperation {
    switch self {
    case .secure(let number): .secure(queue, senderKey: id(number, 4))
    case .recipientKeys(let number): .setRecipientKeys(queue, Self.keys(number))
    case .link(let number, let user): .setLink(queue, linkID: id(number, 5), Self.data(number, user: user))
    case .deleteLink: .deleteLink(queue)
    case .notifier(let number): .setNotifier(queue, Self.credentials(number))
    case .deleteNotifier: .deleteNotifier(queue)
    case .service(let number): .setService(queue, serviceID: Self.serviceID(number))
    case .notifierService(let number): .setNotifierService(queue, serviceID: Self.serviceID(number))
    case .status(let number): .setStatus(queue, Self.queueStatus(number))
    }
  }

  static func keys(_ number: Int) -> [[UInt8]] { (0..<number).map { id($0, 6) } }

  static func data(_ number: Int, user: Int) -> LinkData {
    LinkData(fixed: id(number, 7), user: [UInt8](repeating: UInt8(user), count: user * 1_000))
  }

  static func credentials(_ number: Int) -> QueueRecord.Notifier {
    QueueRecord.Notifier(id: id(number, 8), key: id(number, 9), secret: id(number, 10))
  }

  static func serviceID(_ number: Int?) -> [UInt8]? { number.map { id($0, 11) } }

  static func queueStatus(_ number: Int) -> QueueRecord.Status {
    switch number {
    case 1: .active
    case 2: .off
    default: .blocked(id(number, 12))
    }
  }
}

/// What a queue's record can be after changes of which each may have taken effect.
struct PossibleRecords {
  private struct Link: Hashable {
    let id: [UInt8]
    let data: LinkData?
  }

  private let expected: QueueRecord
  private var days: Set<Int64>
  private var senderKeys: Set<[UInt8]?>
  private var recipientKeys: Set<[[UInt8]]>
  private var links: Set<Link?>
  private var notifiers: Set<[UInt8]?>
  private var services: Set<[UInt8]?>
  private var notifierServices: Set<[UInt8]?>
  private var statuses: Set<QueueRecord.Status>

  /// The one that is expected.
  init(_ record: QueueRecord, _ link: LinkData?) {
    expected = record
    days = [record.usedDay]
    senderKeys = [record.senderKey]
    recipientKeys = [record.recipientKeys]
    links = [record.linkID.map { Link(id: $0, data: link) }]
    notifiers = [record.notifier?.id]
    services = [record.serviceID]
    notifierServices = [record.notifier?.serviceID]
    statuses = [record.status]
  }

  mutating func touch(_ day: Int64) { days.insert(day) }

  mutating func add(_ change: RecordChange) {
    switch change {
    case .secure(let number): senderKeys.insert(id(number, 4))
    case .recipientKeys(let number): recipientKeys.insert(RecordChange.keys(number))
    case .link(let number, let user):
      links.insert(Link(id: id(number, 5), data: RecordChange.data(number, user: user)))
    case .deleteLink: links.insert(nil)
    case .notifier(let number):
      notifiers.insert(id(number, 8))
      notifierServices.insert(nil)
    case .deleteNotifier:
      notifiers.insert(nil)
      notifierServices.insert(nil)
    case .service(let number): services.insert(RecordChange.serviceID(number))
    case .notifierService(let number): notifierServices.insert(RecordChange.serviceID(number))
    case .status(let number): statuses.insert(RecordChange.queueStatus(number))
    }
  }

  /// The first part of a record that is none of the possible ones; nil where it is one of them.
  func difference(_ record: QueueRecord, _ link: LinkData?) -> String? {
    let isSameQueue =
      record.recipientID == expected.recipientID && record.senderID == expected.senderID
      && record.deliverySecret == expected.deliverySecret && record.mode == expected.mode
    let checks = [
      ("identifiers", isSameQueue), ("day", days.contains(record.usedDay)),
      ("sender's key", senderKeys.contains(record.senderKey)),
      ("recipient's keys", recipientKeys.contains(record.recipientKeys)),
      ("link", links.contains(record.linkID.map { Link(id: $0, data: link) })),
      ("link data without a link", record.linkID != nil || link == nil),
      ("notifier", notifiers.contains(record.notifier?.id)), ("service", services.contains(record.serviceID)),
      ("service of the notifier", notifierServices.contains(record.notifier?.serviceID)),
      ("status", statuses.contains(record.status)),
    ]
    return checks.first { !$0.1 }?.0
  }
}
