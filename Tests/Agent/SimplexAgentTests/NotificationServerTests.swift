import AgentCore
import AgentProtocol
import Foundation
import NotificationProtocol
import NotificationTesting
import SMPProtocol
import SimplexAgent
import SimplexCrypto
import Testing

@Suite("Pushes over real connections to a relay and a notification server")
struct NotificationServerTests {
  private let device = PushDevice(service: .appleTest, token: "abcd")
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "push-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func agent(_ relay: LoopbackRelay, _ server: LoopbackNotificationServer) async throws -> TestAgent {
    var options = TestAgent.options
    options.configuration.notificationServers = [server.address]
    options.configuration.notificationRetry = options.configuration.retry
    return try await TestAgent(relay, options: options)
  }

  private func verified(_ alice: TestAgent, _ server: LoopbackNotificationServer) async throws {
    #expect(try await alice.agent.registerNotificationToken(device, mode: .instant) == .registered)
    let push = try await server.nextPush()
    let status = try await alice.agent.verifyNotificationToken(
      device, nonce: push.nonce, code: try #require(push.verification))
    #expect(status == .active)
  }

  @Test(.timeLimit(.minutes(2))) func aPushLeadsToItsMessage() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let relay = try await LoopbackRelay.start()
    let server = try await LoopbackNotificationServer.start(in: folder.path)
    let alice = try await agent(relay, server)
    let bob = try await TestAgent(relay)
    let (a, b) = try await connect(alice, bob)
    try await verified(alice, server)
    while await server.change({ $0.subscriptions.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try await alice.agent.checkNotificationToken(device) == .active)
    // The app is closed, and the extension subscribes to nothing.
    try await alice.restart(subscribing: false)
    try await alice.agent.setScope(.onDemand)
    _ = try await bob.agent.send(b, flags: MessageFlags(notification: true), body: Array("hello".utf8))
    let push = try await server.nextPush()
    let found = try await alice.agent.notifiedConnections(nonce: push.nonce, message: try #require(push.message))
    #expect(found.map(\.connection) == [a])
    let request = NotifiedMessageRequest(connection: a, queue: found[0].queue, time: found[0].message?.time)
    let message = try await alice.agent.fetchMessage(request)
    #expect(message != nil && message == found[0].message)
    #expect(try await alice.message(a).text == "hello")
    let handled: MessageID = try await alice.next { event in
      if case .notifiedMessageHandled(let id, _) = event.kind { id } else { nil }
    }
    #expect(handled == message?.id)
    #expect(try await alice.agent.fetchMessage(request) == nil)
    for agent in [alice, bob] { await agent.agent.close() }
    await server.stop()
    await relay.stop()
  }

  @Test(.timeLimit(.minutes(2))) func aServerIsTested() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let relay = try await LoopbackRelay.start()
    let server = try await LoopbackNotificationServer.start(in: folder.path)
    let alice = try await agent(relay, server)
    #expect(try await alice.agent.testNotificationServer(server.address) == nil)
    #expect(await server.change { $0.tokens.count } == 0)
    await server.change { $0.failures["TDEL"] = [.relay(.INTERNAL)] }
    #expect(try await alice.agent.testNotificationServer(server.address)?.step == .deleteToken)
    await server.change { $0.failures["TNEW"] = [.relay(.AUTH)] }
    #expect(try await alice.agent.testNotificationServer(server.address)?.step == .createToken)
    let wrong = NotificationServer(
      hosts: server.address.hosts, port: server.address.port, keyHash: [UInt8](repeating: 1, count: 32))
    #expect(try await alice.agent.testNotificationServer(try #require(wrong))?.step == .connect)
    await alice.agent.close()
    await server.stop()
    await relay.stop()
  }

  /// A server that is away: the call fails, and the token is registered once it is back.
  @Test(.timeLimit(.minutes(2))) func aServerThatComesBackIsUsedAgain() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let relay = try await LoopbackRelay.start()
    let server = try await LoopbackNotificationServer.start(in: folder.path)
    let alice = try await agent(relay, server)
    await server.change { $0.failures["TNEW"] = [.relay(.INTERNAL), .relay(.INTERNAL)] }
    await #expect(throws: AgentError.notificationServer(server.address, .relay(.INTERNAL))) {
      try await alice.agent.registerNotificationToken(device, mode: .instant)
    }
    while try await alice.agent.notificationToken().status != .registered {
      try await Task.sleep(for: .milliseconds(5))
    }
    await alice.agent.close()
    await server.stop()
    await relay.stop()
  }
}
