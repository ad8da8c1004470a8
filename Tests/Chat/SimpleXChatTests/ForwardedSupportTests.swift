import ChatAPI
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// What an admin forwards between members who are not connected: to those whom it concerns only.
@Suite struct ForwardedSupportTests {
  private struct World {
    let alice: TestCore
    let bob: TestCore
    let cath: TestCore
    let dan: TestCore

    func texts(_ core: TestCore) async throws -> [String] {
      let chat = try await core.run("/_get chat #1 count=50")
      return (chat["chat"]?["chatItems"]?.arrayValue ?? []).compactMap { $0["meta"]?["itemText"]?.stringValue }
    }
  }

  /// Alice's group with bob, cath and dan, an owner; bob has no connections with cath and dan.
  private func play(_ body: (World) async throws -> Void) async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      var others: [TestCore] = []
      _ = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""}"#)
      for (name, role) in [("bob", "member"), ("cath", "member"), ("dan", "owner")] {
        let core = try await world.profile(name)
        let invitation = try await alice.run("/_connect 1")
        _ = try await core.run("/c \(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue ?? "")")
        _ = try await alice.event("contactConnected")
        _ = try await alice.run("/a team \(name) \(role)")
        _ = try await core.event("receivedGroupInvitation")
        _ = try await core.run("/j team")
        _ = try await alice.event("joinedGroupMember")
        for other in others {
          _ = try await other.event("connectedToGroupMember")
          _ = try await core.event("connectedToGroupMember")
        }
        others.append(core)
      }
      let (bob, cath, dan) = (others[0], others[1], others[2])
      // What they say about their connections has to come first.
      for _ in 0..<400 {
        let known = try await alice.run(
          "/sql chat SELECT group_concat(hex(relations)) FROM members WHERE role <> 'owner'")
        if known.jsonText().contains("00000404") && known.jsonText().contains("00040004") { break }
        try await Task.sleep(for: .milliseconds(20))
      }
      // As if they had never connected: the host knows that they were introduced.
      for (core, name) in [(bob, "cath"), (bob, "dan"), (cath, "bob"), (dan, "bob")] {
        let member = "(SELECT member_id FROM members WHERE local_display_name = '\(name)')"
        _ = try await core.run("/sql chat DELETE FROM connections WHERE member_id = \(member)")
      }
      for (name, relations) in [("bob", "00000101"), ("cath", "00010004"), ("dan", "00010400")] {
        _ = try await alice.run(
          "/sql chat UPDATE members SET relations = x'\(relations)' WHERE local_display_name = '\(name)'")
      }
      try await body(World(alice: alice, bob: bob, cath: cath, dan: dan))
    }
  }

  /// Who is removed tells those who do not hear it from the member who removed it.
  @Test func anOwnRemovalIsForwarded() async throws {
    try await play { world in
      _ = try await world.dan.run("/rm team alice")
      _ = try await world.alice.event("deletedMemberUser")
      for core in [world.bob, world.cath] {
        let removal = try await core.event("deletedMember")
        #expect(removal["byMember"]?["localDisplayName"]?.stringValue == "dan")
        #expect(removal["deletedMember"]?["localDisplayName"]?.stringValue == "alice")
      }
    }
  }

  @Test func messagesStayInTheirConversation() async throws {
    try await play { world in
      _ = try await world.bob.run("#team (support) for moderators")
      _ = try await world.bob.run("#team for all")
      let forwarded = try await world.dan.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "for moderators"
      }
      #expect(forwarded["chatItems"]?[0]?["chatInfo"]?["groupChatScope"]?["type"]?.stringValue == "memberSupport")
      #expect(forwarded["chatItems"]?[0]?["chatItem"]?["meta"]?["forwardedByMember"] != nil)
      #expect(try await world.cath.message() == "for all")
      _ = try await world.dan.run("#team (support: bob) answer")
      let answer = try await world.bob.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "answer"
      }
      #expect(answer["chatItems"]?[0]?["chatInfo"]?["groupChatScope"]?["type"]?.stringValue == "memberSupport")
      #expect(answer["chatItems"]?[0]?["chatItem"]?["meta"]?["forwardedByMember"] != nil)
      #expect(!(try await world.texts(world.cath)).contains("for moderators"))
      #expect(!(try await world.texts(world.dan)).contains("for moderators"))
    }
  }

  @Test func whoIsRemovedHearsIt() async throws {
    try await play { world in
      _ = try await world.dan.run("/rm team bob")
      let removed = try await world.bob.event("deletedMemberUser")
      #expect(removed["member"]?["memberProfile"]?["displayName"]?.stringValue == "dan")
      _ = try await world.cath.event("deletedMember")
    }
  }

  @Test func theEndOfAGroupIsForwarded() async throws {
    try await play { world in
      _ = try await world.dan.run("/d #team")
      _ = try await world.alice.event("groupDeleted")
      _ = try await world.bob.event("groupDeleted")
      _ = try await world.cath.event("groupDeleted")
    }
  }
}
