import AgentCore
import NotificationProtocol
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

/// A relay that does at once what it is asked, as far as agents can tell.
final class TestRelay {
  final class Queue {
    let recipientID: EntityID
    let senderID: EntityID
    let recipientKey: AuthorizationKey
    let deliveryKey: BoxKey
    let mode: QueueMode?
    var senderKey: AuthorizationKey?
    var messages: [(id: MessageID, content: DeliveredMessage)] = []
    var isFull = false
    var isOff = false
    var delivered: MessageID?
    var subscriber: TestAgent?
    var linkID: EntityID?
    var link: QueueLinkData?
    var notifier: (id: EntityID, key: AuthorizationKey, boxKey: BoxKey)?

    init(_ ids: QueueIDs, _ request: NewQueueRequest, deliveryKey: BoxKey) {
      recipientID = ids.recipientID
      senderID = ids.senderID
      recipientKey = request.recipientKey
      self.deliveryKey = deliveryKey
      mode = ids.mode
    }
  }

  let server: SMPServerAddress
  /// Old relays know no queue modes and no links.
  var knowsModes = true
  /// Relays before version 17 make notifiers with NKEY alone.
  var knowsNotifiersInNew = true
  var quota = 128
  /// How many more messages are refused after the recipient took the last one.
  var lateRefusals = 0
  /// Errors that are given instead of doing what is asked, for commands of a keyword.
  var failures: [String: [SMPClientError]] = [:]
  /// Every command, for tests of what was asked.
  var log: [String] = []
  /// The bodies of all SENDs, by queue.
  var sent: [EntityID: [[UInt8]]] = [:]
  private(set) var queues: [EntityID: Queue] = [:]
  /// Gets what notification servers are told.
  var onNotification: ((NotifierQueue, NotificationMessage) -> Void)?
  private var random = InsecureSeededRandom(seed: 77)
  private var time: Int64 = 1_700_000_000
  private var clock: UTCTime {
    guard let clock = UTCTime(seconds: time) else { preconditionFailure("bad time") }
    return clock
  }

  init(_ host: String) {
    let text = "smp://\(Base64URL.string([UInt8](repeating: UInt8(host.utf8.count), count: 32)))@\(host)"
    guard let server = try? SMPServerAddress.textCodec.decode(text: text) else { fatalError("bad host \(host)") }
    self.server = server
  }

  private func queue(sender: EntityID) -> Queue? { queues.values.first { $0.senderID == sender } }
  private func queue(link: EntityID) -> Queue? { queues.values.first { $0.linkID == link } }

  func perform(_ request: RequestPipeline.Request, for agent: TestAgent) -> Result<BrokerMessage, SMPClientError> {
    let keyword = request.command.form.keyword
    log.append(keyword)
    if var planned = failures[keyword], !planned.isEmpty {
      let error = planned.removeFirst()
      failures[keyword] = planned
      // A timeout comes after the relay did what it was asked.
      if error == .timeout { _ = execute(request, for: agent) }
      return .failure(error)
    }
    switch execute(request, for: agent) {
    case .err(let error): return .failure(.relay(error))
    case let message: return .success(message)
    }
  }

  private func execute(_ request: RequestPipeline.Request, for agent: TestAgent) -> BrokerMessage {
    let key = request.key?.publicKey
    switch request.command {
    case .new(let new): return create(new, key: key, for: agent)
    case .skey(let senderKey):
      guard let queue = queue(sender: request.entity), queue.mode == .messaging, key == senderKey else {
        return .err(.AUTH)
      }
      return secure(queue, senderKey)
    case .send(let message): return send(message, to: request.entity, key: key)
    case .lkey(let senderKey):
      guard let queue = queue(link: request.entity), let data = queue.link, case .ok = secure(queue, senderKey) else {
        return .err(.AUTH)
      }
      return .lnk(LinkResponse(senderID: queue.senderID, data: data))
    case .lget:
      guard let queue = queue(link: request.entity), let data = queue.link else { return .err(.AUTH) }
      return .lnk(LinkResponse(senderID: queue.senderID, data: data))
    default:
      guard let queue = queues[request.entity], key == queue.recipientKey else { return .err(.AUTH) }
      return recipient(request.command, queue, for: agent)
    }
  }

  private func recipient(_ command: Command, _ queue: Queue, for agent: TestAgent) -> BrokerMessage {
    switch command {
    case .sub:
      queue.subscriber = agent
      queue.delivered = nil
      agent.world.later { self.deliver(queue) }
      return .ok
    case .key(let senderKey): return secure(queue, senderKey)
    case .ack(let id):
      guard queue.delivered == id else { return .err(.NO_MSG) }
      queue.delivered = nil
      queue.messages.removeFirst()
      agent.world.later { self.deliver(queue) }
      return .ok
    case .del:
      queues[queue.recipientID] = nil
      return .ok
    case .off:
      queue.isOff = true
      return .ok
    case .lset(let update):
      queue.linkID = update.linkID
      queue.link = update.data
      return .ok
    case .ldel:
      queue.link = nil
      return .ok
    case .que:
      let subscription =
        queue.subscriber === agent
        ? QSub(qSubThread: .noSub, qDelivered: queue.delivered.map { $0.description }) : nil
      return .info(
        QueueInfo(
          qiSnd: queue.senderKey != nil, qiNtf: false, qiSub: subscription, qiSize: queue.messages.count))
    case .nkey(let keys):
      guard let ids = setNotifier(of: queue, keys) else { return .err(.CRYPTO) }
      return .nid(ids)
    case .ndel:
      queue.notifier = nil
      return .ok
    case .get:
      guard queue.subscriber == nil else { return .err(.CMD(cmdErr: .PROHIBITED)) }
      guard let (id, content) = queue.messages.first else { return .ok }
      queue.delivered = id
      guard let message = try? content.seal(id: id, key: queue.deliveryKey) else { return .err(.CRYPTO) }
      return .msg(message)
    default: return .err(.INTERNAL)
    }
  }

