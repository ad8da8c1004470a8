import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AppState {
  /// Events of groups.
  mutating func reduceGroup(_ event: ChatEvent, _ now: Date) -> [StateEffect]? {
    switch event {
    case .receivedGroupInvitation(let user, let group, _, _, _), .groupDeleted(let user, let group, _, _),
      .groupUpdated(let user, _, let group, _, _):
      if isActive(user) { updateGroup(group, at: now) }
    case .userAcceptedGroupSent(let user, let group, let host):
      guard isActive(user) else { return [] }
      updateGroup(group, at: now)
      replacePending(host?.activeConn)
    case .groupLinkConnecting(let user, let group, let host):
      guard isActive(user) else { return [] }
      updateGroup(group, at: now)
      upsertGroupMember(group, host, at: now)
      replacePending(host.activeConn)
    case .businessLinkConnecting(let user, let group, _, let contact):
      guard isActive(user) else { return [] }
      updateGroup(group, at: now)
      let wasOpen = open.chatId == contact.id
      removeChat(contact.id)
      return wasOpen ? [.openChat(group.id)] : []
    case .sentGroupInvitation(let user, let group, _, let member):
      if isActive(user) { upsertGroupMember(group, member, at: now) }
    case .userJoinedGroup(let user, let group, let host):
      guard isActive(user) else { return [] }
      updateGroup(group, at: now)
      upsertGroupMember(group, host, at: now)
      joined(group)
    case .deletedMemberUser(let user, let group, let member, let withMessages, _):
      guard isActive(user) else { return [] }
      updateGroup(group, at: now)
      if withMessages { removeMemberItems(group.membership, by: member, group, at: now) }
    case .groupLinkDataUpdated(let user, let group, _, let groupRelays, _):
      guard isActive(user) else { return [] }
      updateGroup(group, at: now)
      guard relays.groupId == group.groupId else { return [] }
      relays.groupRelays = groupRelays
      changes.insert(.relays)
    case .groupRelayUpdated(let user, let group, let member, let relay):
      guard isActive(user) else { return [] }
      upsertGroupMember(group, member, at: now)
      if relays.update(group.groupId, relay) { changes.insert(.relays) }
    case .newMemberContactReceivedInv(let user, let contact, _, _):
      if isActive(user) { updateContact(contact, at: now) }
    case .contactAndMemberAssociated(let user, let contact, let group, let member, let updated):
      guard isActive(user) else { return [] }
      if contact.id != updated.id { removeChat(contact.id) }
      updateContact(updated, at: now)
      upsertGroupMember(group, member, at: now)
    case .noMemberContactCreating: return [.ignored(event)]
    default: return nil
    }
    return []
  }

  /// A group that has not admitted the user yet opens the user's support chat.
  private mutating func joined(_ group: GroupInfo) {
    guard open.chatId == group.id else { return }
    if group.membership.memberPending {
      open.secondaryPendingInviteeChatOpened = true
    } else if case .memberSupport(.none) = secondary?.filter.groupScopeInfo {
      open.secondaryPendingInviteeChatOpened = false
    }
    changes.insert(.open)
  }
}
