import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// What members change in groups goes as far as their rights, and what is deleted for everybody leaves nothing.
@Suite struct GroupRightsTests {
  /// What counts for an edit is where its message is, and not the part of the group that the edit names.
  @Test func editsCountWhereTheMessageIs() async throws {
    let preferences = #"{"simplexLinks":{"enable":"on","role":"admin"}}"#
    try await HostileGroup.play(role: "member", preferences: preferences) { world in
      let (own, id) = (try await world.id("mallory"), HostileGroup.id())
      func edit(_ text: String) -> String {
        #"{"msgId":"\#(id)","content":{"type":"text","text":"\#(text)"},"#
          + #""scope":{"type":"member","memberId":"\#(own)"}}"#
      }
      try await world.say("hello", id: id)
      let link = try await world.alice.run("/_connect 1")["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
      try await world.refused(
        "x.msg.update", edit("join \(link)"),
        because: "x.msg.update ignored: feature not allowed SimpleX links")
      try await world.promote(to: "observer")
      try await world.refused("x.msg.update", edit("edited"), because: "member is not allowed to send messages")
      #expect(try await world.texts().contains("hello"))
      // A message of its own conversation may still be edited, whatever the edit names.
      let asked = HostileGroup.id()
      try await world.say("help", in: own, id: asked)
      try await world.mallory.send(
        HostileGroup.message("x.msg.update", #"{"msgId":"\#(asked)","content":{"type":"text","text":"please help"}}"#))
      let changed = try await world.alice.event("chatItemUpdated")
      #expect(changed["chatItem"]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "please help")
    }
  }

  /// A voice message may have a text, too.
  @Test func voiceMessagesHaveNoLinks() async throws {
    let preferences = #"{"simplexLinks":{"enable":"on","role":"admin"}}"#
    try await HostileGroup.play(role: "member", preferences: preferences) { world in
      let link = try await world.alice.run("/_connect 1")["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
      try await world.mallory.send(
        HostileGroup.message("x.msg.new", #"{"content":{"type":"voice","text":"join \#(link)","duration":5}}"#))
      let item = try await world.alice.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["chatDir"]?["type"]?.stringValue == "groupRcv"
          && $0["chatItems"]?[0]?["chatItem"]?["content"]?["type"]?.stringValue == "rcvGroupFeatureRejected"
      }
      #expect(item["chatItems"]?[0]?["chatItem"]?["content"]?["groupFeature"]?.stringValue == "simplexLinks")
    }
  }

  /// A file is not received where the group has none, whatever the member's program sends.
  @Test func filesAreNotReceivedWhereTheyAreOff() async throws {
    try await HostileGroup.play(role: "member", preferences: #"{"files":{"enable":"off"}}"#) { world in
      try await world.mallory.send(
        HostileGroup.message(
          "x.msg.new",
          #"{"content":{"type":"file","text":"take it"},"file":{"fileName":"a.txt","fileSize":5,"fileDescr":"#
            + #"{"fileDescrText":"","fileDescrPartNo":0,"fileDescrComplete":false}}}"#))
      let item = try await world.alice.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["content"]?["type"]?.stringValue == "rcvGroupFeatureRejected"
      }["chatItems"]?[0]?["chatItem"]
      #expect(item?["content"]?["groupFeature"]?.stringValue == "files" && item?["file"] == nil)
      #expect(try await world.alice.rows("SELECT 1 FROM files") == [])
    }
  }

  /// Nor gets a link in by an edit to a voice message, where those are not allowed either.
  @Test func editsToVoiceMessagesHaveNoLinks() async throws {
    let preferences = #"{"simplexLinks":{"enable":"on","role":"admin"},"voice":{"enable":"off"}}"#
    try await HostileGroup.play(role: "member", preferences: preferences) { world in
      let id = HostileGroup.id()
      try await world.say("hello", id: id)
      let link = try await world.alice.run("/_connect 1")["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
      try await world.refused(
        "x.msg.update", #"{"msgId":"\#(id)","content":{"type":"voice","text":"join \#(link)","duration":5}}"#,
        because: "x.msg.update ignored: feature not allowed SimpleX links")
      #expect(try await world.texts().contains("hello"))
    }
  }

  /// Nor are there links in profiles, whatever the member's program sends.
  @Test func profilesHaveNoLinks() async throws {
    let preferences = #"{"simplexLinks":{"enable":"on","role":"admin"},"directMessages":{"enable":"on"}}"#
    try await HostileGroup.play(role: "member", preferences: preferences) { world in
      let link = try await world.alice.run("/_address 1")["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      func profile(_ name: String, _ line: String) -> String {
        #"{"displayName":"\#(name)","fullName":"full","shortDescr":"\#(line)","contactLink":"\#(link)"}"#
      }
      func expect(_ name: String, _ line: String?, hasLink: Bool) async throws {
        let shown = try await world.member(name)["memberProfile"]
        #expect(shown?["fullName"]?.stringValue == "full" && shown?["shortDescr"]?.stringValue == line)
        #expect((shown?["contactLink"]?.stringValue != nil) == hasLink)
      }
      for (name, line, shown) in [("mallory 1", "see \(link)", nil), ("mallory 2", "hello", "hello")] {
        try await world.mallory.send(HostileGroup.message("x.info", #"{"profile":\#(profile(name, line))}"#))
        _ = try await world.alice.event("groupMemberUpdated") {
          $0["toMember"]?["memberProfile"]?["displayName"]?.stringValue == name
        }
        try await expect(name, shown, hasLink: false)
      }
      let id = try await world.member("mallory 2")["groupMemberId"]?.integerValue ?? 0
      _ = try await world.alice.run("/_member role #\(world.group) \(id) admin")
      for (name, role, line, shown) in [
        ("eve", "member", "see \(link)", nil), ("dan", "admin", "see \(link)", "see \(link)"),
      ] {
        try await world.mallory.send(
          HostileGroup.message(
            "x.grp.mem.new",
            #"{"memberInfo":{"memberId":"\#(HostileGroup.id())","memberRole":"\#(role)","v":"1-16","#
              + #""profile":\#(profile(name, line))}}"#))
        _ = try await world.alice.event("joinedGroupMemberConnecting")
        try await expect(name, shown, hasLink: shown != nil)
      }
    }
  }

  /// A deletion comes directly while the message is still being forwarded by the host, so it may come first.
  @Test(arguments: [false, true]) func ownDeletionsMayComeFirst(full: Bool) async throws {
    let preferences = #"{"fullDelete":{"enable":"\#(full ? "on" : "off")"}}"#
    try await HostileGroup.play(role: "member", preferences: preferences) { world in
      let id = HostileGroup.id()
      let deletion = #"{"msgId":"\#(id)"}"#
      try await world.mallory.send(HostileGroup.message("x.msg.del", deletion))
      try await world.mallory.send(HostileGroup.message("x.msg.new", HostileGroup.text("deleted"), id: id))
      try await world.say("after it")
      let shown = try await world.alice.rows("SELECT deleted FROM items WHERE text = 'deleted'")
      #expect(shown == (full ? [] : ["1"]))
      #expect(try await world.alice.rows("SELECT 1 FROM moderations") == [])
      // Of a message that came, and that the user deleted, nothing is kept.
      let other = HostileGroup.id()
      try await world.say("hello", id: other)
      let item = try await world.alice.rows("SELECT item_id FROM items WHERE text = 'hello'")?.first ?? nil
      _ = try await world.alice.run("/_delete item #\(world.group) \(item ?? "") internal")
      try await world.refused(
        "x.msg.del", #"{"msgId":"\#(other)"}"#, because: "x.msg.del: message not found")
      #expect(try await world.alice.rows("SELECT 1 FROM moderations") == [])
    }
  }

  /// Of a message that a moderator deletes nobody has an earlier text.
  @Test func fullDeletionLeavesNoVersions() async throws {
    let preferences = #"{"fullDelete":{"enable":"on"}}"#
    try await HostileGroup.play(role: "member", preferences: preferences) { world in
      let (alice, bob) = (world.alice, world.bob)
      for text in ["secret", "another secret"] {
        _ = try await bob.run("#team \(text)")
        _ = try await alice.event("newChatItems") {
          $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == text
        }
        _ = try await bob.run("! #team (\(text)) edited")
        let edited = try await alice.event("chatItemUpdated")
        guard text == "secret" else { break }
        #expect(try await alice.rows("SELECT 1 FROM item_versions")?.count == 2)
        let id = edited["chatItem"]?["chatItem"]?["meta"]?["itemId"]?.integerValue ?? 0
        _ = try await alice.run("/_delete member item #\(world.group) \(id)")
        _ = try await bob.event("chatItemsDeleted")
        for core in [alice, bob] {
          #expect(try await core.rows("SELECT 1 FROM item_versions") == [])
          #expect(
            try await core.rows("SELECT 1 FROM items WHERE content LIKE '%secret%' OR text LIKE '%secret%'") == [])
        }
      }
      // Nor of those who are removed with their messages.
      let member = try await world.member("bob")["groupMemberId"]?.integerValue ?? 0
      _ = try await alice.run("/_remove #\(world.group) \(member) messages=on")
      _ = try await bob.event("deletedMemberUser")
      for core in [alice, bob] { #expect(try await core.rows("SELECT 1 FROM item_versions") == []) }
    }
  }

  /// The host forwards the blocking of a member whom it does not know.
  @Test func blockingOfUnknownMembersIsForwarded() async throws {
    try await HostileGroup.play(role: "member") { world in
      try await world.promote(to: "admin")
      _ = try await world.bob.event("memberRole")
      try await world.refused(
        "x.grp.mem.restrict", #"{"memberId":"\#(HostileGroup.id())","memberRestrictions":{"restriction":"blocked"}}"#,
        because: "x.grp.mem.restrict: no member")
      _ = try await world.bob.event("messageError") {
        $0["errorMessage"]?.stringValue == "x.grp.mem.restrict: no member"
      }
    }
  }
}
