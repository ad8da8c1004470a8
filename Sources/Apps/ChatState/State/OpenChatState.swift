import ChatAPI

/// The chat that is shown.
public struct OpenChatState: Hashable, Sendable {
  /// The open chat.
  public var chatId: ChatId?
  /// The agent's id of its connection.
  public var chatAgentConnId: String?
  /// Whether its messages are received.
  public var chatSubStatus: SubscriptionStatus?
  /// The item to scroll to when it opens.
  public var openAroundItemId: Int64?
  /// The chat that goes to the top once the open one is left.
  public var chatToTop: ChatId?
  /// The channel being created.
  public var creatingChannelId: ChatId?
  /// Chats whose removal is being shown.
  public var deletedChats: Set<ChatId> = []
  /// Whether the user's support chat opened because the group has not admitted the user yet.
  public var secondaryPendingInviteeChatOpened = false

  /// Nothing is open.
  public init() {}
}

/// What the items of a secondary model are chosen by.
public enum SecondaryItemsModelFilter: Hashable, Sendable {
  /// A part of a group's chat.
  case groupChatScopeContext(groupScopeInfo: GroupChatScopeInfo)
  /// A kind of content.
  case msgContentTagContext(contentTag: MsgContentTag)

  /// The kind of content, if it is by that.
  public var contentTag: MsgContentTag? {
    if case .msgContentTagContext(let contentTag) = self { contentTag } else { nil }
  }

  /// The part of the chat, if it is by that.
  public var groupScopeInfo: GroupChatScopeInfo? {
    if case .groupChatScopeContext(let info) = self { info } else { nil }
  }

  /// Whether a secondary model with this filter shows an item that arrived in a part of its group's chat.
  func shows(_ item: ChatItem, of scope: GroupChatScope) -> Bool {
    switch (self, scope) {
    case (.groupChatScopeContext(let info), .memberSupport): info.toChatScope() == scope
    case (.msgContentTagContext(.report), _): item.isReport
    default: false
    }
  }
}

/// The items of a secondary view, such as a conversation with a member.
public struct SecondaryItems: Sendable {
  /// What they are chosen by.
  public var filter: SecondaryItemsModelFilter
  /// The items.
  public var items = ItemsState()
}

/// Members of the open group: the values behind ``GMember``.
public struct MembersState: Sendable {
  /// The members, in the order they were loaded or became known.
  public internal(set) var groupMembers: [GroupMember] = []
  /// Where a member is, by id.
  public private(set) var groupMembersIndexes: [Int64: Int] = [:]
  /// Whether they were loaded.
  public var membersLoaded = false
  /// Number of the last change of each member; a view takes it for the identity of a row.
  var changes: [Int64: Int] = [:]

  /// No group is open.
  public init() {}

  mutating func set(_ members: [GroupMember]) {
    groupMembers = members
    groupMembersIndexes = [:]
    for (index, member) in members.enumerated() { groupMembersIndexes[member.groupMemberId] = index }
    changes = [:]
  }

  mutating func clear() { self = MembersState() }

  /// A member by id.
  public subscript(groupMemberId: Int64) -> GroupMember? {
    groupMembersIndexes[groupMemberId].map { groupMembers[$0] }
  }

  /// Adds a member or puts it in the place of the one with its id; returns whether it is new.
  mutating func upsert(_ member: GroupMember) -> Bool {
    changes[member.groupMemberId, default: 0] += 1
    if let index = groupMembersIndexes[member.groupMemberId] {
      groupMembers[index] = member
      return false
    }
    groupMembersIndexes[member.groupMemberId] = groupMembers.count
    groupMembers.append(member)
    return true
  }
}

/// Relays of the channel whose relays are shown: the value behind ``ChannelRelaysModel``.
public struct ChannelRelaysState: Hashable, Sendable {
  /// The channel.
  public var groupId: Int64?
  /// Its relays.
  public var groupRelays: [GroupRelay] = []

  /// No relays are shown.
  public init() {}

  mutating func update(_ groupId: Int64, _ relay: GroupRelay) -> Bool {
    guard self.groupId == groupId,
      let index = groupRelays.firstIndex(where: { $0.groupRelayId == relay.groupRelayId })
    else { return false }
    groupRelays[index] = relay
    return true
  }
}
