import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

/// One transaction, with the effects that follow its commit.
final class AgentTransaction {
  /// The time of its input.
  let now: Int64
  /// Whether its changes are repeated after a power failure anyway, so that its effects need not wait until it is
  /// durable.
  var mayBeLost = false
  /// Whether it has to be durable even if ``mayBeLost`` is set.
  var mustLast = false
  fileprivate(set) var effects: [AgentEffect] = []
  fileprivate var changes: [() -> Void] = []
  fileprivate var writes: [() throws -> Void] = []
  fileprivate(set) var lanes: [Lane] = []

  init(now: Int64) { self.now = now }

  /// Releases its closures, which may refer to the transaction itself.
  fileprivate func end() { (changes, writes) = ([], []) }

  /// Adds an effect.
  func effect(_ effect: AgentEffect) { effects.append(effect) }

  /// Adds a change of the memory, which is made after the commit.
  func change(_ change: @escaping () -> Void) { changes.append(change) }

  /// Stores something with the next transaction; see ``AgentMachine/postpone(_:_:)``.
  func write(_ write: @escaping () throws -> Void) { writes.append(write) }

  /// Starts the next task of a lane after the commit.
  func pump(_ lane: Lane) { if lanes.last != lane { lanes.append(lane) } }
}

extension AgentMachine {
  /// Runs `body` in a transaction, then starts the tasks that follow from it.
  func run<Value>(
    _ now: Int64, _ body: (AgentTransaction) throws -> Value
  ) throws(AgentError) -> (value: Value, effects: [AgentEffect]) {
    if isBroken { throw .internalError("a group of operations was not committed") }
    let transaction = AgentTransaction(now: now)
    defer { transaction.end() }
    let value: Value
    do {
      try isInGroup ? store.beginNested() : store.begin()
      for write in postponed { try write() }
      if !isInGroup { store.mayLoseChangesSoFar() }
      value = try body(transaction)
      for write in transaction.writes { try write() }
      if store.hasUnreadable { try setUnreadableAside(transaction) }
      try isInGroup ? store.commitNested() : store.commit(mayBeLost: transaction.mayBeLost && !transaction.mustLast)
    } catch {
      isInGroup ? store.rollbackNested() : store.rollback()
      throw AgentError(any: error)
    }
    forgetPostponed()
    finish(transaction)
    return (value, transaction.effects)
  }

  private func finish(_ transaction: AgentTransaction) {
    for change in transaction.changes { change() }
    for lane in transaction.lanes { pump(lane, in: transaction) }
    pumpBacklog(transaction)
    pumpNotifications(transaction)
    finishSuspension(transaction)
    if wakeTimeChanged {
      wakeTimeChanged = false
      transaction.effect(.wake(at: wakeTime))
    }
  }

  /// Runs `body`, whose writes are postponed to the next transaction, or to the time at which receipts are sent, so
  /// that they cost no transaction of their own. Only for writes whose loss is harmless because their inputs are
  /// repeated. The next read stores them first.
  func postpone<Value>(
    _ now: Int64, _ body: (AgentTransaction) throws -> Value
  ) throws(AgentError) -> (value: Value, effects: [AgentEffect]) {
    if isBroken { throw .internalError("the database was not synchronized") }
    let transaction = AgentTransaction(now: now)
    defer { transaction.end() }
    let value = try read { try body(transaction) }
    if !transaction.writes.isEmpty, postponed.isEmpty, activity != .suspended {
      postponedAt = now + configuration.receiptDelay
      schedule(postponedAt)
    }
    postponed += transaction.writes
    // A suspended agent has no timer.
    if activity == .suspended { try storePostponed() }
    finish(transaction)
    return (value, transaction.effects)
  }

  /// Stores postponed writes; to be called before the engine is released.
  public func storePostponed() throws(AgentError) {
    guard !postponed.isEmpty, !isBroken else { return }
    do {
      try isInGroup ? store.beginNested() : store.begin()
      for write in postponed { try write() }
      try isInGroup ? store.commitNested() : store.commit(mayBeLost: true)
    } catch {
      isInGroup ? store.rollbackNested() : store.rollback()
      throw AgentError(any: error)
    }
    forgetPostponed()
  }

  private func forgetPostponed() {
    postponed = []
    postponedAt = .max
  }

  /// Runs several operations and inputs in one transaction. One that throws is undone alone. The effects of all are to
  /// be performed after this returns.
  ///
  /// If this itself throws, nothing of the group was stored, and the engine cannot be used any more: create a new one.
  public func group<Value>(_ body: () -> Value) throws(AgentError) -> Value {
    if isBroken || isInGroup { throw .prohibited("a group within a group") }
    do {
      try store.begin()
      isInGroup = true
      defer { isInGroup = false }
      let value = body()
      try store.commit()
      return value
    } catch {
      store.rollback()
      isBroken = true
      throw AgentError(any: error)
    }
  }

  /// Runs `body` within a savepoint: if it throws, only its changes and effects are undone.
  func savepoint(in transaction: AgentTransaction, _ body: () throws -> Void) throws {
    let (effects, changes, lanes) = (transaction.effects.count, transaction.changes.count, transaction.lanes.count)
    try store.beginNested()
    do {
      try body()
      try store.commitNested()
    } catch {
      store.rollbackNested()
      transaction.effects.removeLast(transaction.effects.count - effects)
      transaction.changes.removeLast(transaction.changes.count - changes)
      transaction.lanes.removeLast(transaction.lanes.count - lanes)
      throw error
    }
  }

