import ChatAPI

extension ChatView {
  /// Responses about groups and their members.
  func groupLines(_ response: ChatResponse2) -> [StyledText] {
    switch response {
    case .groupCreated(let user, let group), .publicGroupCreated(let user, let group, _, _): of(user, created(group))
    case .sentGroupInvitation(let user, let group, let contact, _): of(user, sentInvitation(to: group, contact))
    case .userAcceptedGroupSent: []
    case .groupMembers(let user, let group): of(user, members(group))
    case .groupsList(let user, let groups): of(user, self.groups(groups))
    case .userDeletedMembers(let user, let group, let members, let withMessages, let signed):
      of(user, removed(group, members, withMessages: withMessages) + StyledText(signedText(signed)))
    case .leftMemberUser(let user, let group): of(user, left(group))
    case .memberAccepted(let user, let group, let member): of(user, accepted(group, member))
    case .memberSupportChatRead(let user, let group, let member): of(user, supportChatRead(group, of: member))
    case .memberSupportChatDeleted(let user, let group, let member):
      of(user, "\(named(group, member)) support chat deleted")
    case .membersRoleUser(let user, let group, let members, let role, let signed):
      of(user, roleChanged(group, of: members, to: role) + StyledText(signedText(signed)))
    case .membersBlockedForAllUser(let user, let group, let members, let isBlocked, let signed):
      of(user, blocked(group, members, isBlocked: isBlocked) + StyledText(signedText(signed)))
    case .groupUpdated(let user, let old, let new, let member, let signed):
      of(user, updated(old, new, by: member, signature: signed ? .verified : nil))
    case .groupLinkCreated(let user, let group, let link):
      of(user, self.link("Group link is created!", of: group, link))
    case .groupLink(let user, let group, let link): of(user, self.link("Group link:", of: group, link))
    case .groupLinkDeleted(let user, let group): of(user, linkDeleted(group))
    case .newMemberContact(let user, _, let group, let member):
      of(user, "contact for member \(name(group)) \(name(member)) is created")
    case .newMemberContactSentInv(let user, _, let group, let member):
      of(user, "sent invitation to connect directly to member \(name(group)) \(name(member))")
    case .memberContactAccepted(let user, let contact):
      of(user, "contact \(name(contact)) is accepted, starting connection")
    default: relayLines(response)
    }
  }

  /// Responses about the relays of channels.
  private func relayLines(_ response: ChatResponse2) -> [StyledText] {
    switch response {
    case .groupRelays(let user, let group, let relays), .groupRelaysAdded(let user, let group, _, let relays):
      of(user, ["\(fullName(group)): group relays:"] + relays.map(relay))
    case .publicGroupCreationFailed(let user, let results):
      of(user, ["channel not created, results:"] + results.map(result))
    case .groupRelaysAddFailed(let user, let results):
      of(user, ["relays not added, results:"] + results.map(result))
    case .relayGroupAllowed(let user, let group): of(user, "\(fullName(group)): relay rejection cleared")
    default: [json(response)]
    }
  }

  /// What happens to groups.
  func groupLines(_ event: ChatEvent) -> [StyledText] {
    switch event {
    case .receivedGroupInvitation(let user, let group, let contact, _, let role):
      of(user, invited(to: group, by: contact, as: role))
    case .userAcceptedGroupSent: []
    case .groupLinkConnecting(let user, let group, let host): of(user, joining(group, host))
    case .businessLinkConnecting(let user, let group, _, _): of(user, "\(name(group)): joining the group...")
    case .businessRequestAlreadyAccepted(let user, let group):
      of(
        user,
        "\(fullName(group)): sent you a duplicate connection request, but you are already connected, no action needed")
    case .sentGroupInvitation(let user, let group, let contact, _): of(user, sentInvitation(to: group, contact))
    case .userJoinedGroup(let user, let group, let host): of(user, joined(group, host))
    case .deletedMemberUser(let user, let group, let member, let withMessages, let signature):
      of(
        user,
        [
          removed(group, "you", by: member, withMessages: withMessages) + StyledText(text(signature)),
          deletionHint(group),
        ])
    case .groupDeleted(let user, let group, let member, let signature): of(user, deleted(group, by: member, signature))
    case .groupUpdated(let user, let old, let new, let member, let signature):
      of(user, updated(old, new, by: member, signature: signature))
    case .newMemberContactReceivedInv(let user, let contact, let group, let member):
      of(user, requested(contact, with: user, by: member, of: group))
    case .contactAndMemberAssociated(let user, let contact, let group, let member, let result):
      of(user, merged(contact, with: member, of: group, into: result))
    case .noMemberContactCreating(let user, let group, let member):
      of(user, "member \(name(group)) \(name(member)) does not have direct connection, creating")
    case .groupRelayUpdated: []
    case .groupLinkDataUpdated(let user, let group, let link, let relays, let isChanged):
      isChanged ? of(user, relaysUpdated(group, link, relays: relays)) : []
    default: memberLines(event)
    }
  }

