import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto

extension AgentEngine {
  /// The queues of a connection and where they stand.
  public func connectionStats(_ id: ConnectionID) throws(AgentError) -> ConnectionStats {
    try read { try self.stats(try self.connection(id)) }
  }

  func stats(_ connection: StoredConnection) throws -> ConnectionStats {
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
    return ConnectionStats(
      agentVersion: connection.agentVersion, receiveQueues: receive, sendQueues: send,
      ratchetSync: connection.ratchetSync,
      ratchetSyncSupported: connection.agentVersion >= AgentVersion.ratchetSync, subscription: subscription,
      pqSupport: connection.pqSupport)
  }

  /// What both sides of a connection can compare: SHA-256 of what both authenticate with every message.
  public func verificationCode(_ id: ConnectionID) throws(AgentError) -> [UInt8] {
    try read {
      let ratchet = try self.ratchet(of: try self.connection(id)).ratchet
      return HashFunction.sha256.digest(of: ratchet.associatedData)
    }
  }

  /// The state of the connection's queue on its relay. The call gives `queueInfo`.
  public func queueInfo(_ id: ConnectionID, now: Int64) throws(AgentError) -> Accepted<CallID> {
    let (call, effects) = try run(now) { turn in
      let connection = try self.connection(id)
      guard let queue = try self.store.receiveQueues(of: connection.number).first else {
        throw AgentError.prohibited("the connection has no queue")
      }
      let call = self.makeCallID()
      try self.add(.queueInfo, in: .receiveQueue(queue.number), of: connection.number, call: call, turn)
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
    if let missing = missingStep(connection, receive, send) { findings.append(.notEstablished(missing)) }
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
    _ connection: StoredConnection, _ receive: [ReceiveQueue], _ send: [SendQueue]
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

  /// Looks for outboxes that stand still though nothing is known to hinder them, and moves them.
  func watch(_ turn: Turn) throws {
    for number in try store.connectionsWaiting(since: turn.now - configuration.stuckOutbox) {
      guard let connection = try store.connection(number: number) else { continue }
      let diagnosis = try diagnosis(connection, now: turn.now)
      let isHindered = diagnosis.findings.contains { finding in
        switch finding {
        case .offline, .suspended, .queueFull, .retrying, .deleting: true
        case .notEstablished, .ratchet, .notSubscribed, .silent, .noAnswer, .notAcknowledged, .switching:
          false
        }
      }
      if isHindered { continue }
      try emit(.stuck(diagnosis), connection.id, turn)
      for queue in try store.sendQueues(of: number) { try restart(.sendQueue(queue.number), turn) }
    }
  }

  /// Starts the first task of a lane anew, whose answer will not come any more.
  private func restart(_ lane: Lane, _ turn: Turn) throws {
    guard case .busy(let request)? = lanes[lane], let flight = flights[request],
      turn.now - flight.startedAt > configuration.stuckOutbox
    else { return turn.pump(lane) }
    turn.change {
      self.flights[request] = nil
      self.lanes[lane] = nil
    }
    turn.pump(lane)
  }

  // MARK: Maintenance

  /// Removes what is too old, and looks after what stands still.
  func maintain(_ turn: Turn) throws {
    try store.removeSent(before: turn.now - configuration.sentMessageRetention)
    try expireDeletions(turn)
    try watch(turn)
    try repairRatchets(turn)
    try checkSilentQueues(turn)
    try resubscribe(turn)
    try storeStatistics(turn)
    turn.change { self.maintenanceAt = turn.now + self.configuration.maintenanceInterval }
  }
}

extension SubscriptionState {
  /// The order in which the reference agent ranks them, the best first.
  fileprivate var rank: Int {
    switch self {
    case .active: 0
    case .pending: 1
    case .removed: 2
    case .notRequested: 3
    }
  }
}
