import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

// What members do with members and with the group.

extension Turn {
  /// Stores a member's new profile; with an item where it came as a message.
  func changeProfile(
    of member: GroupMember, to profile: Profile, in chat: GroupChat, message: ReceivedMessage?
  ) throws {
    let old = chat.group.redacted(member.memberProfile.shared, of: member)
    let new = chat.group.redacted(profile.withValidName, of: member)
    guard new != old else { return }
    var (chat, stored) = (chat, chat.group.withoutForbiddenLinks(profile.withValidName, role: member.memberRole))
    if chat.group.businessChat?.isNamed(after: member.memberId) == true {
      chat = try changeName(of: chat, after: member, profile: stored)
    }
    let contact = try member.memberContactId.map { try rows.contact($0, of: chat.user) }
    // A contact's profile is what the contact sends; one without a working connection sends nothing.
    if let contact, contact.isReachable { return }
    // Nor does a group give anybody the address of a contact.
    (stored.contactLink, stored.preferences) = (contact?.profile.contactLink, contact?.profile.preferences)
    if let contact {
      let renamed = try rows.updateProfile(of: contact, to: stored, of: chat.user)
      emit(.contactUpdated(user: chat.user, fromContact: contact, toContact: renamed))
    } else {
      try rows.updateProfile(of: member, to: stored, of: chat.user)
    }
    let changed = try rows.member(member.groupMemberId, of: chat.user)
    guard chat.group.shows(.profileChanged, of: changed) else { return }
    if let message { try showProfile(of: changed, before: member, in: chat, message: message) }
    emit(.groupMemberUpdated(user: chat.user, groupInfo: chat.group, fromMember: member, toMember: changed))
  }

  /// Adds the item of a member's new profile. If the member's last item is such an item, and is less than an hour old
  /// or the last of the chat, it is updated and shows the change since its first profile: a member cannot fill a chat
  /// with profiles.
  private func showProfile(
    of member: GroupMember, before old: GroupMember, in chat: GroupChat, message: ReceivedMessage
  ) throws {
    let place = try place(of: member, in: chat)
    if let last = try rows.lastItem(in: place.chat, from: member.groupMemberId, of: chat.user),
      case .rcvGroupEvent(.memberProfileUpdated(let first, let known)) = last.content,
      try mayShowChange(in: last, at: place.chat, of: chat.user)
    {
      let (from, to) = CIContent.profileChange(
        (first, known), from: old.memberProfile.shared, to: member.memberProfile.shared)
      let item = try rows.updateItem(
        last.meta.itemId, in: place.chat,
        to: .rcvGroupEvent(rcvGroupEvent: .memberProfileUpdated(fromProfile: from, toProfile: to)),
        edited: false, live: false, of: chat.user)
      return emit(.chatItemUpdated(user: chat.user, chatItem: AChatItem(chatInfo: place.info, chatItem: item)))
    }
    try addItem(
      .rcvGroupEvent(
        rcvGroupEvent: .memberProfileUpdated(
          fromProfile: old.memberProfile.shared, toProfile: member.memberProfile.shared)), to: place, from: member,
      sharedMsgId: message.sharedMsgId, at: message.time, forwardedBy: message.forwardedBy,
      verified: message.verified)
  }

  /// Keeps what a member decides about one whose host may introduce it later.
  func keep(
    _ decision: EarlyDecision, aboutUnknown id: MemberId, by member: GroupMember, in chat: GroupChat
  ) throws {
    guard try isWithinBudget(.earlyDecisions, bytes: id.text.utf8.count, of: chat.user) else { return }
    try rows.addDecision(decision, about: id.text, inGroup: chat.group.groupId, by: member.groupMemberId)
  }

  /// Reports that an event is about an unknown member. A no-op while the user waits to be admitted: then the user is
  /// sent changes of moderators, and may not know all moderators yet.
  private func reportUnknownMember(_ reason: String, in chat: GroupChat) {
    if !chat.group.membership.memberPending { reportError(reason, in: chat) }
  }

