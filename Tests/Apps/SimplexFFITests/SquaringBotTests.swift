import ChatAPI
import Foundation
import QueueStore
import SMPServer
import SimpleXChat
import SimplexTesting
import SimplexTransport
import Testing
import WireCodec

/// The official SDK, unmodified, with our library in place of its own: a bot of its documentation talks to a client of
/// ours.
@Suite("The squaring bot of the Python SDK", .enabled(if: SquaringBot.isPossible, "the library or the SDK is missing"))
struct SquaringBotTests {
  @Test(.timeLimit(.minutes(2))) func squares() async throws {
    let folder = try TemporaryFolder()
    let relay = try await LocalRelay.start(folder.path)
    let prefix = folder.file("bot")
    try await SquaringBot.prepare(prefix, relay: relay.address)
    let bot = try SquaringBot(prefix)
    let address = try #require(await bot.address(), "\(bot.log)")

    let peer = try await Peer.start("alice", folder.file("alice"), relay: relay.address)
    _ = try await peer.send("/connect \(address)")
    let (contact, welcome) = try #require(await peer.welcome(), "\(bot.log)")
    #expect(contact.profile.displayName == "Squaring bot")
    #expect(contact.profile.peerType == .bot)
    #expect(welcome == "Send me a number, I'll square it.")
    for (message, answer) in [("7", "7.0 * 7.0 = 49.0"), ("hello", "Send me a number, like 7 or 3.14.")] {
      _ = try await peer.send("@'Squaring bot' \(message)")
      #expect(await peer.text() == answer, "\(bot.log)")
    }
    #expect(bot.stop() == 0, "\(bot.log)")
    try await peer.core.close()
    await relay.stop()
  }
}

/// The bot's process.
private final class SquaringBot: Sendable {
  private static let python = Python.environment(with: "simplex-chat==7.0.2")
  static var isPossible: Bool { Library.isBuilt && python != nil }

  private let process: Process
  private let file: String

  /// Databases with the bot's profile, which was made with the relay: the SDK has no option for that.
  static func prepare(_ prefix: String, relay: String) async throws {
    let peer = try await Peer.start("Squaring bot", prefix, relay: relay)
    try await peer.core.close()
  }

  init(_ prefix: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.python))
    process.arguments = [Library.script("squaring_bot.py"), prefix]
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SIMPLEX_LIBS_DIR": URL(filePath: Library.path).deletingLastPathComponent().path, "PYTHONUNBUFFERED": "1"]
    ) { $1 }
    file = prefix + ".log"
    _ = FileManager.default.createFile(atPath: file, contents: nil)
    let output = try FileHandle(forWritingTo: URL(filePath: file))
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    self.process = process
  }

  deinit { if process.isRunning { process.terminate() } }

  /// What it wrote so far.
  var log: String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

  /// Its address, once it has said it.
  func address() async -> String? {
    for _ in 0..<600 where process.isRunning {
      if let line = log.split(separator: "\n").first(where: { $0.contains("Bot address: ") }) {
        return line.split(separator: " ").last.map(String.init)
      }
      try? await Task.sleep(for: .milliseconds(100))
    }
    return nil
  }

  /// Its exit status after it was asked to end.
  func stop() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }
}

/// A client of ours.
private struct Peer {
  struct Failure: Error { let text: String }

  let core: ChatController

  static func start(_ name: String, _ prefix: String, relay: String) async throws -> Peer {
    var options = ChatOptions(databasePrefix: prefix)
    options.smpServers = [relay]
    options.addsPresetContacts = false
    let peer = Peer(core: try await ChatController.open(options))
    let profile = Profile(displayName: name, fullName: "")
    if case .error(let error) = await peer.core.send(.createActiveUser(profile: profile, pastTimestamp: false)) {
      throw Failure(text: error.text)
    }
    _ = try await peer.send("/_start")
    return peer
  }

  func send(_ command: String) async throws -> ChatResponse {
    switch await core.sendText(command) {
    case .result(let response): return response
    case .error(let error): throw Failure(text: "\(command): \(error.text)")
    case .invalid(let type, _): throw Failure(text: type)
    }
  }

  func event<Value>(_ select: (ChatEvent) -> Value?) async -> Value? {
    let deadline = ContinuousClock.now + .seconds(30)
    while deadline > .now, let event = await core.eventQueue.next(within: deadline - .now) {
      if case .result(let event) = event, let value = select(event) { return value }
    }
    return nil
  }

  /// The text of the next message that arrives.
  func text() async -> String? { await event(Self.text) }

  /// The new contact and its first message, which come in either order.
  func welcome() async -> (Contact, String)? {
    var contact: Contact?
    var message: String?
    return await event { event in
      if case .contactConnected(_, let connected, _) = event { contact = connected }
      message = message ?? Self.text(event)
      return if let contact, let message { (contact, message) } else { nil }
    }
  }

  private static func text(_ event: ChatEvent) -> String? {
    guard case .newChatItems(_, let items) = event else { return nil }
    return items.lazy.compactMap { item in
      if case .rcvMsgContent(let content) = item.chatItem.content { content.text } else { nil }
    }.first
  }
}

/// A relay of this process.
struct LocalRelay {
  private let server: RelayServer
  let address: String

  static func start(_ folder: String) async throws -> LocalRelay {
    let certificates = RelayCertificates(folder: folder)
    try certificates.create(commonName: "localhost", algorithm: .ed25519)
    let configuration = SMPServerConfiguration(
      host: "127.0.0.1", ports: [0], credential: try certificates.credential())
    let server = try await RelayServer.start(configuration, store: MemoryQueueStore())
    let port = try #require(server.ports.first)
    let fingerprint = Base64URL.string(server.fingerprint)
    return LocalRelay(server: server, address: "smp://\(fingerprint)@127.0.0.1:\(port)")
  }

  func stop() async { await server.stop() }
}
