import ChatAPI
import ChatLogic
import FoundationTypes

/// What an item is made of. Whether it was sent follows from its content.
public struct NewItem: Sendable {
  /// The chat it belongs to.
  public var chat: ChatRef
  /// What it is.
  public var content: CIContent
  /// The id both sides know, base64url.
  public var sharedMsgId: String?
  /// When it was sent, as the relay says; nil for now.
  public var itemTs: Date?
  /// The message it quotes.
  public var quotedItem: CIQuote?
  /// The identifier of the member who wrote the quoted message, where its member is not known.
  public var quotedAuthor: String?
  /// Where it was forwarded from.
  public var forwardedFrom: CIForwardedFrom?
  /// When it disappears.
  public var timed: CITimed?
  /// Whether it is still being typed.
  public var live = false
  /// Whether it mentions the user.
  public var userMention = false
  /// The status; nil for that of a new item.
  public var status: CIStatus?
  /// The member who sent it, a database id.
  public var memberId: Int64?
  /// Whether the channel is its author, and no member in particular.
  public var isFromChannel = false
  /// The member who forwarded it, a database id.
  public var forwardedBy: Int64?
  /// The mentioned members by name.
  public var mentions: [String: CIMention] = [:]
  /// The result of verifying the signature.
  public var verified: MsgVerified?
  /// Its file, a database id.
  public var fileId: Int64?

  /// An item; see the members for what else can be set.
  public init(
    chat: ChatRef, content: CIContent, sharedMsgId: String? = nil, itemTs: Date? = nil, quotedItem: CIQuote? = nil,
    forwardedFrom: CIForwardedFrom? = nil, timed: CITimed? = nil, live: Bool = false
  ) {
    self.chat = chat
    self.content = content
    self.sharedMsgId = sharedMsgId
    self.itemTs = itemTs
    self.quotedItem = quotedItem
    self.forwardedFrom = forwardedFrom
    self.timed = timed
    self.live = live
  }

  /// Sets the author of a received item.
  public mutating func set(_ author: GroupAuthor) {
    memberId = author.member?.groupMemberId
    isFromChannel = author == .channel
  }
}

extension CIMentionMember {
  /// The member as mentions show it.
  public init(_ member: GroupMember) {
    self.init(
      groupMemberId: member.groupMemberId, displayName: member.memberProfile.displayName,
      localAlias: member.memberProfile.localAlias.isEmpty ? nil : member.memberProfile.localAlias,
      memberRole: member.memberRole)
  }
}

extension ChatTransaction {
  /// The maximum time, in seconds, by which the position of an item may be ahead of the device's clock.
  private static var positionLead: Double { 3_600 }

  /// Makes an item. One that requires attention moves its chat to the top of the list.
  public func createItem(_ new: NewItem, of user: User) throws(StoreError) -> ChatItem {
    let chatId = try chatID(new.chat, of: user)
    let text = new.content.itemText
    let itemTs = new.itemTs?.microseconds ?? nowMicroseconds
    let status = ItemStatusCode(new.status ?? new.content.initialStatus)
    let message = new.content.msgContent
    let isSent = new.content.isSent
    let isBanner = if case .chatBanner = new.content { true } else { false }
    let isGroup = new.chat.chatType == .group
    let author = isGroup ? try author(of: new) : ""
    let quotedAuthor =
      if case .groupRcv(let member) = new.quotedItem?.chatDir { member.memberId } else {
        new.quotedAuthor ?? (new.quotedItem?.chatDir.sent == true ? author : "")
      }
    let id = try insert(
      """
      INSERT INTO items (chat_id, user_id, position, sent, member_id, status, status_detail, item_ts, created_at, \
      updated_at, message_tag, shared_id, live, viewed, user_mention, has_link, banner, verified, timed_ttl, \
      delete_at, quoted_id, quoted_sent, quoted_at, quoted_content, forwarded, mentions, text, content, author, \
      quoted_author, forwarded_by, file_id) \
      VALUES (?1, ?2, iif(?32, ?3, max(?3, coalesce((SELECT last_position FROM chats WHERE chat_id = ?1), ?3))), \
      ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, \
      ?26, ?27, ?28, ?29, ?30, ?31)
      """, chatId, user.userId,
      isGroup ? min(itemTs, now.addingTimeInterval(Self.positionLead).microseconds) : nowMicroseconds, isSent,
      new.memberId, status.code, status.detail, itemTs, nowMicroseconds, message?.tag.rawValue, new.sharedMsgId,
      new.live ? true : nil, isSent && message != nil, new.userMention,
      new.content.hasLink(in: message == nil ? nil : Markdown.parse(text)), isBanner, new.verified?.column,
      new.timed?.ttl, new.timed?.deleteAt?.microseconds, new.quotedItem?.sharedMsgId, new.quotedItem?.chatDir.sent,
      new.quotedItem?.sentAt.microseconds, new.quotedItem?.content.column, new.forwardedFrom?.column,
      new.mentions.isEmpty ? nil : new.mentions.column, text, new.content.withoutPictures.column, author, quotedAuthor,
      new.forwardedBy, new.fileId, isGroup)
    if let file = new.fileId { try execute("UPDATE files SET item_id = ?2 WHERE file_id = ?1", file, id) }
    if case .memberSupport(let member?) = new.chat.chatScope {
      try countAnswers(of: id, by: new.memberId, inSupportChatOf: member, number: chatId)
    }
    if new.content.requiresAttention {
      try touch(new.chat, number: chatId, at: now)
    } else if new.chat.chatType == .direct {
      // Anything that comes brings a deleted conversation back.
      let deleted = try integer(
        "SELECT 1 FROM contacts WHERE contact_id = ? AND chat_deleted = 1", new.chat.chatId)
      if deleted != nil { try touch(new.chat, number: chatId, at: now) }
    }
    let item = try item(id, in: new.chat, number: chatId)
    if let deleteAt = item.meta.itemTimed?.deleteAt { note(timer: deleteAt) }
    return item
  }

  /// The identifier of the member who wrote an item of a group, base64url; empty where the channel did.
  private func author(of new: NewItem) throws(StoreError) -> String {
    if new.isFromChannel { return "" }
    let author = try text(
      """
      SELECT shared_member_id FROM members WHERE member_id = \
      coalesce(?1, (SELECT membership_id FROM groups WHERE group_id = ?2))
      """, new.memberId, new.chat.chatId)
    return author ?? ""
  }
}
