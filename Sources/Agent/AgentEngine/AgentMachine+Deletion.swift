import AgentCore
import AgentStore
import SMPClientCore
import SMPProtocol

extension AgentMachine {
  /// Deletes connections: at once for the application, at the relays as soon as possible, or once their messages are
  /// sent. Connections that do not exist are ignored.
  public func delete(
    _ ids: [ConnectionID], waitForDelivery: Bool = false, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      var deleted: [ConnectionID] = []
      for id in ids {
        guard let connection = try self.store.connection(id) else { continue }
        if try self.delete(connection, waitForDelivery: waitForDelivery, in: transaction) { deleted.append(id) }
      }
      if !deleted.isEmpty { try self.emit(.connectionsDeleted(deleted), in: transaction) }
    }.effects
  }

  /// Begins deleting a connection, and returns whether it is gone already.
  private func delete(_ connection: StoredConnection, waitForDelivery: Bool, in transaction: AgentTransaction) throws
    -> Bool
  {
    if connection.deletion == .queues { return false }
    let queues = try store.allReceiveQueues(of: connection.number)
    let waits = try waitForDelivery && store.hasMessagesToSend(connection.number)
    for queue in queues where subscriptions[queue.number] != nil {
      removeSubscription(queue, of: connection, in: transaction)
    }
    try store.setDeletion(
      connection.number, waits ? .afterDelivery : .queues, at: transaction.now + configuration.deleteDeliveryTimeout)
    for task in try store.tasks(of: connection.number) where task.kind != .deleteQueue {
      if waits, task.lane.kind == .sendQueue { continue }
      complete(task, with: .failure(.connection(.notFound)), in: transaction)
      try remove(task, in: transaction)
    }
    for queue in queues where !queue.isDeleted { try deleteLater(queue, of: connection, in: transaction) }
    if waits || queues.contains(where: { !$0.isDeleted }) { return false }
    return try removeIfDone(connection.number, in: transaction)
  }

  /// Stops using a queue, and deletes it at its relay.
  func deleteLater(_ queue: ReceiveQueue, of connection: StoredConnection, in transaction: AgentTransaction) throws {
    var queue = queue
    queue.isDeleted = true
    queue.isSubscribed = false
    try store.update(queue)
    try unwantNotifications(of: queue.number, in: transaction)
    if subscriptions[queue.number] != nil { removeSubscription(queue, of: connection, in: transaction) }
    for task in try store.tasks(in: .receiveQueue(queue.number)) where task.kind != .deleteQueue {
      // Where the queue is replaced, calls about it can be repeated with the new one.
      complete(task, with: .failure(.inactive), in: transaction)
      try remove(task, in: transaction)
    }
    if try !store.tasks(in: .receiveQueue(queue.number)).contains(where: { $0.kind == .deleteQueue }) {
      try add(.deleteQueue, to: .receiveQueue(queue.number), of: connection.number, in: transaction)
    }
  }

  /// Handles the answer of a relay to the deletion of a queue.
  func finishDeletion(
    _ task: AgentTask, flight: Flight, result: Result<BrokerMessage, SMPClientError>, in transaction: AgentTransaction
  ) throws {
    let server = flight.session.server
    count(.deleteAttempts, at: flight.session, in: transaction)
    var problem: AgentError?
    switch result {
    case .success(.ok), .failure(.relay(.AUTH)): break
    case .success(let message): problem = .server(server, .unexpectedResponse(message.form.keyword))
    case .failure(let error):
      problem = .server(server, error)
      if error.isTemporary || error.isHostError, task.attempts + 1 < configuration.deleteAttempts {
        return try retry(task, policy: configuration.retry, server: server, in: transaction)
      }
      count(.deleteErrors, at: flight.session, in: transaction)
    }
    guard try remove(task, in: transaction), let queue = try store.receiveQueue(number: task.lane.number) else {
      return
    }
    count(.connectionsDeleted, at: flight.session, in: transaction)
    try store.removeReceiveQueue(queue.number)
    guard let connection = try store.connection(number: queue.connection) else { return }
    if subscriptions[queue.number] != nil { removeSubscription(queue, of: connection, in: transaction) }
    if connection.deletion == .no {
      // A replaced queue, or the replacement of a queue.
      if queue.switchStatus == .receivedMessage {
        try emit(.switched(.receive, .completed, try stats(connection)), connection: connection.id, in: transaction)
      }
      return
    }
    let deleted = DeletedQueue(
      connection: connection.id, server: server, queue: queue.recipientID, error: problem)
    try emit(.receiveQueuesDeleted([deleted]), in: transaction)
    if connection.deletion == .queues, try removeIfDone(connection.number, in: transaction) {
      try emit(.connectionsDeleted([connection.id]), in: transaction)
    }
  }

  /// Continues the deletion of a connection that waited for its last message, which was sent or failed.
  func deliveredBeforeDeletion(_ connection: StoredConnection, in transaction: AgentTransaction) throws {
    guard connection.deletion == .afterDelivery, try !store.hasMessagesToSend(connection.number) else { return }
    try store.setDeletion(connection.number, .queues, at: transaction.now)
    if try removeIfDone(connection.number, in: transaction) {
      try emit(.connectionsDeleted([connection.id]), in: transaction)
    }
  }

  /// Removes a connection that has no queues at relays any more, and its user if that was the last one.
  private func removeIfDone(_ number: Int64, in transaction: AgentTransaction) throws -> Bool {
    guard try store.allReceiveQueues(of: number).isEmpty, let connection = try store.connection(number: number) else {
      return false
    }
    for task in try store.tasks(of: number) { try remove(task, in: transaction) }
    try store.removeConnection(number)
    try removeUserIfDone(connection.user, in: transaction)
    return true
  }

  /// Deletes connections that waited too long for the delivery of their messages.
  func expireDeletions(_ transaction: AgentTransaction) throws {
    for (connection, time) in try store.deletedConnections() where time <= transaction.now {
      if connection.deletion == .afterDelivery {
        try store.setDeletion(connection.number, .queues, at: transaction.now)
      }
      if try removeIfDone(connection.number, in: transaction) {
        try emit(.connectionsDeleted([connection.id]), in: transaction)
      }
    }
  }

  /// Suspends a queue at its relay, which then accepts no messages (OFF).
  public func suspend(
    _ id: ConnectionID, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<CallID?> {
    let (call, effects) = try run(now) { transaction in
      let connection = try self.connection(id)
      let queues = try self.store.receiveQueues(of: connection.number)
      guard let last = queues.last else {
        throw try self.store.sendQueues(of: connection.number).isEmpty
          ? AgentError.prohibited("suspendConnection") : AgentError.connection(.simplex)
      }
      let caller = self.caller(waiting)
      for queue in queues {
        let isLast = queue.number == last.number
        try self.add(
          .suspendQueue, to: .receiveQueue(queue.number), of: connection.number,
          for: isLast ? caller : TaskCaller(), in: transaction)
      }
      return caller.call
    }
    return Accepted(call, effects)
  }
}

