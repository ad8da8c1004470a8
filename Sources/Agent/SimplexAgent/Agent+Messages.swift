import AgentCore
import AgentEngine
import AgentProtocol
import SMPProtocol

// MARK: Messages

extension Agent {
  /// Accepts a message: it will be sent, or an event says why not. One that was accepted with the same key before is
  /// not sent again; see `AgentCore.OutgoingMessage.key`.
  public nonisolated(nonsending) func send(
    _ connection: ConnectionID, key: Int64? = nil, pq: Bool? = nil, flags: MessageFlags = MessageFlags(),
    body: [UInt8]
  ) async throws(AgentError) -> AcceptedMessage {
    try await run { (engine, now) throws(AgentError) in
      try engine.send(connection, key: key, pq: pq, flags: flags, body: body, now: now)
    }
  }

  /// Accepts many messages in one transaction, each or its error. Bodies that several messages have are stored once.
  public nonisolated(nonsending) func send(
    _ messages: [OutgoingMessage], bodies: [[UInt8]]
  ) async throws(AgentError) -> [Result<AcceptedMessage, AgentError>] {
    try await run { (engine, now) throws(AgentError) in try engine.send(messages, bodies: bodies, now: now) }
  }

  /// Accepts many messages if the caller succeeds with something of its own, such as making its record of them durable.
  /// Agent and caller work at the same time, on their threads; nothing of the messages is stored before `condition` has
  /// returned true, and where it returns false nothing is.
  public nonisolated(nonsending) func send(
    _ messages: [OutgoingMessage], bodies: [[UInt8]], if condition: () -> Bool
  ) async throws(AgentError) -> [Result<AcceptedMessage, AgentError>] {
    let gate = Gate()
    return try await run { (engine, now) throws(AgentError) in
      try engine.send(messages, bodies: bodies, now: now) { () throws(AgentError) in
        guard gate.wait() else { throw .prohibited("the caller has given up") }
      }
    } meanwhile: {
      gate.open(condition())
    }
  }

  /// The application stored a message: it is acknowledged to the relay, and with `receipt` to its sender too. Should
  /// the program end right after that, the message may be delivered once more.
  public nonisolated(nonsending) func ack(
    _ connection: ConnectionID, _ message: AgentMessageID, receipt: [UInt8]? = nil, tag: CorrelationTag? = nil
  ) async throws(AgentError) {
    try await run(waits: tag != nil) { (engine, now) throws(AgentError) in
      Accepted((), try engine.ack(connection, message, receipt: receipt, tag: tag, now: now))
    }
  }

  /// Delivers the messages again that were set aside because the application could not store them
  /// (`AgentCore.AgentConfiguration.receiveAttempts`). They are also delivered with each start and activation.
  public nonisolated(nonsending) func deliverMessagesAside() async throws(AgentError) {
    try await run { (engine, now) throws(AgentError) in try engine.deliverMessagesAside(now: now) }
  }

  /// The application stored messages, and has taken the event `last` and all before it: at the cost of one message.
  /// Receipts of a connection go in one message. Returns for each message why it cannot be acknowledged, or nil.
  public nonisolated(nonsending) func ack(
    _ messages: [MessageAcknowledgement], confirming last: EventID? = nil
  ) async throws(AgentError) -> [AgentError?] {
    // It need not be durable when this returns: it is repeated otherwise.
    try await run(waits: false) { (engine, now) throws(AgentError) in
      try engine.ack(messages, confirming: last, now: now)
    }
  }

  /// The application has taken the event with this number and all before it; they will not come again, and no event
  /// gets one of their numbers.
  public nonisolated(nonsending) func confirmEvents(through id: EventID) async throws(AgentError) {
    try await run(waits: false) { (engine, now) throws(AgentError) in
      Accepted((), try engine.confirmEvents(through: id, now: now))
    }
  }
}

// MARK: Subscriptions and network

extension Agent {
  /// Receives messages of these connections. Returns the connections that cannot be subscribed, with the reason.
  public nonisolated(nonsending) func subscribe(_ connections: [ConnectionID]) async throws(AgentError)
    -> [ConnectionID: AgentError]
  {
    try await run { (engine, now) throws(AgentError) in try engine.subscribe(connections, now: now) }
  }

  /// Receives messages of all connections.
  public nonisolated(nonsending) func subscribeAll() async throws(AgentError) {
    try await run { (engine, now) throws(AgentError) in try engine.subscribeAll(now: now) }
  }

  /// Whether the device has a network. Without one nothing is tried.
  public nonisolated(nonsending) func setNetwork(online: Bool) async throws(AgentError) {
    await remember(isOnline: online)
    try await run { (engine, now) throws(AgentError) in try engine.setNetwork(online: online, now: now) }
    await transfers?.setOnline(online)
    if online { await retryConnections() }
  }

  /// Starts nothing from now on. When nothing is in flight any more, or after the timeout, connections to relays are
  /// closed, all timers end, and the event `suspended` is emitted once. Everything that did not finish is stored. Steps
  /// of files are stopped; one that runs nevertheless, such as flushing a large file, ends later (``hasSuspended()``).
  ///
  /// Until ``activate()`` messages are accepted and stored, and what waits for the network waits.
  /// - Parameter timeout: in milliseconds.
  public nonisolated(nonsending) func suspend(timeout: Int64) async throws(AgentError) {
    await setSuspended(true)
    try await run { (engine, now) throws(AgentError) in try engine.suspend(timeout: timeout, now: now) }
    await transfers?.pause(waits: false)
  }

