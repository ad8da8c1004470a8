import AgentCore
import AgentStore
import NotificationProtocol
import SMPClientCore
import SMPProtocol

// The work on pushes: rows say what is to be done (the token, tokens to delete, subscriptions of queues), and this
// starts what is due. Each change is committed before the command that follows from it is sent, and each command can be
// repeated: one whose answer was lost with the process is simply due again.

extension AgentMachine {
  /// Sets what the agent does by itself; before it goes online.
  public func setScope(_ scope: AgentScope, now: Int64) throws(AgentError) -> [AgentEffect] {
    guard scope != self.scope else { return [] }
    return try run(now) { transaction in
      transaction.change { self.scope = scope }
      guard scope == .everything else { return }
      for lane in try self.store.openLanes() { transaction.pump(lane) }
      try self.resumeDeletions(transaction)
      self.resumeNotifications(in: transaction)
    }.effects
  }

  /// Looks for what is due after the commit.
  func resumeNotifications(in transaction: AgentTransaction) {
    transaction.change { self.pushes.isDue = true }
  }

  /// Starts the steps that are due, after a commit.
  func pumpNotifications(_ transaction: AgentTransaction) {
    guard pushes.isDue, isOnline, activity == .active, scope == .everything || !pushes.calls.isEmpty else { return }
    pushes.isDue = false
    pushes.wakeAt = .max
    do {
      let token = try store.notificationToken()
      try startTokenStep(token, in: transaction)
      guard scope == .everything else { return }
      try startTokenDeletions(transaction)
      try startQueueSteps(token, in: transaction)
    } catch {
      pushes.wakeAt = transaction.now + configuration.retry.initial
    }
    schedule(pushes.wakeAt)
  }

  /// Looks again at this time, in milliseconds.
  private func look(at time: Int64) { pushes.wakeAt = min(pushes.wakeAt, time) }

  private func startTokenStep(_ token: NotificationToken?, in transaction: AgentTransaction) throws {
    guard !pushes.isTokenInFlight, let token, let action = token.action, let command = token.command,
      let time = token.dueAt
    else { return }
    // A call does not wait for the next attempt.
    let isAwaited = !pushes.calls.isEmpty
    if !isAwaited, time > transaction.now { return look(at: time) }
    pushes.isTokenInFlight = true
    let entity: EntityID = if case .register = action { .none } else { token.id ?? .none }
    start(
      .token(token.number, action), NotificationRequest(command, entity: entity, key: token.key), at: token.server,
      in: transaction)
  }

  private func startTokenDeletions(_ transaction: AgentTransaction) throws {
    for deletion in try store.tokenDeletions() where !pushes.deletions.contains(deletion.number) {
      guard deletion.dueAt <= transaction.now else {
        look(at: deletion.dueAt)
        continue
      }
      pushes.deletions.insert(deletion.number)
      start(
        .deletion(deletion), NotificationRequest(.tdel, entity: deletion.id, key: deletion.key), at: deletion.server,
        in: transaction)
    }
  }

  private func startQueueSteps(_ token: NotificationToken?, in transaction: AgentTransaction) throws {
    var idle: [QueueNotifications] = []
    for (place, time) in try store.notificationPlaces() {
      let now = transaction.now
      if time > now {
        look(at: time)
        continue
      }
      if let until = pushes.pause(of: place, now: now) {
        look(at: until)
        continue
      }
      let room = configuration.notificationBatch - pushes.count(at: place)
      guard room > 0 else { continue }
      let due = try store.dueNotifications(at: place, now: now, limit: room + pushes.queues.count)
      for row in due.filter({ pushes.queues[$0.queue] == nil }).prefix(room) {
        if try !start(row, at: place, token: token, in: transaction) { idle.append(row) }
      }
    }
    guard !idle.isEmpty else { return }
    let settled = try run(transaction.now) { inner in
      for var row in idle {
        // One whose queue cannot be used is looked at later.
        row.dueAt = inner.now + QueueNotifications.checkInterval
        try self.settle(row, in: inner)
      }
      self.resumeNotifications(in: inner)
    }
    for effect in settled.effects { transaction.effect(effect) }
  }

