import ChatAPI
import ChatLogic
import FoundationTypes
import SQLiteKit
import SimplexJSON

/// How many columns ``itemColumns`` names.
let itemColumnCount = 36

/// Everything of an item `i`, with the number of the quoted item and the reactions. A report quotes
/// a message of the group's main chat. In groups a shared id is its
/// author's; elsewhere it is its side's.
let itemColumns = """
  i.item_id, i.sent, i.status, i.status_detail, i.item_ts, i.created_at, i.updated_at, i.shared_id, i.deleted, \
  i.deleted_at, i.edited, i.live, i.user_mention, i.has_link, i.as_group, i.via_proxy, i.forwarded_by, i.verified, \
  i.timed_ttl, i.delete_at, i.member_id, i.deleted_by, i.quoted_id, i.quoted_sent, i.quoted_author, i.quoted_at, \
  i.quoted_content, CASE WHEN i.quoted_id IS NULL THEN NULL ELSE (SELECT q.item_id FROM items q \
  WHERE q.chat_id = CASE WHEN i.message_tag = 'report' THEN (SELECT z.chat_id FROM chats y JOIN chats z \
  ON z.kind = y.kind AND z.entity_id = y.entity_id AND z.scope = 0 WHERE y.chat_id = i.chat_id) ELSE i.chat_id END \
  AND q.shared_id = i.quoted_id AND q.sent = i.quoted_sent AND q.author = i.quoted_author LIMIT 1) END, \
  i.forwarded, i.mentions, i.text, i.content, \
  CASE WHEN i.shared_id IS NULL THEN NULL ELSE (SELECT json_group_array(json_object('r', json(r.reaction), 's', r.sent)) \
  FROM reactions r WHERE r.chat_id = i.chat_id AND r.shared_id = i.shared_id AND r.author = i.author \
  AND json_valid(r.reaction)) END, \
  CASE WHEN i.file_id IS NULL THEN NULL ELSE (SELECT json_object('i', f.file_id, 'n', f.name, 's', f.size, \
  'p', f.path, 'k', f.crypto_key, 'o', f.crypto_nonce, 't', f.status, 'r', f.protocol) FROM files f \
  WHERE f.file_id = i.file_id) END, i.message_tag, i.author
  """

/// What an item does not say about itself: the kind of its chat, the members of a group, and the time its permissions
/// are asked at.
struct ItemContext {
  let chatType: ChatType
  let now: Date
  var members: ItemMembers?

  func direction(sent: Bool, member: Int64?) throws(SQLFailure) -> CIDirection {
    switch chatType {
    case .local: return sent ? .localSnd : .localRcv
    case .group:
      if sent { return .groupSnd }
      guard let member, let found = try members?.member(member) else { return .channelRcv }
      return .groupRcv(groupMember: found)
    default: return sent ? .directSnd : .directRcv
    }
  }

  /// Who wrote a quoted message.
  func direction(quotedSent sent: Bool, author: String) throws(SQLFailure) -> CIDirection {
    guard chatType == .group, !sent else { return try direction(sent: sent, member: nil) }
    guard let found = try members?.member(sharedId: author) else { return .channelRcv }
    return .groupRcv(groupMember: found)
  }

  /// Mentions with the names, aliases and roles that the members have now.
  func current(_ mentions: [String: CIMention]?) throws(SQLFailure) -> [String: CIMention] {
    guard let mentions, let members else { return mentions ?? [:] }
    var current = mentions
    for (name, mention) in mentions {
      current[name]?.memberRef = try members.member(sharedId: mention.memberId).map { CIMentionMember($0) }
    }
    return current
  }

  /// Whether an item can be deleted for everyone: the user's messages for a day, notes always.
  func isDeletable(_ content: CIContent, sentAt: Date) -> Bool {
    guard case .sndMsgContent = content else { return false }
    return chatType == .local || now.timeIntervalSince(sentAt) < 86_400
  }
}

/// The members of a group that items mention, each read once.
final class ItemMembers {
  private let group: Int64
  private let transaction: ChatTransaction
  private var known: [Int64: GroupMember?] = [:]
  private var knownShared: [String: GroupMember?] = [:]

  init(group: Int64, transaction: ChatTransaction) {
    self.group = group
    self.transaction = transaction
  }

  func member(_ id: Int64) throws(SQLFailure) -> GroupMember? {
    if let found = known[id] { return found }
    let found = try transaction.itemMember(id)
    known[id] = .some(found)
    return found
  }

  func member(sharedId: String) throws(SQLFailure) -> GroupMember? {
    if let found = knownShared[sharedId] { return found }
    let found = try transaction.itemMember(sharedId: sharedId, group: group)
    knownShared[sharedId] = .some(found)
    return found
  }
}

