import AgentCore
import AgentEngine
import AgentProtocol
import NotificationProtocol
import NotificationTesting
import SMPClientCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import Testing
import WireCodec

@Suite("Push notifications")
struct NotificationTests {
  let device = PushDevice(service: .apple, token: "abcd")
  let pair: Pair
  var world: TestWorld { pair.world }
  var alice: TestAgent { pair.alice }
  var server: NotificationServerModel { pair.world.notifications }

  init() throws {
    let world = TestWorld()
    pair = try Pair(world: world, alice: { $0.notificationServers = [world.notifications.server] })
  }

  @discardableResult
  private func register(_ device: PushDevice? = nil, mode: NotificationMode = .instant) throws -> TokenStatus {
    let device = device ?? self.device
    let call = try alice.run { engine, now in try engine.registerToken(device, mode: mode, now: now) }
    return try status(call)
  }

  private func status(_ call: CallID) throws -> TokenStatus {
    guard case .tokenStatus(let status) = try alice.outcome(call) else { throw AgentError.internalError("no status") }
    return status
  }

  @discardableResult
  private func verify(_ device: PushDevice? = nil) throws -> TokenStatus {
    let device = device ?? self.device
    let push = try #require(server.pushes.last { $0.verification != nil && $0.device == device })
    let code = try #require(push.verification)
    let call = try alice.run { engine, now in
      try engine.verifyToken(device, nonce: push.nonce, code: code, now: now)
    }
    return try status(call)
  }

  private func error(_ call: CallID) -> AgentError? {
    guard case .failure(let error)? = alice.outcomes[call] else { return nil }
    return error
  }

  /// Alice's process ends, and starts again in an extension, which subscribes to nothing.
  private func startExtension() throws {
    try alice.restart(subscribing: false)
    try alice.run { engine, now in try engine.setScope(.onDemand, now: now) }
    alice.forgetEvents()
  }

  /// Bob sends a message that notifies its recipient.
  private func send(_ text: String, to connection: ConnectionID) throws {
    _ = try pair.bob.run { engine, now in
      try engine.send(connection, flags: MessageFlags(notification: true), body: Array(text.utf8), now: now)
    }
  }

  // MARK: Tokens

  @Test func aDeviceIsRegisteredAndItsQueuesAreSubscribed() throws {
    #expect(try register() == .registered)
    #expect(server.subscriptions.isEmpty)
    #expect(try verify() == .active)
    #expect(alice.notificationLog == ["TNEW", "TVFY", "TCRN", "SNEW"])
    #expect(server.subscriptions.count == 1)
    #expect(server.tokens.values.first?.interval == 20)
    let info = try alice.engine.token()
    #expect(info.device == device && info.status == .active && info.mode == .instant && info.server == server.server)
    // Each start registers again: the status is asked for, and nothing is subscribed twice.
    alice.forgetNotificationLog()
    #expect(try register() == .active)
    #expect(alice.notificationLog == ["TCHK", "TCRN"])
    #expect(alice.errors.isEmpty)
  }

