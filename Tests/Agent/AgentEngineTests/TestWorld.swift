import AgentCore
import AgentEngine
import AgentProtocol
import AgentStore
import NotificationProtocol
import NotificationTesting
import SMPClientCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import Testing
import WireCodec

/// Relays and agents on one thread and one clock. Nothing takes time; what is to happen happens in order.
final class TestWorld {
  var now: Int64 = 1_700_000_000_000
  let relays: [SMPServerAddress: TestRelay]
  let first: TestRelay
  let second: TestRelay
  let notifications = NotificationServerModel("ntf.example")
  let otherNotifications = NotificationServerModel("other.ntf.example")
  private var work: [() -> Void] = []

  init() {
    first = TestRelay("first.example")
    second = TestRelay("second.example.com")
    relays = [first.server: first, second.server: second]
    for relay in [first, second] { relay.onNotification = { [unowned self] in notify($0, $1) } }
  }

  /// A relay tells the notification server about a message.
  func notify(_ queue: NotifierQueue, _ message: NotificationMessage) {
    later { [self] in
      for server in [notifications, otherNotifications] { server.notified(queue, message, at: now) }
    }
  }

  func later(_ action: @escaping () -> Void) { work.append(action) }

  /// Goes on until nothing happens any more.
  func settle(_ limit: Int = 100_000) {
    var index = 0
    while index < work.count, index < limit {
      let action = work[index]
      index += 1
      action()
    }
    if index >= limit { Issue.record("the world does not come to rest") }
    work = []
  }

  /// Lets time pass, waking the agents.
  func pass(_ milliseconds: Int64, _ agents: TestAgent...) {
    now += milliseconds
    for agent in agents { agent.input(.wake) }
    settle()
  }

  func agent(
    _ name: String, seed: UInt64, relays: [TestRelay]? = nil, _ configure: (inout AgentConfiguration) -> Void = { _ in }
  ) throws -> TestAgent {
    var configuration = AgentConfiguration()
    configure(&configuration)
    return try TestAgent(
      name, self, seed: seed, servers: (relays ?? [first, second]).map(\.server), configuration)
  }
}

/// An agent, its database and the events that it emitted.
final class TestAgent {
  let name: String
  let world: TestWorld
  private(set) var database: SQLiteConnection
  let configuration: AgentConfiguration
  private(set) var engine: AgentMachine
  private(set) var user: UserID
  private(set) var events: [AgentEvent] = []
  private(set) var outcomes: [CallID: Result<CallOutcome, AgentError>] = [:]
  /// Acknowledges messages, with a receipt or without, as soon as they come.
  var acknowledges = true
  var receipts = false
  /// The commands to notification servers, in order.
  private(set) var notificationLog: [String] = []
  /// Commands go nowhere, and fail if it is set.
  var outage: SMPClientError?
  /// Commands with these keywords are never answered.
  var swallows: Set<String> = []
  /// Commands to these relays are never answered.
  var hangs: Set<SMPServerAddress> = []
  /// Those that were not answered.
  private(set) var swallowed: [RequestID] = []
  /// The sessions that were used.
  private(set) var sessions: Set<SessionKey> = []
  /// When the engine wants to be woken.
  private(set) var wakeTime: Int64 = .max
  private var seed: UInt64

  init(
    _ name: String, _ world: TestWorld, seed: UInt64, servers: [SMPServerAddress], _ configuration: AgentConfiguration
  ) throws {
    self.name = name
    self.world = world
    self.seed = seed
    self.configuration = configuration
    database = try SQLiteConnection(path: ":memory:")
    engine = AgentMachine(
      store: try AgentDatabase(database), configuration: configuration, random: InsecureSeededRandom(seed: seed))
    _ = try engine.start(now: world.now)
    user = try engine.createUser(
      servers: servers.map { AgentUserServer(ServerWithAuth(server: $0, basicAuth: nil)) }, now: world.now)
  }