extension SQLiteRow {
  /// Reads ``itemColumns``.
  func item(_ at: inout ColumnIndex, _ context: ItemContext) throws(SQLFailure) -> ChatItem {
    let id = try integer(&at)
    let sent = try bool(&at)
    let status = ItemStatusCode.status(try integer(&at), try optionalText(&at))
    let itemTs = try date(&at)
    let createdAt = try date(&at)
    let updatedAt = try date(&at)
    let sharedId = try optionalText(&at)
    let deletedCode = try integer(&at)
    let deletedAt = try optionalDate(&at)
    let edited = try bool(&at)
    let live = try optionalBool(&at)
    let mention = try bool(&at)
    let hasLink = try bool(&at)
    let asGroup = try bool(&at)
    let viaProxy = try optionalBool(&at)
    let forwardedBy = try optionalInteger(&at)
    let verified: MsgVerified? = try optionalJSON(&at)
    let ttl = try optionalInteger(&at)
    let deleteAt = try optionalDate(&at)
    let member = try optionalInteger(&at)
    let deletedBy = try optionalInteger(&at)
    let quote = try quotedItem(&at, context)
    let forwarded: CIForwardedFrom? = try optionalJSON(&at)
    let mentions = try context.current(try optionalJSON(&at))
    let text = try text(&at)
    let content = try itemContent(&at, sent: sent)
    let reactions = try itemReactions(&at)
    let file = try itemFile(&at)
    at.skip(2)
    let deleted: CIDeleted? =
      switch deletedCode {
      case 0: nil
      case 2: .blocked(deletedTs: deletedAt)
      case 3: .blockedByAdmin(deletedTs: deletedAt)
      default:
        if let deletedBy, let moderator = try context.members?.member(deletedBy) {
          .moderated(deletedTs: deletedAt, byGroupMember: moderator)
        } else {
          .deleted(deletedTs: deletedAt, chatType: context.chatType)
        }
      }
    let deletable = deleted == nil && context.isDeletable(content, sentAt: itemTs)
    return ChatItem(
      chatDir: try context.direction(sent: sent, member: member),
      meta: CIMeta(
        itemId: id, itemTs: itemTs, itemText: text, itemStatus: status, sentViaProxy: viaProxy,
        itemSharedMsgId: sharedId, itemForwarded: forwarded, itemDeleted: deleted, itemEdited: edited,
        itemTimed: ttl.map { CITimed(ttl: Int($0), deleteAt: deleteAt) }, itemLive: live, userMention: mention,
        hasLink: hasLink, deletable: deletable, editable: deletable && forwarded == nil,
        forwardedByMember: forwardedBy, showGroupAsSender: asGroup, msgVerified: verified, createdAt: createdAt,
        updatedAt: updatedAt),
      content: content, mentions: mentions, formattedText: Markdown.parse(text), quotedItem: quote,
      reactions: reactions, file: file)
  }

  /// Content of a newer or damaged form shows as invalid, and does not take the chat around it down.
  private func itemContent(_ at: inout ColumnIndex, sent: Bool) throws(SQLFailure) -> CIContent {
    let text = try text(&at)
    return (try? CIContent(jsonText: text)) ?? .invalidJSON(direction: sent ? .snd : .rcv, json: text)
  }

  private func quotedItem(_ at: inout ColumnIndex, _ context: ItemContext) throws(SQLFailure) -> CIQuote? {
    let sharedId = try optionalText(&at)
    let sent = try optionalBool(&at)
    let author = try text(&at)
    let time = try optionalDate(&at)
    let content: MsgContent? = try optionalJSON(&at)
    let id = try optionalInteger(&at)
    guard let sent, let time, let content else { return nil }
    return CIQuote(
      chatDir: try context.direction(quotedSent: sent, author: author), itemId: id, sharedMsgId: sharedId, sentAt: time,
      content: content,
      formattedText: Markdown.parse(content.text))
  }

  private func itemReactions(_ at: inout ColumnIndex) throws(SQLFailure) -> [CIReactionCount] {
    guard let text = try optionalText(&at), text != "[]", let stored = try? [StoredReaction](jsonText: text) else {
      return []
    }
    return StoredReaction.counts(stored)
  }
}

/// A reaction of one side.
private struct StoredReaction: JSONDecodable {
  let reaction: MsgReaction
  let sent: Bool

  init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    reaction = try fields.get("r")
    sent = try fields.get("s", as: Int.self) != 0
  }

  static func counts(_ stored: [StoredReaction]) -> [CIReactionCount] {
    var counts: [CIReactionCount] = []
    for each in stored {
      if let index = counts.firstIndex(where: { $0.reaction == each.reaction }) {
        counts[index].totalReacted += 1
        counts[index].userReacted = counts[index].userReacted || each.sent
      } else {
        counts.append(CIReactionCount(reaction: each.reaction, userReacted: each.sent, totalReacted: 1))
      }
    }
    return counts
  }
}
