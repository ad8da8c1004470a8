import NotificationProtocol
import SMPProtocol
import SimplexCrypto

/// The key that has to authorize a command.
public enum CommandKey: Hashable, Sendable {
  /// None: PING.
  case none
  /// The key in the command: TNEW.
  case given(AuthorizationKey)
  /// The key of a token.
  case token(EntityID)
  /// The key of the token of a subscription.
  case subscription(EntityID)

  /// The key of a command about an entity.
  public init(_ command: NotificationCommand, entity: EntityID) {
    self =
      switch command {
      case .ping: .none
      case .tnew(let request): .given(request.verifyKey)
      case .snew(let request): .token(request.token)
      case .tvfy, .tchk, .trpl, .tdel, .tcrn: .token(entity)
      case .schk, .sdel: .subscription(entity)
      }
  }
}

/// The answer to a command, and what the server does after it is durable.
public struct CommandOutcome: Equatable, Sendable {
  /// The answer.
  public var response: NotificationResponse
  /// What follows, in order.
  public var effects: [CommandEffect]
  /// The queue whose live status has to replace the one in the answer; nil for none.
  public var liveQueue: NotifierQueue?

  init(_ response: NotificationResponse, _ effects: [CommandEffect] = [], liveQueue: NotifierQueue? = nil) {
    self.response = response
    self.effects = effects
    self.liveQueue = liveQueue
  }
}

/// What a server does after a command.
public enum CommandEffect: Equatable, Sendable {
  /// Push the code of a token to its device.
  case verify(TokenNumber, PushDevice)
  /// Push what is stored for a token.
  case pushStored(TokenNumber, PushService)
  /// Forget a token, which was deleted.
  case forget(TokenNumber)
  /// Subscribe at a relay.
  case subscribe(WantedSubscription)
  /// End subscriptions at relays.
  case unsubscribe([NotifierQueue])
  /// Count an event.
  case count(NotificationEvent)
}

/// What a notification server counts. The order is that of the reference server's daily statistics.
public enum NotificationEvent: Int, Hashable, Sendable, CaseIterable {
  case tokenCreated, tokenVerified, tokenDeleted, subscriptionCreated, subscriptionDeleted, received, receivedAuth,
    delivered, failed, tokenReplaced, checkDelivered, checkFailed, verificationQueued, verificationDelivered,
    verificationFailed, verificationInvalidToken
}

/// Executes commands that are authorized, within a transaction.
///
/// Governs: answers, changes of records, and what follows. Does not govern: authorization, and the live status of
/// subscriptions, which the caller puts in place of ``NotificationProtocol/NotifierStatus/new`` in the answer to SCHK.
public struct CommandExecution: Sendable {
  /// The limits.
  public var limits: NotificationLimits

  public init(limits: NotificationLimits = NotificationLimits()) { self.limits = limits }

  /// Executes a command at a time in seconds since 1970.
  public func execute(
    _ command: NotificationCommand, entity: EntityID, at now: Int64, _ records: any NotificationRecords,
    random: inout some RandomSource
  ) throws(NotificationStoreError) -> CommandOutcome {
    switch command {
    case .ping: return CommandOutcome(.pong)
    case .tnew(let request): return try register(request, at: now, in: records, random: &random)
    case .tvfy, .tchk, .trpl, .tdel, .tcrn:
      guard var token = try records.token(entity) else { return CommandOutcome(.err(.AUTH)) }
      if case .tdel = command {
        let queues = try records.deleteToken(token.number)
        return CommandOutcome(.ok, [.forget(token.number), .unsubscribe(queues), .count(.tokenDeleted)])
      }
      let before = token
      token.record.usedDay = now / 86_400
      let outcome = try execute(command, &token, at: now, in: records, random: &random)
      if token != before { try records.update(token) }
      return outcome
    case .snew(let request): return try subscribe(request, in: records, random: &random)
    case .schk:
      guard let subscription = try records.subscription(entity) else { return CommandOutcome(.err(.AUTH)) }
      return CommandOutcome(
        .sub(subscription.status), liveQueue: subscription.status == .new ? subscription.queue : nil)
    case .sdel:
      guard let subscription = try records.subscription(entity) else { return CommandOutcome(.err(.AUTH)) }
      try records.deleteSubscription(entity)
      return CommandOutcome(.ok, [.unsubscribe([subscription.queue]), .count(.subscriptionDeleted)])
    }
  }

  // MARK: Tokens

  /// Why a device is refused; nil where it is accepted.
  private func refusal(of device: PushDevice) -> ProtocolErrorType? {
    guard device.token.utf8.count <= limits.deviceToken else { return .CMD(cmdErr: .SYNTAX) }
    switch device.service {
    case .null: return nil
    case .appleTest where !limits.allowsTestDevices: return .CMD(cmdErr: .PROHIBITED)
    // It becomes a part of the path of a request.
    case .apple, .appleDevelopment, .appleTest: return device.hasHexadecimalToken ? nil : .CMD(cmdErr: .SYNTAX)
    }
  }

