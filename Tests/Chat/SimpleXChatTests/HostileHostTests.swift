import AgentCore
import ChatAPI
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// What the host of a group says about its members, and about the user, goes only as far as its rights.
@Suite struct HostileHostTests {
  private static let user = Data("useruseruser".utf8).base64EncodedString()
  private static let host = Data("hosthosthost".utf8).base64EncodedString()

  private static func invitation(_ link: String, id: String = user, role: String = "member", group: String) -> String {
    #"{"v":"1-16","event":"x.grp.inv","params":{"groupInvitation":{"fromMember":{"memberId":"\#(host)","#
      + #""memberRole":"admin"},"invitedMember":{"memberId":"\#(id)","memberRole":"\#(role)"},"#
      + #""connRequest":"\#(link)","groupProfile":{"displayName":"\#(group)","fullName":""}}}}"#
  }

  /// A group of mallory that alice joined.
  private struct World {
    let alice: TestCore
    let mallory: HostilePeer
    let group: Int64
    /// The invitation's link, and the connection with alice as a contact.
    let link: String
    let contact: ConnectionID?

    func membership() async throws -> JSONValue? {
      try await alice.run("/_info #\(group)")["groupInfo"]?["membership"]
    }

    /// Sends an event in the group, and waits until it and all before were handled.
    func handled(_ event: String) async throws {
      try await mallory.send(event)
      try await mallory.send(HostilePeer.message("after it", id: UInt64.random(in: 0...9_999)))
      _ = try await alice.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "after it"
      }
    }
  }

  private func play(_ body: (World) async throws -> Void) async throws {
    try await HostileContact.play { contact in
      let (alice, mallory) = (contact.alice, contact.mallory)
      let connection = mallory.connection
      let link = try await mallory.createLink()
      try await mallory.send(Self.invitation(link, group: "team"), over: connection)
      let received = try await alice.event("receivedGroupInvitation")
      let group = try #require(received["groupInfo"]?["groupId"]?.integerValue)
      _ = try await alice.run("/_join #\(group)")
      try await mallory.allow(
        info: #"{"v":"1-16","event":"x.grp.mem.info","params":{"memberId":"\#(Self.host)","#
          + #""profile":{"displayName":"mallory","fullName":""}}}"#)
      _ = try await alice.event("userJoinedGroup")
      try await mallory.connected()
      try await body(World(alice: alice, mallory: mallory, group: group, link: link, contact: connection))
    }
  }

  @Test func invitationsDoNotChangeMembers() async throws {
    try await play { world in
      try await world.mallory.send(
        Self.invitation(world.link, id: Self.host, role: "admin", group: "stolen"), over: world.contact)
      let error = try await world.alice.event("error")
      #expect(error.jsonText().contains("groupDuplicateMemberId"))
      let membership = try await world.membership()
      #expect(membership?["memberId"]?.stringValue == Self.user && membership?["memberRole"]?.stringValue == "member")
      #expect(membership?["memberStatus"]?.stringValue == "connected")
      let group = try await world.alice.run("/_info #\(world.group)")["groupInfo"]
      #expect(group?["groupProfile"]?["displayName"]?.stringValue == "team")
    }
  }

  /// A link that is said to be the user's own, or one of somebody with more rights, is not joined.
  @Test func linksOfOthersAreNotJoined() async throws {
    try await play { world in
      func forward(_ id: String, _ role: String) -> String {
        #"{"v":"1-16","event":"x.grp.mem.fwd","params":{"memberInfo":{"memberId":"\#(id)","memberRole":"\#(role)","#
          + #""v":"1-16","profile":{"displayName":"eve","fullName":""}},"#
          + #""memberIntro":{"groupConnReq":"\#(world.link)"}}}"#
      }
      try await world.handled(forward(Self.user, "member"))
      try await world.handled(forward(Data("somebodyelse".utf8).base64EncodedString(), "owner"))
      try await world.handled(forward(Self.host, "member"))
      let membership = try await world.membership()
      #expect(membership?["memberStatus"]?.stringValue == "connected")
      let connections = try await world.alice.run("/sql chat SELECT 1 FROM connections")
      #expect(connections["rows"]?.arrayValue?.count == 2)
    }
  }

  /// A member who was removed does not come back by what its host sends later, while the record is kept for what the
  /// member wrote; nor does anything else change the record.
  @Test func removedMembersStayAway() async throws {
    try await play { world in
      let eve = Data("evesmemberid".utf8).base64EncodedString()
      let info =
        #"{"memberId":"\#(eve)","memberRole":"member","v":"1-16","profile":{"displayName":"eve","fullName":""}}"#
      func forwarded(_ text: String) -> String {
        HostileGroup.message(
          "x.grp.msg.forward",
          HostileGroup.forwarded(
            HostileGroup.message("x.msg.new", HostileGroup.text(text)), of: eve))
      }
      func record() async throws -> [String?]? {
        try await world.alice.rows(
          """
          SELECT m.status || ' ' || m.role || ' ' || m.is_current || ' ' || (m.connection_id IS NOT NULL) || ' ' || \
          (SELECT count(*) FROM connections) FROM members m WHERE m.shared_member_id = '\(eve)'
          """)
      }
      try await world.handled(HostileGroup.message("x.grp.mem.new", #"{"memberInfo":\#(info)}"#))
      try await world.handled(forwarded("hi"))
      let connections = try await world.alice.rows("SELECT count(*) FROM connections")?[0] ?? ""
      #expect(try await record() == ["announced member 1 0 \(connections)"])
      try await world.handled(HostileGroup.message("x.grp.mem.del", #"{"memberId":"\#(eve)"}"#))
      let removed = ["removed member 0 0 \(connections)"]
      #expect(try await record() == removed)
      for late in [
        #"{"v":"1-16","event":"x.grp.mem.fwd","params":{"memberInfo":\#(info),"#
          + #""memberIntro":{"groupConnReq":"\#(world.link)"}}}"#,
        #"{"v":"1-16","event":"x.grp.mem.intro","params":{"memberInfo":\#(info)}}"#,
        HostileGroup.message("x.grp.mem.new", #"{"memberInfo":\#(info)}"#),
        HostileGroup.message("x.grp.mem.role", #"{"memberId":"\#(eve)","role":"observer"}"#),
        #"{"v":"1-16","event":"x.grp.mem.con","params":{"memberId":"\#(eve)"}}"#,
        forwarded("back"),
      ] {
        try await world.handled(late)
        #expect(try await record() == removed, "\(late)")
      }
      let shown = try await world.alice.rows(
        "SELECT text FROM items JOIN members USING (member_id) WHERE shared_member_id = '\(eve)'")
      #expect(shown == ["hi"])
    }
  }

  /// A host has no newcomers whose links it could get.
  @Test func linksComeFromInviteesOnly() async throws {
    try await play { world in
      try await world.mallory.send(
        #"{"v":"1-16","event":"x.grp.mem.inv","params":{"memberId":"\#(Self.user)","#
          + #""memberIntro":{"groupConnReq":"\#(world.link)"}}}"#)
      _ = try await world.alice.event("messageError") {
        $0["errorMessage"]?.stringValue == "x.grp.mem.inv can be only sent by invitee member"
      }
    }
  }

  /// The host forwards messages while it is an admin; what is sent later waits until members are connected.
  @Test func messagesWaitWhereTheHostIsNoAdmin() async throws {
    try await play { world in
      let eve = Data("evesmemberid".utf8).base64EncodedString()
      try await world.handled(
        #"{"v":"1-16","event":"x.grp.mem.intro","params":{"memberInfo":{"memberId":"\#(eve)","#
          + #""memberRole":"member","v":"1-16","profile":{"displayName":"eve","fullName":""}}}}"#)
      func status(_ text: String) async throws -> [String?]? {
        _ = try await world.alice.run("#team \(text)")
        return try await world.alice.rows(
          "SELECT r.status FROM items i JOIN item_recipients r ON r.item_id = i.item_id JOIN members m ON "
            + "m.member_id = r.member_id WHERE i.text = '\(text)' AND m.local_display_name = 'eve'")
      }
      // 1 is forwarded, 2 inactive.
      #expect(try await status("forwarded") == ["1"])
      try await world.handled(
        #"{"v":"1-16","msgId":"cm9sZXJvbGVyb2xl","event":"x.grp.mem.role","params":{"memberId":"\#(Self.host)","#
          + #""role":"member"}}"#)
      #expect(try await status("waits") == ["2"])
      #expect(try await world.alice.rows("SELECT 1 FROM pending_messages")?.count == 1)
    }
  }

  /// Decisions come over other connections than introductions, so they may come first, and count then.
  @Test func decisionsCountBeforeIntroductions() async throws {
    try await play { world in
      func announcement(_ id: String, _ name: String) -> String {
        #"{"v":"1-16","msgId":"\#(Data("new\(name)newnewnewnew".utf8.prefix(12)).base64EncodedString())","#
          + #""event":"x.grp.mem.new","params":{"memberInfo":{"memberId":"\#(id)","memberRole":"observer","v":"1-16","#
          + #""profile":{"displayName":"\#(name)","fullName":""}},"scope":{"type":"member","memberId":"\#(id)"}}}"#
      }
      let (removed, accepted) = ("removedmembe", "acceptedmemb")
      func id(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
      try await world.handled(
        #"{"v":"1-16","msgId":"cmVtb3ZlcmVtb3Zl","event":"x.grp.mem.del","params":{"memberId":"\#(id(removed))"}}"#)
      try await world.handled(
        #"{"v":"1-16","event":"x.grp.link.acpt","params":{"acceptance":"accepted","role":"member","#
          + #""memberId":"\#(id(accepted))"}}"#)
      try await world.handled(announcement(id(removed), "eve"))
      try await world.handled(announcement(id(accepted), "dan"))
      let members = try await world.alice.run("/_members #\(world.group)")["group"]?["members"]?.arrayValue ?? []
      #expect(members.compactMap { $0["memberProfile"]?["displayName"]?.stringValue }.sorted() == ["dan", "mallory"])
      let dan = members.first { $0["memberProfile"]?["displayName"]?.stringValue == "dan" }
      #expect(dan?["memberStatus"]?.stringValue == "announced" && dan?["memberRole"]?.stringValue == "member")
      #expect(dan?["supportChat"] == nil)
    }
  }

  /// An edit of a message that never came is as invisible as a message of a blocked member.
  @Test func editsOfBlockedMembersAreHidden() async throws {
    try await play { world in
      let members = try await world.alice.run("/_members #\(world.group)")
      let member = try #require(members["group"]?["members"]?[0]?["groupMemberId"]?.integerValue)
      _ = try await world.alice.run(#"/_member settings #\#(world.group) \#(member) {"showMessages":false}"#)
      try await world.mallory.send(
        #"{"v":"1-16","msgId":"ZWRpdGVkaXRlZGl0","event":"x.msg.update","params":{"msgId":"bWVzc2FnZW1lc3Nh","#
          + #""content":{"type":"text","text":"look at me"}}}"#)
      let updated = try await world.alice.event("chatItemUpdated") {
        $0["chatItem"]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "look at me"
      }
      let meta = updated["chatItem"]?["chatItem"]?["meta"]
      #expect(meta?["itemDeleted"]?["type"]?.stringValue == "blocked")
      #expect(meta?["itemStatus"]?["type"]?.stringValue == "rcvRead")
    }
  }

  /// A host can have 5,000 members wait for a connection with the user, not more.
  @Test func introductionsAreBounded() async throws {
    try await play { world in
      func introduction(_ name: String) -> String {
        let id = Data(name.utf8).base64EncodedString()
        return #"{"v":"1-16","event":"x.grp.mem.intro","params":{"memberInfo":{"memberId":"\#(id)","#
          + #""memberRole":"member","v":"1-16","profile":{"displayName":"\#(name)","fullName":""}}}}"#
      }
      let refusal = "x.grp.mem.intro: too many members to connect with"
      // All but one, as earlier introductions left them.
      _ = try await world.alice.run(
        """
        /sql chat WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4999) \
        INSERT INTO members (group_id, user_id, index_in_group, shared_member_id, role, category, status, is_current, \
        local_display_name, profile_id, contact_profile_id, min_version, max_version, created_at, updated_at) \
        SELECT group_id, user_id, 100 + i, 'open' || i, 'member', 'pre', iif(i % 2, 'introduced', 'intro-inv'), 0, \
        'open_' || i, profile_id, contact_profile_id, 1, 16, 0, 0 FROM members, n WHERE category = 'host'
        """)
      try await world.handled(introduction("thelastofall"))
      try await world.mallory.send(introduction("onetoomanyis"))
      _ = try await world.alice.event("messageError") { $0["errorMessage"]?.stringValue == refusal }
      let known = try await world.alice.run(
        """
        /sql chat SELECT display_name FROM members JOIN profiles USING (profile_id) \
        WHERE category = 'pre' AND index_in_group < 100
        """)
      #expect(known["rows"] == ["thelastofall"])
      // One who is connected makes room.
      _ = try await world.alice.run(
        "/sql chat UPDATE members SET status = 'connected' WHERE shared_member_id = 'open1'")
      try await world.handled(introduction("theonebehind"))
      let open = try await world.alice.run(
        "/sql chat SELECT count(*) FROM members WHERE category = 'pre' AND status IN ('introduced', 'intro-inv')")
      #expect(open["rows"] == ["5000"])
    }
  }
}
