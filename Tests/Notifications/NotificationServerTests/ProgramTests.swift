import Foundation
import NotificationProtocol
import SMPProtocol
import SimplexCrypto
import Testing
import WireCodec

/// The programs `ntf-server` and `smp-server`, and a service in place of Apple's.
private struct World {
  let apple: FakeApple
  let ntf: TestProgram
  let smp: TestProgram
  let relay: RunningProgram

  /// The default settings, with the service and its authority in `[APNS]`, and relays on this machine allowed.
  static func start(_ answer: @escaping FakeApple.Answer = { _, _ in (200, "") }) async throws -> World {
    let certificates = try WebCertificates()
    let apple = try await FakeApple.start(certificates, answer: answer)
    let smp = try TestProgram("smp-server", variables: "SMP_SERVER")
    try smp.run("init", "-y", "--no-password", "--ip", "127.0.0.1", "--port", "0")
    let ntf = try TestProgram("ntf-server", variables: "NTF_SERVER")
    try ntf.run(
      "init", "--ip", "127.0.0.1", "--port", "0", "--team-id", "TEAM123456", "--key-id", "KEY1234567", "--key-file",
      certificates.path("AuthKey.p8"))
    try ntf.set(
      "config/ntf-server.ini",
      [
        "host": "127.0.0.1", "test_host": "localhost:\(apple.port)", "ca_file": certificates.path("ca.pem"),
        "private_addresses": "on",
      ])
    return World(apple: apple, ntf: ntf, smp: smp, relay: try smp.start())
  }

  /// Registers a device, and verifies it with the code that is pushed.
  func activate(_ device: TestDevice, _ client: NotificationTestClient) async throws -> (id: EntityID, boxKey: BoxKey) {
    let pushes = apple.pushes.count
    let token = try await device.register(client)
    let push = try #require(try await apple.waitForPushes(pushes + 1).last)
    let code = RegistrationCode(try push.opened("verification", token.boxKey))
    #expect(try await client.ask(.tvfy(code), token.id, key: device.key) == .ok)
    return token
  }
}

@Suite("The program ntf-server", .serialized, .timeLimit(.minutes(3)))
struct ProgramTests {
  private let device = TestDevice(PushDevice(service: .appleTest, token: "0123456789abcdef"))

  @Test func aMessageGivesOnePush() async throws {
    let world = try await World.start()
    let server = try world.ntf.start()
    let client = try await server.client()
    let token = try await world.activate(device, client)
    let verification = world.apple.pushes[0]
    #expect(verification.head.method == "POST" && verification.device == device.device.token)
    #expect(verification.head["apns-push-type"] == "background" && verification.head["apns-priority"] == "5")
    #expect(verification.head["apns-topic"] == "chat.simplex.app")
    #expect(verification.head["authorization"]?.hasPrefix("bearer ") == true)
    #expect(try await client.ask(.tchk, token.id, key: device.key) == .tkn(.active))

    let queue = try await NotifiedQueue.make(at: world.relay.smpAddress)
    guard case .idsub(let subscription) = try await client.ask(queue.subscription(of: token.id), key: device.key)
    else { throw Unexpected(text: "no IDSUB") }
    while try await client.ask(.schk, subscription, key: device.key) != .sub(.active) {
      try await Task.sleep(for: .milliseconds(10))
    }
    try await queue.sendMessage()
    let push = try await world.apple.waitForPushes(2)[1]
    #expect(push.head["apns-push-type"] == "alert" && push.head["apns-priority"] == nil)
    #expect(push.body.count <= 4_096)
    let text = try push.opened("message", token.boxKey)
    let messages = try PushedMessages.codec.decode(text)
    #expect(messages.map(\.queue) == [queue.queue])
    let metadata = try NotificationMetadata(opening: messages[0].notification, key: queue.metadataKey)
    #expect(metadata.messageID.bytes.count == 24)
    // Long after the time in which notifications are collected.
    try await Task.sleep(for: .seconds(1))
    #expect(world.apple.pushes.count == 2)
    try server.stop()
  }

