import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

/// One transaction: what it wants done once it is committed.
final class Turn {
  /// When it is.
  let now: Int64
  /// Whether it happens again by itself, should what it changes be lost by a power failure, so that nobody has to wait
  /// until that is durable.
  var mayBeLost = false
  fileprivate(set) var effects: [AgentEffect] = []
  fileprivate var changes: [() -> Void] = []
  fileprivate var writes: [() throws -> Void] = []
  fileprivate(set) var lanes: [Lane] = []

  init(now: Int64) { self.now = now }

  /// Lets go what it wanted changed, which may refer to the turn itself.
  fileprivate func end() { (changes, writes) = ([], []) }

  /// Wants something done outside.
  func effect(_ effect: AgentEffect) { effects.append(effect) }

  /// Changes what is not durable.
  func change(_ change: @escaping () -> Void) { changes.append(change) }

  /// Stores something with the next transaction; see ``AgentEngine/postpone(_:_:)``.
  func write(_ write: @escaping () throws -> Void) { writes.append(write) }

  /// Wants the next task of a lane started.
  func pump(_ lane: Lane) { if lanes.last != lane { lanes.append(lane) } }
}

extension AgentEngine {
  /// Runs `body` in a transaction, then starts what it wants started.
  func run<Value>(
    _ now: Int64, _ body: (Turn) throws -> Value
  ) throws(AgentError) -> (value: Value, effects: [AgentEffect]) {
    if isBroken { throw .internalError("a group of operations was not committed") }
    let turn = Turn(now: now)
    defer { turn.end() }
    let value: Value
    do {
      try isInGroup ? store.beginNested() : store.begin()
      for write in postponed { try write() }
      value = try body(turn)
      for write in turn.writes { try write() }
      try isInGroup ? store.commitNested() : store.commit(mayBeLost: turn.mayBeLost)
    } catch {
      isInGroup ? store.rollbackNested() : store.rollback()
      throw AgentError(any: error)
    }
    forgetPostponed()
    finish(turn)
    return (value, turn.effects)
  }

  private func finish(_ turn: Turn) {
    for change in turn.changes { change() }
    for lane in turn.lanes { pump(lane, turn) }
    pumpBacklog(turn)
    finishSuspension(turn)
    if wakeTimeChanged {
      wakeTimeChanged = false
      turn.effect(.wake(at: wakeTime))
    }
  }

  /// Runs `body`, which reads and gives the turn what is to be written. That is stored with the next transaction, at the
  /// cost of none, and at the latest when receipts would be sent; it has to be something that happens again by itself,
  /// should it be lost. Nobody sees the database without it.
  func postpone<Value>(
    _ now: Int64, _ body: (Turn) throws -> Value
  ) throws(AgentError) -> (value: Value, effects: [AgentEffect]) {
    if isBroken { throw .internalError("the database was not synchronized") }
    let turn = Turn(now: now)
    defer { turn.end() }
    let value = try read { try body(turn) }
    if !turn.writes.isEmpty, postponed.isEmpty {
      postponedAt = now + configuration.receiptDelay
      schedule(postponedAt)
    }
    postponed += turn.writes
    finish(turn)
    return (value, turn.effects)
  }

  /// Stores what was postponed until the next transaction; to be called before the engine is let go.
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

  /// Runs several operations and inputs as one transaction, which costs as much as one. Each of them that throws is
  /// undone alone. The effects of all are to be performed after this returns.
  ///
  /// When this itself throws, nothing of the group was stored, and the engine cannot be used any more: make a new one.
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

  /// Does a part of a transaction that is undone alone if it throws.
  func part(of turn: Turn, _ body: () throws -> Void) throws {
    let (effects, changes, lanes) = (turn.effects.count, turn.changes.count, turn.lanes.count)
    try store.beginNested()
    do {
      try body()
      try store.commitNested()
    } catch {
      store.rollbackNested()
      turn.effects.removeLast(turn.effects.count - effects)
      turn.changes.removeLast(turn.changes.count - changes)
      turn.lanes.removeLast(turn.lanes.count - lanes)
      throw error
    }
  }

  /// Reads without changing anything.
  func read<Value>(_ body: () throws -> Value) throws(AgentError) -> Value {
    try storePostponed()
    do { return try body() } catch { throw AgentError(any: error) }
  }

  // MARK: What transactions do

  /// Tells the application. Events that would not come again by other means are kept until they are confirmed.
  func emit(
    _ kind: AgentEvent.Kind, _ connection: ConnectionID?, tag: CorrelationTag? = nil, _ turn: Turn
  ) throws {
    var id: EventID?
    if let payload = try kind.storedPayload() {
      id = try store.insertEvent(connection: connection, tag: tag, payload: payload)
    }
    turn.effect(.event(AgentEvent(id: id, connection: connection, tag: tag, kind)))
  }

  /// Tells the application about no connection in particular.
  func emit(_ kind: AgentEvent.Kind, _ turn: Turn) throws { try emit(kind, nil, turn) }

  /// Adds a task.
  @discardableResult
  func add(
    _ kind: AgentTask.Kind, in lane: Lane?, of connection: Int64, payload: [UInt8] = [], message: Int64 = 0,
    body: Int64? = nil, tag: CorrelationTag? = nil, call: CallID? = nil, _ turn: Turn
  ) throws -> AgentTask {
    let id = makeTaskID()
    var task = AgentTask(
      id: id, lane: lane ?? .single(id), connection: connection, kind: kind, message: message, payload: payload,
      body: body, createdAt: turn.now)
    task.tag = tag
    task.isCall = call != nil
    try store.insert(task)
    if let call { turn.change { self.calls[id] = call } }
    turn.pump(task.lane)
    return task
  }

  /// Removes a task that is done or given up. False if it was removed before.
  @discardableResult
  func remove(_ task: AgentTask, _ turn: Turn) throws -> Bool {
    turn.change {
      self.calls[task.id] = nil
      self.refusals[task.id] = nil
    }
    turn.pump(task.lane)
    return try store.removeTask(task)
  }

  /// Acknowledges a message to its relay.
  func acknowledge(_ message: MessageID, of queue: ReceiveQueue, _ connection: StoredConnection, _ turn: Turn) {
    send(
      Acknowledgement(
        session: session(queue.server, connection), queue: queue.recipientID, key: queue.key, message: message),
      turn)
  }

  func send(_ acknowledgement: Acknowledgement, _ turn: Turn) {
    let id = makeRequestID()
    let flight = Flight(
      work: .acknowledgement(acknowledgement), session: acknowledgement.session, startedAt: turn.now)
    turn.change { self.flights[id] = flight }
    turn.effect(
      .perform(
        id, acknowledgement.session,
        RequestPipeline.Request(
          .ack(acknowledgement.message), entity: acknowledgement.queue, key: acknowledgement.key), .direct))
    count(.ackAttempts, acknowledgement.session, turn)
  }

  /// The session that commands about a connection use.
  func session(_ server: SMPServer, _ connection: StoredConnection) -> SessionKey {
    SessionKey(
      server: server, user: connection.user,
      entity: configuration.isolation == .perConnection ? EntityID(connection.id.bytes) : nil)
  }

  // MARK: Finding things

  /// The connection with an identifier, unless it is being deleted.
  func connection(_ id: ConnectionID) throws -> StoredConnection {
    guard let connection = try store.connection(id), connection.deletion == .no else {
      throw AgentError.connection(.notFound)
    }
    return connection
  }

  /// The ratchet of a connection, which has to have one.
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
