import AgentCore
import ChatAPI
import ChatProtocol
import Foundation
import SimplexCrypto
import SimplexJSON
import SimplexTesting
import Testing
import WireCodec

/// A subscriber of channels, with owners and relays that are written against the wire.
@Suite struct SubscriberTests {
  private static func text(_ text: String) -> ChatMessageEvent { .msgNew(MsgContainer(content: .text(text))) }

  // MARK: Plans and preparing

  private func plan(_ channel: TestChannel, by bob: TestCore) async throws -> JSONValue? {
    try await bob.run("/_connect plan 1 \(channel.link)")["connectionPlan"]?["groupLinkPlan"]
  }

  @Test func plansOfLinks() async throws {
    try await TestWorld.with { world in
      let bob = try await world.profile("bob")
      let channel = try await TestChannel(in: world, relays: 2)
      let new = try await plan(channel, by: bob)
      #expect(new?["type"]?.stringValue == "ok")
      #expect(new?["groupSLinkInfo_"]?["direct"] == false)
      #expect(new?["groupSLinkInfo_"]?["groupRelays"]?.arrayValue?.count == 2)
      #expect(new?["groupSLinkInfo_"]?["publicGroupId"]?.stringValue == Base64URL.string(channel.id))
      #expect(new?["groupSLinkData_"]?["publicGroupData"]?["publicMemberCount"]?.integerValue == 7)
      let refused = try await bob.answer("/_connect 1 \(channel.link)")
      #expect(refused.jsonText().contains("channel links must be connected via APIConnectPreparedGroup"))
      await channel.close()
    }
  }

  @Test(arguments: ["noRelays", "updateRequired"]) func plansOfChannelsThatCannotBeJoined(type: String) async throws {
    try await TestWorld.with { world in
      let bob = try await world.profile("bob")
      let isLater = type == "updateRequired"
      let channel = try await TestChannel(
        in: world, type: isLater ? .unknown(type: "forum") : .channel, listsRelays: isLater)
      let shown = try await plan(channel, by: bob)
      #expect(shown?["type"]?.stringValue == type)
      #expect(shown?["groupSLinkData_"]?["groupProfile"]?["displayName"]?.stringValue == "news")
      await channel.close()
    }
  }

  /// The identifier of the link is that of the profile.
  @Test func linksOfOtherChannelsAreRefused() async throws {
    try await TestWorld.with { world in
      let bob = try await world.profile("bob")
      let channel = try await TestChannel(in: world, entityID: [UInt8](repeating: 1, count: 32))
      let answer = try await bob.answer("/_connect plan 1 \(channel.link)")
      #expect(answer["errorType"]?["type"]?.stringValue == "invalidConnReq")
      await channel.close()
    }
  }

  @Test func preparedChannelsAreShown() async throws {
    try await TestWorld.with { world in
      let bob = try await world.profile("bob")
      let channel = try await TestChannel(in: world, description: "Welcome to the news")
      let answer = try await bob.run("/_connect plan 1 \(channel.link)")
      let link = answer["connLink"]
      let data = try #require(answer["connectionPlan"]?["groupLinkPlan"]?["groupSLinkData_"]).jsonText()
      let links = "\(link?["connFullLink"]?.stringValue ?? "") \(link?["connShortLink"]?.stringValue ?? "")"
      let prepared = try await bob.run("/_prepare group 1 \(links) direct=off \(data)")["chat"]
      let group = try #require(prepared?["chatInfo"]?["groupInfo"])
      #expect(group["useRelays"] == true)
      #expect(group["membership"]?["memberStatus"]?.stringValue == "unknown")
      #expect(group["membership"]?["memberRole"]?.stringValue == "observer")
      #expect(group["groupSummary"]?["publicMemberCount"]?.integerValue == 7)
      let welcome = prepared?["chatItems"]?[0]
      #expect(welcome?["meta"]?["itemText"]?.stringValue == "Welcome to the news")
      #expect(welcome?["chatDir"]?["type"]?.stringValue == "channelRcv")
      let id = try #require(group["groupId"]?.integerValue)
      let known = try await plan(channel, by: bob)
      #expect(known?["type"]?.stringValue == "known")
      #expect(known?["groupInfo"]?["groupId"]?.integerValue == id)
      let members = try await bob.run("/_members #\(id)")["group"]?["members"]?.arrayValue
      #expect(members?.isEmpty == true)
      await channel.close()
    }
  }

