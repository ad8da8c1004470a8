import AgentCore
import AgentEngine
import NotificationProtocol
import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto

// Push notifications: the token of this device, and the messages behind pushes.

extension Agent {
  /// Sets what the agent does by itself; an extension that only gets the messages of pushes does nothing but what
  /// follows from its calls. To be called before the agent goes online.
  public nonisolated(nonsending) func setScope(_ scope: AgentScope) async throws(AgentError) {
    try await run { (engine, now) throws(AgentError) in try engine.setScope(scope, now: now) }
  }

  /// Registers this device at a notification server, or continues where registering it stopped: a device whose token of
  /// the push service changed is replaced at the server, and one that is verified is checked. If that fails, it is
  /// tried again later, too.
  public nonisolated(nonsending) func registerNotificationToken(
    _ device: PushDevice, mode: NotificationMode
  ) async throws(AgentError) -> TokenStatus {
    let (_, outcome) = try await call(
      { (engine, now) throws(AgentError) in try engine.registerToken(device, mode: mode, now: now) }, { $0 })
    guard case .tokenStatus(let status) = outcome else { throw .unexpected(outcome) }
    return status
  }

  /// Proves with the code of a push that this is the device.
  /// - Parameter code: the encrypted code, with this nonce.
  public nonisolated(nonsending) func verifyNotificationToken(
    _ device: PushDevice, nonce: BoxNonce, code: [UInt8]
  ) async throws(AgentError) -> TokenStatus {
    let (_, outcome) = try await call(
      { (engine, now) throws(AgentError) in try engine.verifyToken(device, nonce: nonce, code: code, now: now) },
      { $0 })
    guard case .tokenStatus(let status) = outcome else { throw .unexpected(outcome) }
    return status
  }

  /// Requests the status of the token from its server.
  public nonisolated(nonsending) func checkNotificationToken(_ device: PushDevice) async throws(AgentError)
    -> TokenStatus
  {
    let (_, outcome) = try await call(
      { (engine, now) throws(AgentError) in try engine.checkToken(device, now: now) }, { $0 })
    guard case .tokenStatus(let status) = outcome else { throw .unexpected(outcome) }
    return status
  }

  /// Deletes the token here, and at its server as soon as possible.
  public nonisolated(nonsending) func deleteNotificationToken(_ device: PushDevice) async throws(AgentError) {
    try await run { (engine, now) throws(AgentError) in try engine.deleteToken(device, now: now) }
  }

  /// The token of this device.
  /// - Throws: `prohibited` without one.
  public nonisolated(nonsending) func notificationToken() async throws(AgentError) -> NotificationTokenInfo {
    try await look { (engine, _) throws(AgentError) in try engine.token() }
  }

  /// How pushes stand.
  public nonisolated(nonsending) func notificationSummary() async throws(AgentError) -> NotificationSummary {
    try await look { (engine, _) throws(AgentError) in try engine.notificationSummary() }
  }

  /// The connections that a push is about, the oldest first; the last one is what caused it.
  /// - Parameter message: the encrypted entries of the push, with this nonce.
  public nonisolated(nonsending) func notifiedConnections(
    nonce: BoxNonce, message: [UInt8]
  ) async throws(AgentError) -> [NotifiedConnection] {
    try await change { (engine, now) throws(AgentError) in
      try engine.notifiedConnections(nonce: nonce, message: message, now: now)
    }
  }

  /// Fetches a message of a connection that a push was about. The message follows as an event, and after it was
  /// acknowledged `notifiedMessageHandled`; until then further fetches of its queue wait. Nil where there is none.
  public nonisolated(nonsending) func fetchMessage(
    _ request: NotifiedMessageRequest
  ) async throws(AgentError) -> NotifiedMessage? {
    let (_, outcome) = try await call(
      { (engine, now) throws(AgentError) in try engine.fetchMessage(request, now: now) }, { $0 })
    guard case .notifiedMessage(let message) = outcome else { throw .unexpected(outcome) }
    return message
  }
}

/// Why a notification server failed its test.
public struct NotificationServerTestFailure: Hashable, Sendable {
  /// What was tried.
  public enum Step: Hashable, Sendable, CaseIterable {
    case connect, createToken, deleteToken
  }

  /// The step that failed.
  public var step: Step
  /// Why.
  public var error: AgentError
}

extension Agent {
  /// Tests whether a notification server can be used: registers a device of no push service, and deletes it, over a
  /// connection of its own. Nil where everything worked.
  public func testNotificationServer(
    _ server: NotificationServer
  ) async throws(AgentError) -> NotificationServerTestFailure? {
    try withEngine { (_, _) throws(AgentError) in }
    let connection: NotificationConnection
    do throws(SMPClientError) {
      connection = try await NotificationConnection.connect(to: server, notificationNetwork)
    } catch {
      return NotificationServerTestFailure(step: .connect, error: .notificationServer(server, error))
    }
    defer { Task { await connection.close(.closed) } }
    var random = SystemRandom()
    let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
    let request = NewTokenRequest(
      device: .test, verifyKey: key.publicKey, dhKey: X25519.PrivateKey(using: &random).publicKey)
    var step = NotificationServerTestFailure.Step.createToken
    do throws(SMPClientError) {
      let created = try await connection.perform(NotificationRequest(.tnew(request), key: key))
      guard case .idtkn(let id, _) = created else { throw .unexpectedResponse(created.form.keyword) }
      step = .deleteToken
      let deleted = try await connection.perform(NotificationRequest(.tdel, entity: id, key: key))
      guard case .ok = deleted else { throw .unexpectedResponse(deleted.form.keyword) }
      return nil
    } catch {
      return NotificationServerTestFailure(step: step, error: .notificationServer(server, error))
    }
  }
}

// MARK: Sessions

extension Agent {
  /// Sends a command to a notification server.
  func notify(_ id: RequestID, at server: NotificationServer, _ request: NotificationRequest) {
    let session: NotificationSession
    if let known = notificationSessions[server] {
      session = known
    } else {
      session = NotificationSession(server, notificationNetwork)
      notificationSessions[server] = session
    }
    let generation = generation
    session.perform(request) { [weak self] in self?.received(.notified(id, $0), generation) }
  }

  /// Closes the connections to notification servers; what is in flight fails, and is sent again later.
  func closeNotificationSessions() {
    for session in notificationSessions.values { session.close() }
    notificationSessions = [:]
  }

  /// The network as notification servers are reached: all users share a connection, because the token is that of the
  /// device.
  var notificationNetwork: SMPClientConfiguration {
    var network = options.network
    network.makeLink = nil
    return network
  }
}
