import AgentCore
import AgentEngine
import AgentStore
import SMPClientCore
import SMPProtocol
import SQLiteKit

/// A device with an agent: the real engine on a real database, whose process may die at every commit.
public final class SimulatedAgent {
  /// What became of an operation.
  public enum Outcome<Value> {
    /// It was done.
    case done(Value)
    /// It was refused.
    case failed(AgentError)
    /// The process died before or after it was done; which is unknown.
    case crashed
  }

  /// For the trace.
  public let name: String
  /// Called for every event, some time after it happened; not for those that a crash made the application miss.
  public var onEvent: ((AgentEvent) -> Void)?
  /// Called after a start, once for each life.
  public var onStart: (() -> Void)?
  /// Whether the weather makes it crash.
  public var mayCrash = true
  /// Performs effects before they are durable, which is wrong: shows that the tests detect it.
  public var isHasty = false
  /// How often it crashed.
  public private(set) var crashCount = 0
  /// How many transactions there were.
  public private(set) var commitCount = 0
  /// How many commits were lost by power failures.
  public private(set) var lostCommitCount = 0

  private unowned let world: World
  private let configuration: AgentConfiguration
  private let disk: SimulatedDisk
  private let keyWatch: KeyWatch
  private var engine: AgentMachine?
  private var life = 0
  private var sessions: [SessionKey: SimulatedSession] = [:]
  private var calls: [CallID: (Outcome<CallOutcome>) -> Void] = [:]
  private var alarm: Int64?
  /// When the last event is taken.
  private var eventTime: Int64 = 0
  private var commitsBeforeCrash: Int?
  /// Effects of transactions that are not durable yet.
  private var held: [AgentEffect] = []
  private var isFlushPlanned = false

  /// A device that is switched off.
  public init(_ name: String, _ configuration: AgentConfiguration = AgentConfiguration(), world: World)
    throws(SQLiteError)
  {
    self.name = name
    self.configuration = configuration
    self.world = world
    keyWatch = KeyWatch(name, world: world)
    disk = try SimulatedDisk(keepsImages: world.weather.powerFailurePercent > 0)
    disk.allowsCommit = { [unowned self] in allowsCommit() }
  }

  /// Whether the process runs.
  public var isRunning: Bool { engine != nil }

  /// Tasks that the engine has still to do on relays.
  public var taskCount: Int { count("SELECT count(*) FROM tasks") }

  private func count(_ query: String) -> Int {
    let value = try? disk.database.first(query) { (row) throws(SQLiteError) in try row.integer(0) }
    return value.map { Int($0) } ?? -1
  }

  /// Its database.
  public var database: SQLiteConnection { disk.database }

  /// How many keys of messages, and how many chains of them, were looked at.
  public var watchedKeys: (messages: Int, chains: Int) { (keyWatch.messageCount, keyWatch.chainCount) }

  /// The first number that a query returns, to inspect the database of a simulation.
  public func number(_ query: String) -> Int { count(query) }

  /// All connections, also those that a crash kept the application from learning of.
  public var connectionIDs: [ConnectionID] {
    let ids = try? disk.database.all("SELECT id FROM connections ORDER BY number") { (row) throws(SQLiteError) in
      ConnectionID(try row.bytes(0))
    }
    return ids ?? []
  }

  // MARK: Life

  /// Starts the process.
  public func start() {
    guard engine == nil else { return }
    life += 1
    world.log("\(name) starts")
    keyWatch.restarted()
    do {
      let store = try AgentDatabase(disk.database, synchronous: .normal)
      let engine = AgentMachine(store: store, configuration: configuration, random: SharedRandom(world.random.fork()))
      self.engine = engine
      _ = step { (engine) throws(AgentError) in try engine.start(now: world.now) }
      if isRunning { onStart?() }
    } catch {
      world.violate("\(name) cannot open its database: \(error)")
    }
  }

  /// The process dies, or the machine has no power, and starts again after a while.
  /// - Parameter hasPower: nil for what the weather says.
  public func crash(hasPower: Bool? = nil) {
    guard engine != nil else { return }
    crashCount += 1
    let hasPower = hasPower ?? !world.random.happens(percent: world.weather.powerFailurePercent)
    stop()
    if !hasPower { losePower() }
    world.after(Int64.random(in: world.weather.agentDowntime, using: &world.random)) { [self] in
      start()
      if hasPower { planLateFailure() }
    }
  }

  /// What a process has committed, and did not live to synchronize, may still be lost when the next one runs.
  private func planLateFailure() {
    guard mayCrash, world.random.happens(percent: world.weather.powerFailurePercent / 5) else { return }
    let life = life
    world.after(Int64.random(in: 0...60, using: &world.random)) { [self] in
      if life == self.life { crash(hasPower: false) }
    }
  }

