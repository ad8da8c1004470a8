import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// A member cannot fill the databases of others with little effort, nor their lists of events.
@Suite struct HostileFloodTests {
  /// A body of thousands of elements that are no messages is one item.
  @Test func invalidElementsAreOneItem() async throws {
    try await HostileGroup.play(role: "member") { world in
      try await world.mallory.send("[" + [String](repeating: "1", count: 3_000).joined(separator: ",") + "]")
      try await world.say("after it")
      let items = try await world.alice.rows("SELECT 1 FROM items WHERE content LIKE '%rcvMsgError%'")
      #expect(items?.count == 1)
      // A later version may understand it.
      #expect(try await world.alice.rows("SELECT item_id FROM kept_messages WHERE item_id > 0")?.count == 1)
    }
  }

  /// However often a member changes its profile, there is one item until it does something else.
  @Test func profilesThatFollowEachOtherAreOneItem() async throws {
    try await HostileGroup.play(role: "member") { world in
      for round in 0..<2 {
        for name in 0..<20 {
          try await world.mallory.send(
            HostileGroup.message(
              "x.info",
              #"{"profile":{"displayName":"mallory \#(round)-\#(name)","fullName":"","#
                + #""image":"data:image/jpg;base64,\#(String(repeating: "A", count: 4_000))"}}"#))
        }
        try await world.say("after round \(round)")
      }
      let items = try await world.alice.rows(
        "SELECT content FROM items WHERE content LIKE '%memberProfileUpdated%' ORDER BY item_id")
      #expect(items?.count == 2)
      let first = try JSONValue(jsonText: items?.first ?? "")["rcvGroupEvent"]
      let event = first?["memberProfileUpdated"] ?? first
      #expect(event?["fromProfile"]?["displayName"]?.stringValue == "mallory")
      #expect(event?["toProfile"]?["displayName"]?.stringValue == "mallory 0-19")
      #expect(try await world.member("mallory 1-19")["memberStatus"]?.stringValue == "connected")
    }
  }

  /// An admin forwards what members write of whom nobody has heard; there are not any number of them.
  @Test func unknownMembersAreLimited() async throws {
    try await HostileGroup.play(role: "member") { world in
      try await world.promote(to: "admin")
      func forward(_ name: String) async throws {
        let inner = HostileGroup.message("x.msg.new", HostileGroup.text("by \(name)"))
        try await world.mallory.send(
          HostileGroup.message(
            "x.grp.msg.forward",
            #"{"memberId":"\#(HostileGroup.id())","memberName":"\#(name)","msg":\#(inner),"#
              + #""msgTs":"2024-01-01T00:00:00.000Z"}"#))
      }
      try await forward("eve")
      _ = try await world.alice.event("unknownMemberCreated")
      _ = try await world.alice.run(
        "/sql chat INSERT INTO members (group_id, user_id, index_in_group, shared_member_id, role, category, status, "
          + "is_current, invited_by_member, local_display_name, profile_id, contact_profile_id, min_version, "
          + "max_version, created_at, updated_at) WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n "
          + "WHERE i < 999) SELECT group_id, user_id, index_in_group + i, 'x' || i, role, category, status, 0, "
          + "invited_by_member, 'x' || i, profile_id, contact_profile_id, 1, 1, created_at, updated_at "
          + "FROM members, n WHERE local_display_name = 'eve'")
      try await forward("dan")
      _ = try await world.alice.event("messageError") {
        $0["errorMessage"]?.stringValue == "x.grp.msg.forward: too many unknown members"
      }
      #expect(try await world.alice.rows("SELECT 1 FROM members WHERE local_display_name = 'dan'") == [])
    }
  }

  /// What a member says about messages and members that are not there is kept up to a limit, which is told once.
  @Test func deletionsAndDecisionsAreLimited() async throws {
    try await HostileGroup.play(role: "member") { world in
      try await world.promote(to: "admin")
      let member = try await world.member("mallory")["groupMemberId"]?.integerValue ?? 0
      let payer = "(SELECT connection_id FROM members WHERE member_id = \(member))"
      let count = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 999)"
      _ = try await world.alice.run(
        "/sql chat INSERT INTO moderations \(count) SELECT \(world.group), 'x', 'x' || i, \(member), 0, "
          + "9000000000000000, \(payer) FROM n")
      _ = try await world.alice.run(
        "/sql chat INSERT INTO early_decisions (group_id, shared_member_id, kind, by_role, by_member, created_at, "
          + "charged_to) \(count) SELECT \(world.group), 'x' || i, 'removed', 'admin', \(member), 9000000000000000, "
          + "\(payer) FROM n")
      for (event, params, table, report) in [
        ("x.msg.del", "msgId", "moderations", "x.msg.del: too many deletions of unknown messages"),
        ("x.grp.mem.del", "memberId", "early_decisions", "too many decisions about unknown members"),
      ] {
        func send() async throws {
          try await world.mallory.send(HostileGroup.message(event, #"{"\#(params)":"\#(HostileGroup.id())"}"#))
        }
        for _ in 0..<2 { try await send() }
        _ = try await world.alice.event("messageError") { $0["errorMessage"]?.stringValue == report }
        for _ in 0..<3 { try await send() }
        try await world.say("after \(table)")
        await #expect(throws: (any Error).self) {
          _ = try await world.alice.event("messageError", within: .milliseconds(10)) {
            $0["errorMessage"]?.stringValue == report
          }
        }
        #expect(try await world.alice.rows("SELECT count(*) FROM \(table)") == ["1000"])
      }
    }
  }

  /// Nor are there any number of probes.
  @Test func probesAreLimited() async throws {
    try await HostileGroup.play(role: "member") { world in
      func probe() -> String {
        Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
          .replacing("+", with: "-").replacing("/", with: "_")
      }
      for number in 0..<110 {
        let (event, name) = number % 2 == 0 ? ("x.info.probe", "probe") : ("x.info.probe.check", "probeHash")
        try await world.mallory.send(HostileGroup.message(event, #"{"\#(name)":"\#(probe())"}"#))
      }
      try await world.say("after them")
      let member = try await world.member("mallory")["groupMemberId"]?.integerValue ?? 0
      #expect(
        try await world.alice.rows("SELECT count(*) FROM received_probes WHERE member_id = \(member)") == ["100"])
    }
  }

  /// An admin forwards the links of 5,000 members that are not connected, not of more.
  @Test func linksOfNewcomersAreLimited() async throws {
    try await HostileGroup.play(role: "member") { world in
      try await world.promote(to: "admin")
      let link = try await world.alice.run("/_connect 1")["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
      let id = HostileGroup.id()
      let member = try await world.member("mallory")["groupMemberId"]?.integerValue ?? 0
      _ = try await world.alice.run(
        "/sql chat INSERT INTO members (group_id, user_id, index_in_group, shared_member_id, role, category, status, "
          + "is_current, invited_by_member, local_display_name, profile_id, contact_profile_id, min_version, "
          + "max_version, created_at, updated_at) WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n "
          + "WHERE i < 5000) SELECT group_id, user_id, 100 + i, 'x' || i, role, 'post', 'intro-inv', 0, "
          + "member_id, 'x' || i, profile_id, contact_profile_id, 1, 1, created_at, updated_at "
          + "FROM members, n WHERE member_id = \(member)")
      try await world.refused(
        "x.grp.mem.fwd",
        #"{"memberInfo":{"memberId":"\#(id)","memberRole":"member","v":"1-16","#
          + #""profile":{"displayName":"eve","fullName":""}},"memberIntro":{"groupConnReq":"\#(link)"}}"#,
        because: "x.grp.mem.fwd: too many members to connect with")
      #expect(try await world.alice.rows("SELECT 1 FROM members WHERE local_display_name = 'eve'") == [])
    }
  }

  @Test func openInvitationsAreLimited() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      for name in ["one", "two", "three"] {
        _ = try await alice.run(#"/_group 1 {"displayName":"\#(name)","fullName":""}"#)
      }
      _ = try await alice.run("/a one bob")
      _ = try await bob.event("receivedGroupInvitation")
      func hosts(_ count: Int) async throws {
        _ = try await bob.run(
          "/sql chat INSERT INTO members (group_id, user_id, index_in_group, shared_member_id, role, category, status, "
            + "is_current, contact_id, local_display_name, profile_id, contact_profile_id, min_version, max_version, "
            + "created_at, updated_at) WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n "
            + "WHERE i < \(count)) SELECT group_id, user_id, index_in_group + 10 + i, 'x' || i, role, category, status, "
            + "is_current, contact_id, local_display_name, profile_id, contact_profile_id, 1, 1, created_at, updated_at "
            + "FROM members, n WHERE category = 'host'")
      }
      // As if there were 98 more.
      try await hosts(98)
      _ = try await alice.run("/a two bob")
      _ = try await bob.event("receivedGroupInvitation")
      _ = try await alice.run("/a three bob")
      _ = try await bob.event("messageError") {
        $0["errorMessage"]?.stringValue == "x.grp.inv: too many open invitations"
      }
      #expect(try await bob.rows("SELECT local_display_name FROM groups ORDER BY 1") == ["one", "two"])
    }
  }

  /// Messages of a batch that go to all members and to moderators in turn are forwarded together, with one message to
  /// each member, in the order in which they came.
  @Test func alternatingMessagesAreForwardedTogether() async throws {
    try await HostileGroup.play(role: "member") { world in
      let dan = try await world.add("dan", as: "moderator")
      let own = try await world.id("mallory")
      try await world.alice.wait(until: "NOT EXISTS (SELECT 1 FROM agent_commands)")
      let connections = [
        try await world.alice.agentConnection(with: "bob"), try await world.alice.agentConnection(with: "dan"),
      ]
      try await world.alice.noteMessages()
      let messages = (1...6).map {
        HostileGroup.message("x.msg.new", HostileGroup.text("message \($0)", in: $0.isMultiple(of: 2) ? own : nil))
      }
      try await world.mallory.send("[\(messages.joined(separator: ","))]")
      for number in [1, 3, 5] { #expect(try await world.bob.message() == "message \(number)") }
      for number in 1...6 { #expect(try await dan.message() == "message \(number)") }
      for connection in connections {
        #expect(try await world.alice.notedMessages(over: connection).count == 1)
      }
    }
  }

  /// Of a member who cannot be reached only that is told, and not each message.
  @Test func failuresOfMembersAreToldOnce() async throws {
    try await HostileGroup.play(role: "member") { world in
      try await world.mallory.deleteConnection()
      for number in 0..<10 { _ = try await world.alice.run("#team message \(number)") }
      let disabled = try await world.alice.event("connectionDisabled")
      #expect(disabled["connectionEntity"]?["groupMember"]?["localDisplayName"]?.stringValue == "mallory")
      await #expect(throws: (any Error).self) {
        _ = try await world.alice.event("errorAgent", within: .milliseconds(10))
      }
    }
  }
}
