import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore

// What the user does with members of groups.

extension Turn {
  func add(_ contact: Contact, as role: GroupMemberRole, to chat: GroupChat) throws -> GroupMember {
    try contact.checkAllowed(event: "x.grp.inv")
    try chat.group.require(chat.group.rights.toBringIn(as: role))
    guard !contact.contactConnIncognito else { throw ChatErrorType.contactIncognitoCantInvite }
    guard !chat.group.membership.memberIncognito else { throw ChatErrorType.groupIncognitoCantInvite }
    _ = try contact.sendingConnection()
    guard let known = try rows.member(contact: contact.contactId, ofGroup: chat.group.groupId) else {
      return try invite(contact, as: role, to: chat)
    }
    guard known.memberStatus == .memInvited else {
      throw ChatErrorType.groupDuplicateMember(contactName: contact.localDisplayName)
    }
    return try inviteAgain(known, contact, as: role, in: chat)
  }

  /// Sends an invitation again, maybe with another role. One whose link is not created yet is sent with it.
  private func inviteAgain(
    _ member: GroupMember, _ contact: Contact, as role: GroupMemberRole, in chat: GroupChat
  ) throws -> GroupMember {
    try rows.setRole(role, ofMember: member.groupMemberId)
    let changed = try rows.member(member.groupMemberId, of: chat.user)
    guard let text = try rows.invitation(ofMember: member.groupMemberId) else {
      guard let connection = member.activeConn, try isJoining(connection.agentConnId) else {
        throw ChatErrorType.groupCantResendInvitation(groupInfo: chat.group, contactName: contact.localDisplayName)
      }
      return changed
    }
    guard case .full(let link) = try ParsedLink(text) else { throw ChatErrorType.invalidConnReq }
    try sendInvitation(to: contact, as: changed, link: link, in: chat)
    return changed
  }

  /// The members with these database ids.
  private func members(_ ids: [Int64], in chat: GroupChat) throws -> [GroupMember] {
    guard !ids.contains(chat.group.membership.groupMemberId) else {
      throw ChatError.command("can't change the user's own membership")
    }
    let wanted = Set(ids)
    let found = try rows.members(ofGroup: chat.group.groupId).filter { wanted.contains($0.groupMemberId) }
    guard found.count == wanted.count, found.count == ids.count else { throw ChatErrorType.groupMemberNotFound }
    return found
  }

  /// The members with these database ids. Throws where the user may not give one of them the role, or not all at once.
  func membersToChange(
    _ ids: [Int64], to role: GroupMemberRole, in chat: GroupChat
  ) throws -> [GroupMember] {
    guard !ids.contains(chat.group.membership.groupMemberId) else {
      throw ChatError.command("can't change role for self")
    }
    let members = try members(ids, in: chat)
    if members.count > 1, role >= .admin || members.contains(where: { $0.memberRole >= .admin }) {
      throw ChatError.command(
        "can't change role of multiple members when admins selected, or new role is admin")
    }
    guard !members.contains(where: \.memberPending) else {
      throw ChatError.command("can't change role of members pending approval")
    }
    let rights = chat.group.rights
    try chat.group.require(
      members.map { rights.toChangeRole(from: $0.memberRole, to: role) }.max() ?? rights.toBringIn(as: role))
    return members
  }

  func setRole(_ role: GroupMemberRole, of ids: [Int64], in chat: GroupChat) throws -> [GroupMember] {
    let members = try membersToChange(ids, to: role, in: chat)
    let changing = members.filter { $0.memberRole != role }
    for member in changing where member.memberStatus == .memInvited {
      guard let contact = member.memberContactId else {
        throw ChatErrorType.groupCantResendInvitation(
          groupInfo: chat.group, contactName: member.localDisplayName)
      }
      _ = try inviteAgain(member, try rows.contact(contact, of: chat.user), as: role, in: chat)
    }
    let current = changing.filter { $0.memberStatus != .memInvited }
    let changes = events(for: current) { .grpMemRole(memberId: $0, role: role) }
    try sendChanges(changes, in: chat, promotes: role >= .moderator)
    let items = try changes.map { member, event in
      try makeItem(
        .sndGroupEvent(
          sndGroupEvent: .memberRole(
            groupMemberId: member.groupMemberId, profile: member.memberProfile.shared, role: role)), in: chat,
        sharedMsgId: event.id.text)
    }
    if !items.isEmpty { emit(.newChatItems(user: chat.user, chatItems: items)) }
    for member in current { try rows.setRole(role, ofMember: member.groupMemberId) }
    if role >= .moderator { try introduceMembersUnderReview(in: chat) }
    return try changing.map { try rows.member($0.groupMemberId, of: chat.user) }
  }

