import AgentCore
import AgentStore
import NotificationProtocol
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

// The token of this device. What follows from an answer is in `TokenRules`.

extension AgentMachine {
  /// Registers the device at a notification server, or continues where registering it stopped. The call returns
  /// `tokenStatus`. If it fails, the step is tried again later, too.
  public func registerToken(
    _ device: PushDevice, mode: NotificationMode, now: Int64
  ) throws(AgentError) -> Accepted<CallID> {
    let (call, effects) = try run(now) { transaction in
      let servers = self.configuration.notificationServers
      if var token = try self.store.notificationToken(), servers.isEmpty || servers.contains(token.server) {
        let pushedBefore = token.pushesMessages
        token.register(device, mode: mode, now: transaction.now)
        try self.store.update(token)
        if pushedBefore, mode == .periodic {
          try self.store.unwantNotifications(isTokenDeleted: false, at: transaction.now)
        }
      } else {
        try self.replaceToken(device: device, mode: mode, deletingOld: true, in: transaction)
      }
      return self.awaitToken(transaction)
    }
    return Accepted(call, effects)
  }

  /// Proves with the code of a push that this is the device. The call returns `tokenStatus`.
  /// - Parameter code: the code in a box, with this nonce.
  public func verifyToken(
    _ device: PushDevice, nonce: BoxNonce, code: [UInt8], now: Int64
  ) throws(AgentError) -> Accepted<CallID> {
    let (call, effects) = try run(now) { transaction in
      var token = try self.registeredToken(device, context: "verifyNtfToken")
      guard let key = token.boxKey else { throw AgentError.prohibited("verifyNtfToken: no token") }
      let code = RegistrationCode(try PushBox.open(code, key: key, nonce: nonce))
      token.verify(code, now: transaction.now)
      try self.store.update(token)
      return self.awaitToken(transaction)
    }
    return Accepted(call, effects)
  }

  /// Requests the status of the token from its server. The call returns `tokenStatus`.
  public func checkToken(_ device: PushDevice, now: Int64) throws(AgentError) -> Accepted<CallID> {
    let (call, effects) = try run(now) { transaction in
      let token = try self.registeredToken(device, context: "checkNtfToken")
      let call = self.makeCallID()
      let request = NotificationRequest(.tchk, entity: token.id ?? .none, key: token.key)
      let id = self.makeRequestID()
      transaction.change { self.pushes.flights[id] = .check(token.number, call) }
      transaction.effect(.notify(id, token.server, request))
      return call
    }
    return Accepted(call, effects)
  }