  /// Reads without changing anything.
  func read<Value>(_ body: () throws -> Value) throws(AgentError) -> Value {
    try storePostponed()
    do { return try body() } catch { throw AgentError(any: error) }
  }

  // MARK: Operations of transactions

  /// Emits an event; those with a stored form are kept until they are confirmed.
  func emit(
    _ kind: AgentEvent.Kind, connection: ConnectionID?, tag: CorrelationTag? = nil, in transaction: AgentTransaction
  ) throws {
    var id: EventID?
    if let payload = try kind.storedPayload() {
      let number = try makeEventID(transaction)
      try store.insert(StoredEvent(id: number, connection: connection, tag: tag, payload: payload))
      id = number
    }
    transaction.effect(.event(AgentEvent(id: id, connection: connection, tag: tag, kind)))
  }

  /// Emits an event that is about no connection.
  func emit(_ kind: AgentEvent.Kind, in transaction: AgentTransaction) throws {
    try emit(kind, connection: nil, in: transaction)
  }

  /// Adds a task.
  @discardableResult
  func add(
    _ kind: AgentTask.Kind, to lane: Lane?, of connection: Int64, payload: [UInt8] = [], message: Int64 = 0,
    key: Int64? = nil, body: Int64? = nil, for caller: TaskCaller = TaskCaller(), in transaction: AgentTransaction
  ) throws -> AgentTask {
    let id = makeTaskID()
    var task = AgentTask(
      id: id, lane: lane ?? .single(id), connection: connection, kind: kind, message: message, payload: payload,
      body: body, createdAt: transaction.now)
    task.messageKey = key
    task.tag = caller.tag
    task.isCall = caller.isCall
    try store.insert(task)
    if !caller.calls.isEmpty { transaction.change { self.calls[id] = caller.calls } }
    // A call is tried, or fails, now and not with the next retry of what is before it.
    if caller.isCall, case .waiting = lanes[task.lane] { try endWaiting(of: task.lane, in: transaction) }
    transaction.pump(task.lane)
    return task
  }

  /// Removes a task that succeeded or failed. False if it was removed before.
  @discardableResult
  func remove(_ task: AgentTask, in transaction: AgentTransaction) throws -> Bool {
    transaction.change {
      self.calls[task.id] = nil
      self.refusals[task.id] = nil
    }
    transaction.pump(task.lane)
    return try store.removeTask(task)
  }

  /// Acknowledges a message to its relay.
  func acknowledge(
    _ message: MessageID, of queue: ReceiveQueue, on connection: StoredConnection, in transaction: AgentTransaction
  ) {
    send(
      Acknowledgement(
        session: session(queue.server, connection), queue: queue.recipientID, key: queue.key, message: message),
      in: transaction)
  }

  func send(_ acknowledgement: Acknowledgement, in transaction: AgentTransaction) {
    // The relay delivers the message again with the next subscription, and it is acknowledged then.
    if activity == .suspended { return }
    let id = makeRequestID()
    let flight = Flight(
      work: .acknowledgement(acknowledgement), session: acknowledgement.session, startedAt: transaction.now)
    transaction.change { self.flights[id] = flight }
    transaction.effect(
      .perform(
        id, acknowledgement.session,
        RequestPipeline.Request(
          .ack(acknowledgement.message), entity: acknowledgement.queue, key: acknowledgement.key), .direct))
    count(.ackAttempts, at: acknowledgement.session, in: transaction)
  }

  /// The session that commands about a connection use.
  func session(_ server: SMPServerAddress, _ connection: StoredConnection) -> SessionKey {
    SessionKey(
      server: server, user: connection.user,
      entity: configuration.isolation == .perConnection ? EntityID(connection.id.bytes) : nil)
  }

  // MARK: Lookups

  /// The connection with an identifier, unless it is being deleted.
  func connection(_ id: ConnectionID) throws -> StoredConnection {
    guard let connection = try store.connection(id), connection.deletion == .no else {
      throw AgentError.connection(.notFound)
    }
    return connection
  }

  /// The ratchet of a connection; throws if there is none.
  func ratchet(of connection: StoredConnection) throws -> StoredRatchet {
    guard let ratchet = try store.ratchet(of: connection.number) else {
      throw AgentError.prohibited("the connection has no ratchet")
    }
    return ratchet
  }

  /// Checks that there is such a user.
  func require(_ user: UserID) throws {
    guard try store.userIsActive(user) == true else { throw AgentError.noUser }
  }
}

extension AgentError {
  /// Any error that operations of the engine can throw.
  init(any error: any Error) {
    switch error {
    case let error as AgentError: self = error
    case let error as SQLiteError: self.init(error)
    case let error as WireError: self = .peer(.malformed(error))
    case let error as RatchetError: self.init(error)
    case let error as LinkDataError: self = .peer(.link(.data(error)))
    case let error as CryptoError: self = .peer(.box(error))
    case let error as MessageBoxError:
      switch error {
      case .crypto(let error): self = .peer(.box(error))
      case .malformed(let error): self = .peer(.malformed(error))
      }
    default: self = .internalError("\(error)")
    }
  }

  init(_ error: RatchetError) {
    switch error {
    case .messageTooLong(let limit): self = .tooLarge(limit: limit)
    case .duplicateMessage: self = .peer(.duplicate(nil))
    case .malformed(let error): self = .peer(.malformed(error))
    case .cannotSendYet: self = .prohibited("nothing can be sent before the peer's first message")
    default: self = .peer(.crypto(error))
    }
  }
}
