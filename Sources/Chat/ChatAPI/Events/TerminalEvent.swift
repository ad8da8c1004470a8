import SimplexJSON

/// A change that an app sees in its chats or items, and that a terminal or a bot is told with an event.
public indirect enum TerminalEvent: JSONCodable, Hashable, Sendable {
  /// The host of a group does not let the user join.
  case groupLinkRejected(user: User, groupInfo: GroupInfo, groupRejectionReason: GroupRejectionReason)
  /// A relay does not serve the user's group.
  case relayRejected(user: User, groupInfo: GroupInfo, relayRejectionReason: RelayRejectionReason)
  /// Somebody who asked to join the user's group is refused.
  case rejectingGroupJoinRequestMember(
    user: User, groupInfo: GroupInfo, member: GroupMember, groupRejectionReason: GroupRejectionReason)
  /// A contact was created to send a message to a member directly.
  case newMemberContact(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
  /// The keys of a contact whose security code was verified are new ones.
  case contactVerificationReset(user: User, contact: Contact)
  /// The keys of a member whose security code was verified are new ones.
  case groupMemberVerificationReset(user: User, groupInfo: GroupInfo, member: GroupMember)
}
