import AgentCore
import AgentEngine
import AgentStore
import CivilTime
import SMPClient
import SMPClientCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import SimplexTransport

/// Duplex connections through relays: runs an `AgentMachine` with a database, a clock and a network.
///
/// Governs: threads, sessions with relays, time, and the stream of events. Does not govern: anything that is decided or
/// remembered, which is the engine's.
///
/// The engine's transactions run on a queue of their own, so that they do not block Swift's pool of threads. The
/// effects of a transaction are performed, and its results are returned, after it is durable. The database is
/// synchronized once for all transactions that are there by then: the busier an agent is, the less each of them waits.
public actor Agent {
  /// The options of an agent.
  public struct Options: Sendable {
    /// The configuration of the engine.
    public var configuration = AgentConfiguration()
    /// The configuration of connections to relays.
    public var network = SMPClientConfiguration()
    /// What a session shows to the SOCKS proxy, so that the proxy keeps sessions apart, where the network's
    /// configuration says nothing of it.
    public var proxyCredentials: (@Sendable (SessionKey) -> SOCKS5Credentials?)?
    /// The additional time for each KB of a chunk of a file, beyond that for a command, where nothing else is
    /// transferred.
    public var fileTimePerKB = Duration.milliseconds(40)
    /// The number of unread events at which nothing more is received from relays.
    public var eventLimit = 4_096
    /// Whether the network is used from the start, before ``Agent/setNetwork(online:)``.
    public var isOnline = true
    /// A commit after which the database ends as if the process had been killed; for tests.
    package var crashPoint: CrashPoint?
    /// The clock of the agent, for tests; nil for the wall clock at the time when the agent is opened.
    package var clock: SteadyClock?
    /// Measures the transactions of the database; for benchmarks.
    package var transactionTimes: TransactionTimes?

    /// The usual options.
    public init() {}
  }

  /// The events, in order, for one reader.
  public nonisolated let events: AgentEvents
  /// Runs tasks on the agent's thread, for those who have much to do with it.
  public nonisolated var taskExecutor: any TaskExecutor { queue.tasks }
  /// The agent's own queue.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  nonisolated let queue = SerialQueue(label: "SimplexAgent")
  /// The time of the engine. Changes of the wall clock while the agent is open end no retry and no expiry.
  nonisolated let clock: SteadyClock
  private nonisolated let inbox = Inbox()
  private nonisolated let channel: AgentEventChannel
  private(set) var options: Options
  /// The work on files, while it is started.
  private(set) var transfers: FileTransfers?
  private let openStore: @Sendable () throws(SQLiteError) -> AgentDatabase
  private let lastEvent: EventID?
  private let random: any RandomSource & Sendable
  private var engine: AgentMachine?
  /// Counts engines: what happens to requests of an earlier one is of no interest to the next.
  private(set) var generation = 0
  private var sessions: [SessionKey: AgentSession] = [:]
  /// Sessions with notification servers.
  var notificationSessions: [NotificationServer: NotificationSession] = [:]
  /// Counts sessions: what happens in one that was closed is of no interest.
  private var sessionCount = 0
  /// Counts how often all sessions were closed.
  private var networkCount = 0
  /// Whether the next engine starts nothing.
  private var isSuspended: Bool
  private var calls: [CallID: (Result<CallOutcome, AgentError>) -> Void] = [:]
  private var alarm: (time: Int64, task: Task<Void, Never>)?
  private var isPreparingKeys = false
  /// Effects to perform, in order, once everything so far is durable.
  private var held: [AgentEffect] = []
  /// Callers that wait until everything so far is durable.
  private var waiting: [(AgentError?) -> Void] = []
  private var isFlushScheduled = false
  /// Why there is no engine, after the database failed and before it is opened again.
  private var failure: AgentError?
  /// When the database failed last, and how long was waited then before it was opened again.
  private var lastFailure: (time: ContinuousClock.Instant, pause: Duration)?
  /// Whether the next engine has to subscribe.
  private var needsSubscribing = false
  var resting: Task<Void, Never>?
  var wasUsed = false

  private init(
    _ options: Options, random: any RandomSource & Sendable, lastEvent: EventID?, isSuspended: Bool,
    openStore: @escaping @Sendable () throws(SQLiteError) -> AgentDatabase
  ) {
    var options = options
    if options.network.executor == nil { options.network.executor = queue.tasks }
    self.options = options
    clock = options.clock ?? SteadyClock(millisecondsSince1970: millisecondsSince1970())
    self.random = random
    self.openStore = openStore
    self.lastEvent = lastEvent
    self.isSuspended = isSuspended
    channel = AgentEventChannel(limit: options.eventLimit)
    events = AgentEvents(channel: channel)
  }

  deinit {
    channel.finish()
    _ = inbox.take()
    alarm?.task.cancel()
    resting?.cancel()
  }

  /// Opens an agent's database and resumes what was left undone. Nothing is subscribed before ``subscribe(_:)`` or
  /// ``subscribeAll()``.
  /// - Parameters:
  ///   - last: the last event that the application has taken, as in ``confirmEvents(through:)``.
  ///   - suspended: whether it starts nothing before ``activate()``.
  ///   - store: opens the database; called on the agent's own thread, and again after the database failed.
  public static func open(
    _ options: Options = Options(), confirming last: EventID? = nil, suspended: Bool = false,
    random: any RandomSource & Sendable = SystemRandom(),
    store: @escaping @Sendable () throws(SQLiteError) -> AgentDatabase
  ) async throws(AgentError) -> Agent {
    let agent = Agent(options, random: random, lastEvent: last, isSuspended: suspended, openStore: store)
    try await agent.start()
    return agent
  }

  /// Opens the database at a path; see ``open(_:confirming:suspended:random:store:)``.
  public static func open(
    path: String, passphrase: SecretBytes? = nil, confirming last: EventID? = nil, suspended: Bool = false,
    _ options: Options = Options()
  ) async throws(AgentError) -> Agent {
    try await open(options, confirming: last, suspended: suspended) { () throws(SQLiteError) in
      try options.crashPoint?.check()
      let store = try AgentDatabase(path: path, passphrase: passphrase, synchronous: .normal)
      store.crashPoint = options.crashPoint
      store.times = options.transactionTimes
      return store
    }
  }

  private func start() throws(AgentError) {
    let store: AgentDatabase
    do { store = try openStore() } catch { throw AgentError(error) }
    let engine = AgentMachine(
      store: store, configuration: options.configuration, random: random, isSuspended: isSuspended)
    self.engine = engine
    if !options.isOnline { _ = try engine.setNetwork(online: false, now: now) }
    hold(try engine.start(confirming: lastEvent, now: now))
  }

  /// Closes connections and the database. Calls that wait fail; the stream of events ends. What was not done yet is
  /// resumed by the next agent on the same database.
  public func close() async {
    await transfers?.end()
    await closeAtOnce().value
  }

  /// Closes as ``close()`` does, but for steps of files that end by themselves, such as flushing a large one.
  /// - Returns: a task that ends with these steps. No other agent may start files in the same folder before.
  public func closeAtOnce() async -> Task<Void, Never> {
    guard engine != nil || failure != nil else { return Task {} }
    let transfers = takeTransfers()
    await transfers?.end(waits: false)
    try? engine?.storePostponed()
    flush()
    let open = abandon(.inactive)
    failure = nil
    resting?.cancel()
    resting = nil
    channel.finish()
    await withDiscardingTaskGroup { group in
      for session in open { group.addTask { await session.close() } }
    }
    return Task { await transfers?.idle() }
  }

  /// Ends as if the process were killed: what was committed and not reported yet is never reported. For simulations.
  package func kill() async {
    let open = abandon(.inactive)
    failure = nil
    resting?.cancel()
    resting = nil
    channel.finish()
    await takeTransfers()?.end()
    for session in open { await session.close() }
  }

  /// The work on files, for whoever ends it.
  func takeTransfers() -> FileTransfers? {
    defer { transfers = nil }
    return transfers
  }

  /// Begins to work on files; nothing runs before it is started.
  func makeTransfers(in folders: TransferFolders, onlySends: Bool) throws(AgentError) -> FileTransfers {
    try withEngine { (_, _) throws(AgentError) in }
    let transfers = FileTransfers(
      self, folders: folders, network: FileNetwork(options), onlySends: onlySends, isActive: !isSuspended,
      isOnline: options.isOnline)
    self.transfers = transfers
    return transfers
  }

  /// Releases the engine; callers get the error. Returns the sessions, to be closed.
  private func abandon(_ error: AgentError) -> [AgentSession] {
    engine = nil
    generation += 1
    alarm?.task.cancel()
    alarm = nil
    held = []
    let waiting = waiting
    self.waiting = []
    for waiter in waiting { waiter(error) }
    let open = Array(sessions.values)
    sessions = [:]
    closeNotificationSessions()
    let calls = calls.values
    self.calls = [:]
    for call in calls { call(.failure(error)) }
    return open
  }

  /// Uses the engine.
  /// - Throws: `inactive` after ``close()``.
  func withEngine<Value>(_ body: (AgentMachine, Int64) throws(AgentError) -> Value) throws(AgentError) -> Value {
    guard let engine else { throw failure ?? .inactive }
    return try body(engine, now)
  }

  /// An engine that is made after a failure of the database begins as this one is.
  func remember(isOnline: Bool) { options.isOnline = isOnline }

  private var now: Int64 { clock.milliseconds }

  /// Adds a waiter for the outcome of a call.
  func wait(for call: CallID, _ waiter: @escaping (Result<CallOutcome, AgentError>) -> Void) { calls[call] = waiter }

  // MARK: Durability

  /// Performs effects, and calls the waiter, once everything so far is durable.
  func hold(_ effects: [AgentEffect], _ waiter: ((AgentError?) -> Void)? = nil) {
    held += effects
    if let waiter { waiting.append(waiter) }
    guard !isFlushScheduled, !held.isEmpty || !waiting.isEmpty else { return }
    isFlushScheduled = true
    // What is in the queue already comes first, and shares the synchronization.
    queue.run { [weak self] in self?.assumeIsolated { $0.flush() } }
  }

  private func flush() {
    isFlushScheduled = false
    guard !held.isEmpty || !waiting.isEmpty else { return }
    do throws(AgentError) { try engine?.synchronize() } catch { return restart(after: error) }
    let (effects, waiting) = (held, waiting)
    held = []
    self.waiting = []
    perform(effects)
    for waiter in waiting { waiter(nil) }
  }

  /// The database failed, and what of the last transactions is stored is not known: their effects are not
  /// performed, and an engine that reads what is stored continues.
  private func restart(after error: AgentError) {
    needsSubscribing = needsSubscribing || engine?.hasSubscriptions == true
    channel.send([AgentEvent(.failed(error))])
    reopenLater(after: error)
  }

  /// Lets the engine go, and opens the database again after a pause, which grows while the database keeps failing.
  private func reopenLater(after error: AgentError) {
    for session in abandon(error) { Task { await session.close() } }
    failure = error
    let now = ContinuousClock.now
    let pause: Duration =
      if let lastFailure, now - lastFailure.time < .seconds(120) { min(lastFailure.pause * 2, .seconds(60)) } else {
        .milliseconds(100)
      }
    lastFailure = (now, pause)
    Task { [weak self] in
      try? await Task.sleep(for: pause)
      await self?.reopen()
    }
  }

  private func reopen() {
    guard failure != nil, engine == nil else { return }
    do throws(AgentError) {
      try start()
      if needsSubscribing, let engine { hold(try engine.subscribeAll(now: now)) }
      try engine?.synchronize()
      needsSubscribing = false
      failure = nil
    } catch {
      reopenLater(after: error)
    }
  }

  // MARK: Inputs

  /// Something happened outside.
  nonisolated func received(_ input: AgentInput, _ generation: Int, session: Int? = nil) {
    guard inbox.add((generation, session, input)) else { return }
    scheduleInputs()
  }

  private nonisolated func scheduleInputs() {
    queue.run { [weak self] in self?.assumeIsolated { $0.handleInputs() } }
  }

  /// Handles everything that happened meanwhile.
  private func handleInputs() {
    let inputs = inbox.take()
    if inputs.isEmpty { return prepareKeysWhenIdle() }
    for (generation, session, input) in inputs where generation == self.generation {
      guard let engine else { break }
      if let session, case .session(let key, _) = input, sessions[key]?.number != session { continue }
      do throws(AgentError) {
        hold(try engine.handle(input, now: now))
      } catch {
        guard error.isOutage else {
          channel.send([AgentEvent(.failed(error))])
          continue
        }
        // What was committed before still counts. What happened now is not known to the next engine, which asks relays
        // again.
        flush()
        if self.engine != nil { restart(after: error) }
      }
    }
    restWhenIdle()
    // What comes now waits until these are durable.
    scheduleInputs()
  }

  /// Creates keys ahead of time while the agent is idle.
  private func prepareKeysWhenIdle() {
    guard !isPreparingKeys, engine != nil else { return }
    isPreparingKeys = true
    queue.run { [weak self] in self?.assumeIsolated { $0.prepareKeys() } }
  }

  private func prepareKeys() {
    isPreparingKeys = false
    if engine?.prepareKeys() == true { prepareKeysWhenIdle() }
  }

  func releaseMemory() { engine?.releaseMemory() }

  // MARK: Effects

  private func perform(_ effects: [AgentEffect]) {
    var events: [AgentEvent] = []
    for effect in effects {
      switch effect {
      case .event(let event): events.append(event)
      case .complete(let call, let result): calls.removeValue(forKey: call)?(result)
      case .wake(let time): setAlarm(at: time)
      case .subscribe(let key, let queues): session(key).subscribe(queues)
      case .addSubscribed(let key, let queue, let privateKey): session(key).addSubscribed(queue, key: privateKey)
      case .unsubscribe(let key, let queues): sessions[key]?.unsubscribe(queues)
      case .perform(let id, let key, let request, let route):
        perform(id, at: key, request: request, over: route)
      case .notify(let id, let server, let request): notify(id, at: server, request)
      case .disconnectAll:
        closeSessions()
        closeNotificationSessions()
      case .disconnect(let key):
        if let session = sessions.removeValue(forKey: key) { Task { await session.close() } }
      }
    }
    if !events.isEmpty { channel.send(events) }
  }

  private func perform(_ id: RequestID, at key: SessionKey, request: RequestPipeline.Request, over route: SendRoute) {
    switch route {
    case .direct:
      let generation = generation
      session(key).perform(request) { [weak self] in self?.received(.completed(id, $0), generation) }
    case .proxied(let proxy, let allowsDirect):
      var proxyKey = key
      proxyKey.server = proxy
      let client = session(proxyKey).client
      let (generation, network) = (generation, networkCount)
      Task { [weak self] in
        do throws(SMPClientError) {
          let response = try await client.perform(request, through: key.server)
          self?.received(.completed(id, .success(response), proxy: proxy), generation)
        } catch {
          guard allowsDirect, error.isProxyProblem else {
            self?.received(.completed(id, .failure(error), proxy: proxy), generation)
            return
          }
          await self?.performDirectly(id, at: key, request: request, generation: generation, network: network)
        }
      }
    }
  }

  /// The relay in between failed.
  private func performDirectly(
    _ id: RequestID, at key: SessionKey, request: RequestPipeline.Request, generation: Int, network: Int
  ) {
    if generation == self.generation, network == networkCount { perform(id, at: key, request: request, over: .direct) }
  }

  /// Closes all connections; what is in flight is not answered.
  private func closeSessions() {
    networkCount += 1
    let open = sessions.values
    sessions = [:]
    for session in open { Task { await session.close() } }
  }

  private func session(_ key: SessionKey) -> AgentSession {
    if let session = sessions[key] { return session }
    sessionCount += 1
    let (channel, inbox, generation, number) = (channel, inbox, generation, sessionCount)
    let session = AgentSession(key.server, network(of: key), number: number) { [weak self] event in
      await channel.waitForRoom()
      await inbox.waitForRoom()
      self?.received(.session(key, event), generation, session: number)
    }
    sessions[key] = session
    return session
  }

  private func network(of key: SessionKey) -> SMPClientConfiguration {
    var network = options.network
    if let proxy = network.socksProxy, proxy.credentials == nil {
      network.socksProxy?.credentials = options.proxyCredentials?(key)
    }
    return network
  }

  /// Changes the options; all connections to relays are replaced. What was in flight to them is sent
  /// again.
  public func reconfigure(_ change: (inout Options) -> Void) throws(AgentError) {
    var changed = options
    change(&changed)
    let effects = try withEngine { (engine, now) throws(AgentError) in
      try engine.reconfigure(changed.configuration, now: now)
    }
    options = changed
    hold(effects)
    // What was in flight there fails, and is sent again over the new network.
    closeNotificationSessions()
    if let transfers {
      let network = FileNetwork(changed)
      Task { await transfers.setNetwork(network) }
    }
    var leaving: Set<SessionKey> = []
    for case .disconnect(let key) in effects { leaving.insert(key) }
    // Those that others replace are closed. Connected once more they would take the subscriptions from the others.
    for (key, session) in sessions where !leaving.contains(key) {
      let network = network(of: key)
      Task { await session.client.reconnect(network) }
    }
  }

  /// Reconnects to relays: all, or one relay of a user.
  public func reconnect(_ user: UserID? = nil, _ server: SMPServerAddress? = nil) throws(AgentError) {
    try withEngine { (_, _) throws(AgentError) in }
    for (key, session) in sessions where (user ?? key.user) == key.user && (server ?? key.server) == key.server {
      Task { await session.client.reconnect() }
    }
  }

  /// Whether an engine that replaces this one starts nothing.
  func setSuspended(_ isSuspended: Bool) { self.isSuspended = isSuspended }

  /// Lets the clients of relays connect now, instead of after their pauses.
  func retryConnections() {
    for session in sessions.values { Task { await session.client.retryNow() } }
  }

  private func setAlarm(at time: Int64) {
    if let alarm, alarm.time == time { return }
    alarm?.task.cancel()
    guard time < .max else { return alarm = nil }
    let pause = max(0, time - now)
    let task = Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(pause))
      if !Task.isCancelled { await self?.wake(at: time) }
    }
    alarm = (time, task)
  }

  private func wake(at time: Int64) {
    if alarm?.time == time { alarm = nil }
    received(.wake, generation)
  }
}
