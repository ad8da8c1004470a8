import AgentCore
import AgentEngine
import AgentProtocol
import SMPProtocol

// MARK: Messages

extension Agent {
  /// Accepts a message: it will be sent, or an event says why not.
  public func send(
    _ connection: ConnectionID, pq: Bool? = nil, flags: MessageFlags = MessageFlags(), body: [UInt8]
  ) throws(AgentError) -> AcceptedMessage {
    try run { (engine) throws(AgentError) in
      try engine.send(connection, pq: pq, flags: flags, body: body, now: now)
    }
  }

  /// Accepts many messages in one transaction, each or its error. Bodies that several messages have are stored once.
  public func send(
    _ messages: [OutgoingMessage], bodies: [[UInt8]]
  ) throws(AgentError) -> [Result<AcceptedMessage, AgentError>] {
    try run { (engine) throws(AgentError) in try engine.send(messages, bodies: bodies, now: now) }
  }

  /// The application stored a message: it is acknowledged to the relay, and with `receipt` to its sender too.
  public func ack(
    _ connection: ConnectionID, _ message: AgentMessageID, receipt: [UInt8]? = nil, tag: CorrelationTag? = nil
  ) throws(AgentError) {
    try run { (engine) throws(AgentError) in
      try engine.ack(connection, message, receipt: receipt, tag: tag, now: now)
    }
  }

  /// The application has taken the event with this number and all before it; they will not come again.
  public func confirmEvents(through id: EventID) throws(AgentError) {
    try withEngine { (engine) throws(AgentError) in try engine.confirmEvents(through: id) }
  }
}

// MARK: Subscriptions and network

extension Agent {
  /// Receives messages of these connections. Connections that cannot be subscribed are given with the reason.
  public func subscribe(_ connections: [ConnectionID]) throws(AgentError) -> [ConnectionID: AgentError] {
    try run { (engine) throws(AgentError) in try engine.subscribe(connections, now: now) }
  }

  /// Receives messages of all connections.
  public func subscribeAll() throws(AgentError) {
    try run { (engine) throws(AgentError) in try engine.subscribeAll(now: now) }
  }

  /// Whether the device has a network. Without one nothing is tried.
  public func setNetwork(online: Bool) throws(AgentError) {
    try run { (engine) throws(AgentError) in try engine.setNetwork(online: online, now: now) }
    if online { retryConnections() }
  }

  /// Starts nothing new; `suspended` follows as an event when nothing is on its way any more, or after the timeout in
  /// milliseconds.
  public func suspend(timeout: Int64) throws(AgentError) {
    try run { (engine) throws(AgentError) in try engine.suspend(timeout: timeout, now: now) }
  }

  /// Goes on after ``suspend(timeout:)``.
  public func activate() throws(AgentError) {
    try run { (engine) throws(AgentError) in try engine.activate(now: now) }
    retryConnections()
  }

  /// Tests whether a relay can be used; nil where everything worked.
  public func testServer(
    _ user: UserID, _ address: ServerAddress<SMPScheme>
  ) async throws(AgentError) -> ServerTestFailure? {
    let (_, outcome) = try await call(
      { (engine) throws(AgentError) in try engine.testServer(user, address, now: now) }, { $0 })
    guard case .serverTested(let failure) = outcome else { throw .unexpected(outcome) }
    return failure
  }

  /// What was counted.
  public func statistics() throws(AgentError) -> AgentStatistics {
    try withEngine { (engine) throws(AgentError) in try engine.statistics() }
  }

  /// Begins counting anew.
  public func resetStatistics() throws(AgentError) {
    try withEngine { (engine) throws(AgentError) in try engine.resetStatistics(now: now) }
  }
}

// MARK: Inspection and repair

extension Agent {
  /// The queues of a connection and where they stand.
  public func connectionStats(_ connection: ConnectionID) throws(AgentError) -> ConnectionStats {
    try withEngine { (engine) throws(AgentError) in try engine.connectionStats(connection) }
  }

  /// What both sides of a connection can compare: SHA-256 of what both authenticate with every message.
  public func verificationCode(_ connection: ConnectionID) throws(AgentError) -> [UInt8] {
    try withEngine { (engine) throws(AgentError) in try engine.verificationCode(connection) }
  }

  /// The state of the connection's queue on its relay.
  public func queueInfo(_ connection: ConnectionID) async throws(AgentError) -> QueueInfo {
    let (_, outcome) = try await call(
      { (engine) throws(AgentError) in try engine.queueInfo(connection, now: now) }, { $0 })
    guard case .queueInfo(let info) = outcome else { throw .unexpected(outcome) }
    return info
  }

  /// Replaces the queue that messages are received from by one at another relay; `switched` tells of the steps. The
  /// new queue exists when it returns.
  public func switchQueue(_ connection: ConnectionID) async throws(AgentError) -> ConnectionStats {
    let (value, _) = try await call(
      { (engine) throws(AgentError) in try engine.switchQueue(connection, now: now) }, { $0.call })
    return value.stats
  }

  /// Replaces the queue sooner or later, also after restarts.
  public func switchQueueAsync(_ connection: ConnectionID, tag: CorrelationTag? = nil) throws(AgentError) {
    _ = try run { (engine) throws(AgentError) in
      try engine.switchQueue(connection, waiting: .event(tag), now: now)
    }
  }

  /// Stops replacing a queue.
  public func abortSwitch(_ connection: ConnectionID) throws(AgentError) -> ConnectionStats {
    try run { (engine) throws(AgentError) in try engine.abortSwitch(connection, now: now) }
  }

  /// Agrees on a new ratchet with the peer.
  public func synchronizeRatchet(
    _ connection: ConnectionID, pq: Bool, force: Bool
  ) throws(AgentError) -> ConnectionStats {
    try run { (engine) throws(AgentError) in
      try engine.synchronizeRatchet(connection, pq: pq, force: force, now: now)
    }
  }

  /// Whether push notifications are wanted for a connection.
  public func setNotifications(_ connection: ConnectionID, enabled: Bool) throws(AgentError) {
    try run { (engine) throws(AgentError) in try engine.setNotifications(connection, enabled: enabled, now: now) }
  }

  /// Why a connection is not delivering.
  public func diagnose(_ connection: ConnectionID) throws(AgentError) -> ConnectionDiagnosis {
    try withEngine { (engine) throws(AgentError) in try engine.diagnose(connection, now: now) }
  }
}
