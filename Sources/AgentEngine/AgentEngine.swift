import AgentCore
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SimplexCrypto

/// The agent without its network: everything it decides and remembers.
///
/// Governs: connections, their queues and ratchets, what has to be sent and what was received. Each operation and each
/// input is one transaction; what it wants done outside is returned as effects, after the transaction was committed.
/// When an operation throws, nothing changed and nothing is to be done; an input may then be given again. Does not
/// govern: connections to relays, time and the order in which things happen; the caller owns them. Time comes in as
/// `now`, in milliseconds since 1970.
///
/// An engine belongs to one thread at a time. One that is thrown away at any moment, even within a transaction, loses
/// nothing: a new one on the same database goes on.
public final class AgentEngine {
  /// The database.
  public let store: AgentStore
  /// What it decides by; see ``reconfigure(_:now:)``.
  var configuration: AgentConfiguration
  let random: EngineRandom
  var keys: FreshKeys<EngineRandom>

  // What follows is not durable. It changes only after a transaction was committed.

  /// What happens in the lanes that have tasks; those that are not named here are idle.
  var lanes: [Lane: LaneState] = [:]
  /// Commands on their way.
  var flights: [RequestID: Flight] = [:]
  /// The calls that wait for tasks.
  var calls: [Int64: CallID] = [:]
  /// What is subscribed, by the number of the queue.
  var subscriptions: [Int64: Subscription] = [:]
  /// Queues that another connection took over, to be subscribed again when there is time for it.
  var endedSubscriptions: Set<Int64> = []
  /// The relays that refused to create the queue of a task, or could not be reached.
  var refusals: [Int64: CreationRefusals] = [:]
  /// Sessions that have a connection.
  var connectedSessions: Set<SessionKey> = []
  /// Lanes that have to wait because too many tasks are on their way.
  var backlog: [Lane] = []
  /// When the driver was asked to wake the engine, and whether it has still to be told.
  var wakeTime: Int64 = .max
  var wakeTimeChanged = false
  /// Whether operations are part of a larger transaction.
  var isInGroup = false
  /// Whether what is in memory is not what is stored.
  var isBroken = false
  var isOnline = true
  var activity = Activity.active
  /// When the rows that are too old are removed next.
  var maintenanceAt: Int64 = 0
  /// Users that are being deleted, with the number of the connection up to which that has begun.
  var deletingUsers: [UserID: Int64] = [:]
  /// What was counted and is not stored yet.
  var counted: [SessionCounter: Int64] = [:]
  /// Acknowledgements that were not answered, and when they are sent again.
  var delayedAcknowledgements: [(at: Int64, acknowledgement: Acknowledgement)] = []

  /// The commands of tasks that are started when the transaction at hand is committed.
  var preparedAhead: [Int64: PreparedTask] = [:]
  /// What is stored with the next transaction, because it happens again by itself, should it be lost.
  var postponed: [() throws -> Void] = []
  /// When that is stored at the latest.
  var postponedAt: Int64 = .max

  /// Connections with receipts to send, and when they are sent.
  var owingReceipts: Set<Int64> = []
  var receiptsAt: Int64 = .max

  private var lastTask: Int64 = 0
  private var lastCall: UInt64 = 0
  private var lastRequest: UInt64 = 0

  /// An engine on a database. Call ``start(now:)`` first.
  public init(
    store: AgentStore, configuration: AgentConfiguration = AgentConfiguration(),
    random: any RandomSource = SystemRandom()
  ) {
    self.store = store
    self.configuration = configuration
    self.random = EngineRandom(random)
    keys = FreshKeys(self.random)
  }

  /// Takes up what was left undone, and gives events that were not confirmed.
  public func start(now: Int64) throws(AgentError) -> [AgentEffect] {
    try run(now) { turn in
      self.lastTask = try self.store.lastTaskID()
      try self.resumeCalls(turn)
      try self.replayEvents(turn)
      try self.deliverAgain(turn)
      self.oweReceipts(try self.store.connectionsOwingReceipts(), turn)
      for lane in try self.store.openLanes() { turn.pump(lane) }
      try self.resumeDeletions(turn)
      turn.change {
        self.maintenanceAt = now + self.configuration.maintenanceInterval
        self.schedule(self.maintenanceAt)
      }
    }.effects
  }

  /// What follows from something that happened outside.
  public func handle(_ input: AgentInput, now: Int64) throws(AgentError) -> [AgentEffect] {
    switch input {
    case .completed(let request, let result, let proxy):
      return try completed(request, result, proxy: proxy, now: now)
    case .session(let session, let event): return try handle(event, of: session, now: now)
    case .wake: return try wake(now: now)
    }
  }

  /// Makes what was done durable, on a store whose commits do not wait for it. Effects must not be performed, nor values
  /// given away, before this has returned; one call serves all operations and inputs since the last one.
  ///
  /// When it throws, nobody may be told of them, and the engine cannot be used any more: make a new one.
  public func synchronize() throws(AgentError) {
    if isBroken { throw .internalError("the database was not synchronized") }
    do {
      try store.synchronize()
    } catch {
      isBroken = true
      throw AgentError(error)
    }
  }

  /// Makes keys ahead of time, so that messages need not wait for it; to be called when there is nothing else to do.
  /// Makes one key at most, and gives false if there are enough.
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

  /// Gives back memory that only makes later work faster.
  public func releaseMemory() { store.releaseMemory() }

  /// How many keys are made ahead.
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

/// The engine's randomness where the standard library wants one of its own generators.
struct EngineGenerator: RandomNumberGenerator {
  var random: EngineRandom
  mutating func next() -> UInt64 { random.next() }
}

/// What a lane does.
enum LaneState {
  /// Its first task is on its way.
  case busy(RequestID)
  /// Its first task is tried again at this time, or when this relay is connected.
  case waiting(until: Int64, server: SMPServer?)
}

/// A command on its way to a relay.
struct Flight {
  enum Work {
    case task(AgentTask)
    /// The keys of a queue that is being created.
    case creation(AgentTask, QueueMaterial)
    /// The test of a relay, at a step.
    case serverTest(AgentTask, QueueMaterial, ServerTestState)
    case acknowledgement(Acknowledgement)
    /// The question how a queue is that was silent for long.
    case silence(Int64)
    /// Nobody waits for the answer.
    case nothing
  }

  var work: Work
  var session: SessionKey
  var startedAt: Int64
}

/// A message that is acknowledged to its relay. Not durable: a message whose acknowledgement was lost is delivered again,
/// and then acknowledged again.
struct Acknowledgement {
  var session: SessionKey
  var queue: EntityID
  var key: AuthorizationPrivateKey
  var message: MessageID
  var attempts: Int64 = 0
}

/// Whether the agent may start commands.
enum Activity: Equatable {
  case active
  /// Nothing new is started; `suspended` is told when nothing is on its way any more, or at this time.
  case suspending(until: Int64)
  case suspended
}
