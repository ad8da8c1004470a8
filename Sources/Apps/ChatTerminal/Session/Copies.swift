import ChatAPI

/// Connections whose messages another program gets: a copy of the profile runs there.
struct EndedSubscriptions: Sendable {
  /// Contacts, by their database ids.
  var contacts: Set<Int64> = []
  /// Members, by the database ids of their groups and their own.
  var members: Set<GroupMemberReference> = []

  /// A member of a group.
  struct GroupMemberReference: Hashable, Sendable {
    let group: Int64
    let member: Int64
  }

  /// Takes an event; false where it does not say that another program gets the messages.
  mutating func follow(_ event: ChatEvent) -> Bool {
    switch event {
    case .contactAnotherClient(_, let contact): contacts.insert(contact.contactId)
    case .subscriptionEnd(_, .rcvGroupMsgConnection(_, let group, let member)):
      members.insert(GroupMemberReference(group: group.groupId, member: member.groupMemberId))
    case .subscriptionEnd: break
    default: return false
    }
    return true
  }
}

/// The rule that only one copy of a profile may run, and what is said of it.
enum CopyRule {
  /// After an archive was made.
  static let exported: [StyledText] = [
    "The archive is a copy of the profile, and only one copy may run: where two do, messages of both are lost.",
    "To move the profile, end this program for good before the archive is imported. A backup is for when this one is lost.",
  ]

  /// After an archive was imported.
  static let imported: [StyledText] = [
    "Only one copy of a profile may run: where two do, messages of both are lost. Never start the one that the archive was made from again."
  ]

  /// When the relay says that another program gets the messages.
  static let anotherRuns: [StyledText] = [
    .error(
      "A copy of this profile seems to run in another program: a relay delivers messages there now, and not here."),
    "Only one copy may run. End one of the two for good: this one with \(.highlight("/quit")), or the other one.",
    "If you go on with this one, type \(.highlight("/repair")) when the other one has ended: messages come here again.",
    "If there is no other copy, there is nothing to do: a connection was replaced, and messages come here again soon.",
  ]

  /// Before connections are repaired.
  static let question: StyledText =
    "Has every other copy of this profile ended, for good? Then messages come here again, and the encryption is negotiated anew where it is out of step."
}

extension APIResult<ChatResponse> {
  /// A warning after a response that may lead to a second copy of the profile.
  var copyAdvice: [StyledText] {
    switch self {
    case .result(.response2(.archiveExported)): CopyRule.exported
    case .result(.response2(.archiveImported)): CopyRule.imported
    default: []
    }
  }
}