  /// Handles that a member changes the role of another one, or of the user.
  func handleRoleChange(
    of id: MemberId, to role: GroupMemberRole, by member: GroupMember, in chat: GroupChat, message: ReceivedMessage
  ) throws -> Forwarding {
    let isUser = id.text == chat.group.membership.memberId
    guard
      let subject = isUser
        ? chat.group.membership : try rows.memberRecord(sharedId: id.text, ofGroup: chat.group.groupId)
    else {
      // Its host may introduce it later.
      if member.memberRole >= chat.group.rights.toChangeRole(from: .observer, to: role) {
        try keep(.role(role, by: member.memberRole), aboutUnknown: id, by: member, in: chat)
      }
      reportUnknownMember("x.grp.mem.role with unknown member ID", in: chat)
      return .forward
    }
    guard member.memberRole >= chat.group.rights.toChangeRole(from: subject.memberRole, to: role) else {
      reportError("x.grp.mem.role with insufficient member permissions", in: chat)
      return .stop
    }
    // The rights of a member who is gone do not change.
    if subject.memberGone { return .forward }
    if subject.memberStatus == .memUnknown, chat.group.topology.sendsLinksWithIntroductions {
      try rows.addDecision(.role(role, by: member.memberRole), about: id.text, inGroup: chat.group.groupId)
    }
    guard subject.memberRole != role else { return .forward }
    try rows.setRole(role, ofMember: subject.groupMemberId)
    let chat = try reloaded(chat)
    if role >= .moderator { try introduceMembersUnderReview(in: chat) }
    let event: RcvGroupEvent =
      isUser
      ? .userRole(role: role)
      : .memberRole(groupMemberId: subject.groupMemberId, profile: subject.memberProfile.shared, role: role)
    if isUser || chat.group.shows(.roleChanged, of: subject) {
      try addItem(
        .rcvGroupEvent(rcvGroupEvent: event), to: chat, from: member, sharedMsgId: message.sharedMsgId,
        at: message.time, forwardedBy: message.forwardedBy, verified: message.verified)
    }
    var changed = subject
    changed.memberRole = role
    emit(
      .memberRole(
        user: chat.user, groupInfo: chat.group, byMember: member, member: changed, fromRole: subject.memberRole,
        toRole: role, msgSigned: message.msgSigned))
    return .forward
  }

  /// Handles that a moderator blocks a member for everybody, or unblocks it.
  func handleRestriction(
    _ id: MemberId, _ restrictions: MemberRestrictions, by member: GroupMember, in chat: GroupChat,
    message: ReceivedMessage
  ) throws -> Forwarding {
    guard id.text != chat.group.membership.memberId else { return .stop }
    guard let subject = try rows.memberRecord(sharedId: id.text, ofGroup: chat.group.groupId) else {
      // Its host may introduce it later.
      let mayBlock = member.memberRole >= chat.group.rights.toBlock(.observer)
      if mayBlock {
        try keep(
          .blocked(restrictions.restriction == .blocked, by: member.memberRole), aboutUnknown: id, by: member, in: chat)
      }
      reportUnknownMember("x.grp.mem.restrict: no member", in: chat)
      return mayBlock ? .forward : .stop
    }
    let blocks = restrictions.restriction == .blocked
    guard subject.blockedByAdmin != blocks else { return .stop }
    guard member.memberRole >= chat.group.rights.toBlock(subject.memberRole) else {
      reportError("x.grp.mem.restrict with insufficient member permissions", in: chat)
      return .stop
    }
    let changed = try setBlocked(blocks, subject, in: chat)
    try addItem(
      .rcvGroupEvent(
        rcvGroupEvent: .memberBlocked(
          groupMemberId: subject.groupMemberId, profile: subject.memberProfile.shared, blocked: blocks)), to: chat,
      from: member, sharedMsgId: message.sharedMsgId, at: message.time, forwardedBy: message.forwardedBy,
      verified: message.verified)
    emit(
      .memberBlockedForAll(
        user: chat.user, groupInfo: chat.group, byMember: member, member: changed, blocked: blocks,
        msgSigned: message.msgSigned))
    return .forward
  }

