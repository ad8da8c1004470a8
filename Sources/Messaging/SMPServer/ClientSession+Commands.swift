import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import WireCodec

extension ClientSession {
  /// Executes one command, or answers with an error.
  func receive(_ transmission: ReceivedTransmission<Command>, _ established: Established) -> Admission {
    let origin = Origin(
      session: Client(self), correlation: transmission.correlationID, entity: transmission.entityID)
    switch transmission.message {
    case .failure(let error):
      origin.reply(.err(ProtocolErrorType(error)))
    case .success(.ping): origin.reply(.pong, entity: .none)
    case .success(.prxy(let request)): openProxySession(request, origin)
    case .success(.pfwd(let request)): forward(request, origin)
    case .success(.rfwd(let box)): forwarded(box, from: origin, in: established)
    case .success(let command):
      return CommandRunner(relay: relay, gate: established.gate, version: established.context.version)
        .run(command, of: transmission, from: origin)
    }
    return .admitted
  }
}

/// Whether the authorization of a command was sufficient.
enum Admission {
  case admitted, refused
}

/// Finds the queue of a command, checks its authorization, and passes it to the queue's shard.
struct CommandRunner {
  let relay: Relay
  let gate: CommandGate
  let version: UInt16

  @discardableResult
  func run(
    _ command: Command, of transmission: ReceivedTransmission<Command>, from origin: Origin<Client>
  ) -> Admission {
    let key = command.queueKey(transmission.entityID)
    let lookup = relay.result { () throws(StoreFailure) in
      try key.map { (key) throws(StoreFailure) in try relay.store.lookup(key) }
    }
    switch lookup {
    case .failure(let failure): origin.reply(.err(ProtocolErrorType(failure)))
    case .success(let found):
      let queue = found?.record
      if let refusal = gate.refusal(of: command, in: transmission, queue: queue) {
        // As slow as if there were no such queue.
        if let key, found?.isCached == true { relay.store.repeatRead(key) }
        countRefusal(command, refusal)
        origin.reply(.err(refusal))
        return .refused
      }
      run(command, from: origin, on: queue)
    }
    return .admitted
  }

  private func run(_ command: Command, from origin: Origin<Client>, on queue: QueueRecord?) {
    switch (command, queue) {
    case (.new(let request), _): create(request, origin)
    case (.subs(let expected), _), (.nsubs(let expected), _):
      guard let service = gate.service else { return origin.reply(.err(.INTERNAL)) }
      relay.subscribeAll(ServiceSubscribing(service: service, expected: expected, origin: origin, version: version))
    case (.rslv, _):
      relay.statistics.count(.nameRequested)
      relay.statistics.count(.nameWithoutResolver)
      origin.reply(.err(.NAME(nameErr: .NO_RESOLVER)))
    case (.lget, let queue?):
      if case .blocked = queue.status { return handle(command, from: origin, on: queue) }
      relay.answerLink(of: queue, to: origin)
    case (.que, let queue?):
      if case .blocked = queue.status { return handle(command, from: origin, on: queue) }
      describe(queue, origin)
    case (_, let queue?): handle(command, from: origin, on: queue)
    case (_, nil): origin.reply(.err(.INTERNAL))
    }
  }

  private func handle(_ command: Command, from origin: Origin<Client>, on queue: QueueRecord) {
    let ttl = relay.configuration.expiresMessagesOnSend ? relay.configuration.messageTTL : nil
    let now = currentSeconds()
    if queue.usedDay != now / 86_400 { relay.submitTouch(of: queue.number, day: now / 86_400, for: origin.session) }
    let context = CommandContext(
      version: version, service: gate.service, now: now, quota: relay.configuration.queueQuota,
      expiry: ttl.map { now - $0 })
    relay.perform(
      relay.withShard(of: queue.number) { shard in
        var random = SystemRandom()
        return shard.handle(command, from: origin, about: queue, context, using: &random)
      })
  }

  private func create(_ request: NewQueueRequest, _ origin: Origin<Client>) {
    guard relay.configuration.allowsNewQueues, relay.isAcceptingQueues.load(ordering: .relaxed),
      relay.configuration.basicAuth?.matches(request.basicAuth) != false
    else {
      return origin.reply(.err(.AUTH))
    }
    do {
      var random = SystemRandom()
      let queue = try NewQueue(
        request, correlation: origin.correlation, service: gate.service, day: currentDay(), using: &random)
      relay.perform([Relay.Shard.create(queue, from: origin)])
    } catch {
      origin.reply(.err(error))
    }
  }

  private func describe(_ queue: QueueRecord, _ origin: Origin<Client>) {
    let subscription = relay.withShard(of: queue.number) { $0.subscriptionInfo(of: queue.number, for: origin.session) }
    let answer = relay.result { () throws(StoreFailure) in
      QueueInfo(
        qiSnd: queue.senderKey != nil, qiNtf: queue.notifier != nil, qiSub: subscription,
        qiSize: try relay.store.messageCount(of: queue.number),
        qiMsg: try relay.store.firstMessage(of: queue.number).flatMap(MsgInfo.init))
    }
    switch answer {
    case .success(let info): origin.reply(.info(info))
    case .failure(let failure): origin.reply(.err(ProtocolErrorType(failure)))
    }
  }

  private func countRefusal(_ command: Command, _ refusal: ProtocolErrorType) {
    guard refusal == .AUTH else { return }
    switch command {
    case .send: relay.statistics.count(.messageSentUnauthorized)
    case .sub: relay.statistics.count(.subscribedUnauthorized)
    case .nsub: relay.statistics.count(.notifierSubscribedUnauthorized)
    case .get: relay.statistics.count(.messageReadUnauthorized)
    default: break
    }
  }
}

extension Command {
  /// How the queue is found that a transmission with this command names; nil for commands about no queue.
  fileprivate func queueKey(_ entity: EntityID) -> QueueKey? {
    switch party {
    case .recipient: .recipient(entity.bytes)
    case .sender: .sender(entity.bytes)
    case .notifier: .notifier(entity.bytes)
    case .linkClient: .link(entity.bytes)
    case .creator, .recipientService, .idleClient, .notifierService, .proxiedClient, .proxyService, .resolverClient: nil
    }
  }
}

extension Origin<Client> {
  func reply(_ message: BrokerMessage) { reply(message, entity: entity) }

  func reply(_ message: BrokerMessage, entity: EntityID) {
    session.target.send(Response(correlation, about: entity, .plain(message)))
  }
}

extension MsgInfo {
  fileprivate init?(_ message: QueuedMessage) {
    guard let time = UTCTime(seconds: message.timestamp) else { return nil }
    self.init(
      msgId: MessageID(message.id).description, msgTs: time,
      msgType: message.content == .quotaExceeded ? .quota : .message)
  }
}