  private func register(
    _ request: NewTokenRequest, at now: Int64, in records: any NotificationRecords, random: inout some RandomSource
  ) throws(NotificationStoreError) -> CommandOutcome {
    if let refusal = refusal(of: request.device) { return CommandOutcome(.err(refusal)) }
    if var known = try records.token(of: request.device, verifyKey: request.verifyKey) {
      // With another key the device could not open a code that is on its way.
      guard known.record.clientKey == request.dhKey else { return CommandOutcome(.err(.AUTH)) }
      if !known.record.status.allowsVerification {
        known.record.status = .registered
        known.record.registeredAt = now
      }
      known.record.isCodeDue = true
      known.record.usedDay = now / 86_400
      try records.update(known)
      return CommandOutcome(
        .idtkn(known.record.id, dhKey: known.record.serverKey.publicKey),
        [.verify(known.number, request.device), .count(.verificationQueued)])
    }
    let serverKey = X25519.PrivateKey(using: &random)
    // A key of small order.
    guard let boxKey = try? serverKey.boxKey(with: request.dhKey) else { return CommandOutcome(.err(.AUTH)) }
    let record = TokenRecord(
      id: EntityID(using: &random), device: request.device, status: .registered, verifyKey: request.verifyKey,
      clientKey: request.dhKey, serverKey: serverKey, boxKey: boxKey,
      code: RegistrationCode(random.bytes(RegistrationCode.size)), registeredAt: now)
    let number = try records.insert(record)
    return CommandOutcome(
      .idtkn(record.id, dhKey: serverKey.publicKey),
      [.verify(number, request.device), .count(.tokenCreated), .count(.verificationQueued)])
  }

  private func execute(
    _ command: NotificationCommand, _ token: inout StoredToken, at now: Int64, in records: any NotificationRecords,
    random: inout some RandomSource
  ) throws(NotificationStoreError) -> CommandOutcome {
    switch command {
    case .tvfy(let code): return try verify(code, of: &token, in: records)
    case .tchk: return CommandOutcome(.tkn(token.record.status))
    case .trpl(let device):
      if let refusal = refusal(of: device) { return CommandOutcome(.err(refusal)) }
      token.record.device = device
      token.record.status = .registered
      token.record.code = RegistrationCode(random.bytes(RegistrationCode.size))
      token.record.isCodeDue = true
      token.record.registeredAt = now
      return CommandOutcome(
        .ok, [.verify(token.number, device), .count(.tokenReplaced), .count(.verificationQueued)])
    case .tcrn(let minutes):
      guard minutes == 0 || minutes >= limits.shortestInterval else { return CommandOutcome(.err(.QUOTA)) }
      token.record.interval = minutes
      token.record.checkedAt = now
      return CommandOutcome(.ok)
    case .tnew, .tdel, .snew, .schk, .sdel, .ping: return CommandOutcome(.err(.INTERNAL))
    }
  }

  /// Repeated verification succeeds, for a client that did not get the answer.
  private func verify(
    _ code: RegistrationCode, of token: inout StoredToken, in records: any NotificationRecords
  ) throws(NotificationStoreError) -> CommandOutcome {
    guard token.record.status.allowsVerification,
      constantTimeEqual(code.bytes.span.bytes, token.record.code.bytes.span.bytes)
    else {
      return CommandOutcome(.err(.AUTH))
    }
    token.record.status = .active
    token.record.wasVerified = true
    token.record.isCodeDue = false
    var effects: [CommandEffect] = [.count(.tokenVerified)]
    for other in try records.tokens(of: token.record.device) where other != token.number {
      let queues = try records.deleteToken(other)
      effects += [.forget(other), .unsubscribe(queues), .count(.tokenDeleted)]
    }
    if try records.notifications(of: token.number, limit: PushText.entryLimit).contains(where: { !$0.isSent }) {
      effects.append(.pushStored(token.number, token.record.device.service))
    }
    return CommandOutcome(.ok, effects)
  }

  // MARK: Subscriptions

  private func subscribe(
    _ request: NewSubscriptionRequest, in records: any NotificationRecords, random: inout some RandomSource
  ) throws(NotificationStoreError) -> CommandOutcome {
    guard let token = try records.token(request.token), token.record.status.allowsSubscriptions else {
      return CommandOutcome(.err(.AUTH))
    }
    let wanted = WantedSubscription(queue: request.queue, key: request.notifierKey)
    if let known = try records.subscription(of: request.queue) {
      guard known.token == token.number, known.notifierKey == request.notifierKey else {
        return CommandOutcome(.err(.AUTH))
      }
      guard !known.status.isSubscribed else { return CommandOutcome(.idsub(known.id)) }
      try records.setStatus(.new, of: request.queue)
      return CommandOutcome(.idsub(known.id), [.subscribe(wanted)])
    }
    guard try records.subscriptionCount(of: token.number) < limits.subscriptionsPerToken,
      try records.isRelayAllowed(request.queue.relay, of: token.number, limit: limits.relaysPerToken)
    else { return CommandOutcome(.err(.QUOTA)) }
    let id = EntityID(using: &random)
    try records.insert(
      SubscriptionRecord(
        id: id, token: token.number, queue: request.queue, notifierKey: request.notifierKey, status: .new))
    return CommandOutcome(.idsub(id), [.subscribe(wanted), .count(.subscriptionCreated)])
  }
}
