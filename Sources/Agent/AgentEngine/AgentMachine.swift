import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto

/// The state machine of the agent, with its database and without its network.
///
/// Governs: connections, their queues and ratchets, outgoing tasks and received messages. Each operation and each input
/// is one transaction; its effects are returned, after the transaction was committed. When an operation throws, nothing
/// changed and there are no effects; an input may then be repeated. Does not govern: connections to relays, time and
/// the order of inputs; the caller owns them. Time is passed as `now`, in milliseconds since 1970.
///
/// An engine belongs to one thread at a time. One that is discarded at any time, even within a transaction, loses
/// nothing: a new one on the same database continues.
public final class AgentMachine {
  /// The database.
  public let store: AgentDatabase
  /// The configuration; see ``reconfigure(_:now:)``.
  var configuration: AgentConfiguration
  let random: EngineRandom
  var keys: FreshKeys<EngineRandom>

  // What follows is not durable. It changes only after a transaction was committed.

  /// The states of the lanes that have tasks; lanes without an entry are idle.
  var lanes: [Lane: LaneState] = [:]
  /// Commands in flight.
  var flights = FlightTable()
  /// The calls that wait for tasks. Several callers may wait for the same operation.
  var calls: [Int64: [CallID]] = [:]
  /// The subscriptions, by the number of the queue.
  var subscriptions: [Int64: Subscription] = [:]
  /// Queues that another connection took over, to be subscribed again at the next maintenance.
  var endedSubscriptions: Set<Int64> = []
  /// Receive queues that were to be subscribed while the agent was not active, by number.
  var delayedSubscriptions: Set<Int64> = []
  /// The relays that refused to create the queue of a task, or were unreachable.
  var refusals: [Int64: CreationRefusals] = [:]
  /// Sessions that have a connection.
  var connectedSessions: Set<SessionKey> = []
  /// Lanes that wait because too many tasks are in flight.
  var backlog = FlightBacklog()
  /// The time at which the driver wakes the engine, and whether it is still to be passed to the driver.
  var wakeTime: Int64 = .max
  var wakeTimeChanged = false
  /// Whether operations are part of a larger transaction.
  var isInGroup = false
  /// Whether a commit or a flush failed, so that the memory may differ from the database; the engine cannot be used
  /// then.
  var isBroken = false
  var isOnline = true
  var activity: Activity
  /// The time at which expired rows are removed next.
  var maintenanceAt: Int64 = 0
  /// The time of the last note that the agent is alive; see ``noteAlive(_:interval:)``.
  var aliveAt: Int64 = 0
  /// Users that are being deleted, each with the number of the last connection whose deletion has begun.
  var deletingUsers: [UserID: Int64] = [:]
  /// Counters that are not stored yet.
  var counted: [SessionCounter: Int64] = [:]
  /// Acknowledgements without a response, with the times of their retries.
  var delayedAcknowledgements: [(at: Int64, acknowledgement: Acknowledgement)] = []

  /// The commands that were prepared ahead for tasks that start when the current transaction is committed.
  var preparedAhead: [Int64: PreparedTask] = [:]
  /// Writes that are postponed until the next transaction, because losing them is harmless: their inputs are repeated.
  var postponed: [() throws -> Void] = []
  /// The time at which they are stored at the latest.
  var postponedAt: Int64 = .max

  /// Connections with receipts to send, and the time at which they are sent.
  var owingReceipts: Set<Int64> = []
  var receiptsAt: Int64 = .max
  /// The time until which further receipts wait.
  var receiptsWaitUntil: Int64 = 0

  /// The work on pushes.
  var pushes = NotificationWork()
  /// Messages that are fetched because pushes announced them.
  var fetches: [FetchedQueue: FetchedMessages] = [:]
  /// What the agent does.
  var scope = AgentScope.everything

  /// The number of the last event, and the last number that is reserved.
  var lastEvent = EventID(rawValue: 0)
  var reservedEvents = EventID(rawValue: 0)
  private var lastTask: Int64 = 0
  private var lastCall: UInt64 = 0
  private var lastRequest: UInt64 = 0

  /// An engine on a database. Call ``start(confirming:now:)`` first.
  /// - Parameter isSuspended: whether no task is started before ``activate(now:)``.
  public init(
    store: AgentDatabase, configuration: AgentConfiguration = AgentConfiguration(),
    random: any RandomSource = SystemRandom(), isSuspended: Bool = false
  ) {
    self.store = store
    activity = isSuspended ? .suspended : .active
    self.configuration = configuration
    self.random = EngineRandom(random)
    keys = FreshKeys(self.random)
  }

