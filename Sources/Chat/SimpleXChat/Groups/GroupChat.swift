import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

/// A chat of a group: the main one, or a member's support chat.
struct GroupChat: Sendable {
  /// The user whose group it is.
  var user: User
  /// The group.
  var group: GroupInfo
  /// The part of the group's chat; nil for the main one.
  var scope: GroupChatScopeInfo?

  var chat: ChatRef {
    ChatRef(chatType: .group, chatId: group.groupId, chatScope: scope?.toChatScope())
  }

  /// The main chat of the group.
  var mainChat: ChatRef { ChatRef(chatType: .group, chatId: group.groupId) }

  var info: ChatInfo { .group(groupInfo: group, groupChatScope: scope) }
}

// Items of groups.

extension Turn {
  /// Adds an item to a group's chat without an event. What a member does is shown in its support chat while the
  /// member, or the user, waits to be admitted.
  /// - Parameter member: who caused it; nil for the user.
  @discardableResult
  func makeItem(
    _ content: CIContent, in chat: GroupChat, from member: GroupMember? = nil, sharedMsgId: String? = nil,
    at time: Date? = nil, forwardedBy: Int64? = nil, verified: MsgVerified? = nil
  ) throws -> AChatItem {
    let chat = try member.map { try place(of: $0, in: chat) } ?? chat
    var new = NewItem(chat: chat.chat, content: content, sharedMsgId: sharedMsgId, itemTs: time)
    new.memberId = member?.groupMemberId
    new.forwardedBy = forwardedBy
    new.verified = verified
    return try stored(new, in: chat)
  }

  /// Adds an item. The counters of a support chat, which are part of what is shown of its member, change with it.
  func stored(_ new: NewItem, in chat: GroupChat) throws -> AChatItem {
    let item = try rows.createItem(new, of: chat.user)
    return AChatItem(
      chatInfo: chat.scope == nil ? chat.info : try rows.chatInfo(chat.chat, of: chat.user), chatItem: item)
  }

  /// Adds an item to a group's chat, with an event.
  @discardableResult
  func addItem(
    _ content: CIContent, to chat: GroupChat, from member: GroupMember? = nil, sharedMsgId: String? = nil,
    at time: Date? = nil, forwardedBy: Int64? = nil, verified: MsgVerified? = nil
  ) throws -> AChatItem {
    let item = try makeItem(
      content, in: chat, from: member, sharedMsgId: sharedMsgId, at: time, forwardedBy: forwardedBy,
      verified: verified)
    emit(.newChatItems(user: chat.user, chatItems: [item]))
    return item
  }

  /// Adds items to a group's chat, with one event.
  func addItems(_ contents: [CIContent], to chat: GroupChat, from member: GroupMember? = nil) throws {
    guard !contents.isEmpty else { return }
    let items = try contents.map { try makeItem($0, in: chat, from: member) }
    emit(.newChatItems(user: chat.user, chatItems: items))
  }

  /// Adds the banner that a chat begins with.
  func addBanner(to chat: GroupChat) throws {
    try makeItem(.chatBanner, in: chat, at: Date(timeIntervalSince1970: 0))
  }

  /// The main chat of the group with this database id.
  func groupChat(_ id: Int64, of user: User) throws -> GroupChat {
    GroupChat(user: user, group: try rows.group(id, of: user))
  }

  /// The members to whom messages to the main chat of a group are sent.
  func recipients(in chat: GroupChat) throws -> [GroupMember] {
    try rows.members(ofGroup: chat.group.groupId).filter { chat.group.isRecipient($0) }
  }

  /// The group as it is now, in the same chat.
  func reloaded(_ chat: GroupChat) throws -> GroupChat {
    var chat = chat
    chat.group = try rows.group(chat.group.groupId, of: chat.user)
    if case .memberSupport(let member?) = chat.scope {
      chat.scope = .memberSupport(groupMember_: try rows.member(member.groupMemberId, of: chat.user))
    }
    return chat
  }
}

extension GroupMember {
  /// The name and picture for events about the member.
  var ref: GroupMemberRef { GroupMemberRef(groupMemberId: groupMemberId, profile: memberProfile.shared) }
  /// Whether a connection with the member can be used to send.
  var sendingConnection: Connection? {
    guard let connection = activeConn, connection.connStatus == .ready || connection.connStatus == .sndReady,
      !connection.connDisabled, memberStatus != .memRejected
    else { return nil }
    return connection
  }
}

extension GroupInfo {
  /// Throws if the user may not do what needs this role.
  func require(_ role: GroupMemberRole) throws(ChatErrorType) {
    guard membership.memberRole >= role else { throw .groupUserRole(groupInfo: self, requiredRole: role) }
    switch membership.memberStatus {
    case .memInvited: throw .groupNotJoined(groupInfo: self)
    case .memRejected, .memRemoved, .memLeft, .memGroupDeleted: throw .groupMemberUserRemoved
    default: guard membership.memberActive else { throw .groupMemberNotActive }
    }
  }
}

extension [String: CIMention] {
  /// The mentions as a message has them.
  var sent: [String: MsgMention] {
    compactMapValues { MemberId(text: $0.memberId).map { MsgMention(memberId: $0) } }
  }
}
