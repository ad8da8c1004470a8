import ChatAPI
import ChatStateTesting
import Foundation
import SimpleXChat
import Synchronization
import Testing

@testable import ChatTerminal

@Suite struct LogFileTests {
  /// The log of servers and connections is written to the file; everything else is shown.
  @Test func takesWhatIsToldOfServers() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let core = try await ChatController.open(ChatOptions(databasePrefix: folder.appending(path: "a").path))
    let input = Shown()
    var options = TerminalSession.Options()
    options.logFile = folder.appending(path: "log").path
    let session = TerminalSession(core: core, input: input, user: Samples.user(), options: options)
    await session.show(.result(.hostConnected(protocol: .smp, transportHost: "relay.example")))
    await session.show(
      .result(.contactConnected(user: Samples.user(), contact: Samples.contact(2, "bob", at: Samples.time(0)))))
    await session.show(.result(.hostDisconnected(protocol: .smp, transportHost: "relay.example")))
    await session.show(.result(.timedAction(action: "turn", durationMilliseconds: 120)))
    let log = try String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
    #expect(log == "connected to SMP host relay.example\ndisconnected from SMP host relay.example\nturn took 120 ms\n")
    #expect(input.texts.contains { $0.hasPrefix("bob") } && input.texts.allSatisfy { !$0.contains("host") })
    await core.finish()
  }
}

/// Keeps what is shown.
private final class Shown: LineInput {
  private let shown = Mutex<[String]>([])
  let lines = AsyncStream<TypedLine> { $0.finish() }
  let completions = AsyncStream<String> { $0.finish() }
  var isInteractive: Bool { false }
  var typed: String { "" }
  var texts: [String] { shown.withLock { $0 } }
  func show(_ lines: [StyledText], as key: Int64?) { shown.withLock { $0 += lines.map(\.text) } }
  func replace(_ key: Int64, with lines: [StyledText]) -> Bool { false }
  func replaceChat(_ old: String, with new: String, of profile: Int64) {}
  func offerChat(_ chat: String) {}
  func beginLive(_ text: String, in chat: String) {}
  func complete(_ beginning: String, with completed: String) {}
  func end() async {}
}
