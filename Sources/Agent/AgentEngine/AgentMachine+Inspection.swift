import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto

extension AgentMachine {
  /// The queues of a connection with their states.
  public func connectionStats(_ id: ConnectionID) throws(AgentError) -> AgentConnectionStats {
    try read { try self.stats(try self.connection(id)) }
  }

  func stats(_ connection: StoredConnection) throws -> AgentConnectionStats {
    let receive = try store.receiveQueues(of: connection.number).map { queue in
      ReceiveQueueInfo(
        server: queue.server, recipientID: queue.recipientID, senderID: queue.senderID,
        notifierID: queue.notifier?.notifierID, status: queue.status, switchStatus: queue.switchStatus,
        canAbortSwitch: queue.canAbortSwitch, subscription: subscriptions[queue.number]?.state ?? .notRequested)
    }
    let send = try store.sendQueues(of: connection.number).map {
      SendQueueInfo(server: $0.server, status: $0.status, switchStatus: $0.switchStatus)
    }
    let active = receive.filter { $0.status == .active }
    let subscription = (active.isEmpty ? receive : active).map(\.subscription).min { $0.rank < $1.rank }
    return AgentConnectionStats(
      agentVersion: connection.agentVersion, receiveQueues: receive, sendQueues: send,
      ratchetSync: connection.ratchetSync,
      ratchetSyncSupported: connection.agentVersion >= AgentVersion.ratchetSync, subscription: subscription,
      pqSupport: connection.pqSupport)
  }

  /// The connections of a user, without those that are being deleted.
  public func connections(of user: UserID) throws(AgentError) -> [ConnectionID] {
    try read { try self.store.connectionIDs(of: user) }
  }

  /// The users, without those that are being deleted.
  public func users() throws(AgentError) -> [UserID] { try read { try self.store.users() } }

  /// The security code that both sides of a connection can compare: SHA-256 of the associated data of the ratchet.
  public func verificationCode(_ id: ConnectionID) throws(AgentError) -> [UInt8] {
    try read {
      let ratchet = try self.ratchet(of: try self.connection(id)).ratchet
      return HashFunction.sha256.digest(of: ratchet.associatedData)
    }
  }

  /// What kind of connection it is, in the words of the reference agent, for errors.
  func typeName(of connection: StoredConnection) throws -> String {
    if connection.mode == .contact { return "SCContact" }
    let receives = try !store.receiveQueues(of: connection.number).isEmpty
    let sends = try !store.sendQueues(of: connection.number).isEmpty
    return receives ? (sends ? "SCDuplex" : "SCRcv") : sends ? "SCSnd" : "SCNew"
  }

  /// The state of the connection's queue on its relay. The call returns `queueInfo`.
  public func queueInfo(_ id: ConnectionID, now: Int64) throws(AgentError) -> Accepted<CallID> {
    let (call, effects) = try run(now) { transaction in
      let connection = try self.connection(id)
      guard let queue = try self.store.receiveQueues(of: connection.number).first else {
        throw AgentError.prohibited("getConnectionQueueInfo: NewConnection")
      }
      let call = self.makeCallID()
      try self.add(
        .queueInfo, to: .receiveQueue(queue.number), of: connection.number,
        for: TaskCaller(calls: [call], isCall: true), in: transaction)
      return call
    }
    return Accepted(call, effects)
  }

  // MARK: Watchdog

  /// Why a connection is not delivering.
  public func diagnose(_ id: ConnectionID, now: Int64) throws(AgentError) -> ConnectionDiagnosis {
    try read { try self.diagnosis(try self.connection(id), now: now) }
  }