  /// Whether nothing is in flight any more after ``suspend(timeout:)``, and no step of a file runs; true also for an
  /// agent that is closed, or fails.
  public nonisolated(nonsending) func hasSuspended() async -> Bool {
    let isSuspended = try? await look { (engine, _) throws(AgentError) in engine.isSuspended }
    guard let isSuspended else { return true }
    guard isSuspended else { return false }
    return await transfers?.isIdle != false
  }

  /// Leaves the network at once, without the event `suspended`; for applications that stop receiving and sending while
  /// they use the agent's database.
  public nonisolated(nonsending) func stop() async throws(AgentError) {
    await setSuspended(true)
    await transfers?.pause()
    try await run { (engine, now) throws(AgentError) in try engine.stop(now: now) }
  }

  /// Continues after ``suspend(timeout:)`` or ``stop()``, and after opening a suspended agent: subscribes to what was
  /// subscribed, and starts what waits.
  public nonisolated(nonsending) func activate() async throws(AgentError) {
    await setSuspended(false)
    try await run { (engine, now) throws(AgentError) in try engine.activate(now: now) }
    await transfers?.resume()
    await retryConnections()
  }

  /// Tests whether a relay can be used; nil where everything worked.
  public nonisolated(nonsending) func testServer(
    _ user: UserID, _ address: ServerWithAuth<SMPScheme>
  ) async throws(AgentError) -> ServerTestFailure? {
    let (_, outcome) = try await call(
      { (engine, now) throws(AgentError) in try engine.testServer(user, address, now: now) }, { $0 })
    guard case .serverTested(let failure) = outcome else { throw .unexpected(outcome) }
    return failure
  }

  /// The values of the counters.
  public nonisolated(nonsending) func statistics() async throws(AgentError) -> AgentStatistics {
    try await look { (engine, now) throws(AgentError) in try engine.statistics() }
  }

  /// Resets the counters.
  public nonisolated(nonsending) func resetStatistics() async throws(AgentError) {
    try await change { (engine, now) throws(AgentError) in try engine.resetStatistics(now: now) }
  }
}

// MARK: Inspection and repair

extension Agent {
  /// The queues of a connection and where they stand.
  public nonisolated(nonsending) func connectionStats(_ connection: ConnectionID) async throws(AgentError)
    -> AgentConnectionStats
  {
    try await look { (engine, now) throws(AgentError) in try engine.connectionStats(connection) }
  }

  /// The security code that both sides of a connection can compare: SHA-256 of the associated data of the ratchet.
  public nonisolated(nonsending) func verificationCode(_ connection: ConnectionID) async throws(AgentError) -> [UInt8] {
    try await look { (engine, now) throws(AgentError) in try engine.verificationCode(connection) }
  }

  /// The state of the connection's queue on its relay.
  public nonisolated(nonsending) func queueInfo(_ connection: ConnectionID) async throws(AgentError) -> QueueInfo {
    let (_, outcome) = try await call(
      { (engine, now) throws(AgentError) in try engine.queueInfo(connection, now: now) }, { $0 })
    guard case .queueInfo(let info) = outcome else { throw .unexpected(outcome) }
    return info
  }

  /// Replaces the queue that messages are received from by one at another relay; `switched` reports the steps. The
  /// new queue exists when it returns.
  public nonisolated(nonsending) func switchQueue(_ connection: ConnectionID) async throws(AgentError)
    -> AgentConnectionStats
  {
    let (value, _) = try await call(
      { (engine, now) throws(AgentError) in try engine.switchQueue(connection, now: now) }, { $0.call })
    return value.stats
  }

  /// Replaces the queue in the background, also after restarts.
  public nonisolated(nonsending) func switchQueueAsync(_ connection: ConnectionID, tag: CorrelationTag? = nil)
    async throws(AgentError)
  {
    _ = try await run { (engine, now) throws(AgentError) in
      try engine.switchQueue(connection, waiting: .event(tag), now: now)
    }
  }

  /// Stops replacing a queue.
  public nonisolated(nonsending) func abortSwitch(_ connection: ConnectionID) async throws(AgentError)
    -> AgentConnectionStats
  {
    try await run { (engine, now) throws(AgentError) in try engine.abortSwitch(connection, now: now) }
  }

  /// Agrees on a new ratchet with the peer.
  public nonisolated(nonsending) func synchronizeRatchet(
    _ connection: ConnectionID, pq: Bool, force: Bool
  ) async throws(AgentError) -> AgentConnectionStats {
    try await run { (engine, now) throws(AgentError) in
      try engine.synchronizeRatchet(connection, pq: pq, force: force, now: now)
    }
  }

  /// Whether push notifications are enabled for a connection.
  public nonisolated(nonsending) func setNotifications(_ connection: ConnectionID, enabled: Bool)
    async throws(AgentError)
  {
    try await run { (engine, now) throws(AgentError) in
      try engine.setNotifications(connection, enabled: enabled, now: now)
    }
  }

  /// Why a connection is not delivering.
  public nonisolated(nonsending) func diagnose(_ connection: ConnectionID) async throws(AgentError)
    -> ConnectionDiagnosis
  {
    try await look { (engine, now) throws(AgentError) in try engine.diagnose(connection, now: now) }
  }
}
