import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTesting
import Testing

/// The environment of a shard in a relay, without network, disk or clock: it executes the effects when the story says
/// so, and rejects invalid ones.
final class World {
  typealias Shard = QueueShard<String>

  /// A change that was submitted and is not durable yet.
  private struct Change {
    let operation: StoreOperation
    let continuation: Continuation<String>
  }

  private(set) var shard = Shard()
  private(set) var disk = MemoryQueues()
  private var changes: [Change] = []
  /// Reads of queues, with the result of those that the disk has answered.
  private var readings: [(reading: FirstReading<String>, found: QueuedMessage??)] = []
  /// What each client was sent and has not read yet.
  private var inboxes: [String: [Response]] = [:]
  private var connected: Set<String> = []
  /// Commands that have no answer yet.
  private var unanswered: [CorrelationID: Origin<String>] = [:]
  /// Those of connections that are closed: they may be answered or not.
  private var abandoned: Set<CorrelationID> = []
  /// Those that are SUB, of clients and on queues without a service.
  private var subscribing: [CorrelationID: Origin<String>] = [:]
  /// Messages that were delivered and not acknowledged, by queue.
  private var delivered: [QueueNumber: (session: String, messageID: [UInt8])] = [:]
  /// The bodies of the messages that became durable, in order.
  private(set) var stored: [QueueNumber: [[UInt8]]] = [:]
  private(set) var counts: [ServerEvent: Int] = [:]
  /// The current time in seconds since 1970.
  var now: Int64 = 1_000_000
  var quota = 128
  private var services = ServiceSubscriptions<String>()
  private var random: InsecureSeededRandom
  private var dice: SeededGenerator

  init(seed: UInt64 = 1) {
    random = InsecureSeededRandom(seed: seed)
    dice = SeededGenerator(seed: seed)
  }

  // MARK: What a story does

  func connect(_ session: String) { connected.insert(session) }

  func disconnect(_ session: String) {
    connected.remove(session)
    inboxes[session] = nil
    for origin in unanswered.values where origin.session == session { abandoned.insert(origin.correlation) }
    unanswered = unanswered.filter { $0.value.session != session }
    subscribing = subscribing.filter { $0.value.session != session }
    delivered = delivered.filter { $0.value.session != session }
    shard.disconnected(session)
    services.disconnected(session)
  }

  /// Makes a queue that is durable at once.
  func makeQueue(
    by session: String, subscription: SubscriptionMode = .subscribe, mode: QueuePurpose = .messaging(nil),
    notifier: Bool = false, service: ServiceSession? = nil
  ) throws -> QueueRecord {
    let notifierKeys = NotifierKeys(
      notifierKey: .ed25519(Ed25519.PrivateKey(using: &random).publicKey),
      recipientDHKey: X25519.PrivateKey(using: &random).publicKey)
    let request = NewQueueRequest(
      recipientKey: .ed25519(Ed25519.PrivateKey(using: &random).publicKey),
      recipientDHKey: X25519.PrivateKey(using: &random).publicKey, subscription: subscription, purpose: mode,
      notifier: notifier ? notifierKeys : nil)
    let origin = origin(session, EntityID.none)
    let queue = try NewQueue(
      request, correlation: origin.correlation, service: service, day: now / 86_400, using: &random)
    unanswered[origin.correlation] = origin
    perform([Shard.create(queue, from: origin)])
    commitAll()
    guard case .ids? = take(session)?.plain else { throw Unexpected() }
    let number = try #require(disk.recipients[queue.record.recipientID])
    return try #require(disk.queues[number]).record
  }

  /// A client sends a command about a queue; what the queue is like is read from the disk.
  func command(
    _ session: String, _ command: Command, _ queue: QueueNumber, service: ServiceSession? = nil
  ) {
    guard let record = disk.queues[queue]?.record else { return }
    let entity =
      switch command.party {
      case .sender: record.senderID
      case .notifier: record.notifier?.id ?? []
      default: record.recipientID
      }
    let origin = origin(session, EntityID(entity))
    unanswered[origin.correlation] = origin
    if case .sub = command, service == nil, record.serviceID == nil { subscribing[origin.correlation] = origin }
    let context = CommandContext(version: 19, service: service, now: now, quota: quota)
    perform(shard.handle(command, from: origin, about: record, context, using: &random))
  }

  /// A client subscribes to all queues of its service; returns their set.
  func subscribeAll(_ session: String, _ service: ServiceSession) -> ServiceQueues {
    let all = disk.queues(ofService: service.id.bytes, service.role.side, after: QueueNumber(0), limit: .max)
    var queues = ServiceQueues()
    for queue in all { queues.add(EntityID(queue.id)) }
    take(session, service.id, service.role.side)
    services.subscribeAll(service.id, session: session, queues: queues)
    for queue in all where queue.mayHaveMessages {
      perform(shard.deliverFirst(of: queue, for: service.id, to: session))
    }
    return queues
  }

  private func take(_ session: String, _ service: EntityID, _ side: ServiceSide) {
    guard services[service]?.session != session else { return }
    let previous = services.take(service, side: side, session: session)
    let effects = shard.subscribe(session, for: service, insteadOf: previous?.session)
    if let previous { send(Response(.none, about: service, .plain(.ends(previous.queues))), to: previous.session) }
    perform(effects)
  }

