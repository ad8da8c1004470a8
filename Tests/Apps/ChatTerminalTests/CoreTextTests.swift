import ChatAPI
import ChatLogic
import ChatStateTesting
import Testing

@testable import ChatTerminal

/// The words of the core, as its users know them.
@Suite struct CoreTextTests {
  private static let on = FeatureEnabled(forUser: true, forContact: true)
  private static let off = FeatureEnabled(forUser: false, forContact: false)

  private static let messages: [(CIContent, String)] = [
    (.rcvMsgContent(msgContent: .voice(text: "", duration: 65)), "voice message (01:05)"),
    (.sndMsgContent(msgContent: .voice(text: "listen", duration: 5)), "voice message (00:05); listen"),
    (.rcvMsgContent(msgContent: .report(text: "", reason: .spam)), "report spam"),
    (.rcvMsgContent(msgContent: .text("hello")), "hello"),
    (.rcvDeleted(deleteMode: .cidmBroadcast), "this item is deleted (broadcast)"), (.rcvModerated, "moderated"),
  ]
  private static let events: [(CIContent, String)] = [
    (.sndCall(status: .ended, duration: 3_599), "outgoing call: ended (59:59)"),
    (.rcvCall(status: .missed, duration: 0), "incoming call: missed"), (.chatBanner, "chat banner"),
    (.rcvConnEvent(rcvConnEvent: .switchQueue(phase: .started)), "started changing address for you..."),
    (.sndConnEvent(sndConnEvent: .switchQueue(phase: .completed, member: nil)), "you changed address"),
    (.rcvDirectE2EEInfo(e2eeInfo: E2EEInfo()), "This conversation is protected by end-to-end encryption"),
  ]
  private static let device = "decryption error, possibly due to the device change"
  private static let errors: [(CIContent, String)] = [
    (.rcvIntegrityError(msgError: .msgSkipped(fromMsgId: 3, toMsgId: 5)), "skipped message ID 3..5"),
    (.rcvIntegrityError(msgError: .msgSkipped(fromMsgId: 3, toMsgId: 3)), "skipped message ID 3"),
    (.rcvDecryptionError(msgDecryptError: .ratchetHeader, msgCount: 2), "\(device) (header, 2 messages)"),
    (.rcvDecryptionError(msgDecryptError: .other, msgCount: 1), device),
  ]
  private static let features: [(CIContent, String)] = [
    (.rcvChatFeature(feature: .timedMessages, enabled: on, param: nil), "Disappearing messages: allowed"),
    (.rcvChatFeature(feature: .timedMessages, enabled: on, param: 86_400), "Disappearing messages: enabled (1 day)"),
    (.sndChatFeature(feature: .fullDelete, enabled: off, param: nil), "Full deletion: off"),
    (
      .rcvChatPreference(feature: .timedMessages, allowed: .yes, param: 3_600), "offered Disappearing messages (1 hour)"
    ),
    (.sndChatPreference(feature: .calls, allowed: .no, param: nil), "you cancelled Audio/video calls"),
    (.rcvChatFeatureRejected(feature: .voice), "Voice messages: received, prohibited"),
  ]
  private static let items = messages + events + errors + features
  private static let durations: [(Int, String)] = [
    (0, "0 sec"), (30, "30 sec"), (300, "5 min"), (3_600, "1 hour"), (28_800, "8 hours"), (86_400, "1 day"),
    (604_800, "1 week"), (1_209_600, "2 weeks"), (2_592_000, "1 month"), (5_270_461, "2 months 1 day 1 min 1 sec"),
    (-1, "0 sec"), (2_592_000_000_000, "1000000 months"),
  ]

