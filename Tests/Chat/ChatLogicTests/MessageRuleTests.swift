import ChatAPI
import ChatLogic
import ChatStateTesting
import Foundation
import Testing

/// What may be done with messages, and what becomes of their content.
@Suite struct MessageRuleTests {
  private let now = Samples.time(100)

  private func contact(ttl: Int?, allow: FeatureAllowed = .yes) -> Contact {
    var contact = Samples.contact(2, "bob", at: now)
    contact.mergedPreferences = ContactUserPreferences(
      profile: nil, user: Preferences(timedMessages: TimedMessagesPreference(allow: .yes, ttl: ttl)),
      contact: Preferences(timedMessages: TimedMessagesPreference(allow: allow, ttl: ttl)), incognito: false)
    return contact
  }

  @Test func sentMessagesDisappearAfterTheirTime() {
    #expect(contact(ttl: 60).timedForSent(ttl: nil, live: false, now: now)?.deleteAt == now.addingTimeInterval(60))
    #expect(contact(ttl: 60).timedForSent(ttl: 5, live: false, now: now)?.ttl == 5)
    #expect(contact(ttl: nil).timedForSent(ttl: nil, live: false, now: now) == nil)
    #expect(contact(ttl: nil).timedForSent(ttl: 5, live: false, now: now)?.ttl == 5)
    #expect(contact(ttl: 60, allow: .no).timedForSent(ttl: 5, live: false, now: now) == nil)
    // What is still being written begins to age when it is finished.
    #expect(contact(ttl: 60).timedForSent(ttl: nil, live: true, now: now)?.deleteAt == nil)
  }

  @Test func receivedMessagesDisappearAfterReading() {
    #expect(contact(ttl: 60).timedForReceived(ttl: 5)?.ttl == 5)
    #expect(contact(ttl: 60).timedForReceived(ttl: 5)?.deleteAt == nil)
    #expect(contact(ttl: 60).timedForReceived(ttl: nil) == nil)
    #expect(contact(ttl: 60, allow: .no).timedForReceived(ttl: 5) == nil)
    #expect(contact(ttl: 60).timedTTL == 60)
    #expect(contact(ttl: 60, allow: .no).timedTTL == nil)
  }

  @Test func ownMessagesMayBeDeletedForAWhile() {
    var item = Samples.item(1, direction: .directSnd, text: "hello", at: now)
    #expect(DeletionRules.mayDelete(item, now: now.addingTimeInterval(29 * 3_600)))
    #expect(!DeletionRules.mayDelete(item, now: now.addingTimeInterval(31 * 3_600)))
    item.meta.itemDeleted = .deleted(deletedTs: now, chatType: .direct)
    #expect(!DeletionRules.mayDelete(item, now: now))
    #expect(!DeletionRules.mayDelete(Samples.item(2, direction: .directRcv, text: "hello", at: now), now: now))
    var local = Samples.item(3, direction: .directSnd, text: "hello", at: now)
    local.meta.itemSharedMsgId = nil
    #expect(!DeletionRules.mayDelete(local, now: now))
  }

  @Test func contactsMayDeleteForAWhile() {
    let item = Samples.item(1, direction: .directRcv, text: "hello", at: now)
    #expect(DeletionRules.mayDelete(received: item, at: now.addingTimeInterval(77 * 3_600)))
    #expect(!DeletionRules.mayDelete(received: item, at: now.addingTimeInterval(79 * 3_600)))
    // What is hidden because its author is blocked is still there.
    for (mark, isAllowed) in [
      (CIDeleted.blocked(deletedTs: nil), true), (.blockedByAdmin(deletedTs: nil), true),
      (.deleted(deletedTs: nil, chatType: .group), false),
    ] {
      var hidden = item
      hidden.meta.itemDeleted = mark
      #expect(DeletionRules.mayDelete(received: hidden, at: now) == isAllowed)
    }
  }

  @Test func reactionsAreLimited() {
    let emoji = MsgReaction.values
    #expect(ReactionRules.allows(emoji[0], add: true, to: []))
    #expect(!ReactionRules.allows(emoji[0], add: true, to: [emoji[0]]))
    #expect(ReactionRules.allows(emoji[0], add: false, to: [emoji[0]]))
    #expect(!ReactionRules.allows(emoji[0], add: false, to: []))
    #expect(!ReactionRules.allows(emoji[3], add: true, to: Array(emoji[0..<3])))
    #expect(ReactionRules.allows(emoji[2], add: false, to: Array(emoji[0..<3])))
  }

  @Test func quotesLeaveOutWhatIsLarge() {
    let image = MsgContent.image(text: "look", image: "data:")
    #expect(image.quoted(in: .text("nice"), fileName: nil) == image)
    #expect(image.quoted(in: .image(text: "", image: "data:"), fileName: nil) == .text("look"))
    #expect(MsgContent.file("").quoted(in: .text("thanks"), fileName: "a.pdf") == .file("a.pdf"))
    #expect(MsgContent.text("hello").quoted(in: .text("hi"), fileName: nil) == .text("hello"))
  }

  @Test func forwardingKeepsWhatCanBe() {
    #expect(MsgContent.text("hello").forwarded(hasFile: false) == .text("hello"))
    #expect(MsgContent.image(text: "", image: "x").forwarded(hasFile: false) == .image(text: "", image: "x"))
    #expect(MsgContent.voice(text: "", duration: 3).forwarded(hasFile: false) == nil)
    #expect(MsgContent.voice(text: "listen", duration: 3).forwarded(hasFile: false) == .text("listen"))
    #expect(MsgContent.voice(text: "", duration: 3).forwarded(hasFile: true) == .voice(text: "", duration: 3))
    #expect(MsgContent.file("").forwarded(hasFile: false) == nil)
  }

  @Test func attentionIsForWhatPeopleSay() {
    #expect(CIContent.rcvMsgContent(msgContent: .text("hello")).initialStatus == .rcvNew)
    #expect(CIContent.sndMsgContent(msgContent: .text("hello")).initialStatus == .sndNew)
    let on = FeatureEnabled(forUser: true, forContact: true)
    #expect(CIContent.rcvChatFeature(feature: .voice, enabled: on, param: nil).initialStatus == .rcvRead)
    #expect(CIContent.rcvDirectEvent(rcvDirectEvent: .contactDeleted).initialStatus == .rcvRead)
    #expect(CIContent.rcvMsgContent(msgContent: .report(text: "", reason: .spam)).initialStatus == .rcvRead)
    #expect(CIContent.rcvIntegrityError(msgError: .msgDuplicate).requiresAttention)
  }

  @Test func linksAreFound() {
    let plain = CIContent.rcvMsgContent(msgContent: .text("see https://example.com"))
    #expect(plain.hasLink(in: Markdown.parse("see https://example.com")))
    #expect(!plain.hasLink(in: Markdown.parse("see nothing")))
    #expect(!CIContent.rcvDirectEvent(rcvDirectEvent: .contactDeleted).hasLink(in: nil))
  }

  @Test func aliasesAreForwarded() {
    var contact = Samples.contact(2, "bob", at: now)
    #expect(contact.nameForForwarding == "bob")
    contact.profile.localAlias = "Robert"
    #expect(contact.nameForForwarding == "Robert")
  }
}
