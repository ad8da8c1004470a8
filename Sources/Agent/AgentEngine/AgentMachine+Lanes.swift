import AgentCore
import AgentStore
import SMPClientCore
import SMPProtocol
import WireCodec

extension AgentMachine {
  /// Starts the next task of a lane, unless one is in flight or waits for its retry.
  func pump(_ lane: Lane, in transaction: AgentTransaction) {
    guard isOnline, activity == .active, lanes[lane] == nil else { return }
    do {
      if !flights.hasRoomForAll(configuration), let relay = try relay(of: lane),
        !flights.hasRoom(for: relay, configuration)
      {
        return backlog.add(lane, for: relay)
      }
      guard let task = try store.firstTask(in: lane) else {
        // A task that cannot be read is set aside, because it would block the lane forever.
        if store.hasUnreadable {
          let more = try run(transaction.now) { inner in inner.pump(lane) }.effects
          for effect in more { transaction.effect(effect) }
        }
        return
      }
      guard isDue(task.notBefore, now: transaction.now) else {
        if task.notBefore < .max {
          lanes[lane] = .waiting(until: task.notBefore, server: nil)
          schedule(task.notBefore)
        }
        return
      }
      do {
        try start(task, in: transaction)
      } catch {
        // A task that cannot be started fails, because it would block the lane forever.
        let problem = AgentError(any: error)
        let more = try run(transaction.now) { inner in try self.giveUpUnreadable(task, problem, in: inner) }.effects
        for effect in more { transaction.effect(effect) }
      }
    } catch {
      let time = transaction.now + configuration.retry.initial
      lanes[lane] = .waiting(until: time, server: nil)
      schedule(time)
    }
  }

  /// Gives a task up that cannot be started, or sets it aside where its payload cannot be read.
  private func giveUpUnreadable(_ task: AgentTask, _ problem: AgentError, in transaction: AgentTransaction) throws {
    do {
      try savepoint(in: transaction) { try self.giveUp(task, error: problem, in: transaction) }
    } catch let error where error is WireError || (error as? AgentError) == .store(.damaged) {
      store.note(.task(task.id), "\(error)")
      transaction.pump(task.lane)
      guard task.kind == .sendMessage else { return }
      let message = MessageReference(id: AgentMessageID(rawValue: task.message), key: task.messageKey)
      try emit(
        .messageFailed(message, problem), connection: try store.connectionID(task.connection), in: transaction)
    }
  }

  /// Whether the time of a retry has come. One that is further ahead than any pause was determined by a clock that was
  /// wrong, and was set back since.
  func isDue(_ time: Int64, now: Int64) -> Bool {
    if time <= now { return true }
    let policies = [configuration.retry, configuration.quotaRetry, configuration.drainRetry, configuration.fileRetry]
    let longest = policies.map(\.limit).max() ?? 0
    // Twice as much, because pauses vary. Parked tasks wait for a caller.
    return time < .max && (time &- now) / 2 > longest
  }

  /// Starts lanes that waited because too many tasks were in flight.
  func pumpBacklog(_ transaction: AgentTransaction) {
    guard !backlog.isEmpty else { return }
    for relay in backlog.relays {
      while flights.hasRoom(for: relay, configuration), let lane = backlog.take(for: relay, limit: 1).first {
        pump(lane, in: transaction)
      }
    }
  }

  /// The relay of a lane's queue; nil for a lane that belongs to no queue, whose tasks choose their relay.
  private func relay(of lane: Lane) throws -> SMPServerAddress? {
    switch lane.kind {
    case .sendQueue: try store.server(ofSendQueue: lane.number)
    case .receiveQueue: try store.server(ofReceiveQueue: lane.number)
    case .connection, .single: nil
    }
  }

  /// Sets the timer to this time, unless it is earlier already.
  func schedule(_ time: Int64) {
    guard time < wakeTime, activity != .suspended else { return }
    wakeTime = time
    wakeTimeChanged = true
  }

  private func start(_ task: AgentTask, in transaction: AgentTransaction) throws {
    let prepared = try preparedAhead.removeValue(forKey: task.id) ?? prepare(task, now: transaction.now)
    if !task.lane.isOfQueue, !flights.hasRoom(for: prepared.session.server, configuration) {
      return backlog.add(task.lane, for: prepared.session.server)
    }
    let id = makeRequestID()
    flights[id] = Flight(work: prepared.work, session: prepared.session, startedAt: transaction.now)
    lanes[task.lane] = .busy(id)
    transaction.effect(.perform(id, prepared.session, prepared.request, prepared.route))
  }

