import AgentCore
import ChatAPI
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// What members say about admission, and in support chats, goes only as far as their rights.
@Suite struct HostileMemberTests {
  /// A message is shown although what came of the description of its file before cannot be used.
  @Test func messagesWithDescriptionsThatAreTooLongAreShown() async throws {
    try await HostileGroup.play(role: "member") { world in
      let (id, text) = (HostileGroup.id(), String(repeating: "x", count: 12_500))
      func description(_ number: Int, _ text: String) -> String {
        #"{"fileDescrText":"\#(text)","fileDescrPartNo":\#(number),"fileDescrComplete":false}"#
      }
      for number in 1...85 {
        try await world.mallory.send(
          HostileGroup.message("x.msg.file.descr", #"{"msgId":"\#(id)","fileDescr":\#(description(number, text))}"#))
      }
      try await world.mallory.send(
        HostileGroup.message(
          "x.msg.new",
          #"{"content":{"type":"file","text":"a file"},"#
            + #""file":{"fileName":"a","fileSize":5,"fileDescr":\#(description(0, ""))}}"#, id: id))
      let error = try await world.alice.event("errorStore")
      #expect(error["storeError"]?["type"]?.stringValue == "rcvFileInvalidDescrPart")
      #expect(try await world.texts().contains("a file"))
    }
  }

  @Test func membersHaveNoPartInOthersSupportChats() async throws {
    try await HostileGroup.play(role: "observer") { world in
      let (bob, own) = (try await world.id("bob"), try await world.id("mallory"))
      try await world.refused(
        "x.msg.new", HostileGroup.text("as bob", in: bob), because: "member is not allowed to send to this support chat"
      )
      try await world.refused(
        "x.msg.new", HostileGroup.text("to all"), because: "member is not allowed to send messages")
      try await world.refused(
        "x.msg.update",
        #"{"msgId":"bWVzc2FnZW1lc3Nh","content":{"type":"text","text":"edited"},"#
          + #""scope":{"type":"member","memberId":"\#(bob)"}}"#,
        because: "member is not allowed to send to this support chat")
      // An observer may ask moderators, and report.
      try await world.mallory.send(HostileGroup.message("x.msg.new", HostileGroup.text("help", in: own)))
      try await world.mallory.send(
        HostileGroup.message(
          "x.msg.new",
          #"{"content":{"type":"report","text":"rude","reason":"other"},"#
            + #""scope":{"type":"member","memberId":"\#(own)"}}"#))
      _ = try await world.alice.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["content"]?["msgContent"]?["type"]?.stringValue == "report"
      }
      let mallory = try await world.member("mallory")
      let texts = try await world.texts("(_support:\(mallory["groupMemberId"]?.integerValue ?? 0))")
      #expect(texts.contains("help") && !texts.contains("as bob"))
      #expect(try await world.member("bob")["supportChat"] == nil)
      let main = try await world.texts()
      #expect(!main.contains("help") && !main.contains("to all") && !main.contains("edited"))
    }
  }

  /// A message that everybody sees does not become a report by an edit.
  @Test func messagesDoNotBecomeReports() async throws {
    try await HostileGroup.play(role: "member") { world in
      let id = "bWVzc2FnZW1lc3Nh"
      try await world.mallory.send(
        #"{"v":"1-16","msgId":"\#(id)","event":"x.msg.new","params":\#(HostileGroup.text("hello"))}"#)
      _ = try await world.alice.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "hello"
      }
      try await world.refused(
        "x.msg.update", #"{"msgId":"\#(id)","content":{"type":"report","text":"rude","reason":"other"}}"#,
        because: "x.msg.update: invalid message update")
      let chats = try await world.alice.run("/_get chats 1")["chats"]?.arrayValue ?? []
      let chat = chats.first { $0["chatInfo"]?["groupInfo"] != nil }
      #expect(chat?["chatStats"]?["reportsCount"]?.integerValue == 0)
    }
  }

  /// What an admin says about a member before somebody introduces it counts.
  @Test func decisionsMayComeBeforeTheMember() async throws {
    try await HostileGroup.play(role: "member") { world in
      let own = try await world.member("mallory")["groupMemberId"]?.integerValue ?? 0
      _ = try await world.alice.run("/_member role #\(world.group) \(own) admin")
      let id = "bmV3Y29tZXJuZXdjb21l"
      try await world.refused(
        "x.grp.mem.role", #"{"memberId":"\#(id)","role":"observer"}"#,
        because: "x.grp.mem.role with unknown member ID")
      try await world.refused(
        "x.grp.mem.restrict", #"{"memberId":"\#(id)","memberRestrictions":{"restriction":"blocked"}}"#,
        because: "x.grp.mem.restrict: no member")
      try await world.mallory.send(
        HostileGroup.message(
          "x.grp.mem.new",
          #"{"memberInfo":{"memberId":"\#(id)","memberRole":"member","v":"1-16","#
            + #""profile":{"displayName":"eve","fullName":""}}}"#))
      _ = try await world.alice.event("joinedGroupMemberConnecting")
      let eve = try await world.member("eve")
      #expect(eve["memberRole"]?.stringValue == "observer")
      #expect(eve["blockedByAdmin"] == .bool(true))
    }
  }

  @Test func membersAdmitNobody() async throws {
    try await HostileGroup.play(review: true, role: "member") { world in
      let (bob, own) = (try await world.id("bob"), try await world.id("mallory"))
      let refusal = "x.grp.link.acpt with insufficient member permissions"
      for role in ["member", "owner"] {
        try await world.refused(
          "x.grp.link.acpt", #"{"acceptance":"accepted","role":"\#(role)","memberId":"\#(own)"}"#, because: refusal)
      }
      try await world.refused(
        "x.grp.link.acpt", #"{"acceptance":"pending_review","role":"observer","memberId":"\#(bob)"}"#, because: refusal)
      let mallory = try await world.member("mallory")
      #expect(mallory["memberStatus"]?.stringValue == "pending_review")
      #expect(try await world.member("bob")["memberStatus"]?.stringValue == "connected")
      // Who waits reaches nobody but moderators.
      let invitation = try await world.alice.run("/_connect 1")
      let link = invitation["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
      try await world.refused(
        "x.grp.mem.inv", #"{"memberId":"\#(bob)","memberIntro":{"groupConnReq":"\#(link)"}}"#,
        because: "x.grp.mem.inv error: members were not introduced")
      try await world.refused(
        "x.grp.mem.del", #"{"memberId":"\#(bob)"}"#, because: "x.grp.mem.del with insufficient member permissions")
      try await world.mallory.send(HostileGroup.message("x.msg.new", HostileGroup.text("to all of you")))
      _ = try await world.alice.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "to all of you"
          && $0["chatItems"]?[0]?["chatInfo"]?["groupChatScope"]?["type"]?.stringValue == "memberSupport"
      }
      #expect(!(try await world.texts()).contains("to all of you"))
      // The messages of the group are not there for who waits, even where it knows them.
      let sent = try await world.alice.run("#team members only")["chatItems"]?[0]?["chatItem"]?["meta"]
      let alice = try await world.alice.run("/_info #\(world.group)")["groupInfo"]?["membership"]?["memberId"]
      try await world.mallory.send(
        HostileGroup.message(
          "x.msg.react",
          #"{"msgId":"\#(sent?["itemSharedMsgId"]?.stringValue ?? "")","memberId":"\#(alice?.stringValue ?? "")","#
            + #""reaction":{"type":"emoji","emoji":"👍"},"add":true}"#))
      try await world.mallory.send(HostileGroup.message("x.msg.new", HostileGroup.text("after it")))
      _ = try await world.alice.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "after it"
      }
      #expect(try await world.alice.rows("SELECT count(*) FROM reactions") == ["0"])
      let bobsMembers = try await world.bob.run("/ms team")["group"]?["members"]?.arrayValue
      #expect(bobsMembers?.count == 1)
    }
  }
}