  /// The program ends and starts again on the same database.
  func restart(subscribing: Bool = true, suspended: Bool = false) throws {
    for relay in world.relays.values { relay.disconnect(self) }
    seed += 1_000
    // The next engine numbers its calls from the beginning.
    outcomes = [:]
    engine = AgentMachine(
      store: try AgentDatabase(database), configuration: configuration, random: InsecureSeededRandom(seed: seed),
      isSuspended: suspended)
    perform(try engine.start(now: world.now))
    if subscribing { perform(try engine.subscribeAll(now: world.now)) }
    world.settle()
  }

  /// The machine loses power: the database is what it was at an earlier time. Starts again.
  func lose(to image: [UInt8]) throws {
    database = try SQLiteConnection(image: image)
    try restart()
  }

  func input(_ input: AgentInput) {
    do { perform(try engine.handle(input, now: world.now)) } catch { Issue.record("\(name): \(error)") }
  }

  func session(_ server: SMPServerAddress, _ event: SessionEvent) {
    input(.session(SessionKey(server: server, user: user), event))
  }

  func perform(_ effects: [AgentEffect]) {
    for effect in effects {
      switch effect {
      case .perform(let id, let session, let request, _):
        sessions.insert(session)
        if swallows.contains(request.command.form.keyword) || hangs.contains(session.server) {
          swallowed.append(id)
          continue
        }
        world.later { [self] in
          let result =
            outage.map { .failure($0) } ?? world.relays[session.server]?.perform(request, for: self)
            ?? .failure(.noHost)
          input(.completed(id, result))
        }
      case .subscribe(let session, let queues):
        sessions.insert(session)
        for (queue, key) in queues {
          world.later { [self] in
            switch world.relays[session.server]?.perform(
              RequestPipeline.Request(.sub, entity: queue, key: key), for: self)
            {
            case .success: self.session(session.server, .subscribed([queue]))
            case .failure(let error): self.session(session.server, .subscriptionFailed(queue, error))
            case nil: break
            }
          }
        }
      case .notify(let id, let server, let request):
        notificationLog.append(request.command.form.keyword)
        if swallows.contains(request.command.form.keyword) { continue }
        let servers = [world.notifications, world.otherNotifications]
        world.later { [self] in
          let result = servers.first { $0.server == server }?.perform(request) ?? .failure(.noHost)
          input(.notified(id, outage.map { .failure($0) } ?? result))
        }
      case .event(let event):
        events.append(event)
        if acknowledges { acknowledge(event) }
      case .complete(let call, let result): outcomes[call] = result
      case .disconnectAll:
        for relay in world.relays.values { relay.disconnect(self) }
      case .wake(let time): wakeTime = time
      case .addSubscribed, .unsubscribe, .disconnect: break
      }
    }
  }

  private func acknowledge(_ event: AgentEvent) {
    guard let connection = event.connection else { return }
    let id: AgentMessageID
    var receipt: [UInt8]?
    switch event.kind {
    case .message(let metadata, _, _):
      id = metadata.id
      if receipts { receipt = [] }
    case .received(let metadata, _): id = metadata.id
    default: return
    }
    world.later { [self] in
      do { perform(try engine.ack(connection, id, receipt: receipt, now: world.now)) } catch {
        Issue.record("\(name): \(error)")
      }
    }
  }

  /// Runs an operation and everything that follows.
  @discardableResult
  func run<Value>(_ operation: (AgentMachine, Int64) throws -> Accepted<Value>) throws -> Value {
    let accepted = try operation(engine, world.now)
    perform(accepted.effects)
    world.settle()
    return accepted.value
  }

  func run(_ operation: (AgentMachine, Int64) throws -> [AgentEffect]) throws {
    perform(try operation(engine, world.now))
    world.settle()
  }

  func outcome(_ call: CallID?) throws -> CallOutcome {
    let call = try #require(call)
    return try #require(outcomes[call]).get()
  }

  func send(_ text: String, to connection: ConnectionID) throws -> AgentMessageID {
    try run { engine, now in try engine.send(connection, body: Array(text.utf8), now: now) }.id
  }