  // MARK: Joining

  @Test func joiningByAllRelays() async throws {
    try await Subscription.play(relays: 2) { world in
      let members = try await world.members()
      for relay in world.channel.relays {
        let member = members[relay.memberID.text]
        #expect(member?["memberRole"]?.stringValue == "relay")
        #expect(member?["memberStatus"]?.stringValue == "connected")
        #expect(member?["memberPubKey"]?.stringValue == relay.key.publicKey.text)
        #expect(member?["memberProfile"]?["displayName"]?.stringValue == relay.name)
      }
      let owner = members[world.channel.ownerID.text]
      #expect(owner?["memberRole"]?.stringValue == "owner")
      #expect(owner?["memberPubKey"]?.stringValue == world.channel.owner.publicKey.text)
      // One identity for all relays.
      #expect(Set(world.channel.relays.compactMap { $0.subscriber?.id }).count == 1)
      #expect(Set(world.channel.relays.compactMap { $0.subscriber?.key }).count == 1)
      let group = try await world.bob.run("/_info #\(world.group)")["groupInfo"]
      #expect(group?["membership"]?["memberStatus"]?.stringValue == "connected")
      #expect(group?["membership"]?["memberId"]?.stringValue == world.relay.subscriber?.id.text)
      let chat = try await world.bob.run("/_get chat #\(world.group) count=50")
      let kinds = (chat["chat"]?["chatItems"]?.arrayValue ?? []).compactMap { $0["content"]?["type"]?.stringValue }
      #expect(kinds.filter { $0 == "rcvGroupE2EEInfo" }.count == 1)
      #expect(kinds.filter { $0 == "rcvGroupEvent" }.count == 2)
    }
  }

  /// Where one relay cannot be asked, the others do.
  @Test func oneRelayIsEnough() async throws {
    try await TestWorld.with { world in
      let channel = try await TestChannel(in: world, relays: 2)
      try await channel.relays[1].deleteLink()
      let bob = try await world.profile("bob")
      let started = try await bob.run("/c \(channel.link)")
      let results = started["relayResults"]?.arrayValue ?? []
      #expect(results.count == 2)
      #expect(results.filter { $0["relayError"] != nil }.count == 1)
      try await channel.relays[0].accept(in: channel)
      _ = try await bob.event("userJoinedGroup")
      await channel.close()
    }
  }

  /// Nothing is left of a channel that no relay lets in.
  @Test func noRelayIsAnError() async throws {
    try await TestWorld.with { world in
      let channel = try await TestChannel(in: world)
      try await channel.relays[0].deleteLink()
      let bob = try await world.profile("bob")
      let answer = try await bob.answer("/c \(channel.link)")
      #expect(answer["agentError"] != nil, "\(answer.jsonText())")
      #expect(try await plan(channel, by: bob)?["type"]?.stringValue == "ok")
      await channel.close()
    }
  }

  /// A relay that makes itself owner, or the user somebody else, is ignored.
  @Test(arguments: ["owner", "other", "channel"]) func relaysDoNotDecideWhoIsWho(claim: String) async throws {
    try await TestWorld.with { world in
      let channel = try await TestChannel(in: world)
      let bob = try await world.profile("bob")
      let started = try await bob.run("/c \(channel.link)")
      let group = try #require(started["groupInfo"]?["groupId"]?.integerValue)
      try await channel.relays[0].accept(in: channel) { answer in
        switch claim {
        case "owner": answer.fromMember = MemberIdRole(memberId: channel.ownerID, memberRole: .owner)
        case "other": answer.invitedMember.memberId = MemberId(Array("somebodyelse".utf8))
        default: answer.groupProfile.publicGroup?.publicGroupId = Base64URL.string([UInt8](repeating: 1, count: 32))
        }
      }
      let error = try await bob.event("messageError")
      #expect(error["errorMessage"]?.stringValue?.contains("mismatch") == true)
      let info = try await bob.run("/_info #\(group)")["groupInfo"]
      #expect(info?["membership"]?["memberStatus"]?.stringValue == "unknown")
      await channel.close()
    }
  }