  /// Deletes the token here, at its server as soon as possible, and the notifiers of all queues.
  public func deleteToken(_ device: PushDevice, now: Int64) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      guard let token = try self.store.notificationToken() else {
        throw AgentError.prohibited("deleteNtfToken: no token")
      }
      guard token.isAbout(device) else { throw AgentError.prohibited("deleteNtfToken: different token") }
      try self.delete(token, in: transaction)
      try self.store.unwantNotifications(isTokenDeleted: true, at: transaction.now)
      self.completeTokenCalls(.failure(.prohibited("the token was deleted")), in: transaction)
      self.resumeNotifications(in: transaction)
    }.effects
  }

  /// The token of the device.
  public func token() throws(AgentError) -> NotificationTokenInfo {
    guard let token = try read({ try store.notificationToken() }) else { throw .prohibited("getNtfToken: no token") }
    return NotificationTokenInfo(token)
  }

  /// How pushes stand.
  public func notificationSummary() throws(AgentError) -> NotificationSummary {
    try read {
      NotificationSummary(
        token: try store.notificationToken().map { NotificationTokenInfo($0) },
        lastPush: try store.setting(Self.lastPushSetting), queues: try store.countNotifications())
    }
  }

  // MARK: Steps

  private func registeredToken(_ device: PushDevice, context: String) throws -> NotificationToken {
    guard let token = try store.notificationToken(), token.id != nil else {
      throw AgentError.prohibited("\(context): no token")
    }
    guard token.device == device else { throw AgentError.prohibited("\(context): different token") }
    return token
  }

  /// A call that waits for the step of the token that was just stored.
  private func awaitToken(_ transaction: AgentTransaction) -> CallID {
    let call = makeCallID()
    transaction.change {
      self.pushes.calls.append(call)
      self.pushes.isDue = true
    }
    return call
  }

  private func completeTokenCalls(_ result: Result<CallOutcome, AgentError>, in transaction: AgentTransaction) {
    for call in pushes.calls { transaction.effect(.complete(call, result)) }
    transaction.change { self.pushes.calls = [] }
  }

  /// Stores a new token with new keys, to be registered, in place of the one that is there.
  /// - Parameters:
  ///   - deletingOld: whether the old one is deleted at its server.
  ///   - server: where to register it; nil for one of the configuration.
  func replaceToken(
    device: PushDevice, mode: NotificationMode, deletingOld: Bool, at server: NotificationServer? = nil,
    attempts: Int64 = 0, dueAt: Int64? = nil, in transaction: AgentTransaction
  ) throws {
    var generator = EngineGenerator(random: random)
    guard let server = server ?? configuration.notificationServers.randomElement(using: &generator) else {
      throw AgentError.prohibited("createToken")
    }
    if let old = try store.notificationToken() {
      if deletingOld { try delete(old, in: transaction) }
      // Its subscriptions are gone with it, or of no use.
      if old.mode == .instant, mode == .periodic {
        try store.unwantNotifications(isTokenDeleted: true, at: transaction.now)
      }
    }
    var random = random
    var token = NotificationToken(
      server: server, device: device, key: .ed25519(Ed25519.PrivateKey(using: &random)),
      dhKey: X25519.PrivateKey(using: &random), mode: mode)
    token.register(device, mode: mode, now: dueAt ?? transaction.now)
    token.attempts = attempts
    try store.insert(token)
    resumeNotifications(in: transaction)
  }

  private func delete(_ token: NotificationToken, in transaction: AgentTransaction) throws {
    try store.removeNotificationToken()
    guard let id = token.id else { return }
    try store.insert(TokenDeletion(server: token.server, id: id, key: token.key, createdAt: transaction.now))
  }

  /// Handles the answer to a step of the token.
  func finishTokenStep(
    _ number: Int64, _ action: TokenAction, with result: Result<NotificationResponse, SMPClientError>,
    in transaction: AgentTransaction
  ) throws {
    // The application may have changed it meanwhile; calls then wait for what it is to do now.
    guard var token = try store.notificationToken(), token.number == number, token.action == action else { return }
    var error: SMPClientError?
    switch (action, result) {
    case (.register, .success(.idtkn(let id, let dhKey))):
      token.registered(id, boxKey: try token.dhKey.boxKey(with: dhKey))
    case (.replace(let device), .success(.ok)): token.replaced(device)
    case (.verify, .success(.ok)): token.verified(now: transaction.now)
    case (.setInterval, .success(.ok)): token.intervalSet(now: transaction.now)
    case (.check, .success(.tkn(let status))): token.checked(status, now: transaction.now)
    case (_, .success(let response)): error = .unexpectedResponse(response.form.keyword)
    case (_, .failure(let failure)): error = failure
    }
    note(error, at: 0, in: transaction)
    if let error { return try failed(token, error, in: transaction) }
    try store.update(token)
    if let id = token.id, token.pushesMessages, action == .check || action.isVerification {
      try store.wantNotifications(token: id, at: transaction.now)
    }
    completeTokenCalls(.success(.tokenStatus(token.status)), in: transaction)
  }

  private func failed(_ token: NotificationToken, _ error: SMPClientError, in transaction: AgentTransaction) throws {
    guard let action = token.action else { return }
    let problem = AgentError.notificationServer(token.server, error)
    completeTokenCalls(.failure(problem), in: transaction)
    var token = token
    let time = transaction.now + wait(configuration.notificationRetry, attempts: token.attempts + 1)
    switch TokenFailure(error, of: action) {
    case .skip:
      token.intervalSet(now: transaction.now)
      try store.update(token)
    case .renew:
      let device: PushDevice = if case .replace(let device) = action { device } else { token.device }
      // A server that refuses every registration is not asked again at once.
      let isRegistering = action == .register
      try replaceToken(
        device: device, mode: token.mode, deletingOld: error != .relay(.AUTH), at: isRegistering ? token.server : nil,
        attempts: token.attempts + 1, dueAt: isRegistering ? time : transaction.now, in: transaction)
      try emit(.failed(problem), in: transaction)
    case .retry:
      token.failed(at: transaction.now, retryAt: time)
      try store.update(token)
      let others = configuration.notificationServers.filter { $0 != token.server }
      guard let since = token.failingSince, transaction.now - since >= configuration.notificationServerTimeout,
        error.isTemporary || error.isHostError, let other = others.first
      else { return }
      try replaceToken(device: token.device, mode: token.mode, deletingOld: true, at: other, in: transaction)
      try emit(.failed(problem), in: transaction)
    }
  }

  /// Handles the answer to TCHK of a call.
  func finishCheck(
    _ number: Int64, _ call: CallID, with result: Result<NotificationResponse, SMPClientError>,
    in transaction: AgentTransaction
  ) throws {
    var token = try store.notificationToken()
    if token?.number != number { token = nil }
    switch result {
    case .success(.tkn(let status)):
      transaction.effect(.complete(call, .success(.tokenStatus(status))))
      guard var token else { return }
      token.checked(status, now: transaction.now)
      try store.update(token)
      if let id = token.id, token.pushesMessages { try store.wantNotifications(token: id, at: transaction.now) }
    case .success(let response):
      let server = token?.server ?? configuration.notificationServers.first
      transaction.effect(
        .complete(
          call,
          .failure(server.map { .notificationServer($0, .unexpectedResponse(response.form.keyword)) } ?? .inactive)))
    case .failure(let error):
      guard let token else { return transaction.effect(.complete(call, .failure(.inactive))) }
      transaction.effect(.complete(call, .failure(.notificationServer(token.server, error))))
      guard error == .relay(.AUTH) else { return }
      try replaceToken(
        device: token.device, mode: token.mode, deletingOld: false, at: token.server, in: transaction)
      try emit(.failed(.notificationServer(token.server, error)), in: transaction)
    }
  }

  static let lastPushSetting = "last_push_at"
}

extension NotificationToken {
  /// Whether it is the token of a device, or becomes that.
  fileprivate func isAbout(_ device: PushDevice) -> Bool { self.device == device || action == .replace(device) }
}

extension TokenAction {
  fileprivate var isVerification: Bool { if case .verify = self { true } else { false } }
}
