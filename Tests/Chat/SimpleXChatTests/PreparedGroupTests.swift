import ChatAPI
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// Groups that are shown before they are joined by their link, and contacts made of members.
@Suite struct PreparedGroupTests {
  /// A group of alice with a link, prepared by bob.
  private struct World {
    let all: TestWorld
    let alice: TestCore
    let bob: TestCore
    let link: String
    let prepared: Int64

    func membership() async throws -> JSONValue? {
      try await bob.run("/_info #\(prepared)")["groupInfo"]?["membership"]
    }

    func taggings() async throws -> [String]? { try await bob.rows("SELECT count(*) FROM chat_tagging") }

    func createOtherUser() async throws -> Int64 {
      let user = try await bob.run(
        #"/_create user {"profile":{"displayName":"robert","fullName":""},"pastTimestamp":false,"userChatRelay":false}"#
      )
      _ = try await bob.run("/_user 1")
      return user["user"]?["userId"]?.integerValue ?? 0
    }
  }

  private func play(_ body: (World) async throws -> Void) async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let bob = try await world.profile("bob")
      _ = try await alice.run(
        #"/_group 1 {"displayName":"club","fullName":"","groupPreferences":{"directMessages":{"enable":"on"}}}"#)
      let created = try await alice.run("/_create link #1 member")
      let links = created["groupLink"]?["connLinkContact"]
      let link = "\(links?["connFullLink"]?.stringValue ?? "") \(links?["connShortLink"]?.stringValue ?? "")"
      let prepared = try await bob.run(
        #"/_prepare group 1 \#(link) {"groupProfile":{"displayName":"club","fullName":""}}"#)
      let group = try #require(prepared["chat"]?["chatInfo"]?["groupInfo"]?["groupId"]?.integerValue)
      try await body(World(all: world, alice: alice, bob: bob, link: link, prepared: group))
    }
  }

  /// Full links of groups with the type that older programs write in them, and without it.
  @Test func linksWithAndWithoutAType() async throws {
    try await play { world in
      let link = String(try #require(world.link.split(separator: " ").first))
      let typed = "%22type%22%3A%22group%22%2C"
      for text in [link, link.replacingOccurrences(of: typed, with: "")] {
        #expect(text.contains("groupLinkId") && text.contains(typed) == (text == link))
        let answer = try await world.bob.run("/_connect plan 1 \(text)")
        #expect(answer["connectionPlan"]?["type"]?.stringValue == "groupLink")
      }
    }
  }

  /// A program reads the answer, with the profile that it shows, before the message that went with the request.
  @Test func theMessageOfARequestComesAfterTheAnswer() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      let links = try await alice.run("/_address 1")["connLinkContact"]
      let link = "\(links?["connFullLink"]?.stringValue ?? "") \(links?["connShortLink"]?.stringValue ?? "")"
      for round in 0..<5 {
        let name = round == 0 ? "alice" : "alice_\(round)"
        let prepared = try await bob.run(
          #"/_prepare contact 1 \#(link) {"profile":{"displayName":"alice","fullName":""}}"#)
        let contact = try #require(prepared["chat"]?["chatInfo"]?["contact"]?["contactId"]?.integerValue)
        let command = try ChatCommand(parsing: "/_connect contact @\(contact) incognito=on text hello from \(name)")
        await bob.controller.post(command, as: 1)
        var kinds: [String] = []
        while kinds.count < 2, let output = await bob.controller.eventQueue.nextOutput() {
          switch output {
          case .response(_, let result): kinds.append(result.jsonText().contains("startedConnection") ? "answer" : "no")
          case .event(.result(.newChatItems)): kinds.append("message")
          case .event, .remoteEvent: continue
          }
        }
        #expect(kinds == ["answer", "message"])
        _ = try await bob.run("/_delete @\(contact) full notify=off")
      }
    }
  }

  /// A group that the user left has no connection, and still is not one to be prepared again.
  @Test func aGroupThatWasLeftIsNotJoinedOrMoved() async throws {
    try await play { world in
      let robert = try await world.createOtherUser()
      _ = try await world.bob.run("/_connect group #\(world.prepared)")
      _ = try await world.bob.event("userJoinedGroup")
      _ = try await world.alice.event("joinedGroupMember")
      _ = try await world.bob.run("/_leave #\(world.prepared)")
      let moved = try await world.bob.answer("/_set group user #\(world.prepared) \(robert)")
      #expect(moved["errorType"]?["message"]?.stringValue == "group is joined already", "\(moved.jsonText())")
      let asked = try await world.bob.answer("/_connect group #\(world.prepared)")
      #expect(asked["errorType"]?["type"]?.stringValue == "groupMemberUserRemoved", "\(asked.jsonText())")
      #expect(try await world.membership()?["memberStatus"]?.stringValue == "left")
    }
  }