  /// The first waiting change becomes durable, and the shard is told; or it fails.
  func commit(failing failure: StoreFailure? = nil) {
    guard !changes.isEmpty else { return }
    let change = changes.removeFirst()
    defer {
      if let session = change.continuation.subscriber, !connected.contains(session) {
        shard.disconnected(session)
        services.disconnected(session)
      }
    }
    if let failure { return perform(shard.stored(change.continuation, .failure(failure))) }
    let outcome = disk.apply(change.operation)
    if case .acknowledged(let removed?, _) = outcome, let queue = change.operation.acknowledgedQueue {
      #expect(delivered[queue]?.messageID == removed.id || delivered[queue] == nil, "removed before it was delivered")
      delivered[queue] = nil
    }
    if case .addMessage(let queue, let message, _, _) = change.operation, case .stored = outcome,
      case .message(_, let body) = message.content
    {
      stored[queue, default: []].append(body)
    }
    if case .deleteQueue(let queue) = change.operation { delivered[queue] = nil }
    perform(shard.stored(change.continuation, .success(outcome)))
  }

  /// The disk is asked for the first reading that waits; the shard does not hear of it yet.
  func look() {
    guard let first = readings.firstIndex(where: { $0.found == nil }) else { return }
    readings[first].found = .some(disk.queues[readings[first].reading.queue]?.messages.first)
  }

  /// The shard hears of the first reading that waits.
  func read(failing failure: StoreFailure? = nil) {
    guard !readings.isEmpty else { return }
    let (reading, found) = readings.removeFirst()
    if let failure { return perform(shard.firstRead(.failure(failure), reading)) }
    perform(shard.firstRead(.success(found ?? disk.queues[reading.queue]?.messages.first), reading))
  }

  func commitAll() { while !isQuiet { commit(); read() } }

  /// Whether nothing is in flight.
  var isQuiet: Bool { changes.isEmpty && readings.isEmpty }
  var hasChanges: Bool { !changes.isEmpty }
  var hasReadings: Bool { !readings.isEmpty }
  /// Commands without answer.
  var unansweredCount: Int { unanswered.count }

  /// The next thing that a client was sent; nil if there is none.
  func take(_ session: String) -> Response? {
    guard inboxes[session]?.isEmpty == false else { return nil }
    return inboxes[session]?.removeFirst()
  }

  func withShard<Value>(_ body: (inout Shard) -> Value) -> Value { body(&shard) }

  /// A random number below a limit, for random stories.
  func chance(_ limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &dice) }

  // MARK: Effects

  private func origin(_ session: String, _ entity: EntityID) -> Origin<String> {
    Origin(session: session, correlation: CorrelationID(using: &random), entity: entity)
  }

  func perform(_ effects: [Shard.Effect]) {
    for effect in effects {
      switch effect {
      case .count(let event): counts[event, default: 0] += 1
      case .store(let operation, let continuation):
        changes.append(Change(operation: operation, continuation: continuation))
      case .readFirst(let reading): readings.append((reading, nil))
      case .readLink(let queue, let origin):
        let link = disk.queues[queue.number]?.link
        let answer = link.map {
          BrokerMessage.lnk(LinkResponse(senderID: EntityID(queue.senderID), data: QueueLinkData($0)))
        }
        send(Response(origin.correlation, about: origin.entity, .plain(answer ?? .err(.AUTH))), to: origin.session)
      case .send(let session, let response): send(response, to: session)
      case .joinService(let service, let side, let session, let queue, let isNew):
        take(session, service, side)
        services.add(queue, to: service, session, isNew: isNew)
      case .leaveService(let service, let queue): services.remove(queue, from: service)
      }
    }
  }

  private func send(_ response: Response, to session: String) {
    if response.correlation.isNone {
      #expect(connected.contains(session), "an event for a client that is gone")
    } else {
      let isExpected =
        unanswered.removeValue(forKey: response.correlation) != nil || abandoned.remove(response.correlation) != nil
      #expect(isExpected, "a second answer, or one to no command")
      subscribing[response.correlation] = nil
    }
    if response.plain == .end || response.plain == .deld {
      let isSubscribing = subscribing.values.contains { $0.session == session && $0.entity == response.entity }
      #expect(!isSubscribing, "a subscription ends before its SUB is answered")
    }
    if case .delivery(let message, let queue, _) = response.body { deliver(message, of: queue, to: session, response) }
    if connected.contains(session) { inboxes[session, default: []].append(response) }
  }

  private func deliver(
    _ message: QueuedMessage, of queue: QueueNumber, to session: String, _ response: Response
  ) {
    let waiting = disk.queues[queue]?.messages ?? []
    #expect(waiting.first?.id == message.id, "delivered is what does not stand first on the disk")
    if let before = delivered[queue], before.session == session, response.correlation.isNone {
      // Only a client that subscribes again gets the same once more.
      #expect(before.messageID == message.id, "two messages of a queue are under way to a client")
    }
    delivered[queue] = (session, message.id)
  }
}

struct Unexpected: Error {}

extension StoreOperation {
  fileprivate var acknowledgedQueue: QueueNumber? {
    if case .acknowledge(let queue, _, _) = self { queue } else { nil }
  }
}

extension Response {
  /// The message, where it is complete.
  var plain: BrokerMessage? {
    if case .plain(let message) = body { message } else { nil }
  }

  /// The identifier and the body of a delivered message.
  var delivery: (id: MessageID, body: [UInt8])? {
    guard case .delivery(let message, _, _) = body else { return nil }
    guard case .message(_, let body) = message.content else { return (MessageID(message.id), []) }
    return (MessageID(message.id), body)
  }

  var notification: PendingNotification? {
    if case .notification(let notification, _) = body { notification } else { nil }
  }
}