  /// Starts the step of a queue.
  /// - Returns: false where there is none.
  private func start(
    _ row: QueueNotifications, at place: Int64, token: NotificationToken?, in transaction: AgentTransaction
  ) throws -> Bool {
    let queue = try store.receiveQueue(number: row.queue)
    let step = step(of: row, queue: queue, token: token)
    switch step {
    case .forget, .wait: return false
    case .createNotifier, .deleteNotifier:
      guard let queue, let connection = try store.connection(number: queue.connection) else { return false }
      let material = step == .createNotifier ? NotifierMaterial(random: random) : nil
      let session = session(queue.server, connection)
      let id = makeRequestID()
      flights[id] = Flight(work: .notifier(row.queue, material), session: session, startedAt: transaction.now)
      let command = material.map { Command.nkey($0.keys) } ?? .ndel
      transaction.effect(
        .perform(
          id, session, RequestPipeline.Request(command, entity: queue.recipientID, key: queue.key), .direct))
    case .subscribe:
      guard let token, let id = token.id, let queue, let notifier = queue.notifier else { return false }
      let request = NewSubscriptionRequest(
        token: id, queue: NotifierQueue(relay: queue.server, notifier: notifier.notifierID),
        notifierKey: .ed25519(notifier.key))
      start(
        .queue(row.queue, step, notifier: notifier.notifierID, token: id),
        NotificationRequest(.snew(request), key: token.key),
        at: token.server, in: transaction)
    case .check, .unsubscribe:
      guard let token, let subscription = row.subscription else { return false }
      let command = step == .check ? NotificationCommand.schk : .sdel
      start(
        .queue(row.queue, step, notifier: nil, token: nil),
        NotificationRequest(command, entity: subscription, key: token.key), at: token.server, in: transaction)
    }
    pushes.queues[row.queue] = place
    return true
  }

  /// Sends a command to a notification server.
  func start(
    _ flight: NotificationWork.Flight, _ request: NotificationRequest, at server: NotificationServer,
    in transaction: AgentTransaction
  ) {
    let id = makeRequestID()
    pushes.flights[id] = flight
    transaction.effect(.notify(id, server, request))
  }

  // MARK: Answers

  /// Handles the answer of a notification server.
  func notified(
    _ id: RequestID, _ result: Result<NotificationResponse, SMPClientError>, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    guard let flight = pushes.flights[id] else { return [] }
    return try run(now) { transaction in
      transaction.change {
        self.pushes.flights[id] = nil
        self.pushes.isDue = true
      }
      var result = result
      if case .success(.err(let error)) = result { result = .failure(.relay(error)) }
      switch flight {
      case .token(let number, let action):
        transaction.change { self.pushes.isTokenInFlight = false }
        try self.finishTokenStep(number, action, with: result, in: transaction)
      case .check(let number, let call):
        try self.finishCheck(number, call, with: result, in: transaction)
      case .deletion(let deletion): try self.finishDeletion(deletion, with: result, in: transaction)
      case .queue(let queue, let step, let notifier, let token):
        transaction.change { self.pushes.queues[queue] = nil }
        try self.finish(step, ofQueue: queue, notifier: notifier, token: token, with: result, in: transaction)
      }
    }.effects
  }

  /// Lets a place wait after a failure, or use it again after a success.
  func note(_ error: SMPClientError?, at place: Int64, in transaction: AgentTransaction) {
    guard let error, error.isTemporary || error.isHostError else {
      transaction.change { self.pushes.pauses[place] = nil }
      return
    }
    // Others that were in flight fail for the same reason.
    guard pushes.pause(of: place, now: transaction.now) == nil else { return }
    let attempts = (pushes.pauses[place]?.attempts ?? 0) + 1
    let until = transaction.now + wait(configuration.retry, attempts: attempts)
    transaction.change { self.pushes.pauses[place] = NotificationWork.Pause(until: until, attempts: attempts) }
  }

  private func finishDeletion(
    _ deletion: TokenDeletion, with result: Result<NotificationResponse, SMPClientError>,
    in transaction: AgentTransaction
  ) throws {
    transaction.change { self.pushes.deletions.remove(deletion.number) }
    if case .failure(let error) = result, error.isTemporary || error.isHostError,
      transaction.now - deletion.createdAt < configuration.tokenDeletionTimeout
    {
      let attempts = deletion.attempts + 1
      return try store.delayTokenDeletion(
        deletion.number, attempts: attempts,
        until: transaction.now + wait(configuration.notificationRetry, attempts: attempts))
    }
    try store.removeTokenDeletion(deletion.number)
  }
}
