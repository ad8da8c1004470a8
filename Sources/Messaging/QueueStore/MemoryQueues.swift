import SMPServerCore

/// Queues as plain values: the state of ``MemoryQueueStore``, and the disk of simulated relays.
public struct MemoryQueues: Sendable {
  /// A queue with all its data.
  public struct Queue: Sendable {
    /// The queue itself.
    public var record: QueueRecord
    /// The data of its link.
    public var link: LinkData?
    /// The messages, the first to deliver first.
    public var messages: [QueuedMessage] = []
  }

  /// All queues.
  public internal(set) var queues: [QueueNumber: Queue] = [:]
  /// Queues by the identifiers of their recipients.
  public private(set) var recipients: [[UInt8]: QueueNumber] = [:]
  /// Queues by the identifiers of their senders.
  public private(set) var senders: [[UInt8]: QueueNumber] = [:]
  /// Queues by the identifiers of their notifiers.
  public private(set) var notifiers: [[UInt8]: QueueNumber] = [:]
  /// Queues by the identifiers of their links.
  public private(set) var links: [[UInt8]: QueueNumber] = [:]
  /// Services by the hash of their certificate, with the day on which they were last registered.
  private(set) var services: [[UInt8]: (record: ServiceRecord, usedDay: Int64)] = [:]
  /// The totals.
  public private(set) var counts = StoreCounts()
  /// The queues of services, in the order of their numbers, so that pages of them begin anywhere; nothing for a service
  /// without queues.
  private var queuesOfServices: [ServiceKey: [QueueNumber]] = [:]
  /// Numbers are given in order, so that counting up to this one finds all queues without sorting them.
  private var lastNumber: Int64 = 0
  /// The last time at which the relay ran.
  private var notedTime: Int64?
  /// The numbers of queues that one step of expiry looks at.
  private static let expirationStep: Int64 = 10_000

  /// No queues.
  public init() {}

  /// The queue with this identifier.
  func queue(_ key: QueueKey) -> Queue? {
    let number: QueueNumber? =
      switch key {
      case .recipient(let id): recipients[id]
      case .sender(let id): senders[id]
      case .notifier(let id): notifiers[id]
      case .link(let id): links[id]
      }
    return number.flatMap { queues[$0] }
  }

  /// Applies an operation.
  public mutating func apply(_ operation: StoreOperation) -> StoreOutcome {
    let queue = operation.queue
    let services = queue.map { self.services(of: $0) } ?? []
    if let queue { count(queues[queue], -1) }
    let outcome = execute(operation)
    switch outcome {
    case .created(let number):
      count(queues[number], 1)
      move(number, from: [], to: self.services(of: number))
    case .expired(let removed, _) where queue == nil: counts.messages -= removed
    default:
      guard let queue else { break }
      count(queues[queue], 1)
      move(queue, from: services, to: self.services(of: queue))
    }
    return outcome
  }

  private mutating func count(_ queue: Queue?, _ change: Int) {
    guard let queue else { return }
    counts.queues += change
    counts.messages += change * queue.messages.count
    if queue.record.serviceID != nil { counts.recipientServices.queues += change }
    guard let notifier = queue.record.notifier else { return }
    counts.notifiers += change
    if notifier.serviceID != nil { counts.notifierServices.queues += change }
  }

  /// The services of a queue.
  private func services(of number: QueueNumber) -> [ServiceKey] {
    guard let record = queues[number]?.record else { return [] }
    var services: [ServiceKey] = []
    if let id = record.serviceID { services.append(ServiceKey(id: id, side: .recipients)) }
    if let id = record.notifier?.serviceID { services.append(ServiceKey(id: id, side: .notifiers)) }
    return services
  }

  private mutating func move(_ number: QueueNumber, from old: [ServiceKey], to new: [ServiceKey]) {
    guard old != new else { return }
    for service in old where !new.contains(service) {
      guard let last = queuesOfServices[service]?.firstIndex(after: number) else { continue }
      queuesOfServices[service]?.remove(at: last - 1)
      if queuesOfServices[service]?.isEmpty == true { queuesOfServices[service] = nil }
    }
    for service in new where !old.contains(service) {
      let index = queuesOfServices[service]?.firstIndex(after: number) ?? 0
      queuesOfServices[service, default: []].insert(number, at: index)
    }
  }

