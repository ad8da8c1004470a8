import ChatAPI
import FoundationTypes
import SQLiteKit

extension ChatTransaction {
  /// The reactions of one side, or one member, to the item with this shared id.
  /// - Parameters:
  ///   - author: the identifier of the member who wrote the item, in groups.
  ///   - member: the member who reacted, a database id; 0 for the user, and outside of groups.
  public func reactions(
    to sharedMsgId: String, author: String = "", in chat: ChatRef, sent: Bool, member: Int64 = 0, of user: User
  ) throws(StoreError) -> [MsgReaction] {
    try all(
      """
      SELECT reaction FROM reactions WHERE chat_id = ? AND shared_id = ? AND author = ? AND sent = ? AND member_id = ?
      """, try chatID(chat, of: user), sharedMsgId, author, sent, member
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return try row.json(&at)
    }
  }

  /// Adds or takes away a reaction of one side, or one member. The same reaction counts once.
  /// - Parameters:
  ///   - author: the identifier of the member who wrote the item, in groups.
  ///   - member: the member who reacted, a database id; 0 for the user, and outside of groups.
  ///   - isEarly: whether the message has not come; if it never comes, the reaction is removed.
  public func setReaction(
    _ reaction: MsgReaction, add: Bool, to sharedMsgId: String, author: String = "", in chat: ChatRef, sent: Bool,
    member: Int64 = 0, isEarly: Bool = false, at time: Date, of user: User
  ) throws(StoreError) {
    let chatId = try chatID(chat, of: user)
    if add {
      try execute(
        """
        INSERT OR IGNORE INTO reactions (chat_id, shared_id, author, sent, member_id, reaction, reaction_ts, created_at, \
        is_early, charged_to) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        """, chatId, sharedMsgId, author, sent, member, reaction.column, time.microseconds, nowMicroseconds, isEarly,
        isEarly ? payer : 0)
    } else {
      try execute(
        """
        DELETE FROM reactions WHERE chat_id = ? AND shared_id = ? AND author = ? AND sent = ? AND member_id = ? \
        AND reaction = ?
        """, chatId, sharedMsgId, author, sent, member, reaction.column)
    }
  }

  /// Deletes up to `limit` reactions to messages that have not come within this many seconds, and says whether more are
  /// left.
  public func deleteEarlyReactions(olderThan seconds: Double, limit: Int = 500) throws(StoreError) -> Bool {
    guard trustsClock else { return false }
    let old = try all(
      """
      SELECT chat_id, shared_id, author FROM reactions WHERE is_early = 1 AND created_at < ? ORDER BY created_at LIMIT ?
      """, now.addingTimeInterval(-seconds).microseconds, limit
    ) { (row) throws(SQLFailure) in (chat: try row.integer(0), id: try row.text(1), author: try row.text(2)) }
    for (chat, id, author) in old {
      let hasItem =
        try integer(
          "SELECT 1 FROM items WHERE chat_id = ? AND shared_id = ? AND author = ? LIMIT 1", chat, id, author) != nil
      let change = hasItem ? "UPDATE reactions SET is_early = 0, charged_to = 0" : "DELETE FROM reactions"
      try execute("\(change) WHERE chat_id = ? AND shared_id = ? AND author = ? AND is_early = 1", chat, id, author)
    }
    return old.count == limit
  }

  /// The members who reacted so to an item of a group, and when; the user among them.
  public func members(
    reactingWith reaction: MsgReaction, toItem item: Int64, ofGroup group: GroupInfo, of user: User
  ) throws(StoreError) -> [MemberReaction] {
    let found = try all(
      """
      SELECT r.member_id, r.sent, r.reaction_ts FROM items i JOIN reactions r ON r.chat_id = i.chat_id \
      AND r.shared_id = i.shared_id AND r.author = i.author WHERE i.item_id = ? AND i.user_id = ? AND r.reaction = ? \
      ORDER BY r.reaction_ts
      """, item, user.userId, reaction.column
    ) { (row) throws(SQLFailure) in
      (member: try row.integer(0), sent: try row.integer(1) != 0, time: Date(microseconds: try row.integer(2)))
    }
    var members: [MemberReaction] = []
    for (id, sent, time) in found {
      guard let member = sent ? group.membership : try memberIfPresent(id, of: user) else { continue }
      members.append(MemberReaction(groupMember: member, reactionTs: time))
    }
    return members
  }
}
