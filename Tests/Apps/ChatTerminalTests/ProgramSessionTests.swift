import ChatAPI
import ChatStateTesting
import Foundation
import SimpleXChat
import Synchronization
import Testing

@testable import ChatTerminal

/// Programs that write lines to the terminal, and read the words that they know.
@Suite struct ProgramSessionTests {
  @Test func wordsOfErrors() {
    var view = ChatView(user: Samples.user(), now: Samples.time(60))
    func words(_ error: ChatError) -> [String] { view.lines(error, isOfCommand: true).map(\.text) }
    let broker = ChatError.errorAgent(agentError: .BROKER(brokerAddress: "smp", brokerErr: .TIMEOUT))
    #expect(words(.error(errorType: .chatNotStarted)) == ["error: chat not started"])
    #expect(words(.error(errorType: .chatNotStopped)) == ["error: chat not stopped"])
    #expect(words(.error(errorType: .chatStoreChanged)) == ["error: chat store changed, please restart chat"])
    #expect(words(broker).count == 1 && words(broker).allSatisfy { $0.hasPrefix("smp agent error: BROKER") })
    // A person is told what helps.
    view.showsStatus = true
    #expect(words(.error(errorType: .chatNotStarted)).contains { $0.contains("/_start") })
    #expect(words(.error(errorType: .chatNotStopped)).contains { $0.contains("/_stop") })
    #expect(words(.error(errorType: .chatStoreChanged)).contains { $0.contains("/quit") })
    #expect(words(broker).contains { $0.contains("/smp") })
  }

  @Test func whatIsNotShownIsNotRead() async throws {
    try await withCore { core, user in
      var options = TerminalSession.Options()
      options.marksRead = true
      let session = TerminalSession(core: core, input: Piped([]), user: user, options: options)
      func isRead(_ ntfs: MsgFilter, by user: User) -> Bool {
        let bob = ChatInfo.direct(contact: Samples.contact(2, "bob", at: Samples.time(0), ntfs: ntfs))
        let item = Samples.item(1, direction: .directRcv, text: "hello", at: Samples.time(0))
        return session.isReadByShowing(AChatItem(chatInfo: bob, chatItem: item), to: user)
      }
      var hidden = Samples.user(2, "alisa", isActive: false)
      #expect(isRead(.all, by: Samples.user()) && isRead(.all, by: hidden))
      #expect(!isRead(.none, by: Samples.user()))
      hidden.showNtfs = false
      #expect(!isRead(.all, by: hidden))
    }
  }

  /// A live message stays one until a command completes it, or the program ends.
  @Test func liveMessages() async throws {
    try await withCore { core, user in
      let completed = Piped(["/g team", "/live #team hello", "! #team (hello) hello there", "/groups"])
      await TerminalSession(core: core, input: completed, user: user).run()
      let texts = completed.texts
      #expect(texts.count { $0.contains("[LIVE]") } == 1, "\(texts)")
      #expect(texts.contains { $0.hasSuffix("#team [LIVE] hello there") }, "\(texts)")
      let left = Piped(["/live #team more", "/groups"])
      await TerminalSession(core: core, input: left, user: user).run()
      #expect(left.texts.last?.hasSuffix("#team [LIVE] more") == true, "\(left.texts)")
    }
  }

  /// A program gets the reason, a person what the command is like.
  @Test func refusedCommands() async throws {
    try await withCore { core, user in
      let lines = ["/mr team", "/smp foo"]
      let program = Piped(lines)
      await TerminalSession(core: core, input: program, user: user).run()
      #expect(program.texts.count == 2 && program.texts.allSatisfy { $0.hasPrefix("bad chat command: ") })
      let person = Piped(lines, isInteractive: true)
      await TerminalSession(core: core, input: person, user: user).run()
      #expect(person.texts.contains { $0.contains("/member role <group> <member>") }, "\(person.texts)")
      #expect(person.texts.contains { $0.hasPrefix("foo is not the address") }, "\(person.texts)")
    }
  }

  /// Nobody who looks at the screen reads a passphrase.
  @Test func passphrasesAreNotShown() async throws {
    try await withCore { core, user in
      let input = Piped(["/db decrypt secretwords", "/db key secretwords otherwords"], isInteractive: true)
      await TerminalSession(core: core, input: input, user: user).run()
      #expect(input.texts.contains("error: chat database is not encrypted"), "\(input.texts)")
      #expect(!input.texts.contains { $0.contains("secretwords") || $0.contains("otherwords") }, "\(input.texts)")
    }
  }

  private func withCore(_ body: (ChatController, User) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let core = try await ChatController.open(ChatOptions(databasePrefix: folder.appending(path: "a").path))
    guard case .result(.response0(.activeUser(let user))) = await core.sendText("/create user alice") else {
      Issue.record("no user")
      return
    }
    _ = await core.sendText("/_start")
    try await body(core, user)
    await core.finish()
  }
}

/// Gives lines, and keeps what is shown.
private final class Piped: LineInput {
  private let shown = Mutex<[String]>([])
  let lines: AsyncStream<TypedLine>
  let completions = AsyncStream<String> { $0.finish() }
  let isInteractive: Bool
  var typed: String { "" }
  var texts: [String] { shown.withLock { $0 } }

  init(_ lines: [String], isInteractive: Bool = false) {
    self.isInteractive = isInteractive
    self.lines = AsyncStream { continuation in
      for line in lines { continuation.yield(TypedLine(line)) }
      continuation.finish()
    }
  }

  func show(_ lines: [StyledText], as key: Int64?) { shown.withLock { $0 += lines.map(\.text) } }
  func replace(_ key: Int64, with lines: [StyledText]) -> Bool { false }
  func replaceChat(_ old: String, with new: String) {}
  func offerChat(_ chat: String) {}
  func beginLive(_ text: String, in chat: String) {}
  func complete(_ beginning: String, with completed: String) {}
  func end() async {}
}