  private mutating func execute(_ operation: StoreOperation) -> StoreOutcome {
    switch operation {
    case .createQueue(let record, let link): create(record, link)
    case .secure(let queue, let key):
      update(queue, if: { $0.record.senderKey == nil || $0.record.senderKey == key }) { $0.record.senderKey = key }
    case .setRecipientKeys(let queue, let keys): update(queue) { $0.record.recipientKeys = keys }
    case .setLink(let queue, let linkID, let data): setLink(linkID, data, of: queue)
    case .deleteLink(let queue): deleteLink(of: queue)
    case .setNotifier(let queue, let notifier): setNotifier(notifier, of: queue)
    case .deleteNotifier(let queue): setNotifier(nil, of: queue)
    case .setService(let queue, let serviceID): update(queue) { $0.record.serviceID = serviceID }
    case .setNotifierService(let queue, let serviceID, let notifier):
      update(
        queue, if: { $0.record.notifier.map { notifier == nil || notifier == $0.id } == true }
      ) { $0.record.notifier?.serviceID = serviceID }
    case .setStatus(let queue, let status): update(queue) { $0.record.status = status }
    case .touch(let queue, let day): update(queue) { $0.record.usedDay = day }
    case .deleteQueue(let queue): delete(queue)
    case .addMessage(let queue, let message, let quota, let expiry):
      add(message, to: queue, quota: quota, expiry: expiry)
    case .acknowledge(let queue, let messageID, let readsNext):
      acknowledge(messageID, in: queue, readsNext: readsNext)
    case .expireMessages(let time, let cursor, let limit): expire(before: time, after: cursor, limit: limit)
    case .expireMessagesOfQueue(let queue, let time): .expired(expire(queue, before: time), next: nil)
    case .registerService(let service): register(service)
    case .removeServices(let day, let cursor, _, let kept): removeServices(before: day, after: cursor, except: kept)
    case .noteTime(let time): note(time)
    }
  }

  private mutating func note(_ time: Int64?) -> StoreOutcome {
    defer { notedTime = time ?? notedTime }
    return .noted(notedTime)
  }

  private mutating func update(
    _ number: QueueNumber, if condition: (Queue) -> Bool = { _ in true }, _ change: (inout Queue) -> Void
  ) -> StoreOutcome {
    guard var queue = queues[number], condition(queue) else { return .refused }
    change(&queue)
    queues[number] = queue
    return .done
  }

  private mutating func create(_ record: QueueRecord, _ link: LinkData?) -> StoreOutcome {
    guard recipients[record.recipientID] == nil, senders[record.senderID] == nil,
      record.linkID.map({ links[$0] == nil }) ?? true, record.notifier.map({ notifiers[$0.id] == nil }) ?? true
    else { return .duplicate }
    lastNumber += 1
    let number = QueueNumber(lastNumber)
    var record = record
    record.number = number
    queues[number] = Queue(record: record, link: link)
    recipients[record.recipientID] = number
    senders[record.senderID] = number
    if let linkID = record.linkID { links[linkID] = number }
    if let notifier = record.notifier { notifiers[notifier.id] = number }
    return .created(number)
  }

  private mutating func setLink(_ linkID: [UInt8], _ data: LinkData, of number: QueueNumber) -> StoreOutcome {
    guard let queue = queues[number] else { return .refused }
    if let current = queue.record.linkID {
      guard current == linkID, queue.link?.fixed == data.fixed else { return .refused }
    } else if links[linkID] != nil {
      return .duplicate
    }
    links[linkID] = number
    return update(number) {
      $0.record.linkID = linkID
      $0.link = data
    }
  }

  private mutating func deleteLink(of number: QueueNumber) -> StoreOutcome {
    if let linkID = queues[number]?.record.linkID { links[linkID] = nil }
    return update(number) {
      $0.record.linkID = nil
      $0.link = nil
    }
  }

  private mutating func setNotifier(_ notifier: QueueRecord.Notifier?, of number: QueueNumber) -> StoreOutcome {
    guard let queue = queues[number] else { return .refused }
    if let notifier, let owner = notifiers[notifier.id], owner != number { return .duplicate }
    let previous = queue.record.notifier
    if let previous { notifiers[previous.id] = nil }
    if let notifier { notifiers[notifier.id] = number }
    queues[number]?.record.notifier = notifier
    return .notifierChanged(previous: previous)
  }

  private mutating func delete(_ number: QueueNumber) -> StoreOutcome {
    guard let queue = queues.removeValue(forKey: number) else { return .refused }
    recipients[queue.record.recipientID] = nil
    senders[queue.record.senderID] = nil
    if let linkID = queue.record.linkID { links[linkID] = nil }
    if let notifier = queue.record.notifier { notifiers[notifier.id] = nil }
    return .deleted(queue.record, messages: queue.messages.count)
  }

  /// Up to `limit` queues of a service after the number `after`.
  public func queues(
    ofService serviceID: [UInt8], _ side: ServiceSide, after: QueueNumber, limit: Int
  ) -> [ServiceQueue] {
    let own = queuesOfServices[ServiceKey(id: serviceID, side: side)] ?? []
    return own[own.firstIndex(after: after)...].prefix(limit).compactMap { number in
      guard let queue = queues[number] else { return nil }
      let record = queue.record
      switch side {
      case .recipients:
        return ServiceQueue(
          number: number, id: record.recipientID, secret: record.deliverySecret,
          mayHaveMessages: !queue.messages.isEmpty)
      case .notifiers: return record.notifier.map { ServiceQueue(number: number, id: $0.id) }
      }
    }
  }

