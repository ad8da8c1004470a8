import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto

/// A command, with everything but its queue that is needed to execute it.
struct QueueCommand: Sendable {
  /// What became of a command.
  enum Outcome {
    /// It was admitted, and is executed or answered.
    case admitted
    /// Its authorization was not sufficient, which is or will be answered.
    case refused
    /// The queue changed since it was found. Nothing was done.
    case outdated
  }

  let relay: Relay
  let gate: CommandGate
  /// The client's version.
  let version: UInt16
  let command: Command
  let transmission: ReceivedTransmission<Command>
  let origin: Origin<Client>
  /// Whether a proxy forwards it. The proxy's connection carries the commands of strangers, one of which could slow all
  /// others: its refusal counts less than that of other commands (``EventLoopShares/forwarding``).
  var isForwarded = false

  /// How its queue is found; nil for commands about no queue.
  var key: QueueKey? { command.queueKey(transmission.entityID) }

  /// Checks the authorization, and passes the command to the queue's shard. `lookup` is what was found by ``key``;
  /// `reads` receives what has to be read to answer.
  func execute(_ lookup: QueueLookup?, reads: inout [RelayRead]) -> Outcome {
    let queue = lookup?.record
    if let refusal = gate.refusal(of: command, in: transmission, queue: queue) {
      countRefusal(refusal)
      if lookup?.isCached == true, let key {
        reads.append(.refusal(key, refusal, origin, isForwarded: isForwarded))
      } else {
        origin.reply(.err(refusal))
      }
      return .refused
    }
    switch (command, queue) {
    case (.new(let request), _): create(request)
    case (.subs(let expected), _), (.nsubs(let expected), _):
      guard let service = gate.service else {
        origin.reply(.err(.INTERNAL))
        return .admitted
      }
      relay.subscribeAll(ServiceSubscribing(service: service, expected: expected, origin: origin, version: version))
    case (.rslv, _):
      relay.statistics.count(.nameRequested)
      relay.statistics.count(.nameWithoutResolver)
      origin.reply(.err(.NAME(nameErr: .NO_RESOLVER)))
    case (.lget, let queue?) where !queue.isBlocked: reads.append(.link(queue, origin))
    case (.que, let queue?) where !queue.isBlocked:
      let subscription = relay.withShard(of: queue.number) {
        $0.subscriptionInfo(of: queue.number, for: origin.session)
      }
      reads.append(.description(queue, subscription, origin))
    case (_, let queue?): if let lookup { return handle(on: queue, lookup, &reads) }
    case (_, nil): origin.reply(.err(.INTERNAL))
    }
    return .admitted
  }

  private func handle(on queue: QueueRecord, _ lookup: QueueLookup, _ reads: inout [RelayRead]) -> Outcome {
    let isSending = if case .send = command { true } else { false }
    let expiry = isSending && relay.configuration.expiresMessagesOnSend ? relay.messageExpiry : nil
    let now = currentSeconds()
    let context = CommandContext(
      version: version, service: gate.service, now: now, quota: relay.configuration.queueQuota,
      expiry: expiry)
    let isCurrent = relay.update(queue.number, reads: &reads) { shard in
      guard relay.store.isCurrent(lookup) else { return nil }
      var random = SystemRandom()
      return shard.handle(command, from: origin, about: queue, context, using: &random)
    }
    guard isCurrent else { return .outdated }
    if queue.usedDay != now / 86_400 { relay.submitTouch(of: queue.number, day: now / 86_400, for: origin.session) }
    return .admitted
  }

  private func create(_ request: NewQueueRequest) {
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

  private func countRefusal(_ refusal: ProtocolErrorType) {
    guard refusal == .AUTH else { return }
    switch command {
    case .send: relay.statistics.count(.messageSentUnauthorized)
    case .sub: relay.statistics.count(.subscribedUnauthorized)
    case .nsub: relay.statistics.count(.notifierSubscribedUnauthorized)
    case .get: relay.statistics.count(.messageReadUnauthorized)
    default: break
    }
  }

  /// About the memory in bytes that it takes while it waits.
  var waitingSize: Int {
    let content =
      switch command {
      case .send(let request): request.body.count
      case .lset(let update): update.data.fixedData.count + update.data.userData.count
      default: 0
      }
    return content + 1_024
  }
}

extension QueueRecord {
  fileprivate var isBlocked: Bool { if case .blocked = status { true } else { false } }
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
