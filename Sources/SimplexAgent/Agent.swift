import AgentCore
import AgentEngine
import AgentStore
import SMPClient
import SMPClientCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Duplex connections through relays: runs an ``AgentEngine/AgentEngine`` with a database, a clock and a network.
///
/// Governs: threads, sessions with relays, time, and the stream of events. Does not govern: anything that is decided or
/// remembered, which is the engine's.
///
/// The engine's transactions run on a queue of their own, so that they do not block Swift's pool of threads. What the
/// engine wants done is done after its transaction was committed.
public actor Agent {
  /// How an agent uses its machine.
  public struct Options: Sendable {
    /// What the engine decides by.
    public var configuration = AgentConfiguration()
    /// How relays are connected to.
    public var network = SMPClientConfiguration()
    /// When so many events wait to be read, nothing more is taken from relays.
    public var eventLimit = 4_096

    /// The usual options.
    public init() {}
  }

  /// What happens, in order, for one reader.
  public nonisolated let events: AgentEvents
  /// The agent's own queue.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  private nonisolated let queue = SerialQueue(label: "SimplexAgent")
  private nonisolated let inbox = Inbox()
  private nonisolated let channel: EventChannel
  private let options: Options
  private var engine: AgentEngine?
  private var sessions: [SessionKey: AgentSession] = [:]
  private var calls: [CallID: CheckedContinuation<Result<CallOutcome, AgentError>, Never>] = [:]
  private var alarm: (time: Int64, task: Task<Void, Never>)?
  private var isPreparingKeys = false

  private init(_ options: Options) {
    self.options = options
    channel = EventChannel(limit: options.eventLimit)
    events = AgentEvents(channel: channel)
  }

  deinit {
    channel.finish()
    alarm?.task.cancel()
  }

  /// Opens an agent's database and takes up what was left undone. Nothing is subscribed before ``subscribe(_:)`` or
  /// ``subscribeAll()``.
  /// - Parameter store: opens the database; called on the agent's own thread.
  public static func open(
    _ options: Options = Options(), random: any RandomSource & Sendable = SystemRandom(),
    store: @Sendable () throws(SQLiteError) -> AgentStore
  ) async throws(AgentError) -> Agent {
    let agent = Agent(options)
    try await agent.start(random, store)
    return agent
  }

  /// Opens the database at a path; see ``open(_:random:store:)``.
  public static func open(
    path: String, passphrase: SecretBytes? = nil, _ options: Options = Options()
  ) async throws(AgentError) -> Agent {
    try await open(options) { () throws(SQLiteError) in try AgentStore(path: path, passphrase: passphrase) }
  }

  private func start(
    _ random: any RandomSource & Sendable, _ open: @Sendable () throws(SQLiteError) -> AgentStore
  ) throws(AgentError) {
    let store: AgentStore
    do { store = try open() } catch { throw AgentError(error) }
    let engine = AgentEngine(store: store, configuration: options.configuration, random: random)
    self.engine = engine
    perform(try engine.start(now: now))
  }

  /// Closes connections and the database. Calls that wait fail; the stream of events ends. What was not done yet is
  /// taken up by the next agent on the same database.
  public func close() async {
    guard engine != nil else { return }
    engine = nil
    alarm?.task.cancel()
    alarm = nil
    let waiting = calls.values
    calls = [:]
    for call in waiting { call.resume(returning: .failure(.inactive)) }
    channel.finish()
    let open = sessions.values
    sessions = [:]
    await withDiscardingTaskGroup { group in
      for session in open { group.addTask { await session.close() } }
    }
  }

  // MARK: Operations

  var now: Int64 { millisecondsSince1970() }

  /// Runs SQL that a person typed on the database, to look at it; at most `limit` rows as text. Who changes something
  /// should know what: it is not checked, and what is in memory does not follow.
  public func rows(of sql: String, limit: Int = 10_000) throws(AgentError) -> [String] {
    try withEngine { (engine) throws(AgentError) in
      do throws(SQLiteError) { return try engine.store.rows(of: sql, limit: limit) } catch { throw AgentError(error) }
    }
  }

  /// Uses the engine.
  /// - Throws: `inactive` after ``close()``.
  func withEngine<Value>(_ body: (AgentEngine) throws(AgentError) -> Value) throws(AgentError) -> Value {
    guard let engine else { throw .inactive }
    return try body(engine)
  }

  /// Runs an operation and does what it wants done.
  func run(_ body: (AgentEngine) throws(AgentError) -> [AgentEffect]) throws(AgentError) {
    perform(try withEngine(body))
  }

  /// Runs an operation and does what it wants done.
  func run<Value>(_ body: (AgentEngine) throws(AgentError) -> Accepted<Value>) throws(AgentError) -> Value {
    let accepted = try withEngine(body)
    perform(accepted.effects)
    return accepted.value
  }

  /// Runs an operation that gives a call, and waits for the network.
  func call<Value>(
    _ body: (AgentEngine) throws(AgentError) -> Accepted<Value>, _ call: (Value) -> CallID?
  ) async throws(AgentError) -> (Value, CallOutcome) {
    let accepted = try withEngine(body)
    guard let id = call(accepted.value) else {
      perform(accepted.effects)
      return (accepted.value, .done)
    }
    let result = await withCheckedContinuation { continuation in
      calls[id] = continuation
      // Only now, because the call may be complete at once.
      perform(accepted.effects)
    }
    return (accepted.value, try result.get())
  }

  // MARK: Inputs

  /// Something happened outside.
  private nonisolated func received(_ input: AgentInput) {
    guard inbox.add(input) else { return }
    queue.run { [weak self] in self?.assumeIsolated { $0.handleInputs() } }
  }

  /// Handles everything that happened meanwhile.
  private func handleInputs() {
    while true {
      let inputs = inbox.take()
      if inputs.isEmpty { break }
      guard let engine else { continue }
      for input in inputs {
        do throws(AgentError) {
          perform(try engine.handle(input, now: now))
        } catch {
          channel.send([AgentEvent(.failed(error))])
        }
      }
    }
    prepareKeysWhenIdle()
  }

  /// Makes keys ahead of time while there is nothing else to do.
  private func prepareKeysWhenIdle() {
    guard !isPreparingKeys, engine != nil else { return }
    isPreparingKeys = true
    queue.run { [weak self] in self?.assumeIsolated { $0.prepareKeys() } }
  }

  private func prepareKeys() {
    isPreparingKeys = false
    if engine?.prepareKeys() == true { prepareKeysWhenIdle() }
  }

  // MARK: Effects

  private func perform(_ effects: [AgentEffect]) {
    var events: [AgentEvent] = []
    for effect in effects {
      switch effect {
      case .event(let event): events.append(event)
      case .complete(let call, let result): calls.removeValue(forKey: call)?.resume(returning: result)
      case .wake(let time): setAlarm(at: time)
      case .subscribe(let key, let queues): session(key).subscribe(queues)
      case .addSubscribed(let key, let queue, let privateKey): session(key).addSubscribed(queue, key: privateKey)
      case .unsubscribe(let key, let queues): sessions[key]?.unsubscribe(queues)
      case .perform(let id, let key, let request, let route): perform(id, key, request, route)
      case .disconnect(let key):
        if let session = sessions.removeValue(forKey: key) { Task { await session.close() } }
      }
    }
    if !events.isEmpty { channel.send(events) }
  }

  private func perform(_ id: RequestID, _ key: SessionKey, _ request: RequestPipeline.Request, _ route: SendRoute) {
    switch route {
    case .direct:
      session(key).perform(request) { [weak self] in self?.received(.completed(id, $0)) }
    case .proxied(let proxy, let allowsDirect):
      var proxyKey = key
      proxyKey.server = proxy
      let client = session(proxyKey).client
      Task { [weak self] in
        do throws(SMPClientError) {
          let response = try await client.perform(request, through: key.server)
          self?.received(.completed(id, .success(response), proxy: proxy))
        } catch {
          guard allowsDirect, error.isProxyProblem else {
            self?.received(.completed(id, .failure(error), proxy: proxy))
            return
          }
          await self?.perform(id, key, request, .direct)
        }
      }
    }
  }

  private func session(_ key: SessionKey) -> AgentSession {
    if let session = sessions[key] { return session }
    let channel = channel
    let session = AgentSession(key.server, options.network) { [weak self] event in
      await channel.waitForRoom()
      self?.received(.session(key, event))
    }
    sessions[key] = session
    return session
  }

  /// Lets the clients of relays connect now, instead of after their pauses.
  func retryConnections() {
    for session in sessions.values { Task { await session.client.retryNow() } }
  }

  private func setAlarm(at time: Int64) {
    if let alarm, alarm.time == time { return }
    alarm?.task.cancel()
    let pause = max(0, time - now)
    let task = Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(pause))
      if !Task.isCancelled { await self?.wake(at: time) }
    }
    alarm = (time, task)
  }

  private func wake(at time: Int64) {
    if alarm?.time == time { alarm = nil }
    received(.wake)
  }
}

extension SMPClientError {
  /// Whether the relay in between is the reason, so that the direct way may work.
  fileprivate var isProxyProblem: Bool {
    switch self {
    case .proxy, .network, .noHost, .closed, .timeout: true
    default: false
    }
  }
}

/// Now, in milliseconds since 1970.
func millisecondsSince1970() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}