  @Test func relaysGiveNoRights() async throws {
    try await TestWorld.with { world in
      let channel = try await TestChannel(in: world)
      let bob = try await world.profile("bob")
      let started = try await bob.run("/c \(channel.link)")
      let group = try #require(started["groupInfo"]?["groupId"]?.integerValue)
      try await channel.relays[0].accept(in: channel) { answer in
        answer.invitedMember.memberRole = .admin
        answer.groupProfile.displayName = "fake"
      }
      _ = try await bob.event("userJoinedGroup")
      let info = try await bob.run("/_info #\(group)")["groupInfo"]
      #expect(info?["membership"]?["memberRole"]?.stringValue == "observer")
      #expect(info?["groupProfile"]?["displayName"]?.stringValue == "news")
      await channel.close()
    }
  }

  // MARK: Posts

  @Test func postsHaveNoAuthor() async throws {
    try await Subscription.play { world in
      let id = SharedMsgId.fresh()
      try await world.handled(try world.channel.post(Self.text("one"), id: id))
      #expect(try await world.messages() == ["channelRcv: one"])
      let changed = ChatMessageEvent.msgUpdate(MsgUpdate(msgId: id, content: .text("two")))
      try await world.handled(try world.channel.post(changed))
      #expect(try await world.messages() == ["channelRcv: two"])
      let quote = QuotedMsg(
        msgRef: MsgRef(msgId: id, sentAt: try #require(UTCTime(seconds: 1_700_000_000)), sent: false),
        content: .text("two"))
      var answer = MsgContainer(content: .text("three"))
      answer.quote = quote
      try await world.handled(try world.channel.post(.msgNew(answer)))
      let chat = try await world.bob.run("/_get chat #\(world.group) count=50 search=three")
      let shown = chat["chat"]?["chatItems"]?.arrayValue?.last?["quotedItem"]
      #expect(shown?["chatDir"]?["type"]?.stringValue == "channelRcv")
      try await world.handled(try world.channel.post(.msgDel(msgId: id)))
      let items = try await world.bob.run("/_get chat #\(world.group) count=50")["chat"]?["chatItems"]?.arrayValue
      let deleted = items?.first { $0["meta"]?["itemText"]?.stringValue == "two" }
      #expect(deleted?["meta"]?["itemDeleted"]?["type"]?.stringValue == "deleted")
    }
  }

  @Test func copiesOfRelaysAreShownOnce() async throws {
    try await Subscription.play(relays: 2) { world in
      let id = SharedMsgId.fresh()
      try await world.handled(try world.channel.post(Self.text("once"), id: id), by: 0)
      try await world.handled(try world.channel.post(Self.text("once"), id: id), by: 1)
      #expect(try await world.messages() == ["channelRcv: once"])
      // The identifier of a member's message is its own.
      let owner = world.channel.ownerID
      try await world.handled(try world.channel.forwarded(Self.text("mine"), of: owner, id: id), by: 1)
      #expect(try await world.messages().count == 2)
    }
  }

  /// Observers do not write, whatever a relay forwards.
  @Test func subscribersDoNotPost() async throws {
    try await Subscription.play { world in
      let eve = MemberId(Array("eveeveeveeve".utf8))
      try await world.handled(try world.channel.forwarded(Self.text("spam"), of: eve, named: "eve"))
      _ = try await world.bob.event("unknownMemberCreated")
      _ = try await world.bob.event("messageError") {
        $0["errorMessage"]?.stringValue == "member is not allowed to send messages"
      }
      #expect(try await world.messages() == [])
    }
  }

  @Test func historyComesAsJSON() async throws {
    try await Subscription.play { world in
      let post = ChatMessage(msgId: .fresh(), event: Self.text("old post"))
      let time = try #require(UTCTime(seconds: 1_700_000_000))
      let forward = ChatMessageEvent.grpMsgForward(MessageForward(sender: .channel, brokerTs: time), post)
      try await world.handled(ChatMessage(event: forward).jsonBytes())
      #expect(try await world.messages() == ["channelRcv: old post"])
    }
  }

  @Test func reactionsToPosts() async throws {
    try await Subscription.play { world in
      let id = SharedMsgId.fresh()
      try await world.handled(try world.channel.post(Self.text("one"), id: id))
      let chat = try await world.bob.run("/_get chat #\(world.group) count=1 search=one")
      let item = try #require(chat["chat"]?["chatItems"]?[0]?["meta"]?["itemId"]?.integerValue)
      _ = try await world.bob.run(
        "/_reaction #\(world.group) \(item) on {\"type\": \"emoji\", \"emoji\": \"👍\"}")
      let sent = try await world.relay.received("x.msg.react")
      guard case .message(let message) = sent.content,
        case .msgReact(let reacted, let author, _, _, let add) = message.event
      else { Issue.record("no reaction"); return }
      #expect(reacted == id && author == nil && add)
      // Those of others, on the same post.
      let eve = MemberId(Array("eveeveeveeve".utf8))
      let emoji = try #require(MsgReaction.values.first)
      try await world.handled(
        try world.channel.forwarded(
          .msgReact(msgId: id, reaction: emoji, add: true), of: eve, named: "eve"))
      let reaction = try await world.bob.event("chatItemReaction")
      #expect(reaction["reaction"]?["chatReaction"]?["chatItem"]?["meta"]?["itemId"]?.integerValue == item)
    }
  }

  // MARK: Signed events

  @Test func ownersChangeTheProfile() async throws {
    try await Subscription.play { world in
      var profile = world.channel.profile
      profile.displayName = "world news"
      try await world.relay.send(try world.channel.ownerEvent(.grpInfo(profile)))
      let updated = try await world.bob.event("groupUpdated")
      #expect(updated["toGroup"]?["groupProfile"]?["displayName"]?.stringValue == "world news")
      #expect(updated["msgSigned"]?.stringValue == "verified")
      // Another channel it does not become.
      profile.publicGroup?.publicGroupId = Base64URL.string([UInt8](repeating: 1, count: 32))
      try await world.relay.send(try world.channel.ownerEvent(.grpInfo(profile)))
      _ = try await world.bob.event("messageError") {
        $0["errorMessage"]?.stringValue == "x.grp.info: publicGroupId mismatch"
      }
    }
  }

  /// Events without a signature, by a relay's key, or for another channel change nothing, and are told once.
  @Test func forgedEventsAreRefused() async throws {
    try await Subscription.play { world in
      let (channel, owner) = (world.channel, world.channel.ownerID)
      var profile = channel.profile
      profile.displayName = "fake"
      let forged = [
        try channel.forwarded(.grpInfo(profile), of: owner),
        try channel.forwarded(.grpInfo(profile), of: owner, signedBy: world.relay.key),
        try channel.forwarded(.grpDel, of: owner, signedBy: channel.owner, for: [UInt8](repeating: 2, count: 32)),
        try channel.forwarded(.grpDel, of: world.relay.memberID, signedBy: channel.owner),
      ]
      for element in forged { try await world.handled(element) }
      let info = try await world.bob.run("/_info #\(world.group)")["groupInfo"]
      #expect(info?["groupProfile"]?["displayName"]?.stringValue == "news")
      #expect(info?["membership"]?["memberStatus"]?.stringValue == "connected")
      let chat = try await world.bob.run("/_get chat #\(world.group) count=50")
      let refusals = (chat["chat"]?["chatItems"]?.arrayValue ?? []).filter {
        $0["content"]?["rcvGroupEvent"]?["type"]?.stringValue == "msgBadSignature"
      }
      #expect(refusals.count == 2)
    }
  }

  /// The name and the key of a subscriber come from relays; nothing else does.
  @Test func announcedMembers() async throws {
    try await Subscription.play { world in
      let (eve, dan) = (MemberId(Array("eveeveeveeve".utf8)), MemberId(Array("dandandandan".utf8)))
      var random = SystemRandom()
      let (own, other) = (Ed25519.PrivateKey(using: &random), Ed25519.PrivateKey(using: &random))
      func info(_ id: MemberId, _ role: GroupMemberRole, _ key: Ed25519.PrivateKey) -> MemberInfo {
        MemberInfo(
          memberId: id, memberRole: role, v: ChatVersion.supported,
          profile: Profile(displayName: role.rawValue, fullName: ""), memberKey: key.publicKey)
      }
      let channel = world.channel
      try await world.relay.send(.grpMemNew(info(eve, .observer, own)), in: channel)
      try await world.relay.send(.grpMemNew(info(eve, .observer, other)), in: channel)
      try await world.relay.send(.grpMemIntro(info(dan, .admin, own)), in: channel)
      try await world.relay.send(.grpMemIntro(info(channel.ownerID, .observer, other)), in: channel)
      try await world.relay.send(.grpMemNew(info(MemberId(Array("malloryma".utf8)), .moderator, own)), in: channel)
      _ = try await world.bob.event("messageError") {
        $0["errorMessage"]?.stringValue == "x.grp.mem.new: privileged role not established by roster"
      }
      let members = try await world.members()
      #expect(members[eve.text]?["memberPubKey"]?.stringValue == own.publicKey.text)
      #expect(members[dan.text]?["memberRole"]?.stringValue == "observer")
      #expect(members[dan.text]?["memberPubKey"] == nil)
      let owner = members[channel.ownerID.text]
      #expect(owner?["memberRole"]?.stringValue == "owner")
      #expect(owner?["memberPubKey"]?.stringValue == channel.owner.publicKey.text)
      #expect(owner?["memberProfile"]?["displayName"]?.stringValue == "observer")
      #expect(members.count == 4)
    }
  }

  // MARK: Leaving

  @Test func leavingIsSigned() async throws {
    try await Subscription.play { world in
      _ = try await world.bob.run("/_leave #\(world.group)")
      let element = try await world.relay.received("x.grp.leave")
      let subscriber = try #require(world.relay.subscriber)
      let data = try ChatBinding.groupData(publicGroupId: world.channel.id, memberId: subscriber.id)
      #expect(element.signed?.isSigned(by: subscriber.key, bindingData: data) == true)
      #expect(try await plan(world.channel, by: world.bob)?["type"]?.stringValue == "ok")
    }
  }

  /// Other subscribers leave unseen.
  @Test func subscribersLeaveUnseen() async throws {
    try await Subscription.play { world in
      let eve = MemberId(Array("eveeveeveeve".utf8))
      var random = SystemRandom()
      let key = Ed25519.PrivateKey(using: &random)
      let info = MemberInfo(
        memberId: eve, memberRole: .observer, v: ChatVersion.supported,
        profile: Profile(displayName: "eve", fullName: ""),
        memberKey: key.publicKey)
      try await world.relay.send(.grpMemNew(info), in: world.channel)
      try await world.handled(try world.channel.forwarded(.grpLeave, of: eve, signedBy: key))
      #expect(try await world.members()[eve.text]?["memberStatus"]?.stringValue == "left")
      let chat = try await world.bob.run("/_get chat #\(world.group) count=50")
      #expect(!chat.jsonText().contains("memberLeft"))
      // What a relay does is seen.
      try await world.relay.send(.grpLeave, isSigned: true, in: world.channel)
      let left = try await world.bob.event("leftMember")
      #expect(left["msgSigned"]?.stringValue == "verified")
    }
  }

  @Test func deletedChannels() async throws {
    try await Subscription.play { world in
      try await world.relay.send(try world.channel.ownerEvent(.grpDel))
      let deleted = try await world.bob.event("groupDeleted")
      #expect(deleted["msgSigned"]?.stringValue == "verified")
      let info = try await world.bob.run("/_info #\(world.group)")["groupInfo"]
      #expect(info?["membership"]?["memberStatus"]?.stringValue == "deleted")
    }
  }
}
