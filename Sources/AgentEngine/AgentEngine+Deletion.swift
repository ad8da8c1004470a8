import AgentCore
import AgentStore
import SMPClientCore
import SMPProtocol

extension AgentEngine {
  /// Deletes connections: at once for the application, at the relays as soon as possible, or once their messages are
  /// sent. Those that do not exist are passed over.
  public func delete(
    _ ids: [ConnectionID], waitForDelivery: Bool = false, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { turn in
      var deleted: [ConnectionID] = []
      for id in ids {
        guard let connection = try self.store.connection(id) else { continue }
        if try self.delete(connection, waitForDelivery: waitForDelivery, turn) { deleted.append(id) }
      }
      if !deleted.isEmpty { try self.emit(.connectionsDeleted(deleted), turn) }
    }.effects
  }

  /// Begins deleting a connection, and gives whether it is gone already.
  private func delete(_ connection: StoredConnection, waitForDelivery: Bool, _ turn: Turn) throws -> Bool {
    if connection.deletion == .queues { return false }
    let queues = try store.allReceiveQueues(of: connection.number)
    let waits = try waitForDelivery && store.hasMessagesToSend(connection.number)
    for queue in queues where subscriptions[queue.number] != nil { removeSubscription(queue, connection, turn) }
    try store.setDeletion(
      connection.number, waits ? .afterDelivery : .queues, at: turn.now + configuration.deleteDeliveryTimeout)
    for task in try store.tasks(of: connection.number) where task.kind != .deleteQueue {
      if waits, task.lane.kind == .sendQueue { continue }
      if let call = calls[task.id] { turn.effect(.complete(call, .failure(.connection(.notFound)))) }
      try remove(task, turn)
    }
    for queue in queues where !queue.isDeleted { try deleteLater(queue, connection, turn) }
    if waits || queues.contains(where: { !$0.isDeleted }) { return false }
    return try removeIfDone(connection.number, turn)
  }

  /// A queue is not used any more, and is deleted at its relay.
  func deleteLater(_ queue: ReceiveQueue, _ connection: StoredConnection, _ turn: Turn) throws {
    var queue = queue
    queue.isDeleted = true
    queue.isSubscribed = false
    try store.update(queue)
    if subscriptions[queue.number] != nil { removeSubscription(queue, connection, turn) }
    for task in try store.tasks(in: .receiveQueue(queue.number)) where task.kind != .deleteQueue {
      try remove(task, turn)
    }
    if try !store.tasks(in: .receiveQueue(queue.number)).contains(where: { $0.kind == .deleteQueue }) {
      try add(.deleteQueue, in: .receiveQueue(queue.number), of: connection.number, turn)
    }
  }

  /// A relay deleted a queue, or did not.
  func finishDeletion(
    _ task: AgentTask, _ flight: Flight, _ result: Result<BrokerMessage, SMPClientError>, _ turn: Turn
  ) throws {
    let server = flight.session.server
    count(.deleteAttempts, flight.session, turn)
    var problem: AgentError?
    switch result {
    case .success(.ok), .failure(.relay(.AUTH)): break
    case .success(let message): problem = .server(server, .unexpectedResponse(message.form.keyword))
    case .failure(let error):
      problem = .server(server, error)
      if error.isTemporary || error.isHostError, task.attempts + 1 < configuration.deleteAttempts {
        return try retry(task, configuration.retry, server: server, turn)
      }
      count(.deleteErrors, flight.session, turn)
    }
    guard try remove(task, turn), let queue = try store.receiveQueue(number: task.lane.number) else { return }
    count(.connectionsDeleted, flight.session, turn)
    try store.removeReceiveQueue(queue.number)
    guard let connection = try store.connection(number: queue.connection) else { return }
    if subscriptions[queue.number] != nil { removeSubscription(queue, connection, turn) }
    if connection.deletion == .no {
      // A queue that was replaced, or one that was to replace another.
      if queue.switchStatus == .receivedMessage {
        try emit(.switched(.receive, .completed, try stats(connection)), connection.id, turn)
      }
      return
    }
    let deleted = DeletedQueue(
      connection: connection.id, server: server, queue: queue.recipientID, error: problem)
    try emit(.receiveQueuesDeleted([deleted]), turn)
    if connection.deletion == .queues, try removeIfDone(connection.number, turn) {
      try emit(.connectionsDeleted([connection.id]), turn)
    }
  }

  /// The last message of a connection that waits for it was sent, or given up.
  func deliveredBeforeDeletion(_ connection: StoredConnection, _ turn: Turn) throws {
    guard connection.deletion == .afterDelivery, try !store.hasMessagesToSend(connection.number) else { return }
    try store.setDeletion(connection.number, .queues, at: turn.now)
    if try removeIfDone(connection.number, turn) { try emit(.connectionsDeleted([connection.id]), turn) }
  }