  func diagnosis(_ connection: StoredConnection, now: Int64) throws -> ConnectionDiagnosis {
    var findings: [ConnectionDiagnosis.Finding] = []
    if !isOnline { findings.append(.offline) }
    if activity != .active { findings.append(.suspended) }
    if connection.deletion != .no { findings.append(.deleting) }
    if connection.ratchetSync != .ok { findings.append(.ratchet(connection.ratchetSync)) }
    let receive = try store.receiveQueues(of: connection.number)
    let send = try store.sendQueues(of: connection.number)
    if let missing = missingStep(connection, receive: receive, send: send) { findings.append(.notEstablished(missing)) }
    for queue in receive {
      if queue.switchStatus != nil { findings.append(.switching(.receive)) }
      let state = subscriptions[queue.number]?.state ?? .notRequested
      if state != .active { findings.append(.notSubscribed(queue.server, state)) }
    }
    if let message = try store.oldestUnacknowledged(of: connection.number) {
      findings.append(.notAcknowledged(AgentMessageID(rawValue: message.id), since: now - message.since))
    }
    var waiting = 0
    var waitingSince: Int64?
    for queue in send {
      if queue.switchStatus != nil { findings.append(.switching(.send)) }
      let tasks = try store.tasks(in: .sendQueue(queue.number))
      waiting += tasks.count
      guard let first = tasks.first else { continue }
      waitingSince = min(waitingSince ?? .max, first.createdAt)
      if let finding = finding(first, queue, now: now) { findings.append(finding) }
    }
    return ConnectionDiagnosis(
      connection: connection.id, findings: findings, waitingMessages: waiting, waitingSince: waitingSince,
      lastReceivedAt: receive.compactMap(\.lastReceivedAt).max())
  }

  private func missingStep(
    _ connection: StoredConnection, receive: [ReceiveQueue], send: [SendQueue]
  ) -> String? {
    guard connection.mode == .invitation else { return receive.isEmpty ? "the queue is not created" : nil }
    if receive.isEmpty { return send.isEmpty ? "the queue is not created" : "the reply queue is not created" }
    if send.isEmpty {
      return receive.contains { $0.status == .new } ? "no peer has joined" : "the peer is not allowed yet"
    }
    if receive.contains(where: { $0.status == .active }) || send.contains(where: { $0.status == .active }) {
      return nil
    }
    return receive.contains { $0.status == .new } ? "the peer has not confirmed" : "the handshake is on its way"
  }

  private func finding(_ task: AgentTask, _ queue: SendQueue, now: Int64) -> ConnectionDiagnosis.Finding? {
    switch lanes[task.lane] {
    case .busy(let request):
      guard let flight = flights[request] else { return nil }
      return .noAnswer(queue.server, since: now - flight.startedAt)
    case .waiting(let until, let server):
      return server == nil && task.attempts > 0
        ? .queueFull(queue.server) : .retrying(queue.server, attempts: task.attempts, nextAt: until)
    case nil: return task.attempts > 0 ? .retrying(queue.server, attempts: task.attempts, nextAt: task.notBefore) : nil
    }
  }

  /// Restarts lanes that are stalled without a known reason.
  func watch(_ transaction: AgentTransaction) throws {
    for number in try store.connectionsWaiting(since: transaction.now - configuration.stuckOutbox) {
      guard let connection = try store.connection(number: number) else { continue }
      let diagnosis = try diagnosis(connection, now: transaction.now)
      let isHindered = diagnosis.findings.contains { finding in
        switch finding {
        case .offline, .suspended, .queueFull, .retrying, .deleting: true
        case .notEstablished, .ratchet, .notSubscribed, .silent, .noAnswer, .notAcknowledged, .switching:
          false
        }
      }
      if isHindered { continue }
      try emit(.stuck(diagnosis), connection: connection.id, in: transaction)
      for queue in try store.sendQueues(of: number) { try restart(.sendQueue(queue.number), in: transaction) }
    }
  }

  /// Restarts the first task of a lane whose response was lost.
  private func restart(_ lane: Lane, in transaction: AgentTransaction) throws {
    guard case .busy(let request)? = lanes[lane], let flight = flights[request],
      transaction.now - flight.startedAt > configuration.stuckOutbox
    else { return transaction.pump(lane) }
    transaction.change {
      self.flights[request] = nil
      self.lanes[lane] = nil
    }
    transaction.pump(lane)
  }

  // MARK: Maintenance

  /// Removes expired rows, and restarts stalled lanes.
  func maintain(_ transaction: AgentTransaction) throws {
    try store.removeSent(before: transaction.now - configuration.sentMessageRetention)
    try store.removeUnreadable(before: transaction.now - configuration.unreadableRetention)
    try expireDeletions(transaction)
    try watch(transaction)
    try repairRatchets(transaction)
    try checkSilentQueues(transaction)
    try resubscribe(transaction)
    try storeStatistics(transaction)
    try noteAlive(transaction, interval: 3_600_000)
    transaction.change { self.maintenanceAt = transaction.now + self.configuration.maintenanceInterval }
  }
}

extension SubscriptionState {
  /// The order in which the reference agent ranks states, the best first.
  fileprivate var rank: Int {
    switch self {
    case .active: 0
    case .pending: 1
    case .removed: 2
    case .notRequested: 3
    }
  }
}
