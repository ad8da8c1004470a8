import ChatAPI
import ChatStateTesting
import Foundation
import Testing

@testable import ChatTerminal

@Suite struct ViewTests {
  private let view = ChatView(user: Samples.user(), now: Samples.time(60), showsReactions: true)
  private let bob = Samples.contact(2, "bob", at: Samples.time(0))

  private func item(_ direction: CIDirection, _ text: String, _ change: (inout ChatItem) -> Void = { _ in })
    -> AChatItem
  {
    var item = Samples.item(1, direction: direction, text: text, at: Samples.time(0))
    change(&item)
    return AChatItem(chatInfo: .direct(contact: bob), chatItem: item)
  }

  /// The lines without the time, which depends on where the test runs.
  private func texts(_ lines: [StyledText]) -> [String] {
    let time = LocalTime(Samples.time(0)).short(now: LocalTime(Samples.time(60)))
    return lines.map { $0.text.hasPrefix(time) ? "TIME" + $0.text.dropFirst(time.count) : $0.text }
  }

  private func answered(_ response: ChatResponse1) -> [String] { texts(view.lines(.response1(response))) }

  private func happened(_ event: ChatEvent) -> [String] { texts(view.lines(event)) }

  // MARK: Messages

  @Test func messages() {
    let user = Samples.user()
    #expect(happened(.newChatItems(user: user, chatItems: [item(.directSnd, "hello")])) == ["TIME @bob hello"])
    #expect(
      happened(.newChatItems(user: user, chatItems: [item(.directRcv, "hi\nthere")])) == [
        "TIME bob> hi", "there",
      ])
    // What a person reads cannot look like the beginning of another message.
    var person = view
    person.showsStatus = true
    let lines = ChatEvent.newChatItems(user: user, chatItems: [item(.directRcv, "hi\nthere")])
    #expect(texts(person.lines(lines)) == ["TIME bob> hi", "      there"])
    let quote = item(.directRcv, "fine") {
      $0.quotedItem = CIQuote(chatDir: .directSnd, sentAt: Samples.time(0), content: .text("how are you?"))
    }
    #expect(happened(.newChatItems(user: user, chatItems: [quote])) == ["TIME bob> > how are you?", "      fine"])
    let long = item(.directRcv, "fine\nand you?") { $0.quotedItem = quote.chatItem.quotedItem }
    #expect(
      happened(.newChatItems(user: user, chatItems: [long])) == ["TIME bob> > how are you?", "      fine", "and you?"])
    let forwarded = item(.directSnd, "news") {
      $0.meta.itemForwarded = .contact(chatName: "bob b", msgDir: .rcv, contactId: nil, chatItemId: nil)
    }
    #expect(happened(.newChatItems(user: user, chatItems: [forwarded])) == ["TIME @bob <- @'bob b'", "      news"])
    let deleted = item(.directRcv, "gone") { $0.meta.itemDeleted = .deleted(deletedTs: nil, chatType: .direct) }
    #expect(happened(.newChatItems(user: user, chatItems: [deleted])) == ["TIME bob> gone [marked deleted]"])
    let many = (0..<21).map { _ in item(.directRcv, "x") }
    #expect(happened(.newChatItems(user: user, chatItems: many)) == ["21 new messages"])
  }

  /// A banner has the time 0, and tells a person nothing.
  @Test func bannersAreForPrograms() {
    let user = Samples.user()
    var view = view
    var banner = item(.directRcv, "")
    banner.chatItem.content = .chatBanner
    #expect(view.item(banner, showsEvents: true).map(\.text).map { $0.hasSuffix("bob> chat banner") } == [true])
    #expect(view.item(banner, showsEvents: false).isEmpty)
    view.showsStatus = true
    #expect(view.item(banner, showsEvents: true).isEmpty)
    #expect(view.lines(.response3(.chatItems(user: user, chatName_: nil, chatItems: [banner]))).isEmpty)
  }

  @Test func notes() {
    let note = Samples.item(1, direction: .localSnd, text: "buy milk", at: Samples.time(0))
    let folder = NoteFolder(
      noteFolderId: 1, userId: 1, createdAt: Samples.time(0), updatedAt: Samples.time(0), chatTs: Samples.time(0),
      favorite: false, unread: false)
    let items = [AChatItem(chatInfo: .local(noteFolder: folder), chatItem: note)]
    #expect(happened(.newChatItems(user: Samples.user(), chatItems: items)) == ["TIME * buy milk"])
  }

  @Test func changes() {
    let user = Samples.user()
    let edited = item(.directRcv, "hello!") { $0.meta.itemEdited = true }
    #expect(happened(.chatItemUpdated(user: user, chatItem: edited)) == ["TIME bob> [edited] hello!"])
    let ownEdit = item(.directSnd, "hello!") { $0.meta.itemEdited = true }
    #expect(answered(.chatItemUpdated(user: user, chatItem: ownEdit)) == ["TIME @bob [edited] hello!"])
    let received = ChatItemDeletion(deletedChatItem: item(.directRcv, "oops"), toChatItem: nil)
    #expect(
      happened(.chatItemsDeleted(user: user, chatItemDeletions: [received], byUser: false)) == [
        "TIME bob> [deleted] oops"
      ])
    #expect(
      answered(.chatItemsDeleted(user: user, chatItemDeletions: [received], byUser: true)) == [
        "message deleted"
      ])
    let reaction = ACIReaction(
      chatInfo: .direct(contact: bob),
      chatReaction: CIReaction(
        chatDir: .directRcv, chatItem: item(.directSnd, "hello").chatItem, sentAt: Samples.time(0),
        reaction: .emoji(emoji: .thumbsup)))
    #expect(
      happened(.chatItemReaction(user: user, added: true, reaction: reaction)) == ["TIME bob> >> hello", "    + 👍"])
    let own = ACIReaction(
      chatInfo: .direct(contact: bob),
      chatReaction: CIReaction(
        chatDir: .directSnd, chatItem: item(.directRcv, "hi").chatItem, sentAt: Samples.time(0),
        reaction: .emoji(emoji: .thumbsup)))
    #expect(answered(.chatItemReaction(user: user, added: true, reaction: own)) == ["added 👍"])
  }

  // MARK: Contacts

  @Test func connecting() {
    let user = Samples.user()
    #expect(happened(.contactConnected(user: user, contact: bob)) == ["bob: contact is connected"])
    let link = CreatedConnLink(connFullLink: "simplex:/full", connShortLink: "https://short")
    #expect(
      answered(.userContactLinkCreated(user: user, connLinkContact: link)).prefix(3) == [
        "Your new chat address is created!", "", "https://short",
      ])
    #expect(
      answered(.userContactLinkCreated(user: user, connLinkContact: link)).last
        == "The contact link for old clients: https://simplex.chat/full")
    #expect(answered(.contactDeleted(user: user, contact: bob)) == ["bob: contact is deleted"])
    var muted = bob
    muted.chatSettings.enableNtfs = .none
    #expect(
      answered(.contactsList(user: user, contacts: [muted, Samples.contact(3, "Alf", at: Samples.time(0))])) == [
        "Alf", "bob (muted, you can /unmute @bob)",
      ])
  }

  @Test func linesAboutOtherUsersNameThem() {
    var other = Samples.user(2, "carol", isActive: false)
    #expect(happened(.contactConnected(user: other, contact: bob)) == ["[user: carol] bob: contact is connected"])
    other.showNtfs = false
    #expect(happened(.contactConnected(user: other, contact: bob)) == [])
  }

  @Test func errors() {
    func failed(_ error: ChatError) -> [String] { view.lines(error, isOfCommand: true).map(\.text) }
    #expect(failed(.error(errorType: .noActiveUser)) == ["error: active user is required"])
    #expect(
      failed(.error(errorType: .invalidDisplayName(displayName: "@bob", validName: "bob"))) == [
        "invalid display name: @bob", "you could use this one: bob",
      ])
    #expect(failed(.errorStore(storeError: .contactNotFoundByName(contactName: "bob"))) == ["no contact bob"])
    #expect(
      failed(.errorStore(storeError: .noteFolderNotFound(noteFolderId: 1)))
        == ["chat db error: SENoteFolderNotFound {noteFolderId = 1}"])
    #expect(
      failed(.errorStore(storeError: .pendingConnectionNotFound(connId: 1)))
        == ["chat db error: SEPendingConnectionNotFound {connId = 1}"])
    var person = view
    person.showsStatus = true
    let quote = person.lines(.errorStore(storeError: .invalidQuote), isOfCommand: true)
    #expect(quote.first?.text.contains("cannot be quoted") == true)
    #expect(failed(.errorStore(storeError: .uniqueID)) == ["chat db error: SEUniqueID"])
    #expect(failed(.errorStore(storeError: .userContactLinkNotFound)) == ["no chat address, to create: /ad"])
    let network = ChatError.errorAgent(agentError: .BROKER(brokerAddress: "smp", brokerErr: .TIMEOUT))
    #expect(!view.lines(network, isOfCommand: true).isEmpty)
    #expect(view.lines(network, isOfCommand: false).isEmpty)
  }

  /// What the reference's suite reads instead of lines for people.
  @Test func testView() {
    var test = view
    test.isTestView = true
    func shown(_ response: ChatResponse) -> [String] { test.lines(response).map(\.text) }
    let user = Samples.user()
    let answer = item(.directRcv, "fine") {
      $0.quotedItem = CIQuote(chatDir: .directSnd, sentAt: Samples.time(0), content: .text("how are you?"))
      $0.meta.itemDeleted = .deleted(deletedTs: nil, chatType: .direct)
    }
    let own = item(.directSnd, "\"é\"")
    let chat = ChatData(chatInfo: .direct(contact: bob), chatItems: [answer.chatItem, own.chatItem])
    #expect(
      shown(.response0(.apiChat(user: user, chat: chat))) == [
        #"[((0,"fine [marked deleted]"),Just (1,"how are you?"),Nothing),((1,"\"\233\""),Nothing,Nothing)]"#
      ])
    let chats = [
      chat, ChatData(chatInfo: .direct(contact: Samples.contact(3, "alf", at: Samples.time(0))), chatItems: []),
    ]
    #expect(
      shown(.response0(.apiChats(user: user, chats: chats))) == [
        #"[("@bob","fine [marked deleted]",Just ConnReady),("@alf","",Just ConnReady)]"#
      ])
    #expect(shown(.response0(.contactCode(user: user, contact: bob, connectionCode: "12 34"))) == ["12 34"])
    let profile = Profile(displayName: "WildAntelope", fullName: "")
    #expect(
      test.lines(ChatEvent.contactConnected(user: user, contact: bob, userCustomProfile: profile)).first?.text
        == "WildAntelope")
    let plan = ConnectionPlan.invitationLink(invitationLinkPlan: .ok(contactSLinkData_: nil, ownerVerification: nil))
    #expect(test.plan(plan).map(\.text) == ["invitation link: ok to connect", "null"])
    #expect(view.plan(plan).map(\.text) == ["invitation link: ok to connect"])
    var muted = answer
    var silent = bob
    silent.chatSettings.enableNtfs = .none
    muted.chatInfo = .direct(contact: silent)
    let event = ChatEvent.newChatItems(user: user, chatItems: [muted])
    #expect(test.lines(event).map { $0.text.hasSuffix(" <muted>") } == [true, true] && view.lines(event).isEmpty)
    let deletion = ChatItemDeletion(deletedChatItem: own, toChatItem: nil)
    let expired = ChatEvent.chatItemsDeleted(user: user, chatItemDeletions: [deletion], byUser: false, timed: true)
    #expect(test.lines(expired).map(\.text) == ["timed message deleted: \"é\""] && view.lines(expired).isEmpty)
    let folder = { (userId: Int64) in
      NoteFolder(
        noteFolderId: userId, userId: userId, createdAt: Samples.time(0), updatedAt: Samples.time(0),
        chatTs: Samples.time(0), favorite: false, unread: false)
    }
    let notes = (1...2).map { ChatData(chatInfo: .local(noteFolder: folder($0)), chatItems: []) }
    #expect(shown(.response0(.apiChats(user: user, chats: notes))) == [#"[("*","",Nothing)]"#])
  }

  @Test func receiptsAreForTests() {
    let user = Samples.user()
    func received(_ progress: SndCIStatusProgress, count: Int = 1) -> ChatEvent {
      let item = item(.directSnd, "hello") { $0.meta.itemStatus = .sndRcvd(msgRcptStatus: .ok, sndProgress: progress) }
      return .chatItemsStatusesUpdated(user: user, chatItems: Array(repeating: item, count: count))
    }
    var test = view
    test.isTestView = true
    #expect(test.lines(received(.complete)).isEmpty)
    test.showsReceipts = true
    let first = test.lines(received(.complete)).map(\.text)
    #expect(first.map { $0.hasPrefix("⩗ ") && $0.hasSuffix(" @bob hello") } == [true])
    #expect(test.lines(received(.partial)).map { $0.text.hasPrefix("% ") } == [true])
    #expect(test.lines(received(.complete, count: 21)).map(\.text) == ["21 message statuses updated"])
    test.isTestView = false
    #expect(test.lines(received(.complete)).isEmpty)
  }

  // MARK: Hostile texts

  @Test func controlCharactersOfOthersAreNotShown() {
    let text = "red \u{1B}[31m\u{9B}2J\u{7}\u{202E}x"
    let lines = view.lines(ChatEvent.newChatItems(user: Samples.user(), chatItems: [item(.directRcv, text)]))
    #expect(lines.map(\.text).joined().hasSuffix("bob> red [31m2Jx"))
    var hostile = bob
    hostile.localDisplayName = "bob\u{1B}]0;title\u{7}"
    let connected = view.lines(ChatEvent.contactConnected(user: Samples.user(), contact: hostile))
    #expect(connected.first?.terminalText == "\u{1B}[92mbob]0;title\u{1B}[0m: contact is connected")
  }

  @Test func formats() {
    let lines = view.textLines("*bold* #secret# `code` !1 red!")
    #expect(lines.map(\.text) == ["bold #secret# `code` red"])
    #expect(lines.first?.terminalText.contains("\u{1B}[1mbold\u{1B}[0m") == true)
    #expect(lines.first?.terminalText.contains("\u{1B}[91mred\u{1B}[0m") == true)
  }
}