  /// Stores that a member is blocked for everybody, or no longer; its messages wake nobody then.
  func setBlocked(_ isBlocked: Bool, _ member: GroupMember, in chat: GroupChat) throws -> GroupMember {
    try rows.setBlocked(isBlocked, ofMember: member.groupMemberId)
    let changed = try rows.member(member.groupMemberId, of: chat.user)
    try updateNotifications(of: changed, in: chat.group)
    return changed
  }

  /// Switches notifications of the member's connection on, or off where the group is muted or the member blocked.
  func updateNotifications(of member: GroupMember, in group: GroupInfo) throws {
    guard let connection = member.sendingConnection else { return }
    try command(
      .setNotifications(group.chatSettings.enableNtfs != .none && !member.blocked), for: connection.agentConnId)
  }

  /// Handles that a member removes another one, or the user.
  func handleRemoval(
    _ id: MemberId, withMessages: Bool, by member: GroupMember, in chat: GroupChat, message: ReceivedMessage
  ) throws -> Forwarding {
    let isUser = id.text == chat.group.membership.memberId
    guard
      let subject = isUser
        ? chat.group.membership : try rows.memberRecord(sharedId: id.text, ofGroup: chat.group.groupId)
    else {
      // Its host may introduce it later.
      if member.memberRole >= chat.group.rights.toRemove(.observer) {
        try keep(.removed(by: member.memberRole), aboutUnknown: id, by: member, in: chat)
      }
      reportUnknownMember("x.grp.mem.del with unknown member ID", in: chat)
      return .forward
    }
    guard member.memberRole >= chat.group.rights.toRemove(subject.memberRole) else {
      reportError("x.grp.mem.del with insufficient member permissions", in: chat)
      return .stop
    }
    if withMessages { try deleteMessages(of: subject, by: member, in: chat) }
    if !isUser {
      try rows.addDecision(.removed(by: member.memberRole), about: id.text, inGroup: chat.group.groupId)
    }
    if isUser {
      try deleteLink(of: chat.group)
      let isTold = try forwardRemoval(
        of: id, withMessages: withMessages, by: member, to: nil, in: chat, message: message)
      try deleteConnections(of: chat, waitForDelivery: isTold)
      try rows.setStatus(.memRemoved, ofMember: subject.groupMemberId)
      let chat = try reloaded(chat)
      try addItem(
        .rcvGroupEvent(rcvGroupEvent: .userDeleted), to: chat, from: member, sharedMsgId: message.sharedMsgId,
        at: message.time, forwardedBy: message.forwardedBy, verified: message.verified)
      emit(
        .deletedMemberUser(
          user: chat.user, groupInfo: chat.group, member: member, withMessages: withMessages,
          msgSigned: message.msgSigned))
      return .stop
    }
    let wasGone = subject.memberStatus == .memRemoved || subject.memberStatus == .memLeft
    let isTold = try forwardRemoval(
      of: id, withMessages: withMessages, by: member, to: subject, in: chat, message: message)
    try deleteConnection(of: subject, waitForDelivery: isTold)
    try forget(subject, keepingItems: !(withMessages && chat.group.isAllowed(.fullDelete, for: member)), in: chat)
    let chat = try reloaded(chat)
    if !wasGone {
      try addItem(
        .rcvGroupEvent(
          rcvGroupEvent: .memberDeleted(
            groupMemberId: subject.groupMemberId, profile: subject.memberProfile.shared)), to: chat, from: member,
        sharedMsgId: message.sharedMsgId, at: message.time,
        forwardedBy: message.forwardedBy == subject.groupMemberId ? nil : message.forwardedBy,
        verified: message.verified)
    }
    var gone = subject
    gone.memberStatus = .memRemoved
    emit(
      .deletedMember(
        user: chat.user, groupInfo: chat.group, byMember: member, deletedMember: gone, withMessages: withMessages,
        msgSigned: message.msgSigned))
    return .forward
  }