  /// The process dies.
  public func stop() {
    guard engine != nil else { return }
    world.log("\(name) dies")
    life += 1
    engine = nil
    if database.isInTransaction { _ = try? database.execute("ROLLBACK") }
    commitsBeforeCrash = nil
    held = []
    isFlushPlanned = false
    let open = sessions.sorted { "\($0.key)" < "\($1.key)" }.map(\.value)
    sessions = [:]
    for session in open { session.vanish() }
    alarm = nil
    let waiting = calls.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    calls = [:]
    for call in waiting { call(.crashed) }
  }

  /// What was committed since the last synchronization is there or not.
  private func losePower() {
    do {
      let lost = try disk.losePower(using: &world.random)
      lostCommitCount += lost
      if lost > 0 { world.log("\(name) loses \(lost) commits") }
    } catch {
      world.violate("\(name) cannot read its disk: \(error)")
    }
  }

  /// Counts transactions; when the crash is due they fail, and so does all that follows in this step.
  private func allowsCommit() -> Bool {
    if let rest = commitsBeforeCrash {
      if rest == 0 { return false }
      commitsBeforeCrash = rest - 1
    }
    commitCount += 1
    return true
  }

  // MARK: Operations

  /// Runs an operation of the engine, and does what it wants done once it is durable, unless the process dies before or
  /// after its commit.
  /// - Parameter waits: whether it is durable when this returns. Otherwise it is soon, with what follows meanwhile.
  private func step(
    waits: Bool = true, _ body: (AgentMachine) throws(AgentError) -> [AgentEffect]
  ) -> Outcome<Void> {
    guard let engine else { return .crashed }
    let crashes = mayCrash && world.random.happens(percent: world.weather.crashPercent)
    // Zero: before its commit; one: after it, before anything is done about it.
    if crashes { commitsBeforeCrash = Int.random(in: 0...1, using: &world.random) }
    let result: Result<[AgentEffect], AgentError>
    do throws(AgentError) { result = .success(try body(engine)) } catch { result = .failure(error) }
    noteCommits()
    if crashes {
      crash()
      return .crashed
    }
    switch result {
    case .success(let effects):
      if isHasty {
        perform(effects)
        planFlush()
        return .done(())
      }
      held += effects
      if waits { flush() } else { planFlush() }
      return .done(())
    case .failure(let error): return .failed(error)
    }
  }

  private func noteCommits() {
    do { try disk.committed() } catch { world.violate("\(name) has no image of its disk: \(error)") }
  }

  private func planFlush() {
    guard !isFlushPlanned else { return }
    isFlushPlanned = true
    let life = life
    world.after(Int64.random(in: world.weather.storeDelay, using: &world.random)) { [self] in
      guard life == self.life else { return }
      if mayCrash, world.random.happens(percent: world.weather.crashPercent) { return crash() }
      flush()
    }
  }

  /// Makes durable what was committed, and does what it wants done.
  private func flush() {
    isFlushPlanned = false
    guard let engine else { return }
    do {
      try engine.synchronize()
    } catch {
      return world.violate("\(name) cannot synchronize: \(error)")
    }
    keyWatch.look(at: disk.database)
    let effects = held
    held = []
    perform(effects)
  }

  /// Runs an operation without effects. (One that only looks has nothing to wait for.)
  public func run<Value>(_ body: (AgentMachine) throws(AgentError) -> Value) -> Outcome<Value> {
    var value: Value?
    let outcome = step { (engine) throws(AgentError) in
      value = try body(engine)
      return []
    }
    return outcome.with(value)
  }

  /// Runs an operation with effects, which is durable when this returns where it `waits`, and soon otherwise.
  public func run(
    waits: Bool = true, _ body: (AgentMachine) throws(AgentError) -> [AgentEffect]
  ) -> Outcome<Void> {
    step(waits: waits, body)
  }

  /// Runs an operation with a value and effects.
  public func run<Value>(_ body: (AgentMachine) throws(AgentError) -> Accepted<Value>) -> Outcome<Value> {
    var value: Value?
    let outcome = step { (engine) throws(AgentError) in
      let accepted = try body(engine)
      value = accepted.value
      return accepted.effects
    }
    return outcome.with(value)
  }

  /// Runs an operation that waits for the network; `completion` is called once.
  public func call<Value>(
    _ body: (AgentMachine) throws(AgentError) -> Accepted<Value>, call: (Value) -> CallID?,
    completion: @escaping (Outcome<(Value, CallOutcome)>) -> Void
  ) {
    var value: Value?
    let outcome = step { (engine) throws(AgentError) in
      let accepted = try body(engine)
      value = accepted.value
      if let id = call(accepted.value) {
        calls[id] = { completion($0.map { (accepted.value, $0) }) }
      }
      return accepted.effects
    }
    switch outcome.with(value) {
    case .done(let value): if call(value) == nil { completion(.done((value, .done))) }
    case .failed(let error): completion(.failed(error))
    // `stop()` has failed the waiting calls.
    case .crashed: if value.flatMap(call) == nil { completion(.crashed) }
    }
  }