  /// What is sent about each member; a member is left out where its identifier cannot be read.
  private func events(
    for members: [GroupMember], _ make: (MemberId) -> ChatMessageEvent
  ) -> [(member: GroupMember, event: OutgoingGroupEvent)] {
    members.compactMap { member in
      MemberId(text: member.memberId).map { (member, OutgoingGroupEvent(event: make($0))) }
    }
  }

  /// Sends changes of members to other members, and to members under review what happens to those whom they know:
  /// moderators, and, where the user is their host, those to whom it introduced them.
  /// - Parameters:
  ///   - isConcerned: whether a current member gets them.
  ///   - promotes: whether the members become moderators, as they may have been before.
  private func sendChanges(
    _ changes: [(member: GroupMember, event: OutgoingGroupEvent)], in chat: GroupChat, promotes: Bool = false,
    to isConcerned: (GroupMember) -> Bool = { _ in true }
  ) throws {
    let all = try rows.members(ofGroup: chat.group.groupId)
    let recipients = all.filter { chat.group.isRecipient($0) && isConcerned($0) }
    let waiting = all.filter { $0.memberStatus == .memPendingReview }
    let ofOthers = waiting.filter { $0.memberCategory != .inviteeMember }
    let concernsModerator = { (member: GroupMember) in promotes || member.understandsScopes }
    if ofOthers.isEmpty {
      try send(changes.map(\.event), to: recipients, of: chat.group)
    } else {
      let ofModerators = changes.filter { concernsModerator($0.member) }
      let rest = changes.filter { !concernsModerator($0.member) }
      try send(ofModerators.map(\.event), to: recipients + ofOthers, of: chat.group)
      try send(rest.map(\.event), to: recipients, of: chat.group)
    }
    // Who is not connected yet knows nobody, and is introduced to all as they are then.
    for invitee in waiting where invitee.memberCategory == .inviteeMember && invitee.ready {
      let known = Set(try rows.indexes(ofMember: invitee.groupMemberId) { $0 != .none })
      let told = changes.filter { concernsModerator($0.member) || known.contains($0.member.indexInGroup) }
      try send(told.map(\.event), to: [invitee], of: chat.group)
    }
  }

  /// The members with these database ids. Throws where the user may not block one of them for all, or not all at once.
  func membersToBlock(_ ids: [Int64], in chat: GroupChat) throws -> [GroupMember] {
    guard !ids.contains(chat.group.membership.groupMemberId) else {
      throw ChatError.command("can't block/unblock self")
    }
    let members = try members(ids, in: chat)
    guard !members.isEmpty else { throw ChatError.command("no members to block/unblock") }
    if members.count > 1, members.contains(where: { $0.memberRole >= .admin }) {
      throw ChatError.command("can't block/unblock multiple members when admins selected")
    }
    guard !members.contains(where: \.memberPending) else {
      throw ChatError.command("can't block/unblock members pending approval")
    }
    try chat.group.require(chat.group.rights.toBlock(members.map(\.memberRole).max() ?? .observer))
    return members
  }

  /// Blocks members for all, or no longer. They are not told of each other.
  /// - Parameter all: everybody whom the command is about. Of these, those of later turns are told, as these turns may
  ///   not come.
  func block(_ ids: [Int64], of all: [Int64], _ blocks: Bool, in chat: GroupChat) throws -> [GroupMember] {
    let members = try membersToBlock(ids, in: chat)
    let changes = events(for: members) {
      .grpMemRestrict(
        memberId: $0, memberRestrictions: MemberRestrictions(restriction: blocks ? .blocked : .unrestricted))
    }
    let (part, all) = (Set(ids), Set(all))
    try sendChanges(changes, in: chat) {
      !part.contains($0.groupMemberId)
        && !(all.contains($0.groupMemberId) && $0.blockedByAdmin == blocks)
    }
    let items = try changes.map { member, event in
      try makeItem(
        .sndGroupEvent(
          sndGroupEvent: .memberBlocked(
            groupMemberId: member.groupMemberId, profile: member.memberProfile.shared, blocked: blocks)), in: chat,
        sharedMsgId: event.id.text)
    }
    emit(.newChatItems(user: chat.user, chatItems: items))
    return try members.map { try setBlocked(blocks, $0, in: chat) }
  }

  /// The members with these database ids. Throws where the user may not remove one of them, or not all at once.
  func membersToRemove(_ ids: [Int64], in chat: GroupChat) throws -> [GroupMember] {
    let members = try members(ids, in: chat)
    if members.count > 1, members.contains(where: { $0.memberRole >= .admin }) {
      throw ChatError.command("can't remove multiple members when admins selected")
    }
    try chat.group.require(members.map { chat.group.rights.toRemove($0.memberRole) }.max() ?? .admin)
    return members
  }