// MARK: Users

extension AgentMachine {
  /// Creates a user.
  public func createUser(servers: [AgentUserServer], now: Int64) throws(AgentError) -> UserID {
    try run(now) { _ in
      let user = try self.store.insertUser()
      try self.store.setServers(servers, for: user)
      return user
    }.value
  }

  /// Replaces the relays of a user; writes nothing where they are the same.
  public func setServers(_ servers: [AgentUserServer], for user: UserID) throws(AgentError) {
    if try read({ try store.servers(of: user) }) == servers { return }
    _ = try run(0) { _ in
      try self.require(user)
      try self.store.setServers(servers, for: user)
    }
  }

  /// Deletes a user with all connections; their queues are deleted at the relays if `deletingQueues` says so. If so,
  /// `userDeleted` follows as an event when all of them are gone. Connections beyond the first batch are deleted in
  /// further transactions, so that other inputs do not wait for all of them.
  /// - Returns: the user's files, which are forgotten: what relays have of those in progress is deleted there.
  public func deleteUser(
    _ user: UserID, deletingQueues: Bool, now: Int64
  ) throws(AgentError) -> Accepted<UserFiles> {
    let (files, effects) = try run(now) { transaction in
      guard let isActive = try self.store.userIsActive(user) else {
        // It was deleted before; the application may have missed the result.
        try self.emit(.userDeleted(user), in: transaction)
        return UserFiles()
      }
      if !isActive { return UserFiles() }
      let files = try self.withdrawFiles(of: user, transaction.now)
      try self.store.markUserDeleted(user, deletingQueues: deletingQueues)
      try self.deleteConnections(of: user, after: 0, in: transaction)
      return files
    }
    return Accepted(files, effects)
  }

  /// How many connections of a user are deleted in one transaction.
  private static let deletedAtOnce = 50

  /// Resumes deletions of users that the last engine did not finish.
  func resumeDeletions(_ transaction: AgentTransaction) throws {
    for user in try store.deletedUsers() {
      transaction.change {
        self.deletingUsers[user] = 0
        self.schedule(transaction.now)
      }
    }
  }

  /// Deletes the next connections of a user who is being deleted.
  func deleteMoreConnections(_ transaction: AgentTransaction) throws {
    guard activity == .active, scope == .everything, let (user, last) = deletingUsers.min(by: { $0.key < $1.key })
    else { return }
    try deleteConnections(of: user, after: last, in: transaction)
  }

  private func deleteConnections(of user: UserID, after last: Int64, in transaction: AgentTransaction) throws {
    let deletingQueues = try store.deletesQueues(of: user)
    let connections = try store.connections(of: user, after: last, limit: Self.deletedAtOnce)
    for connection in connections {
      if deletingQueues {
        _ = try delete(connection, waitForDelivery: false, in: transaction)
      } else {
        try remove(connection, in: transaction)
      }
    }
    transaction.change {
      self.deletingUsers[user] = connections.count < Self.deletedAtOnce ? nil : connections.last?.number
      if !self.deletingUsers.isEmpty { self.schedule(transaction.now) }
    }
    try removeUserIfDone(user, in: transaction)
  }

  /// Removes a connection and leaves its queues at their relays. Calls that wait for it fail.
  private func remove(_ connection: StoredConnection, in transaction: AgentTransaction) throws {
    for queue in try store.allReceiveQueues(of: connection.number) where subscriptions[queue.number] != nil {
      removeSubscription(queue, of: connection, in: transaction)
    }
    for task in try store.tasks(of: connection.number) {
      complete(task, with: .failure(.connection(.notFound)), in: transaction)
      try remove(task, in: transaction)
    }
    try store.removeConnection(connection.number)
  }

  private func removeUserIfDone(_ user: UserID, in transaction: AgentTransaction) throws {
    guard try store.userIsActive(user) == false, try !store.hasConnections(user) else { return }
    let deletingQueues = try store.deletesQueues(of: user)
    try store.removeUser(user)
    if deletingQueues { try emit(.userDeleted(user), in: transaction) }
  }
}