  /// The tags of a user are not those of another one.
  @Test func tagsStayWithTheirUser() async throws {
    try await play { world in
      let robert = try await world.createOtherUser()
      let address = try await world.alice.run("/_address 1")["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      let prepared = try await world.bob.run(
        #"/_prepare contact 1 \#(address) {"profile":{"displayName":"alice","fullName":""}}"#)
      let contact = try #require(prepared["chat"]?["chatInfo"]?["contact"]?["contactId"]?.integerValue)
      _ = try await world.bob.run(#"/_create tag {"text":"friends"}"#)
      for chat in ["#\(world.prepared)", "@\(contact)"] { _ = try await world.bob.run("/_tags \(chat) 1") }
      #expect(try await world.taggings() == ["2"])
      _ = try await world.bob.run("/_set group user #\(world.prepared) \(robert)")
      #expect(try await world.taggings() == ["1"])
      _ = try await world.bob.run("/_set contact user @\(contact) \(robert)")
      #expect(try await world.taggings() == ["0"])
    }
  }

  /// An attempt that failed on the way, with an incognito profile, brings the user into the group no more once there is
  /// another attempt with the user's own profile.
  @Test func aFailedAttemptDoesNotAnswerLater() async throws {
    try await play { world in
      await world.alice.controller.finish()
      _ = try await world.bob.run("/_connect group #\(world.prepared) incognito=on")
      #expect(try await world.membership()?["memberProfile"]?["displayName"]?.stringValue != "bob")
      // As if the agent had given it up.
      _ = try await world.bob.run("/sql chat UPDATE connections SET status = 'failed'")
      _ = try await world.bob.run("/_connect group #\(world.prepared)")
      let membership = try await world.membership()
      #expect(membership?["memberProfile"]?["displayName"]?.stringValue == "bob")
      #expect(membership?["memberProfile"]?["profileId"] == membership?["memberContactProfileId"])
      let connections = try await world.bob.rows("SELECT count(*) FROM connections")
      #expect(connections == ["1"])
      let alice = try await world.all.restart("alice")
      _ = try await world.bob.event("userJoinedGroup")
      _ = try await alice.event("joinedGroupMember") {
        $0["member"]?["memberProfile"]?["displayName"]?.stringValue == "bob"
      }
      _ = try await world.bob.run("#club hello")
      #expect(try await alice.message() == "hello")
    }
  }

  /// What cannot be sent makes no contact of a member.
  @Test func aMessageThatIsTooLargeMakesNoContact() async throws {
    try await play { world in
      _ = try await world.bob.run("/_connect group #\(world.prepared)")
      _ = try await world.bob.event("userJoinedGroup")
      _ = try await world.alice.event("joinedGroupMember")
      // Random, so that it cannot be compressed.
      let long = String((0..<40_000).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "x" })
      let refused = try await world.bob.answer("@alice \(long)")
      #expect(refused["storeError"]?["type"]?.stringValue == "largeMsg", "\(refused.jsonText().prefix(200))")
      #expect(try await world.bob.run("/_contacts 1")["contacts"] == [])
      _ = try await world.bob.run("@alice short")
      #expect(try await world.alice.message() == "short")
    }
  }

  /// A host that gives itself and the user one identifier is not believed.
  @Test func theHostIsSomebodyElse() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let mallory = try await HostilePeer(in: world)
      let link = try await mallory.createAddress()
      let prepared = try await alice.run(
        #"/_prepare group 1 \#(link) {"groupProfile":{"displayName":"club","fullName":""}}"#)
      let group = try #require(prepared["chat"]?["chatInfo"]?["groupInfo"]?["groupId"]?.integerValue)
      _ = try await alice.run("/_connect group #\(group)")
      let id = Data("useruseruser".utf8).base64EncodedString()
      try await mallory.accept(
        info:
          #"{"v":"1-16","event":"x.grp.link.inv","params":{"groupLinkInvitation":{"fromMember":{"memberId":"\#(id)","#
          + #""memberRole":"owner"},"fromMemberName":"mallory","invitedMember":{"memberId":"\#(id)","#
          + #""memberRole":"member"},"groupProfile":{"displayName":"club","fullName":""}}}}"#)
      let error = try await alice.event("error")
      #expect(error.jsonText().contains("groupDuplicateMemberId"), "\(error.jsonText())")
      let info = try await alice.run("/_info #\(group)")["groupInfo"]?["membership"]
      #expect(info?["memberStatus"]?.stringValue == "unknown" && info?["memberId"]?.stringValue != id)
      await mallory.close()
    }
  }
}
