import ChatAPI

extension ChatView {
  // MARK: Joining

  func joined(_ group: GroupInfo, member: GroupMember) -> StyledText {
    switch member.memberStatus {
    case .memPendingApproval:
      "\(named(group, member)) connected and pending approval, \(acceptHint(group, member))"
    case .memPendingReview: "\(named(group, member)) connected and pending review"
    default: "\(named(group, member)) joined the group"
    }
  }

  func connecting(_ group: GroupInfo, to member: GroupMember, addedBy host: GroupMember) -> StyledText {
    let added: StyledText = "\(named(group, host)) added \(fullName(member)) to the group"
    if member.memberStatus == .memPendingReview {
      return added + " (connecting and pending review...), " + acceptHint(group, member)
    }
    return group.useRelays
      ? "\(named(group, host)) introduced \(fullName(member)) in the channel" : added + " (connecting...)"
  }

  func connected(_ group: GroupInfo, to member: GroupMember) -> StyledText {
    let who: StyledText
    switch member.memberCategory {
    case .preMember: who = "member \(fullName(member))"
    // The full name was shown when the member was added.
    case .postMember: who = "new member \(name(member))"
    default: who = "member \(name(member))"
    }
    let line: StyledText = "\(name(group)): \(who) is connected"
    return member.memberStatus == .memPendingReview ? line + " and pending review, " + acceptHint(group, member) : line
  }

  private func acceptHint(_ group: GroupInfo, _ member: GroupMember) -> StyledText {
    "use \(.highlight("/_accept member #\(group.groupId) \(member.groupMemberId) <role>")) to accept member"
  }

  func accepted(_ group: GroupInfo, _ member: GroupMember) -> StyledText {
    let isInReview = member.memberStatus == .memPendingReview
    return "\(named(group, member)) accepted\(isInReview ? " and pending review (will introduce moderators)" : "")"
  }

  func accepted(_ group: GroupInfo, _ member: GroupMember, by other: GroupMember) -> StyledText {
    let start: StyledText = "\(named(group, other)) accepted "
    switch member.memberCategory {
    case .userMember:
      let isInReview = member.memberStatus == .memPendingReview
      return start + "you to the group\(isInReview ? ", pending review" : " [warning - unexpected]")"
    case .inviteeMember: return start + "\(name(member)) to the group (will introduce remaining members)"
    default: return start + "\(name(member)) to the group"
    }
  }

  // MARK: Roles, blocking, removal

  func roleChanged(
    _ group: GroupInfo, of member: GroupMember, by other: GroupMember, from old: GroupMemberRole,
    to new: GroupMemberRole
  ) -> StyledText {
    if old == new { return "\(name(group)): member role did not change" }
    let whose: StyledText
    switch member.groupMemberId {
    case group.membership.groupMemberId: whose = "your role"
    case other.groupMemberId: whose = "the role"
    default: whose = "the role of \(name(member))"
    }
    return "\(named(group, other)) changed \(whose) from \(old.rawValue) to \(new.rawValue)"
  }

  func roleChanged(_ group: GroupInfo, of members: [GroupMember], to role: GroupMemberRole) -> StyledText {
    "\(name(group)): you changed the role of \(names(members)) to \(role.rawValue)"
  }

  func blocked(_ group: GroupInfo, _ member: GroupMember, by other: GroupMember, isBlocked: Bool) -> StyledText {
    "\(named(group, other)) \(isBlocked ? "blocked" : "unblocked") \(name(member))"
  }

  func blocked(_ group: GroupInfo, _ members: [GroupMember], isBlocked: Bool) -> StyledText {
    "\(name(group)): you \(isBlocked ? "blocked" : "unblocked") \(names(members))"
  }

  func removed(_ group: GroupInfo, _ members: [GroupMember], withMessages: Bool) -> StyledText {
    "\(name(group)): you removed \(names(members)) from the group\(messagesText(withMessages))"
  }

  func removed(_ group: GroupInfo, _ member: StyledText, by other: GroupMember, withMessages: Bool) -> StyledText {
    "\(named(group, other)) removed \(member) from the group\(messagesText(withMessages))"
  }

  private func messagesText(_ withMessages: Bool) -> String { withMessages ? " with all messages" : "" }

  /// The name of one member, or the number of several.
  private func names(_ members: [GroupMember]) -> StyledText {
    guard let member = members.first, members.count == 1 else { return "\(members.count) members" }
    return name(member)
  }

  // MARK: Lists and details

