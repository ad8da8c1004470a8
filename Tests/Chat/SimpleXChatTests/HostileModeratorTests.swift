import ChatProtocol
import Foundation
import SimplexJSON
import SimplexTesting
import Testing
import WireCodec

/// Moderators and admins decide about members with no more rights than their own.
@Suite struct HostileModeratorTests {
  /// Plays a story in a group in which mallory has this role, and bob is an owner.
  private func play(as role: String, _ body: (HostileGroup) async throws -> Void) async throws {
    try await HostileGroup.play(role: "member") { world in
      let bob = try await world.member("bob")["groupMemberId"]?.integerValue ?? 0
      _ = try await world.alice.run("/_member role #\(world.group) \(bob) owner")
      try await world.promote(to: role)
      try await body(world)
    }
  }

  @Test(arguments: ["moderator", "admin"])
  func ownersAreOutOfReach(_ role: String) async throws {
    try await play(as: role) { world in
      let bob = try await world.id("bob")
      for (event, params, reason) in [
        ("x.grp.mem.role", #""role":"observer""#, "x.grp.mem.role with insufficient member permissions"),
        (
          "x.grp.mem.restrict", #""memberRestrictions":{"restriction":"blocked"}"#,
          "x.grp.mem.restrict with insufficient member permissions"
        ),
        ("x.grp.mem.del", #""messages":true"#, "x.grp.mem.del with insufficient member permissions"),
      ] {
        try await world.refused(event, #"{"memberId":"\#(bob)",\#(params)}"#, because: reason)
      }
      let member = try await world.member("bob")
      #expect(member["memberRole"]?.stringValue == "owner" && member["blockedByAdmin"] == .bool(false))
      try await world.refused(
        "x.grp.info", #"{"groupProfile":{"displayName":"mallory's","fullName":""}}"#,
        because: "x.grp.info with insufficient member permissions")
    }
  }

  @Test(arguments: ["moderator", "admin"])
  func messagesOfOwnersStay(_ role: String) async throws {
    try await play(as: role) { world in
      let sent = try await world.alice.run("#team by the owner")["chatItems"]?[0]?["chatItem"]?["meta"]
      let user = try await world.alice.run("/_info #\(world.group)")["groupInfo"]?["membership"]?["memberId"]
      try await world.refused(
        "x.msg.del",
        #"{"msgId":"\#(sent?["itemSharedMsgId"]?.stringValue ?? "")","memberId":"\#(user?.stringValue ?? "")"}"#,
        because: "x.msg.del: message of another member with insufficient member permissions")
      #expect(try await world.texts().contains("by the owner"))
    }
  }

  /// Nobody gives more rights than its own, not even to itself.
  @Test func adminsMakeNoOwners() async throws {
    try await play(as: "admin") { world in
      let own = try await world.id("mallory")
      try await world.refused(
        "x.grp.mem.role", #"{"memberId":"\#(own)","role":"owner"}"#,
        because: "x.grp.mem.role with insufficient member permissions")
      #expect(try await world.member("mallory")["memberRole"]?.stringValue == "admin")
      // Nor does it bring an owner in.
      try await world.mallory.send(
        HostileGroup.message(
          "x.grp.mem.new",
          #"{"memberInfo":{"memberId":"\#(HostileGroup.id())","memberRole":"owner","v":"1-16","#
            + #""profile":{"displayName":"eve","fullName":""}}}"#))
      _ = try await world.alice.event("error")
      #expect(try await world.alice.rows("SELECT 1 FROM members WHERE local_display_name = 'eve'") == [])
    }
  }

  /// A deletion that comes before its message counts with the rights of then, too.
  @Test func messagesToComeStay() async throws {
    try await play(as: "moderator") { world in
      let bob = try await world.id("bob")
      let id = HostileGroup.id()
      try await world.mallory.send(
        HostileGroup.message("x.msg.del", #"{"msgId":"\#(id)","memberId":"\#(bob)"}"#))
      try await world.say("after it")
      #expect(try await world.alice.rows("SELECT 1 FROM moderations")?.count == 1)
      // As an admin mallory may forward it, and still not delete it.
      try await world.promote(to: "admin")
      let message = HostileGroup.message("x.msg.new", HostileGroup.text("by bob"), id: id)
      try await world.mallory.send(
        HostileGroup.message("x.grp.msg.forward", HostileGroup.forwarded(message, of: bob)))
      let event = try await world.alice.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "by bob"
      }
      #expect(event["chatItems"]?[0]?["chatItem"]?["meta"]?["itemDeleted"] == nil)
      #expect(try await world.alice.rows("SELECT 1 FROM moderations") == [])
    }
  }

  /// Of a message that was deleted in full before it came, the item says who deleted it.
  @Test func itemsOfMessagesToComeSayWhoDeletedThem() async throws {
    try await HostileGroup.play(role: "member") { world in
      try await world.promote(to: "admin")
      _ = try await world.alice.run("/set delete #team on")
      let (bob, id) = (try await world.id("bob"), HostileGroup.id())
      try await world.mallory.send(
        HostileGroup.message("x.msg.del", #"{"msgId":"\#(id)","memberId":"\#(bob)"}"#))
      let message = HostileGroup.message("x.msg.new", HostileGroup.text("by bob"), id: id)
      try await world.mallory.send(
        HostileGroup.message("x.grp.msg.forward", HostileGroup.forwarded(message, of: bob)))
      let event = try await world.alice.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "moderated"
      }
      let deleted = event["chatItems"]?[0]?["chatItem"]?["meta"]?["itemDeleted"]
      #expect(deleted?["type"]?.stringValue == "moderated")
      #expect(deleted?["byGroupMember"]?["localDisplayName"]?.stringValue == "mallory")
      #expect(try await !world.texts().contains("by bob"))
    }
  }

  /// A deletion by who may not delete a message does not hide one by who may.
  @Test func deletionsToComeCountWithTheirRights() async throws {
    try await play(as: "admin") { world in
      let (bob, id) = (try await world.id("bob"), HostileGroup.id())
      func forward(_ message: String) async throws {
        try await world.mallory.send(
          HostileGroup.message("x.grp.msg.forward", HostileGroup.forwarded(message, of: bob)))
      }
      try await world.mallory.send(
        HostileGroup.message("x.msg.del", #"{"msgId":"\#(id)","memberId":"\#(bob)"}"#))
      try await forward(HostileGroup.message("x.msg.del", #"{"msgId":"\#(id)"}"#))
      try await world.say("after both")
      #expect(try await world.alice.rows("SELECT 1 FROM moderations")?.count == 2)
      try await forward(HostileGroup.message("x.msg.new", HostileGroup.text("deleted by bob"), id: id))
      let event = try await world.alice.event("chatItemsDeleted")
      let item =
        event["chatItemDeletions"]?[0]?["toChatItem"]?["chatItem"]
        ?? event["chatItemDeletions"]?[0]?["deletedChatItem"]?["chatItem"]
      #expect(item?["meta"]?["itemText"]?.stringValue == "deleted by bob")
      let marked = "SELECT count(*) FROM items WHERE text = 'deleted by bob' AND deleted = 1 AND deleted_by IS NULL"
      #expect(try await world.alice.rows(marked) == ["1"])
      #expect(try await world.alice.rows("SELECT 1 FROM moderations") == [])
    }
  }

  /// Only who announced a newcomer forwards its link: another admin cannot take its place.
  @Test func linksOfOthersNewcomersAreRefused() async throws {
    try await play(as: "admin") { world in
      let (bob, eve) = (try await world.id("bob"), HostileGroup.id())
      let info =
        #"{"memberId":"\#(eve)","memberRole":"member","v":"1-16","profile":{"displayName":"eve","fullName":""}}"#
      let announcement = HostileGroup.message("x.grp.mem.new", #"{"memberInfo":\#(info)}"#)
      try await world.mallory.send(
        HostileGroup.message("x.grp.msg.forward", HostileGroup.forwarded(announcement, of: bob)))
      _ = try await world.alice.event("joinedGroupMemberConnecting")
      let invitation = try await world.alice.run("/_connect 1")
      let link = invitation["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
      try await world.refused(
        "x.grp.mem.fwd", #"{"memberInfo":\#(info),"memberIntro":{"groupConnReq":"\#(link)"}}"#,
        because: "x.grp.mem.fwd: not from the member who announced it")
      #expect(try await world.member("eve")["memberStatus"]?.stringValue == "announced")
      #expect(try await world.member("eve")["activeConn"] == nil)
    }
  }

  /// Nobody forwards what was forwarded.
  @Test func forwardsOfForwardsAreRefused() async throws {
    try await play(as: "admin") { world in
      let bob = try await world.id("bob")
      func forward(_ message: String) -> String { HostileGroup.forwarded(message, of: bob) }
      let message = HostileGroup.message("x.msg.new", HostileGroup.text("forwarded twice"))
      try await world.refused(
        "x.grp.msg.forward", forward(HostileGroup.message("x.grp.msg.forward", forward(message))),
        because: "x.grp.msg.forward: nested forward")
      #expect(!(try await world.texts()).contains("forwarded twice"))
    }
  }

  /// Introductions come from the user's host only, even where an admin sends them.
  @Test func othersThanTheHostIntroduceNobody() async throws {
    try await play(as: "admin") { world in
      try await world.refused(
        "x.grp.mem.intro",
        #"{"memberInfo":{"memberId":"\#(HostileGroup.id())","memberRole":"member","v":"1-16","#
          + #""profile":{"displayName":"eve","fullName":""}}}"#,
        because: "x.grp.mem.intro can be only sent by host member")
      #expect(try await world.alice.rows("SELECT 1 FROM members WHERE local_display_name = 'eve'") == [])
    }
  }

  /// The newest versions of admins forward in a binary form.
  @Test func binaryForwardsAreHandled() async throws {
    try await play(as: "admin") { world in
      let time = try #require(UTCTime(seconds: 1_704_067_200))
      func forwarded(_ text: String, by id: String, named name: String) throws -> [UInt8] {
        let message = HostileGroup.message("x.msg.new", HostileGroup.text(text))
        let author = try #require(MemberId(text: id))
        var element = try MessageElement(decoding: [UInt8](message.utf8))
        element.forward = MessageForward(sender: .member(author, name: name), brokerTs: time)
        return try element.encoded()
      }
      let unknown = HostileGroup.id()
      try await world.mallory.send(
        try MessageBatch.binaryCodec.encode([
          forwarded("by bob", by: try await world.id("bob"), named: "bob"),
          forwarded("by eve", by: unknown, named: "eve"),
        ]))
      let created = try await world.alice.event("unknownMemberCreated")
      #expect(created["member"]?["memberId"]?.stringValue == unknown)
      for (text, name) in [("by bob", "bob"), ("by eve", "eve")] {
        let event = try await world.alice.event("newChatItems") {
          $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == text
        }
        let item = event["chatItems"]?[0]?["chatItem"]
        #expect(item?["chatDir"]?["groupMember"]?["localDisplayName"]?.stringValue == name)
        #expect(item?["meta"]?["forwardedByMember"] != nil)
        #expect(item?["meta"]?["itemTs"]?.stringValue?.hasPrefix("2024-01-01") == true)
      }
    }
  }

  /// Who is no admin forwards nothing, in no form.
  @Test func moderatorsForwardNothing() async throws {
    try await play(as: "moderator") { world in
      let inner = HostileGroup.message("x.msg.new", HostileGroup.text("forged"))
      try await world.mallory.send(
        HostileGroup.message(
          "x.grp.msg.forward",
          #"{"memberId":"\#(try await world.id("bob"))","msg":\#(inner),"msgTs":"2024-01-01T00:00:00.000Z"}"#))
      _ = try await world.alice.event("error")
      #expect(!(try await world.texts()).contains("forged"))
    }
  }
}
