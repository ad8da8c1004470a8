import ChatAPI
import ChatStateTesting
import Foundation
import SimplexTesting
import Synchronization
import Testing

@testable import ChatTerminal
@testable import SimpleXChat

/// Sessions and bots with events of files.
@Suite struct FileSessionTests {
  private static let package = "websockets==15.0.1"
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

  /// What is accepted without asking comes behind the message, here an error, as the core knows no such file.
  @Test func filesThatAreAccepted() async throws {
    try await withCore { core in
      let input = Screen()
      var options = TerminalSession.Options()
      options.acceptedFileSize = 200_000
      let session = TerminalSession(core: core, input: input, user: user, options: options)
      let item = files.item(.directRcv, "", .rcvInvitation)
      await session.show(.result(.newChatItems(user: user, chatItems: [item])))
      #expect(input.texts.count == 3, "\(input.texts)")
      let before = input.texts.count
      await session.show(
        .result(.newChatItems(user: user, chatItems: [files.item(.directRcv, "", .rcvInvitation, size: 200_000)])))
      #expect(input.texts.count == before + 2, "\(input.texts)")
    }
  }

  @Test(.enabled(if: Python.environment(with: Self.package) != nil, "the package websockets cannot be installed"))
  func filesThatBotsAccept() async throws {
    try await withCore { core in
      let item = files.item(.directRcv, "", .rcvInvitation)
      core.emit(ChatEvent.newChatItems(user: user, chatItems: [item]))
      core.emit(ChatEvent.hostConnected(protocol: .smp, transportHost: "relay"))
      let api = try await WebSocketAPI(core: core, port: 0, acceptedFileSize: 200_000)
      let script = """
        import asyncio, json, sys, websockets
        async def main():
            async with websockets.connect(f"ws://127.0.0.1:{sys.argv[1]}") as connection:
                types = []
                for _ in range(3):
                    event = json.loads(await asyncio.wait_for(connection.recv(), 20))
                    types.append(event["resp"]["type"])
                assert types == ["newChatItems", "chatError", "hostConnected"], types
        asyncio.run(main())
        """
      let port = String(api.port)
      let result = try await Task.detached {
        try Python.run(script: script, arguments: [port], package: Self.package)
      }.value
      #expect(result.status == 0, "\(result.output) \(result.errors)")
      await api.close()
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
  func replaceChat(_ old: String, with new: String) {}
  func offerChat(_ chat: String) {}
  func beginLive(_ text: String, in chat: String) {}
  func complete(_ beginning: String, with completed: String) {}
  func end() async {}
}