  /// The members who know one who waits to be admitted: moderators and former moderators if it is under review; none if
  /// its host has to approve it.
  private func membersKnowing(pending member: GroupMember, in chat: GroupChat) throws -> [GroupMember] {
    guard member.memberStatus == .memPendingReview else { return [] }
    return try rows.moderators(ofGroup: chat.group.groupId).filter(\.memberCurrent)
      + formerModerators(knowing: member, in: chat)
  }

  func remove(_ ids: [Int64], withMessages: Bool, in chat: GroupChat) throws -> [GroupMember] {
    let members = try membersToRemove(ids, in: chat)
    let current = members.filter { $0.memberStatus != .memInvited && !$0.memberPending }
    let changes = events(for: current) { .grpMemDel(memberId: $0, withMessages: withMessages) }
    for (member, event) in events(
      for: members.filter(\.memberPending), { .grpMemDel(memberId: $0, withMessages: withMessages) })
    {
      try send([event], to: [member] + membersKnowing(pending: member, in: chat), of: chat.group)
    }
    try sendChanges(changes, in: chat)
    var items: [AChatItem] = []
    for (member, event) in changes
    where member.memberStatus != .memRemoved && member.memberStatus != .memLeft {
      items.append(
        try makeItem(
          .sndGroupEvent(
            sndGroupEvent: .memberDeleted(
              groupMemberId: member.groupMemberId, profile: member.memberProfile.shared)), in: chat,
          sharedMsgId: event.id.text))
    }
    if !items.isEmpty { emit(.newChatItems(user: chat.user, chatItems: items)) }
    let removesItems = withMessages && chat.group.isAllowed(.fullDelete, for: chat.group.membership)
    for member in members {
      if withMessages { try deleteMessages(of: member, by: chat.group.membership, in: chat) }
      try rows.addDecision(
        .removed(by: chat.group.membership.memberRole), about: member.memberId, inGroup: chat.group.groupId)
      try deleteConnection(of: member, waitForDelivery: member.memberStatus != .memInvited)
      if member.memberStatus == .memInvited {
        try rows.deleteMember(member, of: chat.user)
      } else {
        try forget(member, keepingItems: !removesItems, in: chat)
      }
    }
    return members.map { member in
      var removed = member
      removed.memberStatus = .memRemoved
      return removed
    }
  }

  /// What is sent to delete an item for others; only items of members with no more rights than the user's.
  func moderation(of item: ChatItem, in chat: GroupChat) throws -> OutgoingGroupEvent {
    let membership = chat.group.membership
    guard let id = item.meta.itemSharedMsgId.flatMap({ SharedMsgId(text: $0) }) else {
      throw ChatErrorType.invalidChatItemDelete
    }
    switch item.chatDir {
    case .groupSnd:
      return OutgoingGroupEvent(event: .msgDel(msgId: id, memberId: MemberId(text: membership.memberId)))
    case .groupRcv(let member) where membership.memberRole >= member.memberRole:
      return OutgoingGroupEvent(event: .msgDel(msgId: id, memberId: MemberId(text: member.memberId)))
    default: throw ChatErrorType.invalidChatItemDelete
    }
  }

  /// Deletes messages for everybody, those of other members too.
  func moderate(_ ids: [Int64], in chat: GroupChat) throws -> [ChatItemDeletion] {
    try chat.group.require(.moderator)
    let membership = chat.group.membership
    let items = try items(ids, in: chat.chat, of: chat.user)
    let events = try items.map { try moderation(of: $0, in: chat) }
    try send(events, to: try recipients(in: chat), of: chat.group)
    let deletions =
      chat.group.isAllowed(.fullDelete, for: membership)
      ? try moderate(
        items, by: membership.groupMemberId, at: rows.now, in: chat.chat, info: chat.info, of: chat.user)
      : try markDeleted(
        items, by: membership.groupMemberId, at: rows.now, in: chat.chat, info: chat.info, of: chat.user)
    for item in items {
      try archiveReports(of: item, by: membership, byUser: true, at: rows.now, in: chat)
    }
    return deletions
  }

  /// Throws where the user may not delete some messages for all members.
  func requireModeration(of ids: [Int64], in chat: GroupChat) throws {
    try chat.group.require(.moderator)
    for id in ids {
      guard let item = try rows.itemIfPresent(id, in: chat.chat, of: chat.user) else { continue }
      _ = try moderation(of: item, in: chat)
    }
  }
}
