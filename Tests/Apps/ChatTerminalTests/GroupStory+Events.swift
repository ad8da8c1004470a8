import ChatAPI
import ChatStateTesting

extension GroupStory {
  private var membership: GroupMember { team.membership }
  private var incognito: GroupInfo { team.with(membership.incognito(as: "Masked")) }

  /// The group is made, and people come.
  func creation() -> [Part] {
    let invited = team.with(membership.with(.memInvited))
    let dan = Samples.member(13, in: 1, "dan").with(.preMember)
    var viaLink = bobContact
    viaLink.activeConn?.viaGroupLink = true
    return [
      answered(.groupCreated(user: user, groupInfo: team)), answered(.groupCreated(user: user, groupInfo: incognito)),
      answered(.sentGroupInvitation(user: user, groupInfo: team, contact: bobContact, member: bob)),
      happened(.sentGroupInvitation(user: user, groupInfo: team, contact: viaLink, member: bob)),
      happened(
        .receivedGroupInvitation(
          user: user, groupInfo: invited, contact: bobContact, fromMemberRole: .owner, memberRole: .admin)),
      happened(
        .receivedGroupInvitation(
          user: user, groupInfo: incognito, contact: bobContact, fromMemberRole: .owner, memberRole: .member)),
      answered(.userAcceptedGroupSent(user: user, groupInfo: team)),
      happened(.userAcceptedGroupSent(user: user, groupInfo: team)),
      happened(.groupLinkConnecting(user: user, groupInfo: team, hostMember: bob)),
      happened(.businessLinkConnecting(user: user, groupInfo: team, hostMember: bob, fromContact: bobContact)),
      happened(.businessRequestAlreadyAccepted(user: user, groupInfo: team)),
      happened(.userJoinedGroup(user: user, groupInfo: team, hostMember: bob)),
      happened(.userJoinedGroup(user: user, groupInfo: incognito, hostMember: bob)),
      happened(
        .userJoinedGroup(user: user, groupInfo: team.with(membership.with(.memPendingReview)), hostMember: bob)),
      happened(.acceptingGroupJoinRequestMember(user: user, groupInfo: team, member: cath)),
      happened(.joinedGroupMember(user: user, groupInfo: team, member: bob)),
      happened(.joinedGroupMember(user: user, groupInfo: team, member: bob.with(.memPendingApproval))),
      happened(.joinedGroupMember(user: user, groupInfo: team, member: bob.with(.memPendingReview))),
      answered(.joinedGroupMember(user: user, groupInfo: team, member: bob)),
      happened(.joinedGroupMemberConnecting(user: user, groupInfo: team, hostMember: bob, member: cath)),
      happened(
        .joinedGroupMemberConnecting(
          user: user, groupInfo: team, hostMember: bob, member: cath.with(.memPendingReview))),
      happened(.connectedToGroupMember(user: user, groupInfo: team, member: cath)),
      happened(.connectedToGroupMember(user: user, groupInfo: team, member: dan)),
      happened(.connectedToGroupMember(user: user, groupInfo: team, member: cath.with(.memPendingReview))),
      answered(.memberAccepted(user: user, groupInfo: team, member: cath)),
      answered(.memberAccepted(user: user, groupInfo: team, member: cath.with(.memPendingReview))),
      happened(.memberAcceptedByOther(user: user, groupInfo: team, acceptingMember: bob, member: cath)),
      happened(
        .memberAcceptedByOther(
          user: user, groupInfo: team, acceptingMember: bob, member: membership.with(.memPendingReview))),
      happened(
        .memberAcceptedByOther(user: user, groupInfo: team, acceptingMember: cath, member: bob)),
    ]
  }