  private mutating func register(_ service: ServiceRecord) -> StoreOutcome {
    if let known = services[service.certificateHash] {
      guard known.record.role == service.role else { return .refused }
      services[service.certificateHash]?.usedDay = max(known.usedDay, service.createdDay)
      return .service(id: known.record.id)
    }
    services[service.certificateHash] = (service, service.createdDay)
    count(service, 1)
    return .service(id: service.id)
  }

  private mutating func count(_ service: ServiceRecord, _ change: Int) {
    switch service.role {
    case .messaging: counts.recipientServices.services += change
    case .notifier: counts.notifierServices.services += change
    case .proxy: break
    }
  }

  /// All in one step: nothing has to be read for it, and several steps would each sort the services.
  private mutating func removeServices(
    before day: Int64, after cursor: [UInt8], except kept: Set<[UInt8]>
  ) -> StoreOutcome {
    let unused = services.values.filter { service in
      let id = service.record.id
      return service.usedDay < day && !hasQueues(id) && !kept.contains(id) && cursor.lexicographicallyPrecedes(id)
    }
    for service in unused {
      services[service.record.certificateHash] = nil
      count(service.record, -1)
    }
    return .servicesRemoved(unused.count, next: nil)
  }

  private func hasQueues(_ service: [UInt8]) -> Bool {
    [ServiceSide.recipients, .notifiers].contains { queuesOfServices[ServiceKey(id: service, side: $0)] != nil }
  }

  // MARK: Messages

  private mutating func add(
    _ message: QueuedMessage, to number: QueueNumber, quota: Int, expiry: Int64?
  ) -> StoreOutcome {
    if let expiry { _ = expire(number, before: expiry) }
    guard let messages = queues[number]?.messages else { return .refused }
    if messages.last?.content == .quotaExceeded { return .quotaExceeded }
    if messages.count >= quota {
      let mark = QueuedMessage(id: message.id, timestamp: message.timestamp, content: .quotaExceeded)
      queues[number]?.messages.append(mark)
      return .quotaExceeded
    }
    queues[number]?.messages.append(message)
    return .stored(isFirst: messages.isEmpty)
  }

  private mutating func acknowledge(
    _ messageID: [UInt8], in number: QueueNumber, readsNext: Bool
  ) -> StoreOutcome {
    let first = queues[number]?.messages.first
    guard let first, messageID.isEmpty || first.id == messageID else {
      return .acknowledged(removed: nil, next: readsNext ? first : nil)
    }
    queues[number]?.messages.removeFirst()
    return .acknowledged(removed: RemovedMessage(first), next: readsNext ? queues[number]?.messages.first : nil)
  }

  private mutating func expire(before time: Int64, after cursor: QueueNumber, limit: Int) -> StoreOutcome {
    var (removed, checked) = (0, 0)
    var number = cursor
    let end = number.value.addingReportingOverflow(Self.expirationStep)
    while number.value < lastNumber {
      guard checked < limit, removed < limit, number.value < end.partialValue || end.overflow else {
        return .expired(removed, next: number)
      }
      number = QueueNumber(number.value + 1)
      guard queues[number]?.messages.isEmpty == false else { continue }
      checked += 1
      removed += expire(number, before: time)
    }
    return .expired(removed, next: nil)
  }

  private mutating func expire(_ number: QueueNumber, before time: Int64) -> Int {
    guard let messages = queues[number]?.messages else { return 0 }
    let kept = messages.filter { $0.timestamp >= time }
    queues[number]?.messages = kept
    return messages.count - kept.count
  }
}

/// A service on one side of its queues.
private struct ServiceKey: Hashable {
  let id: [UInt8]
  let side: ServiceSide
}

extension [QueueNumber] {
  /// The index of the first number after this one, in an ascending array.
  fileprivate func firstIndex(after number: QueueNumber) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] > number { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension StoreOperation {
  /// The one queue that it may change; nil where it is new, or where there may be several.
  fileprivate var queue: QueueNumber? {
    switch self {
    case .secure(let queue, _), .setRecipientKeys(let queue, _), .setLink(let queue, _, _), .deleteLink(let queue),
      .setNotifier(let queue, _), .deleteNotifier(let queue), .setNotifierService(let queue, _, _),
      .setService(let queue, _), .setStatus(let queue, _), .touch(let queue, _), .deleteQueue(let queue),
      .addMessage(let queue, _, _, _), .acknowledge(let queue, _, _), .expireMessagesOfQueue(let queue, _):
      queue
    case .createQueue, .expireMessages, .registerService, .removeServices, .noteTime: nil
    }
  }
}
