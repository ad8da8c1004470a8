import ChatAPI
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// Decisions about members who are not connected yet.
@Suite struct AdmissionTests {
  /// A group of alice whose members are reviewed; dan asked to join by its link, was let in, and is offline.
  private struct World {
    let all: TestWorld
    let alice: TestCore
    let member: Int64

    /// The items of a part of dan's group, by their text or kind.
    func items(_ dan: TestCore, _ part: String = "") async throws -> [String] {
      let chat = try await dan.run("/_get chat #1\(part) count=50")
      return (chat["chat"]?["chatItems"]?.arrayValue ?? []).map {
        $0["content"]?["sndGroupEvent"]?["type"]?.stringValue ?? $0["meta"]?["itemText"]?.stringValue ?? ""
      }
    }
  }

  private func play(_ body: (World) async throws -> Void) async throws {
    try await TestWorld.with { world in
      var alice = try await world.profile("alice")
      let dan = try await world.profile("dan")
      _ = try await alice.run(
        #"/_group 1 {"displayName":"team","fullName":"","description":"Welcome","memberAdmission":{"review":"all"},"#
          + #""groupPreferences":{"history":{"enable":"on"}}}"#)
      _ = try await alice.run("#team before")
      let link = try await alice.run("/_create link #1 member")
      await alice.controller.finish()
      _ = try await dan.run("/c \(link["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue ?? "")")
      await dan.controller.finish()
      alice = try await world.restart("alice")
      let accepting = try await alice.event("acceptingGroupJoinRequestMember")
      let member = try #require(accepting["member"]?["groupMemberId"]?.integerValue)
      for _ in 0..<400 {
        if try await alice.rows("SELECT status FROM connections WHERE member_id = \(member)") == ["sndReady"] { break }
        try await Task.sleep(for: .milliseconds(10))
      }
      try await body(World(all: world, alice: alice, member: member))
    }
  }

  /// One who is accepted before it is connected gets the history and the welcome message once.
  @Test func acceptedBeforeConnecting() async throws {
    try await play { world in
      let accepted = try await world.alice.run("/_accept member #1 \(world.member) member")
      #expect(accepted["member"]?["memberStatus"]?.stringValue == "announced")
      let dan = try await world.all.restart("dan")
      _ = try await world.alice.event("joinedGroupMember")
      _ = try await dan.event("userJoinedGroup") {
        $0["groupInfo"]?["membership"]?["memberStatus"]?.stringValue == "connected"
      }
      _ = try await world.alice.run("#team after")
      while try await dan.message() != "after" {}
      let items = try await world.items(dan)
      for text in ["before", "Welcome", "after"] {
        #expect(items.filter { $0 == text }.count == 1, "\(text): \(items)")
      }
    }
  }

  /// One who is approved before it is connected is told once that it is under review.
  @Test func approvedBeforeConnecting() async throws {
    try await play { world in
      _ = try await world.alice.run("/sql chat UPDATE members SET status = 'pending_approval' WHERE category <> 'user'")
      let approved = try await world.alice.run("/_accept member #1 \(world.member) member")
      #expect(approved["member"]?["memberStatus"]?.stringValue == "pending_review")
      let dan = try await world.all.restart("dan")
      _ = try await world.alice.event("joinedGroupMember")
      _ = try await dan.event("userJoinedGroup")
      _ = try await world.alice.run("#team (support: dan) after")
      #expect(try await dan.message() == "after")
      let items = try await world.items(dan, "(_support)")
      #expect(items.filter { $0 == "userPendingReview" }.count == 1, "\(items)")
    }
  }

  /// A changed profile is not sent to a member under review, who receives it when it is admitted.
  @Test func aProfileThatChangedMeanwhileIsSent() async throws {
    try await play { world in
      let dan = try await world.all.restart("dan")
      _ = try await world.alice.event("joinedGroupMember")
      _ = try await dan.event("userJoinedGroup")
      _ = try await world.alice.run(#"/_profile 1 {"displayName":"alice","fullName":"Alice Liddell"}"#)
      _ = try await world.alice.run("#team during")
      _ = try await world.alice.run("/_accept member #1 \(world.member) member")
      _ = try await dan.event("groupMemberUpdated") {
        $0["toMember"]?["memberProfile"]?["fullName"] == "Alice Liddell"
      }
    }
  }
}