  /// Forwards a removal to the member who was removed, or to everybody where that is the user: to those who are not
  /// connected with who removed it. The host of that member also forwards it to the members who may not have been told.
  /// - Returns: whether it was forwarded to the member who was removed, or to anybody where that is the user.
  private func forwardRemoval(
    of id: MemberId, withMessages: Bool, by member: GroupMember, to subject: GroupMember?, in chat: GroupChat,
    message: ReceivedMessage
  ) throws -> Bool {
    guard message.forwardedBy == nil, chat.group.userForwards, !chat.group.membership.memberPending,
      let event = forwardedEvent(
        original(.grpMemDel(memberId: id, withMessages: withMessages), from: member, message), of: member,
        at: message.time)
    else { return false }
    let indexes = try rows.indexesToForward(ofMember: member.groupMemberId)
    var members: [GroupMember]
    if let subject {
      members = indexes.contains(subject.indexInGroup) ? [subject] : []
    } else {
      members = try rows.members(ofGroup: chat.group.groupId, at: indexes)
        .filter { $0.supports(ChatVersion.groupForward) && Audience(chat.group.membership).includes($0) }
    }
    let isTold = !members.isEmpty
    if let subject {
      members += try membersNotTold(ofRemoval: subject, in: chat).filter {
        $0.supports(ChatVersion.groupForward) && $0.groupMemberId != member.groupMemberId
          // To these it is forwarded anyway, as every event of who removed the member.
          && !(indexes.contains($0.indexInGroup) && Audience(subject).includes($0))
      }
    }
    try sendFitting([event], to: members, of: chat.group)
    return isTold
  }

  /// The members who may not have been told that a member was removed; empty where the user is not its host.
  private func membersNotTold(ofRemoval subject: GroupMember, in chat: GroupChat) throws -> [GroupMember] {
    if subject.memberPending { return try formerModerators(knowing: subject, in: chat) }
    guard subject.memberCurrent, subject.memberCategory == .inviteeMember else { return [] }
    // Who removed the member may not have known that it was admitted, and then told moderators only. Members who are
    // connected with it are left out: where there are any, the admission is long known, and they were told.
    let indexes = try rows.indexes(ofMember: subject.groupMemberId, where: \.needsForwarding)
    return try rows.members(ofGroup: chat.group.groupId, at: indexes).filter(\.memberCurrent)
  }

  /// Handles that a member left.
  func handleLeaving(_ member: GroupMember, in chat: GroupChat, message: ReceivedMessage) throws -> Forwarding {
    try deleteConnection(of: member, waitForDelivery: false)
    try deleteSupportChat(of: member)
    try rows.setStatus(.memLeft, ofMember: member.groupMemberId)
    let chat = try reloaded(chat)
    let gone = try rows.member(member.groupMemberId, of: chat.user)
    guard chat.group.shows(.left, of: gone) else { return .forward }
    try addItem(
      .rcvGroupEvent(rcvGroupEvent: .memberLeft), to: chat, from: gone, sharedMsgId: message.sharedMsgId,
      at: message.time, forwardedBy: message.forwardedBy, verified: message.verified)
    emit(.leftMember(user: chat.user, groupInfo: chat.group, member: gone, msgSigned: message.msgSigned))
    return .forward
  }