  /// Removes a connection that has no queues at relays any more, and its user if that was the last one.
  private func removeIfDone(_ number: Int64, _ turn: Turn) throws -> Bool {
    guard try store.allReceiveQueues(of: number).isEmpty, let connection = try store.connection(number: number) else {
      return false
    }
    for task in try store.tasks(of: number) { try remove(task, turn) }
    try store.removeConnection(number)
    try removeUserIfDone(connection.user, turn)
    return true
  }

  /// Connections that waited too long for their messages.
  func expireDeletions(_ turn: Turn) throws {
    for (connection, time) in try store.deletedConnections() where time <= turn.now {
      if connection.deletion == .afterDelivery { try store.setDeletion(connection.number, .queues, at: turn.now) }
      if try removeIfDone(connection.number, turn) { try emit(.connectionsDeleted([connection.id]), turn) }
    }
  }

  /// Takes no messages any more (OFF).
  public func suspend(
    _ id: ConnectionID, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<CallID?> {
    let (call, effects) = try run(now) { turn in
      let connection = try self.connection(id)
      let queues = try self.store.receiveQueues(of: connection.number)
      guard let last = queues.last else {
        throw try self.store.sendQueues(of: connection.number).isEmpty
          ? AgentError.prohibited("the connection has no queue") : AgentError.connection(.simplex)
      }
      let (call, tag) = self.caller(waiting)
      for queue in queues {
        let isLast = queue.number == last.number
        try self.add(
          .suspendQueue, in: .receiveQueue(queue.number), of: connection.number, tag: isLast ? tag : nil,
          call: isLast ? call : nil, turn)
      }
      return call
    }
    return Accepted(call, effects)
  }
}

// MARK: Users

extension AgentEngine {
  /// Creates a user.
  public func createUser(servers: [UserServer], now: Int64) throws(AgentError) -> UserID {
    try run(now) { _ in
      let user = try self.store.insertUser()
      try self.store.setServers(servers, for: user)
      return user
    }.value
  }

  /// Replaces the relays of a user.
  public func setServers(_ servers: [UserServer], for user: UserID) throws(AgentError) {
    _ = try run(0) { _ in
      try self.require(user)
      try self.store.setServers(servers, for: user)
    }
  }

  /// Deletes a user with all connections; their queues are deleted at the relays if `deletingQueues` says so.
  /// `userDeleted` follows as an event when all of them are gone. Of thousands of connections the first are deleted at
  /// once and the others in further transactions, so that nothing else has to wait for all of them.
  public func deleteUser(
    _ user: UserID, deletingQueues: Bool, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { turn in
      try self.require(user)
      try self.store.markUserDeleted(user, deletingQueues: deletingQueues)
      try self.deleteConnections(of: user, after: 0, turn)
    }.effects
  }

  /// How many connections of a user are deleted in one transaction.
  private static let deletedAtOnce = 50

  /// Takes up deletions of users that the last engine did not finish.
  func resumeDeletions(_ turn: Turn) throws {
    for user in try store.deletedUsers() {
      turn.change {
        self.deletingUsers[user] = 0
        self.schedule(turn.now)
      }
    }
  }

  /// Deletes the next connections of a user who is being deleted.
  func deleteMoreConnections(_ turn: Turn) throws {
    guard activity == .active, let (user, last) = deletingUsers.min(by: { $0.key < $1.key }) else { return }
    try deleteConnections(of: user, after: last, turn)
  }

  private func deleteConnections(of user: UserID, after last: Int64, _ turn: Turn) throws {
    let deletingQueues = try store.deletesQueues(of: user)
    let connections = try store.connections(of: user, after: last, limit: Self.deletedAtOnce)
    for connection in connections {
      if deletingQueues {
        _ = try delete(connection, waitForDelivery: false, turn)
      } else {
        try remove(connection, turn)
      }
    }
    turn.change {
      self.deletingUsers[user] = connections.count < Self.deletedAtOnce ? nil : connections.last?.number
      if !self.deletingUsers.isEmpty { self.schedule(turn.now) }
    }
    try removeUserIfDone(user, turn)
  }

  /// Removes a connection and leaves its queues at their relays.
  private func remove(_ connection: StoredConnection, _ turn: Turn) throws {
    for queue in try store.allReceiveQueues(of: connection.number) where subscriptions[queue.number] != nil {
      removeSubscription(queue, connection, turn)
    }
    for task in try store.tasks(of: connection.number) { try remove(task, turn) }
    try store.removeConnection(connection.number)
  }

  private func removeUserIfDone(_ user: UserID, _ turn: Turn) throws {
    guard try store.userIsActive(user) == false, try !store.hasConnections(user) else { return }
    try store.removeUser(user)
    try emit(.userDeleted(user), turn)
  }
}
