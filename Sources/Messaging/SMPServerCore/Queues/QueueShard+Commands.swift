import SMPProtocol
import SimplexCrypto

/// The context in which a shard executes a command.
public struct CommandContext: Sendable {
  /// The version of the command.
  public var version: UInt16
  /// The service that the client is, if it is one.
  public var service: ServiceSession?
  /// The current time in seconds since 1970.
  public var now: Int64
  /// The maximum number of messages of a queue.
  public var quota: Int
  /// If set, messages from before this time are removed from a queue when one is added.
  public var expiry: Int64?

  public init(version: UInt16, service: ServiceSession?, now: Int64, quota: Int, expiry: Int64? = nil) {
    self.version = version
    self.service = service
    self.now = now
    self.quota = quota
    self.expiry = expiry
  }
}

extension QueueShard {
  /// Executes a command on a queue that ``CommandGate`` admitted.
  @_specialize(where Session == Client, Random == SystemRandom)
  public mutating func handle<Random: RandomSource>(
    _ command: Command, from origin: Origin<Session>, about queue: QueueRecord, _ context: CommandContext,
    using random: inout Random
  ) -> [Effect] {
    if case .blocked(let information) = queue.status {
      return [Self.refuse(origin, .blocked(information))]
    }
    let number = queue.number
    switch command {
    case .sub: return subscribe(origin, queue, service: context.service?.id)
    case .get: return get(origin, queue)
    case .ack(let messageID): return acknowledge(messageID, from: origin, on: queue, day: context.now / 86_400)
    case .send(let request): return send(request, from: origin, to: queue, context, using: &random)
    case .key(let key):
      return [.store(.secure(number, senderKey: key.stored), Continuation(step: .secure, origin: origin))]
    case .skey(let key):
      return [.store(.secure(number, senderKey: key.stored), Continuation(step: .secure, origin: origin))]
    case .lkey(let key):
      return [.store(.secure(number, senderKey: key.stored), Continuation(step: .secureByLink(queue), origin: origin))]
    case .rkey(let keys):
      guard queue.mode == .contact else { return [Self.refuse(origin, .AUTH)] }
      guard keys.count <= QueueRecord.recipientKeyLimit else {
        return [Self.refuse(origin, .CMD(cmdErr: .PROHIBITED))]
      }
      return [.store(.setRecipientKeys(number, keys.map(\.stored)), Continuation(step: .confirm, origin: origin))]
    case .lset(let update):
      guard !queue.isSecuredForMessaging else { return [Self.refuse(origin, .AUTH)] }
      let data = LinkData(update.data)
      return [
        .store(.setLink(number, linkID: update.linkID.bytes, data), Continuation(step: .confirm, origin: origin))
      ]
    case .ldel:
      guard queue.linkID != nil else { return [Self.reply(origin, .ok)] }
      return [.store(.deleteLink(number), Continuation(step: .confirm, origin: origin))]
    case .nkey(let keys):
      do {
        let notifier = try NewNotifier(keys, using: &random)
        return [
          .store(
            .setNotifier(number, notifier.record), Continuation(step: .setNotifier(number, notifier), origin: origin))
        ]
      } catch {
        return [Self.refuse(origin, error)]
      }
    case .ndel:
      guard queue.notifier != nil else { return [Self.reply(origin, .ok)] }
      return [.store(.deleteNotifier(number), Continuation(step: .deleteNotifier(number), origin: origin))]
    case .off: return [.store(.setStatus(number, .off), Continuation(step: .suspend, origin: origin))]
    case .del: return [.store(.deleteQueue(number), Continuation(step: .delete(number), origin: origin))]
    case .nsub: return subscribeNotifier(origin, to: queue, context)
    case .new, .subs, .que, .ping, .lget, .nsubs, .prxy, .pfwd, .rfwd, .rslv: return [Self.refuse(origin, .INTERNAL)]
    }
  }

  /// Stores a new queue.
  @_specialize(where Session == Client)
  public static func create(_ queue: NewQueue, from origin: Origin<Session>) -> Effect {
    .store(.createQueue(queue.record, queue.link), Continuation(step: .create(queue), origin: origin))
  }

  static func reply(_ origin: Origin<Session>, _ message: BrokerMessage) -> Effect {
    .send(origin.session, Response(origin.correlation, about: origin.entity, .plain(message)))
  }

