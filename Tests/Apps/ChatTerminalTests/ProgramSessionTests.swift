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
    #expect(words(broker) == [#"smp agent error: BROKER {brokerAddress = "smp", brokerErr = TIMEOUT}"#])
    let file = ChatError.errorAgent(agentError: .FILE(fileErr: .REDIRECT(redirectError: "a \"b\"")))
    #expect(words(file) == [#"smp agent error: FILE {fileErr = REDIRECT {redirectError = "a \"b\""}}"#])
    let xftp = ChatError.errorAgent(agentError: .XFTP(serverAddress: "xftp://x", xftpErr: .CMD(cmdErr: .NO_AUTH)))
    #expect(words(xftp) == [#"smp agent error: XFTP {serverAddress = "xftp://x", xftpErr = CMD {cmdErr = NO_AUTH}}"#])
    #expect(words(.errorAgent(agentError: .INTERNAL(internalErr: "no servers"))) == ["internal error: no servers"])
    #expect(words(.errorStore(storeError: .invalidQuote)) == ["chat db error: SEInvalidQuote"])
    // A person is told what helps, in sentences.
    view.showsStatus = true
    let sentences = [
      words(.errorStore(storeError: .groupMemberNameNotFound(groupId: 1, groupMemberName: "cath"))),
      words(.errorStore(storeError: .noteFolderNotFound(noteFolderId: 1))), words(.errorStore(storeError: .uniqueID)),
      words(.errorStore(storeError: .invalidMention)),
      words(.errorAgent(agentError: .CONN(connErr: .NOT_FOUND, errContext: ""))),
      words(.errorAgent(agentError: .AGENT(agentErr: .A_DUPLICATE(droppedMsg_: nil)))),
      words(.errorAgent(agentError: .CMD(cmdErr: .PROHIBITED, errContext: "sending"))),
    ].joined()
    #expect(sentences.first == "the group has no member cath")
    #expect(!sentences.contains { $0.contains("chat db error") || $0.contains("NOT_FOUND") || $0.contains("A_DUPL") })
    #expect(words(.error(errorType: .chatNotStarted)).contains { $0.contains("/_start") })
    #expect(words(.error(errorType: .chatNotStopped)).contains { $0.contains("/_stop") })
    #expect(words(.error(errorType: .chatStoreChanged)).contains { $0.contains("/quit") })
    #expect(words(broker).contains { $0.contains("/smp") })
    #expect(words(file).map { $0.hasPrefix("file error: ") } == [true])
  }

  /// Errors as Haskell shows them.
  @Test func constructorTexts() {
    func shown(_ error: AgentErrorType) -> String { ConstructorText.of(error) }
    #expect(
      shown(.BROKER(brokerAddress: "smp://a@b", brokerErr: .NETWORK(networkError: .unknownCAError)))
        == #"BROKER {brokerAddress = "smp://a@b", brokerErr = NETWORK {networkError = NEUnknownCAError}}"#)
    #expect(
      shown(
        .PROXY(
          proxyServer: "a", relayServer: "b",
          proxyErr: .protocolError(
            protocolErr: .PROXY(
              proxyErr: .BROKER(brokerErr: .TRANSPORT(transportErr: .handshake(handshakeErr: .IDENTITY)))))))
        == #"PROXY {proxyServer = "a", relayServer = "b", proxyErr = ProxyProtocolError {protocolErr = "#
        + "PROXY {proxyErr = BROKER {brokerErr = TRANSPORT {transportErr = "
        + "TEHandshake {handshakeErr = IDENTITY}}}}}}")
    #expect(
      shown(.AGENT(agentErr: .A_CRYPTO(cryptoErr: .RATCHET_SKIPPED(7))))
        == "AGENT {agentErr = A_CRYPTO {cryptoErr = RATCHET_SKIPPED 7}}")
    #expect(shown(.RCP(rcpErr: .tLSStartFailed)) == "RCP {rcpErr = RCETLSStartFailed}")
    #expect(
      shown(.NOTICE(server: "s", preset: true, expiresAt: nil))
        == #"NOTICE {server = "s", preset = True, expiresAt = Nothing}"#)
    #expect(shown(.INACTIVE) == "INACTIVE")
    #expect(ConstructorText.quoted("\"a\\\né1é") == #""\"a\\\n\233\&1\233""#)
  }

  /// The reference says in these words why a server is refused.
  @Test func serverTests() {
    let server = "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@localhost:7001"
    let view = ChatView(user: Samples.user(), now: Samples.time(60))
    let failure = ProtocolTestFailure(
      testStep: .connect,
      testError: .BROKER(brokerAddress: server, brokerErr: .NETWORK(networkError: .unknownCAError)))
    #expect(
      view.serverTest(server, failure).map(\.text) == [
        "SMP server test failed at Connect, error: BROKER {brokerAddress = \"\(server)\", "
          + "brokerErr = NETWORK {networkError = NEUnknownCAError}}",
        "Certificate fingerprint in SMP server address does not match server certificate",
      ])
  }

  /// What a line of the chosen chat would copy to the notes is not sent to the chat.
  @Test func linesToNotesDoNotGoToTheChosenChat() async throws {
    try await withCore { core, user in
      _ = await core.sendText("/g team")
      _ = await core.sendText("#team for me alone")
      let input = Piped(["#team hello"], chosen: "#team ", ["* <- #team for me", "* <-#team alone", "*bold* words"])
      await TerminalSession(core: core, input: input, user: user).run()
      func texts(_ chat: String) async -> [String]? {
        guard case .result(.response0(.apiChat(_, let chat, _))) = await core.sendText("/_get chat \(chat) count=10")
        else { return nil }
        return chat.chatItems.filter { $0.content.msgContent != nil }.map(\.meta.itemText)
      }
      #expect(await texts("#1") == ["for me alone", "hello", "*bold* words"], "\(input.texts)")
      #expect(await texts("*1") == ["for me alone"], "\(input.texts)")
    }
  }

  /// A program stops the chat itself before it changes the passphrase.
  @Test func theChatIsNotStoppedForAProgram() async throws {
    try await withCore { core, user in
      let program = Piped(["/db encrypt secret"])
      var options = TerminalSession.Options()
      options.echoesInput = true
      await TerminalSession(core: core, input: program, user: user, options: options).run()
      #expect(program.texts == ["/db encrypt secret", "error: chat not stopped"])
      guard case .result(.response0(.chatRunning)) = await core.send(.checkChatRunning) else {
        Issue.record("the chat was stopped")
        return
      }
    }
  }

  /// The event of the connection tells a program of a message that is refused for good; a line of ours is one too many.
  @Test(arguments: [CIStatus.sndErrorAuth, .sndError(agentError: .auth)])
  func refusedMessagesAreToldOnce(status: CIStatus) async throws {
    try await withCore { core, user in
      let bob = ChatInfo.direct(contact: Samples.contact(2, "bob", at: Samples.time(0)))
      var item = Samples.item(1, direction: .directSnd, text: "hello", at: Samples.time(0))
      item.meta.itemStatus = status
      for isInteractive in [false, true] {
        let input = Piped([], isInteractive: isInteractive)
        let session = TerminalSession(core: core, input: input, user: user)
        session.followDelivery(user, [AChatItem(chatInfo: bob, chatItem: item)])
        #expect(input.texts.isEmpty == !isInteractive)
      }
    }
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

  /// - Parameter chosen: the chat that is chosen for the lines after the first ones.
  init(_ lines: [String], isInteractive: Bool = false, chosen: String = "", _ more: [String] = []) {
    self.isInteractive = isInteractive
    self.lines = AsyncStream { continuation in
      for line in lines { continuation.yield(TypedLine(line)) }
      for line in more { continuation.yield(TypedLine(line, chat: chosen)) }
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
