import ChatAPI
import ChatState
import SimplexTesting
import Testing

/// The state layer of three members of a group, over real cores, a real relay and TLS.
@Suite struct GroupModelTests {
  /// While members write, moderate, block each other and change roles and the group, the model of each always equals a
  /// fresh load of the core at the same time.
  @Test(arguments: propertySeeds(8)) func showsWhatTheCoreHas(seed: UInt64) async throws {
    try await TestWorld.with { world in
      let people = try await members(in: world, seed)
      try await withThrowingTaskGroup { group in
        for (index, person) in people.enumerated() {
          group.addTask {
            try await person.act(times: 50, { try await $0.actInGroup() }) {
              try await person.check("seed \(seed), member \(index), after \($0)")
              try await person.checkMembers("seed \(seed), member \(index), after \($0)")
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// A group of alice, its owner, bob, a moderator, and cath.
  private func members(in world: TestWorld, _ seed: UInt64) async throws -> [ModelPerson] {
    let alice = try await world.profile("alice")
    var people = [alice]
    for (name, role) in [("bob", "moderator"), ("cath", "member")] {
      let other = try await world.profile(name)
      try await world.connect(alice, other)
      if name == "bob" { _ = try await alice.run("/g team") }
      _ = try await alice.run("/a team \(name) \(role)")
      _ = try await other.event("receivedGroupInvitation")
      _ = try await other.run("/j team")
      _ = try await alice.event("joinedGroupMember")
      people.append(other)
    }
    for member in people[1...] { _ = try await member.event("connectedToGroupMember") }
    var models: [ModelPerson] = []
    for (index, person) in people.enumerated() {
      models.append(try await ModelPerson(person.controller, seed &* 3 &+ UInt64(index)))
    }
    return models
  }
}

extension ModelPerson {
  private func group() throws -> GroupInfo {
    try #require(model.chats.lazy.compactMap { $0.chatInfo.groupInfo }.first)
  }

  /// Performs an action in the group.
  func actInGroup() async throws -> String {
    let group = try group()
    let chat = try #require(model.getGroupChat(group.groupId))
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<4:
      sent += 1
      let mentions = sent % 3 == 0 ? mention() : [:]
      let text = mentions.keys.first.map { "@\($0) message \(sent)" } ?? "message \(sent)"
      try await model.sendMessages(to: chat.chatInfo, [ComposedMessage(msgContent: .text(text), mentions: mentions)])
      return "sending"
    case 4: return try await edit(in: chat.chatInfo)
    case 5: return try await delete(for: .cidmBroadcast, in: chat.chatInfo)
    case 6: return try await delete(for: .cidmInternal, in: chat.chatInfo)
    case 7, 8: return try await react(in: chat.chatInfo)
    case 9, 10, 11:
      model.im.loadOpenChatNoWait(chat.id)
      await model.im.loaded()
      try await model.loadGroupMembers(group)
      return "opening"
    case 12:
      try await model.markChatRead(chat)
      return "reading all"
    case 13:
      let unread = shownItems.filter(\.isRcvNew).shuffled(using: &random).prefix(3)
      guard !unread.isEmpty else { break }
      try await model.markRead(
        in: chat.chatInfo, unread.map(\.id), mentionsRead: unread.count { $0.meta.userMention })
      return "reading some"
    case 14:
      model.closeChat()
      return "closing"
    default: return try await manage(group)
    }
    return "nothing"
  }

  private func mention() -> [String: Int64] {
    guard let member = model.groupMembers.randomElement(using: &random)?.wrapped else { return [:] }
    return [member.memberProfile.displayName: member.groupMemberId]
  }

  /// Changes the group and its members, as far as the user may.
  private func manage(_ group: GroupInfo) async throws -> String {
    let (model, role) = (model, group.membership.memberRole)
    let member = model.groupMembers.map(\.wrapped).filter { $0.memberCurrent }.randomElement(using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      guard role >= .moderator else { break }
      let others = shownItems.filter { if case .groupRcv = $0.chatDir { true } else { false } }
      guard let item = others.randomElement(using: &random) else { break }
      try await model.request(.apiDeleteMemberChatItem(groupId: group.groupId, itemIds: [item.id])) {
        (response: ChatResponse1) throws(ChatError) in
        guard case .chatItemsDeleted = response else { throw response.unexpected }
        model.apply(response)
      }
      return "moderating"
    case 1:
      guard role >= .moderator, let member, member.memberRole < .moderator else { break }
      try await model.request(
        .apiBlockMembersForAll(
          groupId: group.groupId, memberIds: [member.groupMemberId], blocked: !member.blockedByAdmin)
      ) { (response: ChatResponse2) throws(ChatError) in
        guard case .membersBlockedForAllUser(_, let group, let members, _, _) = response else {
          throw response.unexpected
        }
        model.updateGroup(group)
        for member in members { _ = model.upsertGroupMember(group, member) }
      }
      return "blocking for all"
    case 2:
      guard role >= .admin, let member else { break }
      let new: GroupMemberRole = [.observer, .member, .moderator][Int.random(in: 0..<3, using: &random)]
      try await model.request(
        .apiMembersRole(groupId: group.groupId, memberIds: [member.groupMemberId], memberRole: new)
      ) { (response: ChatResponse2) throws(ChatError) in
        guard case .membersRoleUser(_, let group, let members, _, _) = response else { throw response.unexpected }
        model.updateGroup(group)
        for member in members { _ = model.upsertGroupMember(group, member) }
      }
      return "changing a role"
    case 3:
      guard role == .owner else { break }
      sent += 1
      var profile = group.groupProfile
      profile.fullName = "Number \(sent)"
      try await model.request(.apiUpdateGroupProfile(groupId: group.groupId, groupProfile: profile)) {
        (response: ChatResponse2) throws(ChatError) in
        guard case .groupUpdated(_, _, let group, _, _) = response else { throw response.unexpected }
        model.updateGroup(group)
      }
      return "renaming the group"
    default:
      sent += 1
      let user = try #require(model.currentUser)
      let profile = Profile(displayName: user.displayName, fullName: "Number \(sent)")
      try await model.request(.apiUpdateProfile(userId: user.userId, profile: profile)) {
        (response: ChatResponse1) throws(ChatError) in
        guard case .userProfileUpdated = response else { throw response.unexpected }
      }
      return "renaming"
    }
    return "nothing"
  }

  /// Compares the members of the open group with a response of the core.
  func checkMembers(_ when: String) async throws {
    let (model, group) = (model, try group())
    guard model.chatId == group.id, !model.groupMembers.isEmpty else { return }
    try await model.request(.apiListMembers(groupId: group.groupId)) { (response: ChatResponse2) throws(ChatError) in
      guard case .groupMembers(_, let fresh) = response else { throw response.unexpected }
      guard model.chatId == group.id, !model.groupMembers.isEmpty else { return }
      let shown = Set(model.groupMembers.map(\.wrapped).map(SeenMember.init))
      let kept = Set(fresh.members.map(SeenMember.init))
      #expect(shown == kept, "\(when): shown \(shown.subtracting(kept)), kept \(kept.subtracting(shown))")
      let info = model.getGroupChat(group.groupId)?.chatInfo.groupInfo
      #expect(info?.groupProfile == fresh.groupInfo.groupProfile, "\(when): profile of the group")
      #expect(info?.membership.memberRole == fresh.groupInfo.membership.memberRole, "\(when): role")
      #expect(info?.membersRequireAttention == fresh.groupInfo.membersRequireAttention, "\(when): attention")
    }
  }
}

/// What of a member has to agree.
private struct SeenMember: Hashable, CustomStringConvertible {
  var id: Int64
  var role: GroupMemberRole
  var status: GroupMemberStatus
  var fullName: String
  var isBlocked: Bool

  init(_ member: GroupMember) {
    id = member.groupMemberId
    role = member.memberRole
    status = member.memberStatus
    fullName = member.memberProfile.fullName
    isBlocked = member.blockedByAdmin
  }

  var description: String { "\(id) \(role) \(status) \(fullName)\(isBlocked ? " blocked" : "")" }
}