  /// Roles, blocking, and members who are not known yet.
  func members() -> [Part] {
    [
      happened(
        .memberRole(
          user: user, groupInfo: team, byMember: bob, member: membership, fromRole: .member, toRole: .admin)),
      happened(
        .memberRole(
          user: user, groupInfo: team, byMember: bob, member: cath, fromRole: .member, toRole: .observer,
          msgSigned: .verified)),
      happened(
        .memberRole(user: user, groupInfo: team, byMember: bob, member: bob, fromRole: .owner, toRole: .admin)),
      happened(
        .memberRole(user: user, groupInfo: team, byMember: bob, member: cath, fromRole: .member, toRole: .member)),
      answered(.membersRoleUser(user: user, groupInfo: team, members: [bob], toRole: .admin)),
      answered(.membersRoleUser(user: user, groupInfo: team, members: [bob, cath], toRole: .admin, msgSigned: true)),
      answered(.membersBlockedForAllUser(user: user, groupInfo: team, members: [bob], blocked: true)),
      answered(.membersBlockedForAllUser(user: user, groupInfo: team, members: [bob, cath], blocked: false)),
      happened(.memberBlockedForAll(user: user, groupInfo: team, byMember: bob, member: cath, blocked: true)),
      happened(.memberBlockedForAll(user: user, groupInfo: team, byMember: bob, member: cath, blocked: false)),
      answered(.userDeletedMembers(user: user, groupInfo: team, members: [bob], withMessages: false)),
      answered(.userDeletedMembers(user: user, groupInfo: team, members: [bob, cath], withMessages: true)),
      happened(
        .deletedMember(user: user, groupInfo: team, byMember: bob, deletedMember: cath, withMessages: true)),
      happened(.leftMember(user: user, groupInfo: team, member: cath, msgSigned: .signedNoKey)),
      happened(.groupMemberUpdated(user: user, groupInfo: team, fromMember: bob, toMember: cath)),
      happened(.unknownMemberCreated(user: user, groupInfo: team, forwardedByMember: bob, member: cath)),
      happened(.unknownMemberBlocked(user: user, groupInfo: team, blockedByMember: bob, member: cath)),
      happened(
        .unknownMemberAnnounced(
          user: user, groupInfo: team, announcingMember: bob, unknownMember: cath, announcedMember: cath)),
      happened(
        .terminalEvent(.groupLinkRejected(user: user, groupInfo: team, groupRejectionReason: .blockedName))),
      happened(
        .terminalEvent(.relayRejected(user: user, groupInfo: team, relayRejectionReason: .rejoinRejected))),
      happened(
        .terminalEvent(
          .rejectingGroupJoinRequestMember(
            user: user, groupInfo: team, member: cath, groupRejectionReason: .longName))),
      happened(
        .terminalEvent(.newMemberContact(user: user, contact: bobContact, groupInfo: team, member: bob))),
      happened(.terminalEvent(.contactVerificationReset(user: user, contact: bobContact))),
      happened(.terminalEvent(.groupMemberVerificationReset(user: user, groupInfo: team, member: bob))),
      answered(.newMemberContact(user: user, contact: bobContact, groupInfo: team, member: bob)),
      answered(.newMemberContactSentInv(user: user, contact: bobContact, groupInfo: team, member: bob)),
      answered(.memberContactAccepted(user: user, contact: bobContact)),
      happened(.newMemberContactReceivedInv(user: user, contact: bobContact, groupInfo: team, member: bob)),
      happened(.noMemberContactCreating(user: user, groupInfo: team, member: bob)),
      happened(
        .contactAndMemberAssociated(
          user: user, contact: bobContact, groupInfo: team, member: bob, updatedContact: bobContact)),
    ]
  }