  /// The texts that came, in order.
  var texts: [String] {
    events.compactMap {
      if case .message(_, _, let body) = $0.kind { String(decoding: body, as: UTF8.self) } else { nil }
    }
  }

  var integrities: [MessageIntegrity] {
    events.compactMap { if case .message(let metadata, _, _) = $0.kind { metadata.integrity } else { nil } }
  }

  var errors: [AgentError] {
    events.compactMap { if case .failed(let error) = $0.kind { error } else { nil } }
  }

  /// The value of `find` for the last event for which it is not nil.
  func last<Value>(_ find: (AgentEvent.Kind) -> Value?) -> Value? {
    for event in events.reversed() {
      if let value = find(event.kind) { return value }
    }
    return nil
  }

  /// How many rows a table has.
  func rows(of table: String) throws -> Int64? {
    try database.first("SELECT count(*) FROM \(table)") { (row) throws(SQLiteError) in try row.integer(0) }
  }

  func forgetEvents() { events = [] }

  func forgetNotificationLog() { notificationLog = [] }

  var confirmation: (id: ConfirmationID, info: [UInt8])? {
    last { if case .confirmation(let id, _, _, let info) = $0 { (id, info) } else { nil } }
  }

  var invitation: (id: InvitationID, info: [UInt8])? {
    last { if case .request(let id, _, _, let info) = $0 { (id, info) } else { nil } }
  }

  var isConnected: Bool? { last { if case .connected(let pq) = $0 { pq } else { nil } } }

  /// Creates an invitation or an address.
  func create(
    _ mode: ConnectionMode = .invitation, linkData: UserLinkData? = nil, _ options: ConnectionOptions = .init()
  ) throws -> (id: ConnectionID, link: CreatedLink) {
    let (_, call) = try run { engine, now in
      try engine.createConnection(user, mode: mode, linkData: linkData, options: options, now: now)
    }
    guard case .created(let id, let link) = try outcome(call) else {
      throw AgentError.internalError("not created")
    }
    return (id, link)
  }

  /// Joins; returns whether the peer's queue is secured.
  func join(
    _ request: ConnectionRequest, info: String = "info", _ options: ConnectionOptions = .init()
  ) throws -> (id: ConnectionID, isSecured: Bool) {
    let (_, call) = try run { engine, now in
      try engine.join(user, request, info: Array(info.utf8), options: options, now: now)
    }
    guard case .joined(let id, let isSecured) = try outcome(call) else { throw AgentError.internalError("not joined") }
    return (id, isSecured)
  }
}

/// Two agents with a connection by an invitation.
struct Pair {
  let world: TestWorld
  let alice: TestAgent
  let bob: TestAgent
  let a: ConnectionID
  let b: ConnectionID

  init(
    world: TestWorld = TestWorld(), seed: UInt64 = 1, pq: Bool = true,
    alice configureAlice: (inout AgentConfiguration) -> Void = { _ in },
    bob configureBob: (inout AgentConfiguration) -> Void = { _ in }
  ) throws {
    self.world = world
    alice = try world.agent("alice", seed: seed, relays: [world.first], configureAlice)
    bob = try world.agent("bob", seed: seed + 1, relays: [world.second], configureBob)
    let options = ConnectionOptions(pq: pq)
    let link = try alice.create(.invitation, options)
    a = link.id
    let request = try throughText(link.link.full)
    b = try bob.join(request, info: "bob's", options).id
    let confirmation = try #require(alice.confirmation)
    #expect(confirmation.info == Array("bob's".utf8))
    let a = a
    let alice = alice
    try alice.run { engine, now in try engine.allow(a, confirmation.id, info: Array("alice's".utf8), now: now) }
    let info: [UInt8]? = bob.last { if case .information(_, let info) = $0 { info } else { nil } }
    #expect(info == Array("alice's".utf8))
    #expect(alice.isConnected != nil)
    #expect(bob.isConnected != nil)
  }
}

/// A request as it comes out of its link.
func throughText(_ request: ConnectionRequest) throws -> ConnectionRequest {
  try ConnectionRequest.textCodec.decode(text: try ConnectionRequest.textCodec.text(request))
}