  static func refuse(_ origin: Origin<Session>, _ error: ProtocolErrorType) -> Effect {
    reply(origin, .err(error))
  }

  private mutating func send(
    _ request: SendRequest, from origin: Origin<Session>, to queue: QueueRecord, _ context: CommandContext,
    using random: inout some RandomSource
  ) -> [Effect] {
    guard request.body.count <= SMPVersion.messageLimit(context.version) else {
      return [.count(.messageSentLarge), Self.refuse(origin, .LARGE_MSG)]
    }
    guard queue.status == .active else { return [.count(.messageSentUnauthorized), Self.refuse(origin, .AUTH)] }
    let message = QueuedMessage(
      id: MessageID(using: &random).bytes, timestamp: context.now,
      content: .message(notify: request.flags.notification, body: request.body))
    var effects: [Effect] = []
    if queue.linkID != nil, queue.isSecuredForMessaging {
      // The link is used up.
      effects.append(.store(.deleteLink(queue.number), Continuation(step: .nothing, origin: origin)))
    }
    effects.append(
      .store(
        .addMessage(queue.number, message, quota: context.quota, expiry: context.expiry),
        Continuation(step: .send(queue, message), origin: origin)))
    return effects
  }

  private mutating func get(_ origin: Origin<Session>, _ queue: QueueRecord) -> [Effect] {
    if subscriptions[queue.number]?.session == origin.session {
      return [.count(.messageReadProhibited), Self.refuse(origin, .CMD(cmdErr: .PROHIBITED))]
    }
    let reading = Reading(session: origin.session, queue: queue.number)
    if let waiting = waitingReads[reading], waiting.count >= Self.waitingReadLimit {
      return [.count(.messageReadProhibited), Self.refuse(origin, .CMD(cmdErr: .PROHIBITED))]
    }
    let isAgain = readings[reading].flatMap { $0 } != nil
    readings[reading] = .some(nil)
    queues[origin.session, default: []].insert(queue.number)
    let event = Effect.count(isAgain ? .messageReadAgain : .messageRead)
    let first = FirstReading(queue: queue.number, reason: .get(origin, secret: queue.deliverySecret))
    guard waitingReads[reading] == nil else {
      waitingReads[reading]?.append(first)
      return [event]
    }
    return [event, .readFirst(first)]
  }

  private mutating func acknowledge(
    _ messageID: MessageID, from origin: Origin<Session>, on queue: QueueRecord, day: Int64
  ) -> [Effect] {
    let number = queue.number
    let reading = Reading(session: origin.session, queue: number)
    if let delivered = readings[reading] {
      guard let delivered, messageID.bytes.isEmpty || messageID.bytes == delivered else {
        return [Self.refuse(origin, .NO_MSG)]
      }
      readings[reading] = .some(nil)
      if waitingReads[reading] == nil { waitingReads[reading] = [] }
      return [Self.acknowledgement(.init(messageID: delivered, lookup: nil, day: day), from: origin, on: queue)]
    }
    guard let subscription = subscriptions[number], subscription.session == origin.session,
      let delivered = subscription.delivered, messageID.bytes.isEmpty || messageID.bytes == delivered
    else { return [Self.refuse(origin, .NO_MSG)] }
    subscriptions[number]?.delivered = nil
    let lookup = nextLookup()
    subscriptions[number]?.lookup = .acknowledgement(lookup)
    return [Self.acknowledgement(.init(messageID: delivered, lookup: lookup, day: day), from: origin, on: queue)]
  }

  private static func acknowledgement(
    _ acknowledgement: Continuation<Session>.Acknowledgement, from origin: Origin<Session>, on queue: QueueRecord
  ) -> Effect {
    .store(
      .acknowledge(queue.number, messageID: acknowledgement.messageID, readsNext: acknowledgement.lookup != nil),
      Continuation(step: .acknowledge(queue, acknowledgement), origin: origin))
  }
}

extension ProtocolErrorType {
  /// The error for a queue that was blocked for a stored reason.
  static func blocked(_ information: [UInt8]) -> ProtocolErrorType {
    let info = try? BlockingInfo.codec.decode(information)
    return .BLOCKED(blockInfo: info ?? BlockingInfo(reason: .spam))
  }
}
