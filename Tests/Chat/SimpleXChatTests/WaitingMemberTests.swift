import ChatAPI
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// What happens in a group while a new member is under review, or has not accepted its invitation yet.
@Suite struct WaitingMemberTests {
  private struct World {
    let all: TestWorld
    let alice: TestCore
    let bob: TestCore
    let dan: TestCore

    /// The database id of a member.
    func member(_ name: String, of core: TestCore) async throws -> Int64 {
      let rows = try await core.rows(
        "SELECT member_id FROM members WHERE local_display_name = '\(name)' AND category <> 'user'")
      return try #require(rows?.first.flatMap { Int64($0) })
    }

    /// Gives bob another role, and waits until he knows.
    func giveBob(role: String) async throws {
      _ = try await alice.run("/_member role #1 \(try await member("bob", of: alice)) \(role)")
      _ = try await bob.event("memberRole") { $0["toRole"]?.stringValue == role }
    }

    /// Removes bob, and waits until he knows.
    func removeBob() async throws {
      _ = try await alice.run("/_remove #1 \(try await member("bob", of: alice))")
      _ = try await bob.event("deletedMemberUser")
    }

    /// Waits until a core has no member of this name, or only a removed one.
    func waitForRemoval(of name: String, at core: TestCore) async throws {
      try await core.wait(
        until: "NOT EXISTS (SELECT 1 FROM members WHERE local_display_name = '\(name)' AND status <> 'removed')")
    }

    /// Alice accepts dan; returns when dan knows.
    func accept() async throws {
      _ = try await alice.run("/_accept member #1 \(try await member("dan", of: alice)) member")
      try await joined()
    }

    /// Waits until dan knows that he is admitted.
    func joined() async throws {
      _ = try await dan.event("userJoinedGroup") {
        $0["groupInfo"]?["membership"]?["memberStatus"]?.stringValue == "connected"
      }
    }

    /// The texts of a part of dan's group.
    func texts(_ part: String = "") async throws -> [String] {
      let chat = try await dan.run("/_get chat #1\(part) count=50")
      return (chat["chat"]?["chatItems"]?.arrayValue ?? []).compactMap { $0["meta"]?["itemText"]?.stringValue }
    }
  }