  @Test(arguments: items)
  func itemTexts(_ content: CIContent, _ text: String) { #expect(content.itemText == text) }

  @Test(arguments: durations)
  func times(_ seconds: Int, _ text: String) { #expect(TimeToLive.text(seconds) == text) }

  @Test func preferencesOfAContact() {
    let view = ChatView(user: Samples.user(), now: Samples.time(60))
    let old = Samples.contact(2, "bob", at: Samples.time(0))
    var new = old
    new.mergedPreferences.fullDelete.enabled = FeatureEnabled(forUser: true, forContact: false)
    new.mergedPreferences.fullDelete.contactPreference = SimplePreference(allow: .always)
    let lines = view.lines(ChatEvent.contactUpdated(user: Samples.user(), fromContact: old, toContact: new))
    #expect(lines.first?.text == "bob updated preferences for you:")
    #expect(lines.dropFirst().map(\.text).first?.hasPrefix("Full deletion: enabled for you (you allow: ") == true)
    #expect(lines.last?.text.hasSuffix("contact allows: always)") == true)
  }

  /// A choice that was the default and is now one for the contact is the same choice.
  @Test func preferencesThatBecomeOnesForTheContact() {
    let view = ChatView(user: Samples.user(), now: Samples.time(60))
    let old = Samples.contact(2, "bob", at: Samples.time(0))
    var new = old
    new.mergedPreferences.fullDelete.userPreference = .contact(preference: SimplePreference(allow: .no))
    func lines() -> [String] {
      view.lines(ChatResponse1.contactPrefsUpdated(user: Samples.user(), fromContact: old, toContact: new)).map(\.text)
    }
    #expect(lines() == ["your preferences for bob did not change"])
    new.mergedPreferences.fullDelete.userPreference = .contact(preference: SimplePreference(allow: .yes))
    #expect(lines().first == "you updated preferences for bob:" && lines().count == 2)
  }

  @Test func linksOpenInBrowsers() {
    let view = ChatView(user: Samples.user(), now: Samples.time(60))
    let link = CreatedConnLink(connFullLink: "simplex:/invitation#/?v=2-7&smp=x")
    let text = view.invitation(link).map(\.text)
    #expect(text[2] == "https://simplex.chat/invitation#/?v=2-7&smp=x")
    #expect(view.webLink("https://smp1.example.org/i#abc") == "https://smp1.example.org/i#abc")
    #expect(
      view.host("smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@smp8.simplex.im,b.onion")
        == "smp8.simplex.im,b.onion")
  }

  @Test func whoAsksForMoreIsToldMore() {
    var view = ChatView(user: Samples.user(), now: Samples.time(60))
    let error = ChatError.errorAgent(agentError: .CONN(connErr: .NOT_FOUND, errContext: ""))
    #expect(view.lines(error, isOfCommand: false).isEmpty)
    #expect(!view.lines(error, isOfCommand: true).isEmpty)
    view.logLevel = .warn
    #expect(!view.lines(error, isOfCommand: false).isEmpty)
  }

  @Test func aBotAndItsCommands() {
    let view = ChatView(user: Samples.user(), now: Samples.time(60))
    var user = Samples.user()
    user.profile.peerType = .bot
    user.profile.preferences = Preferences(commands: [
      .command(keyword: "help", label: "Help", params: nil),
      .menu(label: "More things", commands: [.command(keyword: "order", label: "Order it", params: "<id>")]),
    ])
    let lines = view.lines(.response0(.activeUser(user: user))).map(\.text)
    #expect(
      lines.dropFirst(2) == [
        "Bot commands:", "Help:/help", "'More things':{", "  'Order it':/'order <id>'", "}",
        "use /set bot commands ... or /delete bot commands",
      ])
  }

  @Test func everyLineOfADeletedMessageIsMarked() {
    let view = ChatView(user: Samples.user(), now: Samples.time(60))
    var item = Samples.item(1, direction: .directRcv, text: "one\ntwo", at: Samples.time(0))
    item.meta.itemDeleted = .deleted(deletedTs: nil, chatType: .direct)
    let chat = ChatInfo.direct(contact: Samples.contact(2, "bob", at: Samples.time(0)))
    let lines = view.item(AChatItem(chatInfo: chat, chatItem: item), showsEvents: false).map(\.text)
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix(" [marked deleted]") })
  }
}
