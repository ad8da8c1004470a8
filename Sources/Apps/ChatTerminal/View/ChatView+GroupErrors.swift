import ChatAPI

extension ChatView {
  /// The lines of an error about groups and their members.
  func groupLines(_ error: ChatErrorType) -> [StyledText] {
    switch error {
    case .groupDuplicateMember(let contact): ["contact \(.contact(contact)) is already in the group"]
    case .groupDuplicateMemberId: ["cannot add member - duplicate member ID"]
    case .groupUserRole(let group, .author): ["\(name(group)): you don't have permission to send messages"]
    case .groupUserRole(let group, let role):
      [
        "\(name(group)): you have insufficient permissions for this action, the required role is \(role.rawValue)"
      ]
    case .groupMemberInitialRole(let group, let role):
      ["\(name(group)): initial role for group member cannot be \(role.rawValue), use member or observer"]
    case .contactIncognitoCantInvite:
      [
        "you're using your main profile for this group - prohibited to invite contacts to whom you are connected incognito"
      ]
    case .groupIncognitoCantInvite:
      ["you are using an incognito profile for this group - prohibited to invite contacts"]
    case .groupContactRole(let contact):
      ["contact \(.contact(contact)) has insufficient permissions for this group action"]
    case .groupNotJoined(let group): ["you did not join this group, use \(.highlight("/join #\(typed(group))"))"]
    case .groupMemberNotActive: ["your group connection is not active yet, try later"]
    case .cantBlockMemberForSelf(let group, let member, let shows):
      [blockedForSelf(group, member, command: shows ? "/unblock for all" : "/block for all")]
    case .groupMemberUserRemoved: ["you are no longer a member of the group"]
    case .groupMemberNotFound: ["group doesn't have this member"]
    case .groupCantResendInvitation(let group, let contact): cannotInviteAgain(contact, to: group)
    case .groupInternal(let message): [StyledText("chat group bug: \(message)")]
    default: [StyledText("error: \(error.text)")]
    }
  }

  private func blockedForSelf(_ group: GroupInfo, _ member: GroupMember, command: String) -> StyledText {
    "admins or above can't block member for self, use \(.highlight("\(command) #\(typed(group)) \(typed(member))"))"
  }

  private func cannotInviteAgain(_ contact: String, to group: GroupInfo) -> [StyledText] {
    let names = "\(typed(group)) \(DisplayName.quoted(contact))"
    return [
      "\(.contact(contact)) is already invited to group \(name(group))",
      "to re-send invitation: \(.highlight("/rm \(names)")), \(.highlight("/a \(names)"))",
    ]
  }
}
