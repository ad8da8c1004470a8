import AgentCore
import AgentStore
import SMPClientCore
import SMPProtocol

extension AgentEngine {
  /// Starts the next task of a lane, unless one is on its way or has to wait.
  func pump(_ lane: Lane, _ turn: Turn) {
    guard isOnline, activity == .active, lanes[lane] == nil else { return }
    guard flights.count < configuration.flightLimit else {
      backlog.append(lane)
      return
    }
    do {
      guard let task = try store.firstTask(in: lane) else { return }
      guard task.notBefore <= turn.now else {
        if task.notBefore < .max {
          lanes[lane] = .waiting(until: task.notBefore, server: nil)
          schedule(task.notBefore)
        }
        return
      }
      do {
        try start(task, turn)
      } catch {
        // What cannot even be begun is given up, or the lane would stand still for ever.
        let problem = AgentError(any: error)
        let more = try run(turn.now) { inner in try self.giveUp(task, problem, inner) }.effects
        for effect in more { turn.effect(effect) }
      }
    } catch {
      let time = turn.now + configuration.retry.initial
      lanes[lane] = .waiting(until: time, server: nil)
      schedule(time)
    }
  }

  /// Starts lanes that had to wait because too many tasks were on their way.
  func pumpBacklog(_ turn: Turn) {
    while !backlog.isEmpty, flights.count < configuration.flightLimit { pump(backlog.removeFirst(), turn) }
  }

  /// Wants to be woken at a time, or before.
  func schedule(_ time: Int64) {
    guard time < wakeTime else { return }
    wakeTime = time
    wakeTimeChanged = true
  }

  private func start(_ task: AgentTask, _ turn: Turn) throws {
    let prepared = try preparedAhead.removeValue(forKey: task.id) ?? prepare(task, now: turn.now)
    let id = makeRequestID()
    flights[id] = Flight(work: prepared.work, session: prepared.session, startedAt: turn.now)
    lanes[task.lane] = .busy(id)
    turn.effect(.perform(id, prepared.session, prepared.request, prepared.route))
  }

  /// Makes the commands of messages that the turn lets start, while it waits for its commit. They are thrown away where
  /// that does not come.
  func prepareAhead(_ turn: Turn) {
    for lane in turn.lanes.prefix(8) where lanes[lane] == nil {
      guard let task = try? store.firstTask(in: lane), task.kind == .sendMessage else { continue }
      preparedAhead[task.id] = try? prepare(task, now: turn.now)
    }
  }

  /// Tries a task again later.
  func retry(_ task: AgentTask, _ policy: Backoff.Policy, server: SMPServer?, _ turn: Turn) throws {
    let attempts = task.attempts + 1
    let time = turn.now + wait(policy, attempts: attempts)
    guard try store.delayTask(task.id, attempts: attempts, until: time) else { return }
    turn.change {
      self.lanes[task.lane] = .waiting(until: time, server: server)
      self.schedule(time)
    }
  }

  /// How long to wait after so many attempts.
  func wait(_ policy: Backoff.Policy, attempts: Int64) -> Int64 {
    var delay = policy.initial
    for _ in 1..<max(2, min(attempts, 64)) where attempts > 1 { delay = min(policy.limit, delay + delay / 2 + 1) }
    let jitter = delay / 100 * policy.jitterPercent
    var generator = EngineGenerator(random: random)
    return delay + (jitter > 0 ? Int64.random(in: -jitter...jitter, using: &generator) : 0)
  }

  /// Ends the waiting of lanes: those for a relay that is connected again, or all.
  func endWaiting(for server: SMPServer?, _ turn: Turn) throws {
    for (lane, state) in lanes {
      guard case .waiting(_, let waited) = state, server == nil || waited == server else { continue }
      if let task = try store.firstTask(in: lane), task.notBefore < .max {
        _ = try store.delayTask(task.id, attempts: task.attempts, until: 0)
      }
      turn.change { if case .waiting = self.lanes[lane] { self.lanes[lane] = nil } }
      turn.pump(lane)
    }
  }

  /// Looks for the next time to be woken, after the last one came.
  private func scheduleNext(now: Int64) {
    wakeTime = .max
    if maintenanceAt > 0 { schedule(maintenanceAt) }
    for case .waiting(let until, _) in lanes.values { schedule(until) }
    for acknowledgement in delayedAcknowledgements { schedule(acknowledgement.at) }
    if !deletingUsers.isEmpty, activity == .active { schedule(now) }
    schedule(receiptsAt)
    schedule(postponedAt)
    if case .suspending(let until) = activity { schedule(until) }
  }

  /// The time came.
  func wake(now: Int64) throws(AgentError) -> [AgentEffect] {
    let needsMaintenance = maintenanceAt > 0 && now >= maintenanceAt
    return try run(now) { turn in
      for (lane, state) in self.lanes {
        guard case .waiting(let until, _) = state, until <= now else { continue }
        turn.change { if case .waiting = self.lanes[lane] { self.lanes[lane] = nil } }
        turn.pump(lane)
      }
      self.retryAcknowledgements(turn)
      if self.receiptsAt <= now { try self.sendReceipts(turn) }
      try self.deleteMoreConnections(turn)
      if needsMaintenance { try self.maintain(turn) }
      turn.change { self.scheduleNext(now: now) }
    }.effects
  }
}
