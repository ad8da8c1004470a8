import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AppState {
  /// Events of members of groups.
  mutating func reduceMember(_ event: ChatEvent, _ now: Date) -> [StateEffect]? {
    switch event {
    case .joinedGroupMember(let user, let group, let member),
      .acceptingGroupJoinRequestMember(let user, let group, let member),
      .joinedGroupMemberConnecting(let user, let group, _, let member),
      .connectedToGroupMember(let user, let group, let member, _),
      .groupMemberUpdated(let user, let group, _, let member),
      .unknownMemberCreated(let user, let group, _, let member),
      .unknownMemberBlocked(let user, let group, _, let member):
      if isActive(user) { upsertGroupMember(group, member, at: now) }
    case .unknownMemberAnnounced(let user, let group, _, _, let member):
      if isActive(user) { upsertGroupMember(group, member, at: now) }
    case .memberAcceptedByOther(let user, let group, _, let member),
      .memberRole(let user, let group, _, let member, _, _, _),
      .memberBlockedForAll(let user, let group, _, let member, _, _),
      .leftMember(let user, let group, let member, _):
      guard isActive(user) else { return [] }
      updateGroup(group, at: now)
      upsertGroupMember(group, member, at: now)
    case .deletedMember(let user, let group, let moderator, let member, let withMessages, _):
      guard isActive(user) else { return [] }
      updateGroup(group, at: now)
      upsertGroupMember(group, member, at: now)
      if withMessages { removeMemberItems(member, by: moderator, group, at: now) }
    default: return nil
    }
    return []
  }
}