  /// Resumes unfinished tasks, and returns the events that were not confirmed.
  /// - Parameter last: the last event that the application has taken, as in ``confirmEvents(through:now:)``.
  public func start(confirming last: EventID? = nil, now: Int64) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      self.lastTask = try self.store.lastTaskID()
      self.lastEvent = try self.store.reservedEvents()
      self.reservedEvents = self.lastEvent
      if let last {
        try self.store.removeEvents(through: last)
        self.skipEvents(through: last)
      }
      try self.correctTimes(transaction)
      try self.beginStatistics(transaction)
      try self.resumeCalls(transaction)
      try self.replayEvents(transaction)
      try self.deliverAgain(transaction)
      self.oweReceipts(try self.store.connectionsOwingReceipts(), in: transaction)
      if self.scope == .everything {
        for lane in try self.store.openLanes() { transaction.pump(lane) }
        try self.resumeDeletions(transaction)
      }
      self.resumeNotifications(in: transaction)
      transaction.change {
        self.maintenanceAt = now + self.configuration.maintenanceInterval
        self.schedule(self.maintenanceAt)
      }
    }.effects
  }

  /// Handles an input, and returns its effects.
  public func handle(_ input: AgentInput, now: Int64) throws(AgentError) -> [AgentEffect] {
    switch input {
    case .completed(let request, let result, let proxy):
      return try completed(request, result, proxy: proxy, now: now)
    case .notified(let request, let result): return try notified(request, result, now: now)
    case .session(let session, let event): return try handle(event, of: session, now: now)
    case .wake: return try wake(now: now)
    }
  }

  /// Flushes the commits of a store that does not flush each of them. Effects must not be performed, nor values
  /// returned to the application, before this has returned; one call flushes all operations and inputs since the last
  /// one.
  ///
  /// If it throws, none of their results may be reported, and the engine cannot be used any more: create a new one.
  public func synchronize() throws(AgentError) {
    if isBroken { throw .internalError("the database was not synchronized") }
    do {
      try store.synchronize()
    } catch {
      isBroken = true
      throw AgentError(error)
    }
  }

  /// Moves the log of the store to its file, and empties it. If it throws, nothing is lost, and the next
  /// ``synchronize()`` writes the log again where that is necessary.
  public func emptyLog() throws(AgentError) {
    if isBroken { throw .internalError("the database was not synchronized") }
    do { try store.emptyLog() } catch { throw AgentError(error) }
  }

  /// Creates a key ahead of time, so that messages need not wait for it; to be called when idle. Returns false if
  /// enough keys are there.
  public func prepareKeys() -> Bool {
    let stock = keys.stock
    if stock.kemKeys < Self.keyStock {
      keys.prepare(ratchetKeys: 0, kemKeys: stock.kemKeys + 1)
    } else if stock.ratchetKeys < Self.keyStock {
      keys.prepare(ratchetKeys: stock.ratchetKeys + 1, kemKeys: 0)
    } else {
      return false
    }
    return true
  }

  /// Releases caches.
  public func releaseMemory() { store.releaseMemory() }

  /// How many keys are created ahead.
  private static let keyStock = 4

  func makeTaskID() -> Int64 {
    lastTask += 1
    return lastTask
  }

  func makeCallID() -> CallID {
    lastCall += 1
    return CallID(rawValue: lastCall)
  }

  func makeRequestID() -> RequestID {
    lastRequest += 1
    return RequestID(rawValue: lastRequest)
  }
}

/// The engine's source of randomness, shared with its source of keys.
final class EngineRandom: RandomSource {
  private var base: any RandomSource

  init(_ base: any RandomSource) { self.base = base }

  func fill(_ buffer: UnsafeMutableRawBufferPointer) { base.fill(buffer) }
}

/// The engine's randomness for functions of the standard library that take a generator.
struct EngineGenerator: RandomNumberGenerator {
  var random: EngineRandom
  mutating func next() -> UInt64 { random.next() }
}

/// The state of a lane.
enum LaneState {
  /// Its first task is in flight.
  case busy(RequestID)
  /// Its first task is retried at this time, or when this relay is connected.
  case waiting(until: Int64, server: SMPServerAddress?)
}

/// A message that is acknowledged to its relay. Not durable: a message whose acknowledgement was lost is delivered
/// again, and then acknowledged again.
struct Acknowledgement {
  var session: SessionKey
  var queue: EntityID
  var key: AuthorizationPrivateKey
  var message: MessageID
  var attempts: Int64 = 0
}
