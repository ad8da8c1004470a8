import AgentCore
import AgentStore
import SMPClientCore
import SMPProtocol

extension AgentEngine {
  /// Starts the next task of a lane, unless one is on its way or has to wait.
  func pump(_ lane: Lane, _ turn: Turn) {
    guard isOnline, activity == .active, lanes[lane] == nil else { return }
    do {
      guard let task = try store.firstTask(in: lane) else { return }
      guard task.notBefore <= turn.now else {
        if task.notBefore < .max { lanes[lane] = .waiting(until: task.notBefore, server: nil) }
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
      lanes[lane] = .waiting(until: turn.now + configuration.retry.initial, server: nil)
    }
  }

  private func start(_ task: AgentTask, _ turn: Turn) throws {
    let prepared = try prepare(task)
    let id = makeRequestID()
    flights[id] = Flight(work: prepared.work, session: prepared.session, startedAt: turn.now)
    lanes[task.lane] = .busy(id)
    turn.effect(.perform(id, prepared.session, prepared.request, prepared.route))
  }

  /// Tries a task again later.
  func retry(_ task: AgentTask, _ policy: Backoff.Policy, server: SMPServer?, _ turn: Turn) throws {
    let attempts = task.attempts + 1
    let time = turn.now + wait(policy, attempts: attempts)
    guard try store.delayTask(task.id, attempts: attempts, until: time) else { return }
    turn.change { self.lanes[task.lane] = .waiting(until: time, server: server) }
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

  /// When the engine wants to be woken next.
  func nextWake() -> Int64? {
    var next = maintenanceAt > 0 ? maintenanceAt : Int64.max
    if isOnline, activity == .active {
      for case .waiting(let until, _) in lanes.values { next = min(next, until) }
      for acknowledgement in delayedAcknowledgements { next = min(next, acknowledgement.at) }
    }
    if case .suspending(let until) = activity { next = min(next, until) }
    return next < .max ? next : nil
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
      if needsMaintenance { try self.maintain(turn) }
    }.effects
  }
}