  func members(_ group: Group) -> [StyledText] {
    ([group.groupInfo.membership] + group.members).filter { member in
      ![.memRejected, .memRemoved, .memLeft].contains(member.memberStatus)
    }.map { member in
      let notes = [member.memberRole.rawValue, category(member), status(member), blocking(member)].compactMap(\.self)
      return incognitoMark(member) + fullName(member) + StyledText(": \(notes.joined(separator: ", "))")
    }
  }

  private func category(_ member: GroupMember) -> String? {
    switch member.memberCategory {
    case .userMember: "you"
    case .inviteeMember: "invited"
    case .hostMember: "host"
    default: nil
    }
  }

  private func status(_ member: GroupMember) -> String? {
    switch member.memberStatus {
    case .memUnknown: "status unknown"
    case .memInvited: "not yet joined"
    case .memConnected, .memComplete: "connected"
    case .memCreator: "created group"
    default: nil
    }
  }

  private func blocking(_ member: GroupMember) -> String? {
    if member.blockedByAdmin { return "blocked by admin" }
    return member.memberSettings.showMessages ? nil : "blocked"
  }

  func supportChats(_ group: GroupInfo, _ members: [GroupMember]) -> [StyledText] {
    func numbers(_ chat: GroupSupportChat) -> String {
      "unread: \(chat.unread), require attention: \(chat.memberAttention), mentions: \(chat.mentions)"
    }
    var lines: [StyledText] = []
    if group.membership.memberRole >= .moderator {
      lines.append("members require attention: \(group.membersRequireAttention)")
    }
    if let own = group.membership.supportChat { lines.append("support: \(numbers(own))") }
    return lines
      + members.map { member in
        guard let chat = member.supportChat else { return "" }
        return "\(incognitoMark(member))\(fullName(member)) (id \(member.groupMemberId)): \(numbers(chat))"
      }
  }

  func supportChatRead(_ group: GroupInfo, of member: GroupMember) -> StyledText {
    member.groupMemberId == group.membership.groupMemberId
      ? "\(name(group)): support chat read" : "\(named(group, member)) support chat read"
  }

  func info(_ member: GroupMember, of group: GroupInfo, stats: ConnectionStats?) -> [StyledText] {
    var lines: [StyledText] = ["group ID: \(group.groupId)", "member ID: \(member.groupMemberId)"]
    lines += stats.map(connection) ?? ["member not connected"]
    if let link = member.memberProfile.contactLink { lines.append("contact address: \(webLink(link))") }
    let alias = member.memberProfile.localAlias
    if !alias.isEmpty { lines.append("alias: \(alias)") }
    if stats != nil { lines.append(verification(isVerified: member.verified)) }
    if showsStatus, member.activeConn?.connPQEnabled == true { lines.append("quantum resistant end-to-end encryption") }
    if let range = member.activeConn?.peerChatVRange { lines.append(versions(range)) }
    return lines
  }

  // MARK: Connections

  func switching(_ member: GroupMember, of group: GroupInfo, _ progress: SwitchProgress) -> [StyledText] {
    guard let phase = text(progress.switchPhase) else { return [] }
    return progress.queueDirection == .rcv
      ? ["\(name(group)): you \(phase) for \(name(member))"] : ["\(named(group, member)) \(phase) for you"]
  }

  func synchronizing(_ member: GroupMember, of group: GroupInfo, _ progress: RatchetSyncProgress) -> [StyledText] {
    let command = "/sync #\(typed(group)) \(typed(member))"
    return synchronizing("\(name(group)) \(name(member))", progress, command: command)
  }

  // MARK: Contacts from members

  func requested(_ contact: Contact, with user: User, by member: GroupMember, of group: GroupInfo) -> [StyledText] {
    let who: StyledText = "\(name(group)) \(name(member))"
    if user.autoAcceptMemberContacts { return ["\(who) is creating direct contact \(name(contact)) with you"] }
    return [
      "\(who) requests to create direct contact with you",
      "to accept: \(.highlight("/accept_member_contact @\(typed(contact))"))",
      "to reject: \(.highlight("/delete @\(typed(contact))")) (the sender will NOT be notified)",
    ]
  }

  func merged(
    _ contact: Contact, with member: GroupMember, of group: GroupInfo, into result: Contact
  ) -> [StyledText] {
    [
      "contact and member are merged: \(name(contact)), \(name(group)) \(name(member))",
      useMessage(result),
    ]
  }

  // MARK: Pieces

  /// The group and a member, as the beginning of what the member did.
  func named(_ group: GroupInfo, _ member: GroupMember) -> StyledText { "\(name(group)): \(name(member))" }
}