@Suite struct CommandFailureTests {
  private let user = Samples.user()

  @Test func failuresInResponses() {
    let failure = ProtocolTestFailure(testStep: .connect, testError: .INACTIVE)
    func isFailure(_ response: ChatResponse, of command: String = "/x") -> Bool {
      APIResult.result(response).isFailure(of: command)
    }
    for (test, isExpected) in [(failure, true), (nil, false)] as [(ProtocolTestFailure?, Bool)] {
      #expect(
        isFailure(.response0(.serverTestResult(user: user, testServer: "x", testFailure: test))) == isExpected)
    }
    let differing = ChatResponse.response0(.connectionVerified(user: user, verified: false, expectedCode: "1"))
    #expect(isFailure(differing, of: "/verify @bob 12345") && isFailure(differing, of: "/_verify code @2 12345"))
    #expect(!isFailure(differing, of: "/verify @bob") && !isFailure(differing, of: "/_verify code @2"))
    #expect(isFailure(.response2(.archiveExported(archiveErrors: [.import(importError: "x")]))))
    #expect(!isFailure(.response2(.archiveExported(archiveErrors: []))))
    #expect(isFailure(.response2(.chatCmdError(chatError: .error(errorType: .noActiveUser)))))
    #expect(!isFailure(.response2(.cmdOk())))
    #expect(APIResult<ChatResponse>.error(.error(errorType: .noActiveUser)).isFailure(of: "/x"))
  }
}