  /// Handles that the group was deleted.
  func handleGroupDeletion(by member: GroupMember, in chat: GroupChat, message: ReceivedMessage) throws {
    guard member.memberRole >= chat.group.rights.toChangeGroup else {
      throw ChatErrorType.groupUserRole(groupInfo: chat.group, requiredRole: .owner)
    }
    if message.forwardedBy == nil,
      let event = forwardedEvent(original(.grpDel, from: member, message), of: member, at: message.time)
    {
      try forward([(event, .members(includingPending: true))], of: member.groupMemberId, in: chat)
    }
    try deleteLink(of: chat.group)
    try deleteConnections(of: chat, waitForDelivery: chat.group.userForwards)
    try rows.setStatus(.memGroupDeleted, ofMember: chat.group.membership.groupMemberId)
    let chat = try reloaded(chat)
    try addItem(
      .rcvGroupEvent(rcvGroupEvent: .groupDeleted), to: chat, from: member, sharedMsgId: message.sharedMsgId,
      at: message.time, forwardedBy: message.forwardedBy, verified: message.verified)
    emit(.groupDeleted(user: chat.user, groupInfo: chat.group, member: member, msgSigned: message.msgSigned))
  }

  /// Handles the group's new profile.
  func handleGroupProfile(
    _ profile: GroupProfile, by member: GroupMember, in chat: GroupChat, message: ReceivedMessage
  ) throws -> Forwarding {
    guard member.memberRole >= chat.group.rights.toChangeGroup else {
      reportError("x.grp.info with insufficient member permissions", in: chat)
      return .stop
    }
    guard chat.group.accepts(profile) else {
      reportError(
        chat.group.topology == .channel
          ? "x.grp.info: publicGroupId mismatch" : "x.grp.info: publicGroup not allowed in p2p groups", in: chat)
      return .stop
    }
    let old = chat.group
    var profile = profile
    if old.topology == .business {
      // Its name and picture are those of a member.
      let preferences = profile.groupPreferences ?? .standardBusiness
      profile = old.groupProfile
      profile.groupPreferences = preferences
    }
    guard profile.withValidName != old.groupProfile else { return .forward }
    var chat = chat
    chat.group = try rows.updateProfile(of: old, to: profile.withValidName, of: chat.user)
    emit(
      .groupUpdated(
        user: chat.user, fromGroup: old, toGroup: chat.group, member_: member, msgSigned: message.msgSigned))
    if old.groupProfile.differs(from: chat.group.groupProfile) {
      try addItem(
        .rcvGroupEvent(rcvGroupEvent: .groupUpdated(groupProfile: chat.group.groupProfile)), to: chat, from: member,
        sharedMsgId: message.sharedMsgId, at: message.time, forwardedBy: message.forwardedBy)
    }
    for content in GroupFeatureItems.changed(
      from: old.fullGroupPreferences, to: chat.group.fullGroupPreferences, isSent: false)
    {
      try addItem(content, to: chat, from: member)
    }
    try updateLinkData(of: chat.group)
    return .forward
  }

  /// Deletes the support chat of a member.
  func deleteSupportChat(of member: GroupMember) throws {
    guard member.supportChat != nil else { return }
    try rows.deleteSupportChat(ofMember: member.groupMemberId, inGroup: member.groupId)
    purgeSoon()
  }

  // MARK: Connections

  /// Deletes the connection of a member.
  func deleteConnection(of member: GroupMember, waitForDelivery: Bool) throws {
    guard let connection = member.activeConn else { return }
    try deleteConnections([connection.agentConnId], waitForDelivery: waitForDelivery)
    try rows.setStatus(.deleted, ofConnection: connection.connId)
  }
}

extension GroupProfile {
  /// Whether the profiles differ in anything but preferences.
  func differs(from other: GroupProfile) -> Bool {
    var (left, right) = (self, other)
    (left.groupPreferences, right.groupPreferences) = (nil, nil)
    return left != right
  }
}

extension Contact {
  /// Whether the contact can tell the user of changes.
  fileprivate var isReachable: Bool {
    guard contactStatus == .active, let connection = activeConn else { return false }
    return connection.connStatus == .ready && connection.authErrCounter == 0
  }
}
