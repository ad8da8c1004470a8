import Foundation
import NotificationProtocol
import NotificationServerCore
import NotificationStore
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Synchronization
import Testing
import WireCodec

@testable import NotificationServer

/// Notes pushes and answers them as a test wants.
private final class TestSender: PushSender {
  let pushes = Mutex<[OutgoingPush]>([])

  func send(_ push: OutgoingPush) async -> PushOutcome {
    pushes.withLock { $0.append(push) }
    return .delivered
  }

  func waitForPushes(_ count: Int) async throws -> [OutgoingPush] {
    while pushes.withLock({ $0.count }) < count { try await Task.sleep(for: .milliseconds(5)) }
    return pushes.withLock { $0 }
  }
}

/// A server on the loopback interface, with a real database in a folder of its own.
private final class TestServer: Sendable {
  let server: PushServer
  let sender: TestSender
  let folder: URL

  private init(_ server: PushServer, _ sender: TestSender, _ folder: URL) {
    self.server = server
    self.sender = sender
    self.folder = folder
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  static func with(_ body: (TestServer) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ntf-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let certificates = RelayCertificates(folder: folder.path)
    try certificates.create(commonName: "localhost", algorithm: .ed448)
    let sender = TestSender()
    var configuration = NotificationServerConfiguration(
      host: "127.0.0.1", port: 0, credential: try certificates.credential())
    configuration.senders[.apple] = sender
    let store = try SQLiteNotificationStore(databaseFile: folder.appending(path: "ntf-server.db").path)
    let test = TestServer(try await PushServer.start(configuration, store: store), sender, folder)
    do { try await body(test) } catch {
      await test.server.stop()
      throw error
    }
    await test.server.stop()
  }

  func client(
    _ versions: VersionRange = NotificationVersion.supported,
    protocols: [String] = [NotificationTransport.applicationProtocol]
  ) async throws -> NotificationTestClient {
    try await NotificationTestClient.connect(
      port: server.port, fingerprint: server.fingerprint, versions: versions, protocols: protocols)
  }
}

@Suite("Connections of clients", .timeLimit(.minutes(2))) struct ServerTests {
  private let device = PushDevice(service: .apple, token: "0123")

  @Test(arguments: UInt16(1)...3, [true, false])
  func everyVersionRegistersAndVerifies(_ version: UInt16, usesSignatures: Bool) async throws {
    // X25519 needs the server's key, which version 1 does not have.
    guard version > 1 || usesSignatures else { return }
    try await TestServer.with { test in
      let client = try await test.client(VersionRange(version))
      #expect(client.session.context.version == version)
      let device = TestDevice(device, usesSignatures: usesSignatures)
      #expect(try await client.ask(.ping) == .pong)
      let token = try await device.register(client)
      let push = try #require(try await test.sender.waitForPushes(1).first)
      guard case .verification(let code) = push.content else { throw Unexpected(text: "no code") }
      #expect(push.key == token.boxKey)
      #expect(try await client.ask(.tvfy(code), token.id, key: device.key) == .ok)
      #expect(try await client.ask(.tchk, token.id, key: device.key) == .tkn(.active))
      #expect(try await client.ask(.tcrn(20), token.id, key: device.key) == .ok)
      #expect(try await client.ask(.tdel, token.id, key: device.key) == .ok)
      #expect(try await client.ask(.tchk, token.id, key: device.key) == .err(.AUTH))
    }
  }

  @Test func withoutApplicationProtocolThereIsVersion1() async throws {
    try await TestServer.with { test in
      let client = try await test.client(protocols: [])
      #expect(client.session.context.version == 1)
      #expect(try await client.ask(.ping) == .pong)
    }
  }

  @Test func onlyTheRightKeyIsObeyed() async throws {
    try await TestServer.with { test in
      let client = try await test.client()
      let device = TestDevice(device)
      let token = try await device.register(client)
      let other = TestDevice(self.device)
      let commands: [NotificationCommand] = [.tchk, .tdel, .tcrn(20), .trpl(self.device)]
      for command in commands {
        #expect(try await client.ask(command, token.id, key: other.key) == .err(.AUTH))
        #expect(try await client.ask(command, EntityID([1, 2]), key: device.key) == .err(.AUTH))
      }
      // A request with the key of another: its signature has to be that of the key inside.
      let request = NewTokenRequest(
        device: self.device, verifyKey: device.key.publicKey, dhKey: device.dhKey.publicKey)
      #expect(try await client.ask(.tnew(request), key: other.key) == .err(.AUTH))
      #expect(try await client.ask(.tchk, token.id) == .err(.CMD(cmdErr: .NO_AUTH)))
      #expect(try await client.ask(.tchk, key: device.key) == .err(.CMD(cmdErr: .NO_AUTH)))
      #expect(try await client.ask(.tnew(request), token.id, key: device.key) == .err(.CMD(cmdErr: .HAS_AUTH)))
    }
  }

  @Test func manyCommandsAreAnsweredInOneConnection() async throws {
    try await TestServer.with { test in
      let client = try await test.client()
      let device = TestDevice(device)
      let token = try await device.register(client)
      var sent: Set<CorrelationID> = []
      for _ in 0..<300 { sent.insert(try await client.send(.tchk, token.id, key: device.key)) }
      for _ in 0..<300 {
        let (correlation, message) = try await client.response()
        #expect(sent.remove(correlation) != nil)
        #expect(message == .tkn(.registered) || message == .tkn(.confirmed))
      }
    }
  }

  @Test func repeatedRegistrationsPushFewCodes() async throws {
    try await TestServer.with { test in
      let client = try await test.client()
      let devices = (0..<30).map { _ in TestDevice(device) }
      for device in devices { _ = try await device.register(client) }
      for _ in 0..<5 { _ = try await devices[0].register(client) }
      _ = try await test.sender.waitForPushes(1)
      try await Task.sleep(for: .milliseconds(200))
      // One at once; the next one 30 seconds later.
      #expect(test.sender.pushes.withLock { $0.count } == 1)
    }
  }

  @Test func malformedInputEndsOrIsRefused() async throws {
    try await TestServer.with { test in
      for block in [
        [UInt8](repeating: 255, count: 512), [UInt8](repeating: 0, count: 512),
        [0, 1, 9] + [UInt8](repeating: 35, count: 509),
      ] {
        let client = try await test.client()
        try await client.send(block: block)
        do {
          let (_, message) = try await client.response()
          #expect(message == .err(.BLOCK))
        } catch is NotificationTestClient.Closed {}
      }
      let client = try await test.client()
      #expect(try await client.ask(.ping, EntityID([1])) == .err(.CMD(cmdErr: .HAS_AUTH)))
      #expect(try await client.ask(.ping) == .pong)
      // Another server was expected.
      let wrong = try await NotificationTestClient.connect(
        port: test.server.port, fingerprint: test.server.fingerprint, keyHash: [1, 2, 3])
      await #expect(throws: (any Error).self) { try await wrong.ask(.ping) }
    }
  }
}