  /// Killed after the notification was stored and before the push was accepted, the next start repeats the push.
  @Test func aKillRepeatsThePush() async throws {
    let world = try await World.start()
    var server = try world.ntf.start()
    let client = try await server.client()
    let token = try await world.activate(device, client)
    let queue = try await NotifiedQueue.make(at: world.relay.smpAddress)
    guard case .idsub = try await client.ask(queue.subscription(of: token.id), key: device.key) else {
      throw Unexpected(text: "no IDSUB")
    }
    world.apple.setAnswer { _, _ in nil }
    try await queue.sendMessage()
    let lost = try await world.apple.waitForPushes(2)[1]
    server.kill()
    world.apple.setAnswer { _, _ in (200, "") }
    server = try world.ntf.start()
    let repeated = try await world.apple.waitForPushes(3)[2]
    #expect(
      try repeated.opened("message", token.boxKey) == lost.opened("message", token.boxKey))
    // It subscribes again by itself, and the next push has both messages.
    try await queue.sendMessage()
    let next = try await world.apple.waitForPushes(4)[3]
    let messages = try PushedMessages.codec.decode(try next.opened("message", token.boxKey))
    #expect(messages.count == 1)
    // The answer of the service has to arrive before the kill: otherwise the push is repeated.
    try await Task.sleep(for: .seconds(1))
    server.kill()
    // What was accepted is not repeated.
    server = try world.ntf.start()
    #expect(try await server.client().ask(.tchk, token.id, key: device.key) == .tkn(.active))
    try await Task.sleep(for: .seconds(1))
    #expect(world.apple.pushes.count == 4)
  }

  @Test func aRelayThatRestartsIsSubscribedAgain() async throws {
    let world = try await World.start()
    let server = try world.ntf.start()
    let client = try await server.client()
    let token = try await world.activate(device, client)
    // The relay keeps its port over the restart.
    let port = world.relay.port
    let address = world.relay.smpAddress
    let queue = try await NotifiedQueue.make(at: address)
    guard case .idsub(let subscription) = try await client.ask(queue.subscription(of: token.id), key: device.key)
    else { throw Unexpected(text: "no IDSUB") }
    while try await client.ask(.schk, subscription, key: device.key) != .sub(.active) {
      try await Task.sleep(for: .milliseconds(20))
    }
    try world.relay.stop()
    try world.smp.set("config/smp-server.ini", ["port": "\(port)"])
    while try await client.ask(.schk, subscription, key: device.key) != .sub(.inactive) {
      try await Task.sleep(for: .milliseconds(20))
    }
    let restarted = try world.smp.start()
    while try await client.ask(.schk, subscription, key: device.key) != .sub(.active) {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(restarted.port == port)
    // A queue that its recipient deletes ends the subscription.
    let again = try await NotifiedQueue.make(at: address)
    guard case .idsub(let second) = try await client.ask(again.subscription(of: token.id), key: device.key) else {
      throw Unexpected(text: "no IDSUB")
    }
    while try await client.ask(.schk, second, key: device.key) != .sub(.active) {
      try await Task.sleep(for: .milliseconds(20))
    }
    try await again.delete()
    while try await client.ask(.schk, second, key: device.key) != .sub(.deleted) {
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  @Test func withoutAKeyItStartsAndSaysSo() async throws {
    let ntf = try TestProgram("ntf-server", variables: "NTF_SERVER")
    try ntf.run("init", "--ip", "127.0.0.1", "--port", "0")
    let server = try ntf.start()
    let warning = "Warning: pushes to Apple's service fail: [APNS] key_file, key_id and team_id are not set"
    #expect(server.log.contains(warning))
    let client = try await server.client()
    let apple = TestDevice(PushDevice(service: .apple, token: "00ff"), usesSignatures: false)
    let token = try await apple.register(client)
    #expect(try await client.ask(.tchk, token.id, key: apple.key) == .tkn(.registered))
    _ = try server.read(until: "Pushes to apns_prod fail: [APNS] key_file")
    // The service for tests of servers always accepts.
    let test = TestDevice(.test)
    let null = try await test.register(client)
    while try await client.ask(.tchk, null.id, key: test.key) != .tkn(.confirmed) {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try await client.ask(.tdel, null.id, key: test.key) == .ok)
    // Devices of tests of the provider are not accepted without its host.
    let request = NewTokenRequest(
      device: device.device, verifyKey: device.key.publicKey, dhKey: device.dhKey.publicKey)
    #expect(try await client.ask(.tnew(request), key: device.key) == .err(.CMD(cmdErr: .PROHIBITED)))
    try server.stop()
  }

  @Test func relaysAtPrivateAddressesAreNotConnectedTo() async throws {
    let world = try await World.start()
    try world.ntf.set("config/ntf-server.ini", ["private_addresses": "off"])
    let server = try world.ntf.start()
    let client = try await server.client()
    let token = try await world.activate(device, client)
    let queue = try await NotifiedQueue.make(at: world.relay.smpAddress)
    guard case .idsub(let subscription) = try await client.ask(queue.subscription(of: token.id), key: device.key)
    else { throw Unexpected(text: "no IDSUB") }
    try await queue.sendMessage()
    try await Task.sleep(for: .seconds(1))
    #expect(try await client.ask(.schk, subscription, key: device.key) == .sub(.pending))
    #expect(world.apple.pushes.count == 1)
  }

  @Test func commandsOfTheProgram() async throws {
    let ntf = try TestProgram("ntf-server", variables: "NTF_SERVER")
    let greeting = try ntf.run("init", "--ip", "127.0.0.1", "--port", "0", "--control-port")
    #expect(greeting.contains("Server address: ntf://"))
    #expect(try ntf.run("init", fails: true).contains("already initialized"))
    #expect(try ntf.run("address").hasPrefix("ntf://"))
    #expect(try ntf.run("check-config").contains("can be used"))
    #expect(try ntf.run("cert").contains("New certificate"))
    try ntf.set("config/ntf-server.ini", ["control_port": "0"])
    let server = try ntf.start()
    let test = TestDevice(.test)
    let token = try await test.register(try await server.client())
    #expect(try ntf.run("delete", "-y", fails: true).contains("the server is running"))
    let folder = ntf.path("backup")
    #expect(try ntf.run("backup", folder).contains("Copied the database"))
    try ntf.run("cert")
    server.hangUp()
    _ = try server.read(until: "Reloaded: the TLS certificate")
    try server.stop()
    try ntf.run("delete", "-y")
    #expect(!FileManager.default.fileExists(atPath: ntf.path("data/ntf-server.db")))
    try ntf.run("restore", folder)
    let restored = try ntf.start()
    #expect(restored.fingerprint == server.fingerprint)
    let status = try await restored.client().ask(.tchk, token.id, key: test.key)
    #expect(status == .tkn(.confirmed) || status == .tkn(.registered))
    try restored.stop()
  }
}
