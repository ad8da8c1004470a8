import ChatAPI
import Foundation
import SimpleXChat
import SimplexJSON
import SimplexTesting
import Testing

/// Programs that decide who may join a group by its link.
@Suite struct JoiningDecisionTests {
  /// A group of alice, that bob asks to join.
  private func play(
    deciding decision: @escaping @Sendable (GroupInfo, GroupMemberRole, Profile) -> GroupJoinDecision,
    _ body: (TestWorld, _ alice: TestCore, _ bob: TestCore, _ link: String) async throws -> Void
  ) async throws {
    try await TestWorld.with(options: { options in
      options.decideAboutJoining = decision
    }) { world in
      let alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      _ = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""}"#)
      let created = try await alice.run("/_create link #1 member")
      let link = try #require(created["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue)
      _ = try await bob.run("/c \(link)")
      try await body(world, alice, bob, link)
    }
  }

  @Test func whoIsRejectedIsToldAndForgotten() async throws {
    try await play(deciding: { _, role, profile in
      profile.displayName == "bob" ? .reject(.blockedName) : .accept(.accepted, as: role)
    }) { world, alice, bob, link in
      let rejected = try await bob.event("groupLinkConnecting")
      #expect(rejected["groupInfo"]?["membership"]?["memberStatus"]?.stringValue == "rejected")
      let told = try await bob.event("terminalEvent")["data"]
      #expect(told?["type"]?.stringValue == "groupLinkRejected")
      #expect(told?["groupRejectionReason"]?.stringValue == "blocked_name")
      let done = try await alice.event("terminalEvent")["data"]
      #expect(done?["type"]?.stringValue == "rejectingGroupJoinRequestMember")
      #expect(done?["member"]?["localDisplayName"]?.stringValue == "bob")
      let refused = try await bob.answer("#team hello")
      #expect(refused["errorType"]?["message"]?.stringValue == "not current member")
      // Another name may join, and is the only one there.
      let cath = try await world.profile("cath")
      _ = try await cath.run("/c \(link)")
      _ = try await cath.event("userJoinedGroup")
      var names: [String] = []
      for _ in 0..<200 {
        let listed = try await alice.run("/_members #1")
        names = (listed["group"]?["members"]?.arrayValue ?? []).compactMap { $0["localDisplayName"]?.stringValue }
        if names == ["cath"] { break }
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(names == ["cath"])
      // The user may ask again when the group is deleted.
      func plan() async throws -> String? {
        let planned = try await bob.run("/_connect plan 1 \(link)")
        return planned["connectionPlan"]?["groupLinkPlan"]?["type"]?.stringValue
      }
      #expect(try await plan() == "known")
      _ = try await bob.run("/d #team")
      #expect(try await plan() == "ok")
    }
  }

  @Test func whoHasToBeApprovedWaits() async throws {
    try await play(deciding: { _, _, _ in .accept(.pending, as: .observer) }) { _, alice, bob, _ in
      let joined = try await alice.event("joinedGroupMember")
      #expect(joined["member"]?["memberStatus"]?.stringValue == "pending_approval")
      let member = try #require(joined["member"]?["groupMemberId"]?.integerValue)
      _ = try await bob.event("userJoinedGroup") {
        $0["groupInfo"]?["membership"]?["memberStatus"]?.stringValue == "pending_approval"
      }
      _ = try await alice.run("/_accept member #1 \(member) member")
      let accepted = try await bob.event("userJoinedGroup") {
        $0["groupInfo"]?["membership"]?["memberStatus"]?.stringValue == "connected"
      }
      #expect(accepted["groupInfo"]?["membership"]?["memberRole"]?.stringValue == "member")
    }
  }
}

/// Members who are gone, of whom nothing is shown any more.
@Suite struct RemovedMemberTests {
  @Test func isDeletedAfterADay() async throws {
    try await TestWorld.with(options: { $0.cleanupInterval = 100 }) { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run(
        #"/_group 1 {"displayName":"team","fullName":"","groupPreferences":{"fullDelete":{"enable":"on"}}}"#)
      for name in ["bob", "cath", "dan"] {
        let member = try await world.profile(name)
        try await world.connect(alice, member)
        _ = try await alice.run("/a team \(name)")
        _ = try await member.event("receivedGroupInvitation")
        _ = try await member.run("/j team")
        _ = try await alice.event("joinedGroupMember")
        _ = try await member.event("userJoinedGroup")
        _ = try await member.run("#team hello from \(name)")
        #expect(try await alice.message() == "hello from \(name)")
      }
      // Of bob and dan nothing is left, of cath the message.
      _ = try await alice.run("/rm team bob messages=on")
      _ = try await alice.run("/rm team dan messages=on")
      _ = try await alice.run("/rm team cath")
      let now = Date().timeIntervalSince1970
      for (name, hours) in [("bob", 25.0), ("cath", 25.0), ("dan", 23.0)] {
        let time = Int64((now - hours * 3_600) * 1_000_000)
        _ = try await alice.run(
          "/sql chat UPDATE members SET removed_at = \(time) WHERE status = 'removed' AND local_display_name = '\(name)'"
        )
      }
      let query = "/sql chat SELECT local_display_name FROM members WHERE category <> 'user' ORDER BY 1"
      var left: [String] = []
      for _ in 0..<200 {
        left = (try await alice.run(query)["rows"]?.arrayValue ?? []).compactMap(\.stringValue)
        if !left.contains("bob") { break }
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(left == ["cath", "dan"])
    }
  }
}
