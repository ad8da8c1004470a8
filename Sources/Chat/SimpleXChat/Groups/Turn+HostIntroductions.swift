import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore

// What the host of a new member does: it announces the member to the others, introduces the others to the member, and
// sends it the history. In large groups that takes many turns. Until the last of them everything else for the new
// member is held, so that it never hears of somebody who was not introduced.

extension Turn {
  /// Tells all others of a new member, and the member of the others; of one under review, moderators only.
  /// - Parameter history: whether the history of the group follows.
  /// - Returns: how many others were told of the member.
  @discardableResult
  func introduce(_ member: GroupMember, history: Bool = false, in chat: GroupChat) throws -> Int {
    var others: [GroupMember] = []
    if let info = memberInfo(member, of: chat.group) {
      let known = Set(try rows.indexes(ofMember: member.groupMemberId) { $0 != .none })
      let group = chat.group.groupId
      others = try (member.memberPending ? rows.moderators(ofGroup: group) : rows.members(ofGroup: group)).filter {
        mayKnow($0, member) && !known.contains($0.indexInGroup)
      }
      try send(
        .grpMemNew(info, scope: member.memberPending ? .member(info.memberId) : nil), to: others, of: chat.group)
      try rows.setIntroductionsPending(of: others, to: member)
    }
    if try !continueIntroductions(to: member.groupMemberId, history: history, of: chat.user) {
      try rows.setPendingIntroductions(true, member: member.groupMemberId)
      try later(.introductions, about: member.groupMemberId, payload: history ? "history" : "", of: chat.user)
    }
    return others.count
  }

  /// Introduces some members to a new one; after the last of them follows what was held.
  /// - Returns: whether that was all.
  func continueIntroductions(to id: Int64, history: Bool, of user: User) throws -> Bool {
    guard let member = try rows.memberIfPresent(id, of: user) else { return true }
    let chat = try groupChat(member.groupId, of: user)
    let mayGoOn = chat.group.membership.memberActive && (member.memberCurrent || member.memberPending)
    if mayGoOn {
      let limit = environment.options.membersPerTurn
      let others = try rows.pendingIntroductions(to: member, limit: limit)
      let present = others.filter { mayKnow($0, member) }
      try rows.removePendingIntroductions(of: others, to: member)
      try rows.setIntroduced(member, to: present)
      try sendIntroductions(of: present, to: member, in: chat)
      if others.count == limit { return false }
    }
    try rows.removePendingIntroductions(to: member)
    if mayGoOn, history { try sendHistory(to: member, in: chat) }
    guard try rows.hasPendingIntroductions(member: id) else { return true }
    try rows.setPendingIntroductions(false, member: id)
    try sendPending(to: member, of: user)
    return true
  }

  private func sendIntroductions(of others: [GroupMember], to member: GroupMember, in chat: GroupChat) throws {
    let events = others.compactMap { other in
      memberInfo(other, of: chat.group).map {
        OutgoingGroupEvent(
          event: .grpMemIntro(
            $0, memberRestrictions: other.blockedByAdmin ? MemberRestrictions(restriction: .blocked) : nil))
      }
    }
    try sendFitting(events, to: [member], of: chat.group, overtakesHeld: true)
  }

  /// The members who were moderators when a member under review was introduced to them, and are not any more:
  /// moderators do not tell them what is decided about it. Empty where the user is not its host, who alone knows them.
  func formerModerators(knowing member: GroupMember, in chat: GroupChat) throws -> [GroupMember] {
    guard member.memberCategory == .inviteeMember else { return [] }
    let indexes = try rows.indexes(ofMember: member.groupMemberId) { $0 != .none }
    return try rows.members(ofGroup: chat.group.groupId, at: indexes).filter {
      $0.memberCurrent && $0.memberRole < .moderator
    }
  }

  /// Whether a new member and another one get to know each other.
  private func mayKnow(_ other: GroupMember, _ member: GroupMember) -> Bool {
    (member.memberPending ? other.understandsScopes : other.memberCurrent)
      && other.groupMemberId != member.groupMemberId
  }
}
