import ChatAPI
import ChatStateTesting
import Foundation
import SimpleXChat
import Synchronization
import Testing

@testable import ChatTerminal

@Suite struct ConfirmationTests {
  /// A contact without a connection, such as a card of a new profile, can be deleted; one that does not exist cannot.
  @Test func contactsWithoutAConnection() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "confirm-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let core = try await ChatController.open(ChatOptions(databasePrefix: folder.appending(path: "a").path))
    guard case .result(.response0(.activeUser(let user))) = await core.sendText("/create user alice") else {
      Issue.record("no user")
      return
    }
    _ = await core.sendText("/_start")
    let input = Typing(["/clear @'SimpleX Status'", "n", "/delete @'SimpleX Status'", "y", "/delete @'SimpleX Status'"])
    await TerminalSession(core: core, input: input, user: user).run()
    let texts = input.texts
    #expect(texts.contains { $0.hasPrefix("Delete all messages with 'SimpleX Status' here?") }, "\(texts)")
    #expect(texts.contains { $0.hasPrefix("Delete the contact 'SimpleX Status'") }, "\(texts)")
    #expect(texts.contains("'SimpleX Status': contact is deleted"), "\(texts)")
    #expect(texts.last == "no contact 'SimpleX Status'")
    await core.finish()
  }
}

/// Types lines, and keeps what is shown.
private final class Typing: LineInput {
  private let shown = Mutex<[String]>([])
  let lines: AsyncStream<TypedLine>
  let completions = AsyncStream<String> { $0.finish() }
  var isInteractive: Bool { true }
  var typed: String { "" }
  var texts: [String] { shown.withLock { $0 } }

  init(_ lines: [String]) {
    self.lines = AsyncStream { continuation in
      for line in lines { continuation.yield(TypedLine(line)) }
      continuation.finish()
    }
  }

  func show(_ lines: [StyledText], as key: Int64?) { shown.withLock { $0 += lines.map(\.text) } }
  func replace(_ key: Int64, with lines: [StyledText]) -> Bool { false }
  func replaceChat(_ old: String, with new: String, of profile: Int64) {}
  func offerChat(_ chat: String) {}
  func beginLive(_ text: String, in chat: String) {}
  func complete(_ beginning: String, with completed: String) {}
  func end() async {}
}
