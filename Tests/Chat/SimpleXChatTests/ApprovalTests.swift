import ChatAPI
import ChatProtocol
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// Members whom the host of a group has to approve, as bots decide, and those whose clients do not know of reviews.
@Suite struct ApprovalTests {
  private struct World {
    let alice: TestCore
    let bob: TestCore
    let dan: TestCore
    let group: Int64
    /// Dan, as alice has him.
    let member: Int64

    func accept(_ role: String = "member") async throws -> JSONValue {
      try await alice.run("/_accept member #\(group) \(member) \(role)")
    }

    /// Makes both sides believe that alice has to approve.
    func requireApproval() async throws {
      let pending = "UPDATE members SET status = 'pending_approval' WHERE status = 'pending_review'"
      for core in [alice, dan] { _ = try await core.run("/sql chat \(pending)") }
    }
  }

  /// A group of alice with bob; dan joins by its link and is under review.
  /// - Parameter dansVersion: the highest version of the chat protocol that dan announces.
  private func play(
    dansVersion: UInt16 = ChatVersion.supported.highest, preferences: String = "{}",
    _ body: (World) async throws -> Void
  ) async throws {
    try await TestWorld.with(options: { options in
      guard options.databasePrefix.hasSuffix("/dan") else { return }
      options.chatVersions = ChatVersionRange(ChatVersion.initial...dansVersion)
    }) { world in
      let alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      let dan = try await world.profile("dan")
      let invitation = try await alice.run("/_connect 1")
      _ = try await bob.run("/c \(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue ?? "")")
      _ = try await alice.event("contactConnected")
      _ = try await bob.event("contactConnected")
      let created = try await alice.run(
        #"/_group 1 {"displayName":"team","fullName":"","memberAdmission":{"review":"all"},"#
          + #""groupPreferences":\#(preferences)}"#)
      let group = try #require(created["groupInfo"]?["groupId"]?.integerValue)
      _ = try await alice.run("/a team bob")
      _ = try await bob.event("receivedGroupInvitation")
      _ = try await bob.run("/j team")
      _ = try await alice.event("joinedGroupMember")
      let link = try await alice.run("/_create link #\(group) member")
      _ = try await dan.run("/c \(link["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue ?? "")")
      let joined = try await alice.event("joinedGroupMember")
      if dansVersion >= ChatVersion.messageScopes {
        _ = try await dan.event("memberAcceptedByOther")
      } else {
        #expect(try await dan.message().contains("reviewed by its moderators"))
      }
      try await body(
        World(
          alice: alice, bob: bob, dan: dan, group: group,
          member: try #require(joined["member"]?["groupMemberId"]?.integerValue)))
    }
  }

  /// Version 17 of the protocol: whatever the group allows, the host may send voice messages to who waits for approval.
  @Test func onlyTheHostSendsVoiceForAnApproval() async throws {
    try await play(preferences: #"{"voice":{"enable":"off"}}"#) { world in
      let voice = #"json [{"msgContent":{"type":"voice","text":"","duration":1}}]"#
      func isRefused(_ answer: JSONValue) -> Bool {
        answer["errorType"]?["message"]?.stringValue?.hasPrefix("feature not allowed") == true
      }
      let toDan = "/_send #\(world.group)(_support:\(world.member)) \(voice)"
      #expect(isRefused(try await world.alice.answer(toDan)))
      try await world.requireApproval()
      _ = try await world.dan.run("#team (support) hello")
      #expect(try await world.alice.message() == "hello")
      _ = try await world.alice.run(toDan)
      _ = try await world.dan.event("newChatItems") {
        let content = $0["chatItems"]?[0]?["chatItem"]?["content"]
        return content?["type"]?.stringValue == "rcvMsgContent"
          && content?["msgContent"]?["type"]?.stringValue == "voice"
      }
      #expect(isRefused(try await world.dan.answer("/_send #1(_support) \(voice)")))
    }
  }

  @Test func theHostApprovesBeforeModeratorsReview() async throws {
    try await play { world in
      try await world.requireApproval()
      _ = try await world.dan.run("#team (support) hello")
      #expect(try await world.alice.message() == "hello")
      _ = try await world.alice.run("#team (support: dan) who are you?")
      #expect(try await world.dan.message() == "who are you?")
      let approved = try await world.accept()
      #expect(approved["member"]?["memberStatus"]?.stringValue == "pending_review")
      let review = try await world.dan.event("memberAcceptedByOther")
      #expect(review["member"]?["memberStatus"]?.stringValue == "pending_review")
      let accepted = try await world.accept("observer")
      #expect(accepted["member"]?["memberStatus"]?.stringValue == "connected")
      #expect(accepted["member"]?["memberRole"]?.stringValue == "observer")
      let joined = try await world.dan.event("userJoinedGroup") {
        $0["groupInfo"]?["membership"]?["memberStatus"]?.stringValue == "connected"
      }
      #expect(joined["groupInfo"]?["membership"]?["memberRole"]?.stringValue == "observer")
      _ = try await world.bob.event("joinedGroupMemberConnecting")
      _ = try await world.dan.event("connectedToGroupMember")
    }
  }

  @Test func theHostApprovesWhereNobodyReviews() async throws {
    try await play { world in
      try await world.requireApproval()
      _ = try await world.alice.run("/set admission review #team off")
      _ = try await world.dan.event("groupUpdated")
      let accepted = try await world.accept()
      #expect(accepted["member"]?["memberStatus"]?.stringValue == "connected")
      _ = try await world.dan.event("userJoinedGroup") {
        $0["groupInfo"]?["membership"]?["memberStatus"]?.stringValue == "connected"
      }
      _ = try await world.bob.event("joinedGroupMemberConnecting")
    }
  }

  @Test func earlierVersionsAreToldInWords() async throws {
    try await play(dansVersion: ChatVersion.messageScopes - 1) { world in
      try await world.requireApproval()
      _ = try await world.accept()
      #expect(try await world.dan.message().contains("reviewed by its moderators"))
      _ = try await world.accept()
      #expect(try await world.dan.message().contains("accepted to the group"))
    }
  }
}