  /// Encrypts the messages that the transaction starts to send before it is committed. They are discarded if it is
  /// rolled back.
  func prepareAhead(_ transaction: AgentTransaction) {
    for lane in transaction.lanes.prefix(8) where lanes[lane] == nil {
      guard let task = try? store.firstTask(in: lane), task.kind == .sendMessage else { continue }
      preparedAhead[task.id] = try? prepare(task, now: transaction.now)
    }
  }

  /// Retries a task later.
  func retry(_ task: AgentTask, policy: Backoff.Policy, server: SMPServerAddress?, in transaction: AgentTransaction)
    throws
  {
    let attempts = task.attempts + 1
    let time = transaction.now + wait(policy, attempts: attempts)
    guard try store.delayTask(task.id, attempts: attempts, until: time) else { return }
    transaction.change {
      self.lanes[task.lane] = .waiting(until: time, server: server)
      self.schedule(time)
    }
  }

  /// The delay after this number of attempts.
  func wait(_ policy: Backoff.Policy, attempts: Int64) -> Int64 {
    var generator = EngineGenerator(random: random)
    return policy.delay(after: attempts, using: &generator)
  }

  /// Starts the lanes that wait for a relay that is connected again, or all waiting lanes.
  func endWaiting(for server: SMPServerAddress?, in transaction: AgentTransaction) throws {
    for (lane, state) in lanes {
      guard case .waiting(_, let waited) = state, server == nil || waited == server else { continue }
      try endWaiting(of: lane, in: transaction)
    }
  }

  /// Starts a lane that waits.
  func endWaiting(of lane: Lane, in transaction: AgentTransaction) throws {
    if let task = try store.firstTask(in: lane), task.notBefore < .max {
      _ = try store.delayTask(task.id, attempts: task.attempts, until: 0)
    }
    transaction.change { if case .waiting = self.lanes[lane] { self.lanes[lane] = nil } }
    transaction.pump(lane)
  }

  /// Sets the timer to the next deadline after it fired.
  func scheduleNext(now: Int64) {
    wakeTime = .max
    wakeTimeChanged = true
    if activity == .suspended { return }
    let worksByItself = activity == .active && scope == .everything
    if maintenanceAt > 0, worksByItself { schedule(maintenanceAt) }
    for case .waiting(let until, _) in lanes.values { schedule(until) }
    for acknowledgement in delayedAcknowledgements { schedule(acknowledgement.at) }
    if !deletingUsers.isEmpty, worksByItself { schedule(now) }
    if activity == .active { schedule(receiptsAt) }
    schedule(postponedAt)
    if activity == .active { schedule(pushes.wakeAt) }
    if case .suspending(let until) = activity { schedule(until) }
  }

  /// Handles the timer: runs all that is due.
  func wake(now: Int64) throws(AgentError) -> [AgentEffect] {
    if activity == .suspended { return [] }
    // It may have been scheduled by a wrong clock, as in `isDue`.
    let isMaintenanceDue = now >= maintenanceAt || maintenanceAt &- now > configuration.maintenanceInterval
    let needsMaintenance = activity == .active && maintenanceAt > 0 && isMaintenanceDue && scope == .everything
    return try run(now) { transaction in
      for (lane, state) in self.lanes {
        guard case .waiting(let until, _) = state, self.isDue(until, now: now) else { continue }
        transaction.change { if case .waiting = self.lanes[lane] { self.lanes[lane] = nil } }
        transaction.pump(lane)
      }
      self.retryAcknowledgements(transaction)
      if self.activity == .active, self.isDue(self.receiptsAt, now: now) { try self.sendReceipts(transaction) }
      try self.deleteMoreConnections(transaction)
      if self.pushes.wakeAt <= now {
        transaction.change { self.pushes.wakeAt = .max }
        self.resumeNotifications(in: transaction)
      }
      if needsMaintenance { try self.maintain(transaction) }
      transaction.change { self.scheduleNext(now: now) }
    }.effects
  }
}