  private func setNotifier(of queue: Queue, _ keys: NotifierKeys) -> NotifierIDs? {
    let own = X25519.PrivateKey(using: &random)
    guard let boxKey = try? own.boxKey(with: keys.recipientDHKey) else { return nil }
    let id = EntityID(using: &random)
    queue.notifier = (id, keys.notifierKey, boxKey)
    return NotifierIDs(notifierID: id, serverDHKey: own.publicKey)
  }

  private func create(_ new: NewQueueRequest, key: AuthorizationKey?, for agent: TestAgent) -> BrokerMessage {
    guard key == new.recipientKey else { return .err(.AUTH) }
    let own = X25519.PrivateKey(using: &random)
    guard let deliveryKey = try? own.boxKey(with: new.recipientDHKey) else { return .err(.CRYPTO) }
    var ids = QueueIDs(
      recipientID: EntityID(using: &random), senderID: EntityID(using: &random), serverDHKey: own.publicKey)
    var link: QueueLinkData?
    if knowsModes {
      ids.mode = new.purpose?.mode
      switch new.purpose {
      case .messaging(let data?):
        (ids.senderID, ids.linkID, link) = (data.senderID, EntityID(using: &random), data.data)
      case .contact(let data?): (ids.senderID, ids.linkID, link) = (data.senderID, data.linkID, data.data)
      default: break
      }
    }
    // A client may choose only identifiers that nobody has.
    if link != nil, queue(sender: ids.senderID) != nil { return .err(.AUTH) }
    let queue = Queue(ids, new, deliveryKey: deliveryKey)
    queue.linkID = ids.linkID
    queue.link = link
    if new.subscription == .subscribe { queue.subscriber = agent }
    queues[ids.recipientID] = queue
    if knowsNotifiersInNew, let keys = new.notifier { ids.notifier = setNotifier(of: queue, keys) }
    return .ids(ids)
  }

  private func secure(_ queue: Queue, _ key: AuthorizationKey) -> BrokerMessage {
    if let known = queue.senderKey { return known == key ? .ok : .err(.AUTH) }
    queue.senderKey = key
    return .ok
  }

  private func send(_ message: SendRequest, to sender: EntityID, key: AuthorizationKey?) -> BrokerMessage {
    guard let queue = queue(sender: sender), queue.senderKey == key, !queue.isOff else { return .err(.AUTH) }
    if queue.messages.isEmpty, queue.isFull {
      if lateRefusals > 0 { lateRefusals -= 1 } else { queue.isFull = false }
    }
    if queue.isFull { return .err(.QUOTA) }
    sent[sender, default: []].append(message.body)
    time += 1
    if queue.messages.count >= quota {
      queue.isFull = true
      queue.messages.append((MessageID(using: &random), .quota(time: clock)))
      return .err(.QUOTA)
    }
    let id = MessageID(using: &random)
    queue.messages.append((id, .message(time: clock, flags: message.flags, body: message.body)))
    if message.flags.notification { notify(queue, NotificationMetadata(messageID: id, time: clock)) }
    queue.subscriber?.world.later { self.deliver(queue) }
    return .ok
  }

  private func notify(_ queue: Queue, _ metadata: NotificationMetadata) {
    guard let notifier = queue.notifier, queue.subscriber == nil,
      let message = try? metadata.seal(key: notifier.boxKey, nonce: BoxNonce(using: &random))
    else { return }
    onNotification?(NotifierQueue(relay: server, notifier: notifier.id), message)
  }

  /// Puts bytes into a queue that no agent would send.
  func inject(_ body: [UInt8], to sender: EntityID) {
    guard let queue = queue(sender: sender) else { return }
    queue.messages.append(
      (MessageID(using: &random), .message(time: clock, flags: MessageFlags(), body: body)))
    queue.subscriber?.world.later { self.deliver(queue) }
  }

  private func deliver(_ queue: Queue) {
    guard let agent = queue.subscriber, queue.delivered == nil, let (id, content) = queue.messages.first,
      queues[queue.recipientID] != nil
    else { return }
    queue.delivered = id
    guard let message = try? content.seal(id: id, key: queue.deliveryKey) else { return }
    agent.session(server, .message(queue.recipientID, .msg(message)))
  }

  /// The connection of an agent is lost; with it what was delivered and not acknowledged.
  func disconnect(_ agent: TestAgent) {
    for queue in queues.values where queue.subscriber === agent {
      queue.subscriber = nil
      queue.delivered = nil
    }
  }
}