  /// A group of alice with bob, and maybe eve, a member; dan is under review, and connected with alice and bob.
  private func play(
    bobsRole: String = "moderator", withEve: Bool = false, _ body: (World) async throws -> Void
  ) async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await alice.run(
        #"/_group 1 {"displayName":"team","fullName":"","memberAdmission":{"review":"all"},"#
          + #""groupPreferences":{"history":{"enable":"on"}}}"#)
      _ = try await alice.run("/a team bob \(bobsRole)")
      _ = try await bob.event("receivedGroupInvitation")
      _ = try await bob.run("/j team")
      _ = try await alice.event("joinedGroupMember")
      _ = try await bob.event("userJoinedGroup")
      if withEve {
        let eve = try await world.profile("eve")
        try await world.connect(alice, eve)
        _ = try await alice.run("/a team eve member")
        _ = try await eve.event("receivedGroupInvitation")
        _ = try await eve.run("/j team")
        _ = try await alice.event("joinedGroupMember")
        for core in [bob, eve] { _ = try await core.event("connectedToGroupMember") }
      }
      _ = try await alice.run("#team before")
      #expect(try await bob.message() == "before")
      let link = try await alice.run("/_create link #1 member")
      let dan = try await world.profile("dan")
      _ = try await dan.run("/c \(link["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue ?? "")")
      _ = try await alice.event("joinedGroupMember") { $0["member"]?["memberStatus"] == "pending_review" }
      for core in [bob, dan] { _ = try await core.event("connectedToGroupMember") }
      try await body(World(all: world, alice: alice, bob: bob, dan: dan))
    }
  }

  /// The host admits who a moderator accepted, and its messages may come before the moderator's.
  @Test func whatComesBeforeTheAcceptanceIsInTheMainChat() async throws {
    try await play { world in
      let member = try await world.member("dan", of: world.bob)
      // As if dan's queue for bob were full: the acceptance waits.
      _ = try await world.bob.run("/sql chat UPDATE connections SET quota_errors = 5 WHERE member_id = \(member)")
      _ = try await world.bob.run("/_accept member #1 \(member) member")
      _ = try await world.alice.event("memberAcceptedByOther")
      _ = try await world.alice.run("#team after")
      while try await world.dan.message() != "after" {}
      _ = try await world.bob.run("/sql chat UPDATE connections SET quota_errors = 0 WHERE member_id = \(member)")
      _ = try await world.bob.run("/_enable #1 \(member)")
      try await world.joined()
      let (main, support) = (try await world.texts(), try await world.texts("(_support)"))
      for text in ["before", "after"] {
        #expect(main.filter { $0 == text }.count == 1, "main: \(main), support: \(support)")
        #expect(!support.contains(text), "support: \(support)")
      }
    }
  }

  /// Who knows a member under review, and is no moderator any more when it is accepted, has to hear of that.
  @Test func aFormerModeratorHearsOfTheAcceptance() async throws {
    try await play { world in
      try await world.giveBob(role: "member")
      try await world.accept()
      _ = try await world.bob.run("#team hello dan")
      while try await world.alice.message() != "hello dan" {}
      try await world.bob.wait(
        until: "(SELECT status FROM members WHERE local_display_name = 'dan') IN ('connected', 'complete')")
      _ = try await world.bob.run("#team hello again")
      while try await world.dan.message() != "hello again" {}
      _ = try await world.dan.run("#team hello bob")
      let received = try await world.bob.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"] == "hello bob"
      }
      #expect(received["chatItems"]?[0]?["chatInfo"]?.lacks("groupChatScope") == true)
    }
  }

  /// The same where the waiting member is removed.
  @Test func aFormerModeratorHearsOfTheRemoval() async throws {
    try await play { world in
      try await world.giveBob(role: "member")
      _ = try await world.alice.run("/_remove #1 \(try await world.member("dan", of: world.alice))")
      _ = try await world.dan.event("deletedMemberUser")
      try await world.waitForRemoval(of: "dan", at: world.bob)
    }
  }

  /// A member under review knows the moderators, so it has to hear what happens to them.
  @Test func aRoleThatChangedMeanwhileIsKnown() async throws {
    try await play { world in
      try await world.giveBob(role: "admin")
      try await world.accept()
      try await world.dan.wait(until: "(SELECT role FROM members WHERE local_display_name = 'bob') = 'admin'")
    }
  }

  /// One who was a moderator, is none, and is one again: his decision counts.
  @Test func aModeratorWhoWasDemotedForAWhileIsKnown() async throws {
    try await play { world in
      try await world.giveBob(role: "member")
      try await world.giveBob(role: "moderator")
      try await world.dan.wait(until: "(SELECT role FROM members WHERE local_display_name = 'bob') = 'moderator'")
      _ = try await world.bob.run("/_accept member #1 \(try await world.member("dan", of: world.bob)) member")
      try await world.joined()
    }
  }

  @Test func aFormerModeratorWhoWasRemovedIsGone() async throws {
    try await play { world in
      try await world.giveBob(role: "member")
      try await world.removeBob()
      try await world.waitForRemoval(of: "bob", at: world.dan)
    }
  }

  @Test func aModeratorWhoWasRemovedMeanwhileIsGone() async throws {
    try await play { world in
      try await world.removeBob()
      try await world.accept()
      try await world.waitForRemoval(of: "bob", at: world.dan)
    }
  }

  @Test func aModeratorWhoWasBlockedMeanwhileIsBlocked() async throws {
    try await play { world in
      _ = try await world.alice.run("/_block #1 \(try await world.member("bob", of: world.alice)) blocked=on")
      try await world.accept()
      try await world.dan.wait(until: "(SELECT blocked_by_admin FROM members WHERE local_display_name = 'bob') = 1")
    }
  }

  /// The profile of a group changes after somebody was invited, and before he joins.
  @Test func aGroupProfileThatChangedAfterTheInvitationIsSent() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""}"#)
      _ = try await alice.run("/a team bob")
      _ = try await bob.event("receivedGroupInvitation")
      _ = try await alice.run(
        #"/_group_profile #1 {"displayName":"team","fullName":"The Crew","#
          + #""groupPreferences":{"files":{"enable":"off"}}}"#)
      _ = try await bob.run("/j team")
      _ = try await bob.event("userJoinedGroup")
      _ = try await alice.event("joinedGroupMember")
      _ = try await alice.run("#team hello")
      #expect(try await bob.message() == "hello")
      let profile = try await bob.run("/_members #1")["group"]?["groupInfo"]?["groupProfile"]
      #expect(profile?["fullName"]?.stringValue == "The Crew")
      #expect(profile?["groupPreferences"]?["files"]?["enable"]?.stringValue == "off")
    }
  }

  /// An admin removes a member under review while the host, who does not know of that yet, admits it: all members hear
  /// of the removal.
  @Test func aRemovalAtTheTimeOfTheAdmissionReachesAll() async throws {
    try await play(bobsRole: "admin", withEve: true) { world in
      let eve = try #require(world.all.cores["eve"])
      #expect(try await eve.message() == "before")
      // Before he is connected with eve.
      await world.all.leave("dan")
      await world.all.stopRelay()
      _ = try await world.alice.run("/_accept member #1 \(try await world.member("dan", of: world.alice)) member")
      _ = try await world.bob.run("/_remove #1 \(try await world.member("dan", of: world.bob))")
      try await world.all.startRelay()
      _ = try await world.alice.event("deletedMember")
      _ = try await world.alice.run("#team after")
      // This comes after the announcement of dan, so that eve knows him or has removed him.
      #expect(try await eve.message() == "after")
      try await world.waitForRemoval(of: "dan", at: eve)
    }
  }
}
