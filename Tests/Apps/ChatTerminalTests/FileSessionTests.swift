import ChatAPI
import ChatStateTesting
import Foundation
import Synchronization
import Testing

@testable import ChatTerminal
import SimpleXChat

/// Sessions with events of files.
@Suite struct FileSessionTests {
  private let files = FileSamples()
  private let user = Samples.user()

  private func withCore(_ body: (ChatController) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let core = try await ChatController.open(ChatOptions(databasePrefix: folder.appending(path: "a").path))
    try await body(core)
    await core.finish()
  }

  private func progress(_ done: Int64) -> APIResult<ChatEvent> {
    .result(
      .rcvFileProgressXFTP(user: user, receivedSize: done, totalSize: 4, rcvFileTransfer: files.received()))
  }

  /// The status follows the progress, and goes with the file.
  @Test func statusOfFiles() async throws {
    try await withCore { core in
      let input = Screen()
      let session = TerminalSession(core: core, input: input, user: user)
      await session.show(progress(1))
      await session.show(progress(1))
      await session.show(progress(2))
      let item = files.item(.directRcv, "", .rcvComplete, path: "test.jpg")
      await session.show(.result(.rcvFileComplete(user: user, chatItem: item)))
      let row = "receiving file 1 (test.jpg)"
      #expect(input.statuses == [["\(row) 25% of 136.5 KiB"], ["\(row) 50% of 136.5 KiB"], []])
      #expect(input.texts == ["completed receiving file 1 (test.jpg) from bob"])
    }
  }
}

/// A person's screen.
private final class Screen: LineInput {
  private let shown = Mutex<(texts: [String], statuses: [[String]])>(([], []))
  let lines = AsyncStream<TypedLine> { $0.finish() }
  let completions = AsyncStream<String> { $0.finish() }
  var isInteractive: Bool { true }
  var typed: String { "" }
  var texts: [String] { shown.withLock { $0.texts } }
  var statuses: [[String]] { shown.withLock { $0.statuses } }
  func show(_ lines: [StyledText], as key: Int64?) { shown.withLock { $0.texts += lines.map(\.text) } }
  func showStatus(_ rows: [String]) { shown.withLock { $0.statuses.append(rows) } }
  func replace(_ key: Int64, with lines: [StyledText]) -> Bool { false }
  func replaceChat(_ old: String, with new: String, of profile: Int64) {}
  func offerChat(_ chat: String) {}
  func beginLive(_ text: String, in chat: String) {}
  func complete(_ beginning: String, with completed: String) {}
  func end() async {}
}