  @Test func withoutATokenEverythingIsProhibited() throws {
    let (device, alice) = (device, alice)
    #expect(throws: AgentError.self) { try alice.engine.token() }
    #expect(throws: AgentError.self) { try alice.run { try $0.checkToken(device, now: $1) } }
    #expect(throws: AgentError.self) { try alice.run { try $0.deleteToken(device, now: $1) } }
    #expect(throws: AgentError.self) {
      try alice.engine.notifiedConnections(
        nonce: BoxNonce([UInt8](repeating: 1, count: 24).span.bytes), message: [1], now: 0)
    }
    try register()
    let other = PushDevice(service: .apple, token: "ff")
    #expect(throws: AgentError.prohibited("checkNtfToken: different token")) {
      try alice.run { try $0.checkToken(other, now: $1) }
    }
    // Confirmed is not enough for the messages of pushes.
    #expect(throws: AgentError.prohibited("getNotificationConns")) {
      try alice.engine.notifiedConnections(
        nonce: BoxNonce([UInt8](repeating: 1, count: 24).span.bytes), message: [1], now: 0)
    }
  }

  /// The row is committed before TNEW, and the code before TVFY: a process that is killed while they are in flight goes
  /// on with the same keys and the same code.
  @Test func aKilledProcessContinues() throws {
    alice.swallows = ["TNEW"]
    let (device, alice) = (device, alice)
    _ = try alice.run { try $0.registerToken(device, mode: .instant, now: $1) }
    #expect(alice.notificationLog == ["TNEW"])
    alice.swallows = []
    try alice.restart()
    #expect(server.tokens.count == 1)
    #expect(try alice.engine.token().status == .registered)
    alice.swallows = ["TVFY"]
    let push = try #require(server.pushes.last)
    let code = try #require(push.verification)
    _ = try alice.run { try $0.verifyToken(device, nonce: push.nonce, code: code, now: $1) }
    #expect(try alice.engine.token().status == .confirmed)
    alice.swallows = []
    try alice.restart()
    #expect(try alice.engine.token().status == .active)
    #expect(server.subscriptions.count == 1 && server.tokens.count == 1)
  }

  @Test func lostAnswersAreNoSecondRegistration() throws {
    server.failures = ["TNEW": [.timeout], "TVFY": [.timeout], "TCRN": [.timeout], "SNEW": [.timeout]]
    let (device, alice) = (device, alice)
    let call = try alice.run { try $0.registerToken(device, mode: .instant, now: $1) }
    #expect(error(call) == .notificationServer(server.server, .timeout))
    world.pass(120_000, alice)
    #expect(try alice.engine.token().status == .registered)
    let push = try #require(server.pushes.last)
    let code = try #require(push.verification)
    _ = try alice.run { try $0.verifyToken(device, nonce: push.nonce, code: code, now: $1) }
    for _ in 0..<6 { world.pass(120_000, alice) }
    #expect(try alice.engine.token().status == .active)
    #expect(server.tokens.count == 1 && server.subscriptions.count == 1)
    #expect(server.tokens.values.first?.interval == 20)
  }

  @Test func anotherTokenOfTheDeviceReplacesTheFirst() throws {
    try register()
    try verify()
    let other = PushDevice(service: .apple, token: "0123")
    alice.forgetNotificationLog()
    #expect(try register(other) == .registered)
    #expect(alice.notificationLog == ["TRPL"])
    #expect(server.tokens.count == 1 && server.subscriptions.count == 1)
    #expect(try verify(other) == .active)
    #expect(try alice.engine.token().device == other)
    // A server that does not know the token any more gets a new one.
    server.forgetAll()
    let third = PushDevice(service: .apple, token: "4567")
    let alice = alice
    let call = try alice.run { try $0.registerToken(third, mode: .instant, now: $1) }
    #expect(error(call) == .notificationServer(server.server, .relay(.AUTH)))
    #expect(server.tokens.values.map(\.device) == [third])
    try verify(third)
    #expect(server.subscriptions.count == 1)
  }

  /// Upstream fails at each start then, and nothing more happens.
  @Test func aServerThatForgotTheTokenGetsItAgain() throws {
    try register()
    try verify()
    server.forgetAll()
    alice.forgetEvents()
    let (device, alice) = (device, alice)
    let call = try alice.run { try $0.registerToken(device, mode: .instant, now: $1) }
    #expect(error(call) == .notificationServer(server.server, .relay(.AUTH)))
    #expect(alice.errors == [.notificationServer(server.server, .relay(.AUTH))])
    #expect(try alice.engine.token().status == .registered)
    #expect(try verify() == .active)
    #expect(server.subscriptions.count == 1)
    // Without any call, too: the token is checked once a day.
    server.forgetAll()
    world.pass(NotificationToken.checkInterval, alice)
    #expect(try alice.engine.token().status == .registered)
    #expect(try verify() == .active)
    #expect(server.subscriptions.count == 1)
  }

  @Test func anInvalidTokenIsRegisteredAgain() throws {
    try register()
    try verify()
    server.setStatus(.invalid(.unregistered))
    #expect(try register() == .invalid(.unregistered))
    alice.forgetNotificationLog()
    #expect(try register() == .registered)
    #expect(alice.notificationLog == ["TNEW"])
    #expect(try verify() == .active)
  }

  @Test func aDeletedTokenIsDeletedAtItsServerOnceThatAnswers() throws {
    try register()
    try verify()
    server.isAway = true
    let (device, alice) = (device, alice)
    try alice.run { engine, now in try engine.deleteToken(device, now: now) }
    #expect(throws: AgentError.self) { try alice.engine.token() }
    #expect(world.first.log.last == "NDEL")
    #expect(server.tokens.count == 1)
    try alice.restart()
    server.isAway = false
    world.pass(7_200_000, alice)
    #expect(server.tokens.isEmpty)
    #expect(try alice.rows(of: "token_deletions") == 0 && alice.rows(of: "queue_notifications") == 0)
  }

  @Test func aServerThatIsAwayForDaysIsReplaced() throws {
    let world = TestWorld()
    let pair = try Pair(
      world: world,
      alice: { $0.notificationServers = [world.notifications.server, world.otherNotifications.server] })
    let (alice, device) = (pair.alice, device)
    world.notifications.isAway = true
    world.otherNotifications.isAway = true
    _ = try alice.run { try $0.registerToken(device, mode: .instant, now: $1) }
    let first = try alice.engine.token().server
    for server in [world.notifications, world.otherNotifications] where server.server != first { server.isAway = false }
    for _ in 0..<4 { world.pass(86_400_000, alice) }
    #expect(try alice.engine.token().server != first)
    #expect(try alice.engine.token().status == .registered)
  }

  @Test func aServerThatRefusesEverythingIsNotFlooded() throws {
    server.failures["TNEW"] = Array(repeating: .relay(.AUTH), count: 10_000)
    let (device, alice) = (device, alice)
    _ = try alice.run { try $0.registerToken(device, mode: .instant, now: $1) }
    for _ in 0..<48 { world.pass(3_600_000, alice) }
    #expect(alice.notificationLog.count < 80)
  }

  @Test func periodicModeSubscribesNothing() throws {
    try register(mode: .periodic)
    try verify()
    #expect(alice.notificationLog == ["TNEW", "TVFY", "TCRN"])
    try register(mode: .instant)
    #expect(server.subscriptions.count == 1)
    try register(mode: .periodic)
    #expect(server.subscriptions.isEmpty)
    #expect(world.first.log.last == "NDEL")
    #expect(try alice.rows(of: "queue_notifications") == 0)
  }

  // MARK: Queues

  @Test(arguments: [true, false])
  func newQueuesHaveNotifiersFromTheBeginning(knowsNotifiers: Bool) throws {
    try register()
    try verify()
    world.first.knowsNotifiersInNew = knowsNotifiers
    world.first.log = []
    alice.forgetNotificationLog()
    _ = try alice.create(.invitation)
    #expect(world.first.log == (knowsNotifiers ? ["NEW"] : ["NEW", "NKEY"]))
    #expect(alice.notificationLog == ["SNEW"])
    #expect(server.subscriptions.count == 2)
  }

  @Test func mutedAndDeletedConnectionsAreNotPushed() throws {
    try register()
    try verify()
    let (a, alice) = (pair.a, alice)
    try alice.run { engine, now in try engine.setNotifications(a, enabled: false, now: now) }
    #expect(server.subscriptions.isEmpty && world.first.log.last == "NDEL")
    try alice.run { engine, now in try engine.setNotifications(a, enabled: true, now: now) }
    #expect(server.subscriptions.count == 1)
    try alice.run { engine, now in try engine.delete([a], now: now) }
    #expect(server.subscriptions.isEmpty)
    #expect(try alice.rows(of: "queue_notifications") == 0)
  }

  @Test func aReplacedQueueIsSubscribedAnew() throws {
    try register()
    try verify()
    let (a, alice) = (pair.a, alice)
    let before = Set(server.subscriptions.keys)
    _ = try alice.run { engine, now in try engine.switchQueue(a, now: now) }
    for _ in 0..<3 { world.pass(60_000, alice, pair.bob) }
    #expect(server.subscriptions.count == 1)
    #expect(before.isDisjoint(with: server.subscriptions.keys))
  }

  @Test(arguments: [NotifierStatus.end, .deleted, .auth, .service, .error("x")])
  func aSubscriptionThatEndedIsMadeAgain(status: NotifierStatus) throws {
    try register()
    try verify()
    let before = Set(server.subscriptions.keys)
    server.setStatus(status)
    world.first.log = []
    world.pass(QueueNotifications.firstCheck, alice)
    #expect(world.first.log.contains("NKEY"))
    #expect(server.subscriptions.values.contains { $0.status == .new })
    #expect(!before.isSuperset(of: server.subscriptions.keys))
  }

  /// A queue that another token has gets another notifier at once.
  @Test func aRefusedSubscriptionGetsANewNotifier() throws {
    try register()
    server.failures["SNEW"] = [.relay(.AUTH)]
    try verify()
    #expect(server.subscriptions.count == 1)
    #expect(alice.notificationLog.filter { $0 == "SNEW" }.count == 2)
    // One that refuses all of them is not asked all the time.
    server.failures["SNEW"] = Array(repeating: .relay(.AUTH), count: 1_000)
    _ = try alice.create(.invitation)
    for _ in 0..<24 { world.pass(3_600_000, alice) }
    #expect(alice.notificationLog.filter { $0 == "SNEW" }.count < 60)
  }

  // MARK: Pushes

  @Test func aPushLeadsToItsMessage() throws {
    try register()
    try verify()
    try startExtension()
    let (alice, server) = (alice, server)
    try send("hello", to: pair.b)
    let push = try #require(server.pushes.last)
    let found = try alice.engine.notifiedConnections(
      nonce: push.nonce, message: try #require(push.message), now: world.now)
    #expect(found.map(\.connection) == [pair.a])
    let expected = try #require(found.first?.message)
    let request = NotifiedMessageRequest(connection: pair.a, queue: found[0].queue, time: expected.time)
    world.first.log = []
    let call = try alice.run { try $0.fetchMessage(request, now: $1) }
    guard case .notifiedMessage(let message) = try alice.outcome(call) else { throw AgentError.internalError("none") }
    #expect(message == expected)
    #expect(alice.texts == ["hello"])
    let handled: [MessageID] = alice.events.compactMap {
      if case .notifiedMessageHandled(let id, let time) = $0.kind, time == expected.time { id } else { nil }
    }
    #expect(handled == [expected.id])
    #expect(world.first.log == ["GET", "ACK"])
    #expect(alice.notificationLog.last == "SNEW")
    // There is nothing more, and pushes about this message are ignored from now on.
    let again = try alice.run { try $0.fetchMessage(request, now: $1) }
    guard case .notifiedMessage(nil) = try alice.outcome(again) else { throw AgentError.internalError("one more") }
  }

  @Test func olderEntriesOfAPushAreLeftOutWhereTheirMessagesCame() throws {
    try register()
    try verify()
    let (second, link) = try alice.create(.invitation)
    let joined = try pair.bob.join(try throughText(link.full)).id
    let confirmation = try #require(alice.confirmation)
    try alice.run { engine, now in try engine.allow(second, confirmation.id, info: [], now: now) }
    try startExtension()
    let (alice, server) = (alice, server)
    try send("first", to: pair.b)
    try send("second", to: joined)
    let push = try #require(server.pushes.last)
    func connections() throws -> [NotifiedConnection] {
      try alice.engine.notifiedConnections(nonce: push.nonce, message: push.message ?? [], now: world.now)
    }
    let found = try connections()
    #expect(found.map(\.connection) == [pair.a, second])
    for connection in found {
      let request = NotifiedMessageRequest(
        connection: connection.connection, queue: connection.queue, time: connection.message?.time)
      _ = try alice.run { try $0.fetchMessage(request, now: $1) }
    }
    #expect(alice.texts == ["first", "second"])
    // The last one stays: it is what caused the push.
    #expect(try connections().map(\.connection) == [second])
  }

  @Test func aQueueGivesOneMessageAtATime() throws {
    try register()
    try verify()
    try startExtension()
    let alice = alice
    alice.acknowledges = false
    for text in ["one", "two"] { try send(text, to: pair.b) }
    let request = NotifiedMessageRequest(connection: pair.a, queue: 1, time: nil)
    let first = try alice.run { try $0.fetchMessage(request, now: $1) }
    let second = try alice.run { try $0.fetchMessage(request, now: $1) }
    #expect(alice.outcomes[first] != nil && alice.outcomes[second] == nil)
    #expect(alice.texts == ["one"])
    let id: AgentMessageID? = alice.last {
      if case .message(let metadata, _, _) = $0 { metadata.id } else { nil }
    }
    let message = try #require(id)
    let a = pair.a
    try alice.run { engine, now in try engine.ack(a, message, receipt: nil, now: now) }
    #expect(alice.outcomes[second] != nil)
    #expect(alice.texts == ["one", "two"])
  }

  @Test func subscribedConnectionsAreNotFetched() throws {
    let (a, alice) = (pair.a, alice)
    #expect(throws: AgentError.prohibited("getConnectionMessage: subscribed")) {
      try alice.run {
        try $0.fetchMessage(NotifiedMessageRequest(connection: a, queue: 1, time: nil), now: $1)
      }
    }
  }

  @Test func anExtensionDoesNothingByItself() throws {
    try register()
    server.failures["SNEW"] = [.timeout]
    try verify()
    try startExtension()
    alice.forgetNotificationLog()
    world.first.log = []
    for _ in 0..<5 { world.pass(86_400_000, alice) }
    #expect(alice.notificationLog.isEmpty && world.first.log.isEmpty)
    let alice = alice
    try alice.run { engine, now in try engine.setScope(.everything, now: now) }
    #expect(server.subscriptions.count == 1)
  }

  @Test func unreadablePushesAreErrors() throws {
    try register()
    try verify()
    try startExtension()
    try send("hello", to: pair.b)
    let push = try #require(server.pushes.last)
    var message = try #require(push.message)
    message[20] ^= 1
    let (alice, now) = (alice, world.now)
    #expect(throws: AgentError.self) {
      try alice.engine.notifiedConnections(nonce: push.nonce, message: message, now: now)
    }
    #expect(throws: AgentError.self) { try alice.engine.notifiedConnections(nonce: push.nonce, message: [], now: now) }
  }
}
