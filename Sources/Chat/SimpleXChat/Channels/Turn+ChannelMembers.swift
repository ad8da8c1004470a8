import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SimplexCrypto

// Members of channels, whom relays announce, and with whom nobody connects. A relay is trusted with the names and the
// keys of subscribers, and with no more: owners and their keys come from the channel's link, other rights from owners.

extension Turn {
  /// Handles that a relay introduces a member.
  func handleChannelIntroduction(
    _ info: MemberInfo, restrictions: MemberRestrictions?, by relay: GroupMember, in chat: GroupChat
  ) throws {
    guard info.memberId.text != chat.group.membership.memberId else { return }
    guard let known = try rows.memberRecord(sharedId: info.memberId.text, ofGroup: chat.group.groupId) else {
      guard try isWithinBudget(.announcedMembers, of: chat.user) else { return }
      var new = NewMember(withoutRights(info, in: chat), in: chat.group, category: .postMember, status: .memAnnounced)
      new.invitedByMember = relay.groupMemberId
      new.isBlocked = restrictions?.restriction == .blocked
      _ = try rows.createMember(new, of: chat.user)
      return
    }
    guard known.memberStatus == .memUnknown, !known.memberGone else { return }
    let announced = try announce(known, info, by: relay, in: chat)
    emit(.groupMemberUpdated(user: chat.user, groupInfo: chat.group, fromMember: known, toMember: announced))
  }

  /// Handles that a relay announces the author of what it forwards next, or a newcomer.
  func handleChannelAnnouncement(_ info: MemberInfo, by relay: GroupMember, in chat: GroupChat) throws {
    guard relay.memberRole == .relay else {
      throw ChatErrorType.groupContactRole(contactName: relay.localDisplayName)
    }
    guard info.memberId.text != chat.group.membership.memberId else { return }
    let known = try rows.memberRecord(sharedId: info.memberId.text, ofGroup: chat.group.groupId)
    if info.memberRole >= .member, (known?.memberRole ?? .observer) < .member {
      return reportError("x.grp.mem.new: privileged role not established by roster", in: chat)
    }
    let member: GroupMember
    if let known {
      // Another relay announced it.
      guard known.memberStatus == .memUnknown else { return }
      member = try announce(known, info, by: relay, in: chat)
      emit(
        .unknownMemberAnnounced(
          user: chat.user, groupInfo: chat.group, announcingMember: relay, unknownMember: known, announcedMember: member
        ))
    } else {
      guard try isWithinBudget(.announcedMembers, of: chat.user) else { return }
      var new = NewMember(withoutRights(info, in: chat), in: chat.group, category: .postMember, status: .memAnnounced)
      new.invitedByMember = relay.groupMemberId
      member = try rows.member(try rows.createMember(new, of: chat.user), of: chat.user)
    }
    emit(
      .joinedGroupMemberConnecting(user: chat.user, groupInfo: chat.group, hostMember: relay, member: member))
  }

  /// A member of whom a relay tells, as a subscriber: relays give no rights, and no key to members with rights.
  private func withoutRights(_ info: MemberInfo, in chat: GroupChat) -> MemberInfo {
    guard info.memberRole >= .member || info.memberRole == .relay else { return info }
    var info = info
    info.memberRole = chat.group.topology.unknownMemberRole
    info.memberKey = nil
    return info
  }

  /// Stores the profile of a member who was known by what it wrote, or by the link. Its role and its key stay.
  private func announce(
    _ known: GroupMember, _ info: MemberInfo, by relay: GroupMember, in chat: GroupChat
  ) throws -> GroupMember {
    if known.memberContactId == nil {
      try rows.updateProfile(
        of: known, to: chat.group.withoutForbiddenLinks(info.profile.withValidName, role: known.memberRole),
        of: chat.user)
    }
    try rows.setAnnounced(
      role: known.memberRole, versions: info.v.map { ChatAPI.VersionRange($0) } ?? VersionRange(1, 1),
      by: relay.groupMemberId, status: .memAnnounced,
      publicKey: known.memberRole < .member ? info.memberKey?.text : nil, ofMember: known.groupMemberId)
    return try rows.member(known.groupMemberId, of: chat.user)
  }
}
