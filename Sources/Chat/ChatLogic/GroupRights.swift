import ChatAPI

/// The lowest roles that may change a group, its members and their messages.
///
/// A decision is a comparison with the role of who acts: `rights.toRemove(subject.memberRole) <= member.memberRole`.
public struct GroupRights: Hashable, Sendable {
  /// The topology of the group.
  public var topology: GroupTopology

  /// The rights in groups of a topology.
  public init(topology: GroupTopology) { self.topology = topology }

  /// The lowest role that brings in a member with this role.
  public func toBringIn(as role: GroupMemberRole) -> GroupMemberRole { max(.admin, role) }

  /// The lowest role that changes the role of a member. In channels, members with rights are on a list that only
  /// owners sign.
  public func toChangeRole(from old: GroupMemberRole, to new: GroupMemberRole) -> GroupMemberRole {
    isOnRoster(old) || isOnRoster(new) ? .owner : max(.admin, old, new)
  }

  /// The lowest role that hides the messages of a member with this role for everybody, or shows them again.
  public func toBlock(_ role: GroupMemberRole) -> GroupMemberRole { max(.moderator, role) }

  /// The lowest role that removes a member with this role.
  public func toRemove(_ role: GroupMemberRole) -> GroupMemberRole {
    isOnRoster(role) ? .owner : max(.admin, role)
  }

  /// The lowest role that deletes messages of another member with this role for everybody.
  public func toModerate(messagesOf role: GroupMemberRole) -> GroupMemberRole { max(.moderator, role) }

  /// The lowest role that decides whether a member is admitted with this role.
  public func toAdmit(as role: GroupMemberRole) -> GroupMemberRole { max(.moderator, role) }

  /// The lowest role that changes the profile or the preferences of the group, or deletes it.
  public var toChangeGroup: GroupMemberRole { .owner }

  /// The lowest role that writes in the main chat.
  public var toWrite: GroupMemberRole { .author }

  /// The lowest role that writes as the channel; nil where nobody does.
  public var toWriteAsChannel: GroupMemberRole? { topology.hasChannelAuthor ? .owner : nil }

  /// Whether members with a role are on the list of members with rights that an owner of a channel signs. Owners are
  /// not: the link of the channel names them.
  public func isOnRoster(_ role: GroupMemberRole) -> Bool {
    topology == .channel && (role == .member || role == .moderator || role == .admin)
  }
}

/// Whether a member's message is passed on to those who are not connected with its author.
public enum Forwarding: Hashable, Sendable {
  /// It is forwarded to all whom it concerns.
  case forward
  /// It ends here.
  case stop
}
