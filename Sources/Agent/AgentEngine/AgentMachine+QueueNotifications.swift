import AgentCore
import AgentStore
import NotificationProtocol
import SMPClientCore
import SMPProtocol

// The subscriptions of queues for pushes. Which step is next follows from a row, its queue and the token
// (`QueueNotifications.step`).

extension AgentMachine {
  /// Whether messages of a connection are pushed: its queues get notifiers.
  func pushesMessages(of connection: StoredConnection) throws -> Bool {
    guard connection.notifications, let token = try store.notificationToken() else { return false }
    return token.pushesMessages
  }

  /// Whether push notifications are enabled for a connection: subscribes its queues for pushes, or ends that.
  public func setNotifications(
    _ id: ConnectionID, enabled: Bool, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      var connection = try self.connection(id)
      connection.notifications = enabled
      try self.store.update(connection)
      let isWanted = try self.pushesMessages(of: connection)
      for queue in try self.store.receiveQueues(of: connection.number) {
        if isWanted {
          try self.wantNotifications(of: queue, in: transaction)
        } else {
          try self.unwantNotifications(of: queue.number, in: transaction)
        }
      }
    }.effects
  }

  /// Subscribes a queue for pushes.
  func wantNotifications(of queue: ReceiveQueue, in transaction: AgentTransaction) throws {
    var row = try store.queueNotifications(queue.number) ?? QueueNotifications(queue: queue.number, isWanted: false)
    guard !row.isWanted else { return }
    row.isWanted = true
    row.attempts = 0
    row.dueAt = transaction.now
    try settle(row, in: transaction)
    resumeNotifications(in: transaction)
  }

  /// Ends the subscription of a queue, if it has one.
  func unwantNotifications(of queue: Int64, in transaction: AgentTransaction) throws {
    guard var row = try store.queueNotifications(queue), row.isWanted else { return }
    row.isWanted = false
    row.attempts = 0
    row.dueAt = transaction.now
    try settle(row, in: transaction)
    resumeNotifications(in: transaction)
  }

  /// The next step of a queue's subscription.
  func step(
    of row: QueueNotifications, queue: ReceiveQueue?, token: NotificationToken?
  ) -> QueueNotificationStep {
    let exists = queue.map { !$0.isDeleted && $0.status != .disabled } ?? false
    return row.step(exists: exists, notifier: queue?.notifier?.notifierID, token: token)
  }

  /// Stores a row with the place of its next step, or removes it where nothing is left of it.
  func settle(_ row: QueueNotifications, in transaction: AgentTransaction) throws {
    var row = row
    let queue = try store.receiveQueue(number: row.queue)
    let step = step(of: row, queue: queue, token: try store.notificationToken())
    switch step {
    case .forget: return try store.removeNotifications(ofQueue: row.queue)
    case .wait: row.dueAt = nil
    default: row.dueAt = row.dueAt ?? transaction.now
    }
    let place = step.isAtRelay ? try queue.map { try store.number(of: $0.server) } ?? 0 : 0
    try store.put(row, place: place)
  }

  // MARK: Answers

  /// Handles the answer of a relay to NKEY, or without keys to NDEL.
  func notifierChanged(
    _ number: Int64, _ material: NotifierMaterial?, at session: SessionKey,
    with result: Result<BrokerMessage, SMPClientError>, in transaction: AgentTransaction
  ) throws {
    let place = pushes.queues[number]
    transaction.change {
      self.pushes.queues[number] = nil
      self.pushes.isDue = true
    }
    guard var row = try store.queueNotifications(number) else { return }
    var failure: SMPClientError?
    switch (material, result) {
    case (let material?, .success(.nid(let ids))):
      let notifier = try material.credentials(ids)
      try update(receiveQueue: number) { $0.notifier = notifier }
      row.notifierCreated(now: transaction.now)
    case (nil, .success(.ok)), (nil, .failure(.relay(.AUTH))):
      try update(receiveQueue: number) { $0.notifier = nil }
      row.dueAt = transaction.now
    case (_, .success(let message)): failure = .unexpectedResponse(message.form.keyword)
    case (_, .failure(let error)): failure = error
    }
    if let place { note(failure, at: place, in: transaction) }
    if let failure {
      let problem = AgentError.server(session.server, failure)
      try fail(&row, with: problem, isTemporary: failure.isTemporary || failure.isHostError, in: transaction)
    }
    try settle(row, in: transaction)
  }

  /// Handles the answer of the notification server to a step of a queue.
  func finish(
    _ step: QueueNotificationStep, ofQueue number: Int64, notifier: EntityID?, token id: EntityID?,
    with result: Result<NotificationResponse, SMPClientError>, in transaction: AgentTransaction
  ) throws {
    guard var row = try store.queueNotifications(number) else { return }
    let token = try store.notificationToken()
    var failure: SMPClientError?
    switch (step, result) {
    case (.subscribe, .success(.idsub(let subscription))):
      guard let notifier, let id else { return }
      row.subscribed(subscription, notifier: notifier, token: id, now: transaction.now)
    case (.check, .success(.sub(let status))):
      if !row.checked(status, now: transaction.now) { try renew(&row, in: transaction) }
    case (.unsubscribe, .success(.ok)), (.unsubscribe, .failure(.relay(.AUTH))):
      row.unsubscribed(now: transaction.now)
    case (.subscribe, .failure(.relay(.AUTH))), (.check, .failure(.relay(.AUTH))):
      try renew(&row, in: transaction)
      // Perhaps the server does not know the token.
      if row.attempts > 1 { try checkTokenSoon(transaction) }
    case (_, .success(let response)): failure = .unexpectedResponse(response.form.keyword)
    case (_, .failure(let error)): failure = error
    }
    note(failure, at: 0, in: transaction)
    // A decision that was made while the command was under way does not wait for the next check.
    if failure == nil, row.attempts == 0 {
      let next = self.step(of: row, queue: try store.receiveQueue(number: number), token: token)
      if next != .check { row.dueAt = transaction.now }
    }
    if let failure, let server = token?.server {
      let problem = AgentError.notificationServer(server, failure)
      try fail(&row, with: problem, isTemporary: failure.isTemporary || failure.isHostError, in: transaction)
    }
    try settle(row, in: transaction)
  }

  /// A new notifier is created for a queue whose subscription is of no use.
  private func renew(_ row: inout QueueNotifications, in transaction: AgentTransaction) throws {
    try update(receiveQueue: row.queue) { $0.notifier = nil }
    row.renew(now: transaction.now) { wait(configuration.notificationRetry, attempts: $0) }
  }

  private func checkTokenSoon(_ transaction: AgentTransaction) throws {
    guard var token = try store.notificationToken(), token.action == .check, let time = token.dueAt,
      time - transaction.now < NotificationToken.checkInterval - 600_000
    else { return }
    token.dueAt = transaction.now
    try store.update(token)
  }

  /// Notes a failure: the step is tried again later.
  private func fail(
    _ row: inout QueueNotifications, with error: AgentError, isTemporary: Bool, in transaction: AgentTransaction
  ) throws {
    row.attempts += 1
    guard !isTemporary else {
      row.dueAt = transaction.now + wait(configuration.notificationRetry, attempts: row.attempts)
      return
    }
    row.dueAt = transaction.now + QueueNotifications.checkInterval
    guard let queue = try store.receiveQueue(number: row.queue),
      let connection = try store.connectionID(queue.connection)
    else { return }
    transaction.effect(.event(AgentEvent(.connectionsFailed([(connection: connection, error: error)]))))
  }
}