  // MARK: Inputs and effects

  private func handle(_ input: AgentInput) {
    let outcome = step(waits: false) { (engine) throws(AgentError) in try engine.handle(input, now: world.now) }
    if case .failed(let error) = outcome { world.violate("\(name) refused an input: \(error)") }
  }

  private func perform(_ effects: [AgentEffect]) {
    let life = life
    for effect in effects where life == self.life {
      switch effect {
      case .event(let event):
        // The application takes its time, and takes events in order.
        eventTime = max(eventTime, world.now + Int64.random(in: 0...20, using: &world.random))
        world.at(eventTime) { [self] in
          guard life == self.life else { return }
          onEvent?(event)
        }
      case .complete(let call, let result):
        guard let completion = calls.removeValue(forKey: call) else { continue }
        world.after(0) { [self] in
          guard life == self.life else { return completion(.crashed) }
          switch result {
          case .success(let outcome): completion(.done(outcome))
          case .failure(let error): completion(.failed(error))
          }
        }
      case .wake(let time):
        guard alarm != time else { continue }
        alarm = time
        if time == .max { continue }
        world.at(time) { [self] in
          guard life == self.life, alarm == time else { return }
          alarm = nil
          handle(.wake)
        }
      case .subscribe(let key, let queues): session(key)?.subscribe(queues)
      case .addSubscribed(let key, let queue, let privateKey): session(key)?.addSubscribed(queue, key: privateKey)
      case .unsubscribe(let key, let queues): sessions[key]?.unsubscribe(queues)
      case .perform(let id, let key, let request, let route):
        perform(id, at: key, request: request, over: route)
      case .notify(let id, let server, let request): notify(id, at: server, request)
      case .disconnect(let key): sessions.removeValue(forKey: key)?.close()
      case .disconnectAll:
        let open = sessions.sorted { "\($0.key)" < "\($1.key)" }.map(\.value)
        sessions = [:]
        for session in open { session.close() }
      }
    }
  }

  /// There is no simulated notification server yet: nothing answers there.
  private func notify(_ id: RequestID, at server: NotificationServer, _ request: NotificationRequest) {
    let life = life
    world.after(0) { [self] in
      if life == self.life { handle(.notified(id, .failure(.noHost))) }
    }
  }

  private func perform(_ id: RequestID, at key: SessionKey, request: RequestPipeline.Request, over route: SendRoute) {
    let life = life
    var proxy: SMPServerAddress?
    let complete = { [self] (result: Result<BrokerMessage, SMPClientError>) in
      // Never within the step that asked for it.
      world.after(0) { [self] in
        guard life == self.life else { return }
        handle(.completed(id, result, proxy: proxy))
      }
    }
    guard case .proxied(let through, let allowsDirect) = route else {
      guard let session = session(key) else { return complete(.failure(.noHost)) }
      return session.perform(request, complete)
    }
    var proxyKey = key
    proxyKey.server = through
    proxy = through
    guard let session = session(proxyKey), let relay = world.relays[key.server] else {
      return complete(.failure(.noHost))
    }
    session.perform(request, through: relay) { [weak self] result in
      guard let self, life == self.life else { return }
      if allowsDirect, case .failure(let error) = result, error.isProxyProblem {
        perform(id, at: key, request: request, over: .direct)
      } else {
        complete(result)
      }
    }
  }

  private func session(_ key: SessionKey) -> SimulatedSession? {
    if let session = sessions[key] { return session }
    guard let relay = world.relays[key.server] else { return nil }
    let life = life
    let session = SimulatedSession(relay, world: world) { [unowned self] event in
      world.after(0) { [self] in
        guard life == self.life else { return }
        handle(.session(key, event))
      }
    }
    sessions[key] = session
    return session
  }
}

extension SimulatedAgent.Outcome {
  fileprivate func map<Other>(_ change: (Value) -> Other) -> SimulatedAgent.Outcome<Other> {
    switch self {
    case .done(let value): .done(change(value))
    case .failed(let error): .failed(error)
    case .crashed: .crashed
    }
  }
}

extension SimulatedAgent.Outcome where Value == Void {
  fileprivate func with<Other>(_ value: Other?) -> SimulatedAgent.Outcome<Other> {
    switch self {
    case .done: value.map { .done($0) } ?? .crashed
    case .failed(let error): .failed(error)
    case .crashed: .crashed
    }
  }
}