  /// Changes of the profile, and the group's link.
  func profile() -> [Part] {
    let renamed = team.with {
      $0.localDisplayName = "our crew"
      $0.groupProfile.displayName = "our crew"
      $0.groupProfile.fullName = ""
    }
    let described = team.with {
      $0.groupProfile.shortDescr = "news"
      $0.groupProfile.description = "Welcome!\nBe kind."
    }
    let changed = team.with {
      $0.groupProfile.groupPreferences = GroupPreferences(
        timedMessages: TimedMessagesGroupPreference(enable: .on, ttl: 3_600),
        directMessages: RoleGroupPreference(enable: .on, role: .owner), fullDelete: RoleGroupPreference(enable: .on))
      $0.groupProfile.memberAdmission = GroupMemberAdmission(review: .all)
    }
    let full = CreatedConnLink(connFullLink: "simplex:/full", connShortLink: "https://short")
    let link = GroupLink(
      userContactLinkId: 1, connLinkContact: full, shortLinkDataSet: true, groupLinkId: "bGluaw==",
      acceptMemberRole: .member)
    return [
      answered(.groupUpdated(user: user, fromGroup: team, toGroup: renamed)),
      happened(.groupUpdated(user: user, fromGroup: team, toGroup: renamed, member_: bob)),
      happened(.groupUpdated(user: user, fromGroup: team, toGroup: described, member_: bob, msgSigned: .verified)),
      happened(.groupUpdated(user: user, fromGroup: described, toGroup: team, member_: bob)),
      answered(.groupUpdated(user: user, fromGroup: team, toGroup: changed)),
      happened(.groupUpdated(user: user, fromGroup: team, toGroup: team, member_: bob)),
      answered(.groupProfile(user: user, groupInfo: changed)),
      answered(.groupProfile(user: user, groupInfo: described)),
      answered(.groupDescription(user: user, groupInfo: described)),
      answered(.groupDescription(user: user, groupInfo: team)),
      answered(.groupAliasUpdated(user: user, toGroup: team.with { $0.localAlias = "work" })),
      answered(.groupAliasUpdated(user: user, toGroup: team)),
      answered(.groupLinkCreated(user: user, groupInfo: team, groupLink: link)),
      answered(.groupLink(user: user, groupInfo: team, groupLink: link)),
      answered(.groupLinkDeleted(user: user, groupInfo: team)),
    ]
  }

  /// The relays of a channel.
  func relays() -> [Part] {
    let channel = team.with { $0.useRelays = true }
    let relay = UserChatRelay(
      chatRelayId: 3, address: "https://relay", relayProfile: RelayProfile(displayName: "relay", fullName: ""),
      domains: [], preset: false, enabled: true, deleted: false)
    let relays = [
      GroupRelay(groupRelayId: 1, groupMemberId: 21, userChatRelay: relay, relayStatus: .rsActive),
      GroupRelay(
        groupRelayId: 2, groupMemberId: 22, userChatRelay: relay, relayStatus: .acknowledgedRoster,
        relayCap: RelayCapabilities(webDomain: "example.org")),
    ]
    let link = GroupLink(
      userContactLinkId: 1, connLinkContact: CreatedConnLink(connFullLink: "simplex:/full"), shortLinkDataSet: true,
      groupLinkId: "bGluaw==", acceptMemberRole: .observer)
    let host = Samples.member(21, in: 1, "relay", role: .relay)
    return [
      answered(
        .publicGroupCreated(user: user, groupInfo: channel, groupLink: link, groupRelays: relays)),
      answered(.publicGroupCreationFailed(user: user, addRelayResults: [AddRelayResult(relay: relay)])),
      answered(.groupRelays(user: user, groupInfo: channel, groupRelays: relays)),
      answered(.groupRelaysAddFailed(user: user, addRelayResults: [AddRelayResult(relay: relay)])),
      answered(.relayGroupAllowed(user: user, groupInfo: channel)),
      happened(
        .groupLinkDataUpdated(
          user: user, groupInfo: channel, groupLink: link, groupRelays: relays, relaysChanged: true)),
      happened(.groupLinkConnecting(user: user, groupInfo: channel, hostMember: host)),
      happened(.userJoinedGroup(user: user, groupInfo: channel, hostMember: host)),
      happened(.joinedGroupMemberConnecting(user: user, groupInfo: channel, hostMember: host, member: cath)),
    ]
  }