  /// What happens to members.
  private func memberLines(_ event: ChatEvent) -> [StyledText] {
    switch event {
    case .joinedGroupMember(let user, let group, let member): of(user, joined(group, member: member))
    case .joinedGroupMemberConnecting(let user, let group, let host, let member):
      of(user, connecting(group, to: member, addedBy: host))
    case .acceptingGroupJoinRequestMember(let user, let group, let member):
      of(user, "\(fullName(member)): accepting request to join group \(name(group))...")
    case .memberAcceptedByOther(let user, let group, let other, let member):
      of(user, accepted(group, member, by: other))
    case .connectedToGroupMember(let user, let group, let member, _): of(user, connected(group, to: member))
    case .groupMemberUpdated: []
    case .memberRole(let user, let group, let other, let member, let old, let new, let signature):
      of(
        user,
        roleChanged(group, of: member, by: other, from: old, to: new) + StyledText(old == new ? "" : text(signature)))
    case .memberBlockedForAll(let user, let group, let other, let member, let isBlocked, let signature):
      of(user, blocked(group, member, by: other, isBlocked: isBlocked) + StyledText(text(signature)))
    case .deletedMember(let user, let group, let other, let member, let withMessages, let signature):
      of(user, removed(group, name(member), by: other, withMessages: withMessages) + StyledText(text(signature)))
    case .leftMember(let user, let group, let member, let signature):
      of(user, "\(named(group, member)) left the group\(text(signature))")
    case .unknownMemberCreated(let user, let group, let sender, let member):
      of(
        user,
        "\(named(group, sender)) forwarded a message from an unknown member, creating unknown member record \(name(member))"
      )
    case .unknownMemberBlocked(let user, let group, let other, let member):
      of(user, "\(named(group, other)) blocked an unknown member, creating unknown member record \(name(member))")
    case .unknownMemberAnnounced(let user, let group, _, let unknown, let member):
      of(user, "\(name(group)): unknown member \(name(unknown)) updated to \(name(member))")
    case .groupMemberSwitch(let user, let group, let member, let progress):
      of(user, switching(member, of: group, progress))
    case .groupMemberRatchetSync(let user, let group, let member, let progress):
      of(user, synchronizing(member, of: group, progress))
    default: [json(event)]
    }
  }

  /// What is told with an event to those who do not show items.
  func lines(_ event: TerminalEvent) -> [StyledText] {
    switch event {
    case .groupLinkRejected(let user, let group, let reason):
      of(user, "\(name(group)): join rejected, reason: \(text(reason))")
    case .relayRejected(let user, let group, let reason):
      of(user, "\(name(group)): relay rejected, reason: \(text(reason))")
    case .rejectingGroupJoinRequestMember(_, let group, let member, let reason):
      ["\(fullName(member)): rejecting request to join group \(name(group)), reason: \(text(reason))"]
    case .newMemberContact(let user, _, let group, let member):
      of(user, "contact for member \(name(group)) \(name(member)) is created")
    case .contactVerificationReset(let user, let contact): of(user, "\(name(contact)): security code changed")
    case .groupMemberVerificationReset(let user, let group, let member):
      of(user, "\(name(group)) \(name(member)): security code changed")
    }
  }

  private func text(_ reason: GroupRejectionReason) -> String {
    switch reason {
    case .longName: "GRRLongName"
    case .blockedName: "GRRBlockedName"
    case .unknown(let name): name
    }
  }

  private func text(_ reason: RelayRejectionReason) -> String {
    switch reason {
    case .rejoinRejected: "RRRRejoinRejected"
    case .unknown(let name): name
    }
  }
}
