extension GroupInfo: NamedChat {
  /// Identifies the group's chat in user interfaces.
  public var id: ChatId { "#\(groupId)" }
  /// Database id.
  public var apiId: Int64 { groupId }
  /// The alias, or the name of the profile.
  public var displayName: String { localAlias.isEmpty ? groupProfile.displayName : localAlias }
  /// The longer name of the profile.
  public var fullName: String { groupProfile.fullName }
  /// The line of the profile.
  public var shortDescr: String? { groupProfile.shortDescr }
  /// The image of the profile.
  public var image: String? { groupProfile.image }

  /// Whether only owners and admins write.
  public var isChannel: Bool { groupProfile.isChannel }
  /// Whether the next step joins a prepared group.
  public var nextConnectPrepared: Bool { preparedGroup.map { !$0.connLinkStartedConnection } ?? false }
  /// Whether it is too late to choose another profile.
  public var profileChangeProhibited: Bool { preparedGroup?.connLinkPreparedConnection ?? false }
  /// Whether the user is an owner.
  public var isOwner: Bool { membership.memberRole == .owner && membership.memberCurrent }
  /// Whether the user can delete the group.
  public var canDelete: Bool { membership.memberRole == .owner || !membership.memberCurrentOrPending }
  /// Whether the user can invite members.
  public var canAddMembers: Bool { membership.memberRole >= .admin && membership.memberActive }
  /// Whether the user can remove messages and block members.
  public var canModerate: Bool { membership.memberRole >= .moderator && membership.memberActive }
}

extension GroupMemberStatus {
  /// Whether the member can send and receive.
  public var isActive: Bool {
    switch self {
    case .memPendingApproval, .memPendingReview, .memConnected, .memComplete, .memCreator: true
    case .memRejected, .memRemoved, .memLeft, .memGroupDeleted, .memUnknown, .memInvited, .memIntroduced,
      .memIntroInvited, .memAccepted, .memAnnounced:
      false
    }
  }

  /// Whether the member was admitted and is still there.
  public var isCurrent: Bool {
    switch self {
    case .memIntroduced, .memIntroInvited, .memAccepted, .memAnnounced, .memConnected, .memComplete, .memCreator: true
    case .memRejected, .memRemoved, .memLeft, .memGroupDeleted, .memUnknown, .memInvited, .memPendingApproval,
      .memPendingReview:
      false
    }
  }
}

extension GroupMemberStatus {
  /// Whether the record is of a member who is not there any more. Such a member comes back only as another one: who is
  /// invited or joins again gets a new identifier.
  public var isGone: Bool {
    switch self {
    case .memRejected, .memRemoved, .memLeft, .memGroupDeleted: true
    case .memUnknown, .memInvited, .memPendingApproval, .memPendingReview, .memIntroduced, .memIntroInvited,
      .memAccepted, .memAnnounced, .memConnected, .memComplete, .memCreator:
      false
    }
  }
}

extension GroupMember {
  /// The first version of the chat protocol with reports.
  private static let reportsVersion = 12

  /// Identifies the member in user interfaces.
  public var id: String { "#\(groupId) @\(groupMemberId)" }
  /// The alias, or the name of the profile.
  public var displayName: String {
    markedIfUnknown(memberProfile.localAlias.isEmpty ? memberProfile.displayName : memberProfile.localAlias)
  }
  /// The longer name of the profile.
  public var fullName: String { memberProfile.fullName }
  /// The image of the profile.
  public var image: String? { memberProfile.image }
  /// The address of the member.
  public var contactLink: String? { memberProfile.contactLink }
  /// The name in lists: the alias, or both names if they differ.
  public var chatViewName: String { markedIfUnknown(memberProfile.chatViewName) }
  /// The alias with both names after it.
  public var localAliasAndFullName: String {
    let names = joinedNames(memberProfile.displayName, memberProfile.fullName)
    return markedIfUnknown(memberProfile.localAlias.isEmpty ? names : "\(memberProfile.localAlias) (\(names))")
  }

  /// Members known only by forwarded messages are named by the start of their id.
  private func markedIfUnknown(_ name: String) -> String {
    memberStatus == .memUnknown && memberId.hasPrefix(name) ? "Member \(name)" : name
  }

  /// Whether the connection is complete.
  public var ready: Bool { activeConn?.connStatus == .ready }
  /// Whether messages can be sent on the connection.
  public var sndReady: Bool { ready || activeConn?.connStatus == .sndReady }
  /// Whether messages can be sent to the member directly.
  public var sendMsgEnabled: Bool { sndReady && memberCurrent && !(activeConn?.connDisabled ?? true) }
  /// Whether the security code was verified.
  public var verified: Bool { activeConn?.connectionCode != nil }
  /// Whether messages of the member are hidden.
  public var blocked: Bool { blockedByAdmin || !memberSettings.showMessages }
  /// Whether the member can send and receive.
  public var memberActive: Bool { memberStatus.isActive }
  /// Whether the member was admitted and is still there.
  public var memberCurrent: Bool { memberStatus.isCurrent }
  /// Whether the member is not there any more: the record is kept for what the member wrote.
  public var memberGone: Bool { memberStatus.isGone }
  /// Whether the member waits to be admitted.
  public var memberPending: Bool { memberStatus == .memPendingApproval || memberStatus == .memPendingReview }
  /// Whether the member is or may soon be admitted.
  public var memberCurrentOrPending: Bool { memberCurrent || memberPending }
  /// Whether the member has a random profile.
  public var memberIncognito: Bool { memberProfile.profileId != memberContactProfileId }
  /// The versions of the chat protocol the member understands.
  public var versionRange: VersionRange { activeConn?.peerChatVRange ?? memberChatVRange }
  /// Whether the member can handle reports.
  public var canReceiveReports: Bool {
    memberRole >= .moderator && versionRange.maxVersion >= Self.reportsVersion
  }
  /// Whether the member's support chat has something new.
  public var supportChatNotRead: Bool {
    supportChat.map { $0.memberAttention > 0 || $0.mentions > 0 || $0.unread > 0 } ?? false
  }

  /// Whether the user can remove the member from `groupInfo`.
  public func canBeRemoved(groupInfo: GroupInfo) -> Bool {
    let user = groupInfo.membership
    return user.memberRole >= .admin && user.memberRole >= memberRole && user.memberActive
  }

  /// The roles the user can give the member in `groupInfo`; nil if none.
  public func canChangeRoleTo(groupInfo: GroupInfo) -> [GroupMemberRole]? {
    let gone = memberStatus == .memRemoved || memberStatus == .memLeft
    if memberRole == .relay || gone || memberPending || !canBeRemoved(groupInfo: groupInfo) { return nil }
    return GroupMemberRole.supportedRoles.filter { $0 <= groupInfo.membership.memberRole }
  }

  /// Whether the user can block the member for all in `groupInfo`.
  public func canBlockForAll(groupInfo: GroupInfo) -> Bool {
    let user = groupInfo.membership
    return memberRole != .relay && memberRole < .moderator && user.memberRole >= .moderator && user.memberActive
      && !memberPending
  }
}

extension GroupPreference {
  /// Whether the feature is on.
  public var on: Bool { enable == .on }
}

extension TimedMessagesGroupPreference {
  /// Whether the feature is on.
  public var on: Bool { enable == .on }
}

extension RoleGroupPreference {
  /// Whether the feature is on for some members.
  public var on: Bool { enable == .on }

  /// Whether the feature is on for the role of `member`.
  public func on(for member: GroupMember) -> Bool { on && member.memberRole >= (role ?? .observer) }
}
