import ChatAPI
import ChatProtocol

/// The way in which the members of a group reach each other, and everything that follows from it: who connects with
/// whom, who forwards, in which encoding, who gets an own message, what is known of unknown authors, what is shown.
///
/// A pure value: what it decides depends on its arguments alone.
public enum GroupTopology: Hashable, Sendable, CaseIterable {
  /// Every member connects with every other one. Admins forward messages until two members are connected.
  case p2p
  /// The chat of a business with a customer: the same connections as ``p2p``, with rights that depend on the party.
  case business
  /// Members connect with relays only, which forward everything.
  case channel

  /// The topology of a group.
  public init(_ group: GroupInfo) {
    self = group.useRelays ? .channel : group.businessChat == nil ? .p2p : .business
  }

  // MARK: Connections

  /// Whether a member with one role and a member with another role have a connection with each other.
  public func connects(_ role: GroupMemberRole, with other: GroupMemberRole) -> Bool {
    switch self {
    case .p2p, .business: true
    case .channel: (role == .relay) != (other == .relay)
    }
  }

  /// Whether a newcomer gets links by which it connects with the members who are introduced to it.
  public var sendsLinksWithIntroductions: Bool { self != .channel }

  /// Whether members can be made contacts: that needs a connection with the member.
  public var allowsMemberContacts: Bool { self != .channel }

  // MARK: Encoding

  /// The form of several messages in one body.
  public var batchForm: MessageBatch.Form { self == .channel ? .binary : .json }

  /// Whether several messages to a member may be sent in one body. Admins of old versions forward messages one by one.
  func sendsBatches(to member: GroupMember) -> Bool {
    !forwards(as: member.memberRole) || member.supports(ChatVersion.batches)
  }

  // MARK: Forwarding

  /// Whether a member with this role forwards messages between others.
  public func forwards(as role: GroupMemberRole) -> Bool {
    switch self {
    case .p2p, .business: role >= .admin
    case .channel: role == .relay
    }
  }

  /// Whether a member forwards messages that others send.
  public func forwards(_ member: GroupMember) -> Bool {
    member.memberCurrent && forwards(as: member.memberRole) && member.supports(ChatVersion.groupForward)
  }

  /// Whether the user, with this membership, forwards messages that members send.
  public func userForwards(_ membership: GroupMember) -> Bool {
    forwards(as: membership.memberRole) && membership.memberActive
  }

  /// Whether messages have to be sent to a member before they are sent to another one: those who forward come first.
  public func precedes(_ member: GroupMember, _ other: GroupMember) -> Bool {
    forwards(as: member.memberRole) && !forwards(as: other.memberRole)
  }

  // MARK: Recipients

  /// Whether messages to the main chat are sent to a member.
  /// - Parameters:
  ///   - membership: the user as member.
  ///   - includingPending: whether they concern those who wait to be admitted, too.
  public func isRecipient(
    _ member: GroupMember, of membership: GroupMember, includingPending: Bool = false
  ) -> Bool {
    (includingPending ? member.memberCurrentOrPending : member.memberCurrent)
      && connects(membership.memberRole, with: member.memberRole)
  }

  // MARK: Received messages

  /// Whether the channel itself, and no member in particular, can be the author of a message.
  public var hasChannelAuthor: Bool { self == .channel }

  /// Whether events about members and the group have to be signed by their authors.
  public var requiresSignatures: Bool { self == .channel }

  /// The role of an author who is known only by what others forwarded.
  public var unknownMemberRole: GroupMemberRole { self == .channel ? .observer : .author }

  /// The greatest number of unknown authors that the messages forwarded by one member add.
  public static var unknownMembersLimit: Int { 1_000 }

  /// Whether receipts are sent for messages, where the user did not switch them off.
  /// - Parameter members: the number of members, with the user.
  public func allowsReceipts(members: Int64) -> Bool {
    switch self {
    case .p2p, .business: members <= Self.receiptsLimit
    case .channel: false
    }
  }

  /// Groups with more members send no receipts.
  private static var receiptsLimit: Int64 { 20 }

  // MARK: Shown activities

  /// Something that happens to a member and may be shown.
  public enum MemberActivity: Hashable, Sendable, CaseIterable {
    /// The member was announced: it joins.
    case announced
    /// The member left.
    case left
    /// The member has a new profile.
    case profileChanged
    /// The member has a new role.
    case roleChanged
  }

  /// Whether the user is shown what happens to another member: by an item and, where a member leaves or has a new
  /// profile, by an event.
  ///
  /// In channels, subscribers neither see who joins nor what other subscribers do. Relays and moderators see it, and
  /// everybody sees what relays and moderators do.
  /// - Parameters:
  ///   - subject: the role of the member.
  ///   - role: the role of the user.
  public func shows(_ activity: MemberActivity, of subject: GroupMemberRole, to role: GroupMemberRole) -> Bool {
    switch (self, activity) {
    case (.p2p, _), (.business, _): true
    case (.channel, .announced), (.channel, .roleChanged): false
    case (.channel, .left), (.channel, .profileChanged):
      [role, subject].contains { $0 == .relay || $0 >= .moderator }
    }
  }
}

extension GroupInfo {
  /// The way in which the members of the group reach each other.
  public var topology: GroupTopology { GroupTopology(self) }
  /// The roles that are needed to change the group, its members and messages.
  public var rights: GroupRights { GroupRights(topology: topology) }
  /// Whether messages of the user to the main chat are sent to a member.
  public func isRecipient(_ member: GroupMember, includingPending: Bool = false) -> Bool {
    topology.isRecipient(member, of: membership, includingPending: includingPending)
  }
  /// Whether the user is shown what happens to another member.
  public func shows(_ activity: GroupTopology.MemberActivity, of subject: GroupMember) -> Bool {
    topology.shows(activity, of: subject.memberRole, to: membership.memberRole)
  }
  /// Whether an owner may give the group a profile: a channel stays the same channel, and other groups become none.
  public func accepts(_ profile: GroupProfile) -> Bool {
    guard topology == .channel else { return profile.publicGroup == nil }
    let old = groupProfile.publicGroup
    return old != nil && profile.publicGroup?.publicGroupId == old?.publicGroupId
      && profile.publicGroup?.groupType == old?.groupType
  }
  /// Whether the user forwards messages between members.
  public var userForwards: Bool { topology.userForwards(membership) }
}

extension GroupMember {
  /// Whether the member's client understands a version of the chat protocol.
  public func supports(_ version: UInt16) -> Bool { versionRange.maxVersion >= Int(version) }
}