  /// Lists and details.
  func details() -> [Part] {
    let stats = ConnectionStats(
      connAgentVersion: 7,
      rcvQueuesInfo: [], sndQueuesInfo: [], ratchetSyncState: .ok, ratchetSyncSupported: true)
    var blocked = cath
    blocked.memberSettings.showMessages = false
    var banned = cath
    banned.blockedByAdmin = true
    let members = [
      bob.with(.memInvited), cath, blocked, banned, cath.with(.memLeft), cath.with(.memUnknown),
      Samples.member(14, in: 1, "Eve E", role: .owner).with(.hostMember).with(.memCreator),
    ]
    let groups = [
      team, team.with { $0.chatSettings.enableNtfs = .none }, team.with { $0.chatSettings.enableNtfs = .mentions },
      incognito.with {
        $0.groupSummary.currentMembers = 1
        $0.localAlias = "work"
      },
      team.with(membership.with(.memInvited)), team.with(membership.incognito(as: "Masked").with(.memInvited)),
      team.with(membership.with(.memLeft)), team.with(membership.with(.memRemoved)),
      team.with(membership.with(.memGroupDeleted)), team.with(membership.with(.memRejected)),
    ]
    var waiting = cath
    waiting.supportChat = GroupSupportChat(chatTs: Samples.time(0), unread: 2, memberAttention: 1, mentions: 0)
    let member = cath.with(.memConnected)
    return [
      answered(.groupMembers(user: user, group: Group(groupInfo: team, members: members))),
      answered(.groupsList(user: user, groups: groups)), answered(.groupsList(user: user, groups: [])),
      answered(.groupInfo(user: user, groupInfo: team)),
      answered(.groupMemberInfo(user: user, groupInfo: team, member: member)),
      answered(.groupMemberInfo(user: user, groupInfo: team, member: member, connectionStats_: stats)),
      answered(.groupMemberCode(user: user, groupInfo: team, member: cath, connectionCode: "12345 67890")),
      happened(
        .groupMemberSwitch(
          user: user, groupInfo: team, member: cath,
          switchProgress: SwitchProgress(queueDirection: .rcv, switchPhase: .started, connectionStats: stats))),
      happened(
        .groupMemberSwitch(
          user: user, groupInfo: team, member: cath,
          switchProgress: SwitchProgress(queueDirection: .snd, switchPhase: .completed, connectionStats: stats))),
      happened(
        .groupMemberSwitch(
          user: user, groupInfo: team, member: cath,
          switchProgress: SwitchProgress(queueDirection: .snd, switchPhase: .secured, connectionStats: stats))),
      happened(
        .groupMemberRatchetSync(
          user: user, groupInfo: team, member: cath,
          ratchetSyncProgress: RatchetSyncProgress(ratchetSyncStatus: .required, connectionStats: stats))),
      answered(.memberSupportChats(user: user, groupInfo: team, members: [waiting])),
      answered(.memberSupportChatRead(user: user, groupInfo: team, member: cath)),
      answered(.memberSupportChatRead(user: user, groupInfo: team, member: membership)),
      answered(.memberSupportChatDeleted(user: user, groupInfo: team, member: cath)),
      happened(
        .connectionDisabled(
          connectionEntity: .rcvGroupMsgConnection(
            entityConnection: Samples.connection(3), groupInfo: team, groupMember: cath))),
    ]
  }

  /// Leaving and deleting.
  func ends() -> [Part] {
    [
      answered(.leftMemberUser(user: user, groupInfo: team)),
      answered(.leftMemberUser(user: user, groupInfo: team.with { $0.relayOwnStatus = .rejected })),
      answered(.groupDeletedUser(user: user, groupInfo: team)),
      happened(.deletedMemberUser(user: user, groupInfo: team, member: bob, withMessages: false)),
      happened(.deletedMemberUser(user: user, groupInfo: team, member: bob, withMessages: true)),
      happened(.groupDeleted(user: user, groupInfo: team, member: bob)),
      answered(.chatCleared(user: user, chatInfo: .group(groupInfo: team, groupChatScope: nil))),
    ]
  }
}
