import ChatAPI
import FoundationTypes

extension ChatTransaction {
  /// The reactions of one side to the item with this shared id.
  public func reactions(
    to sharedMsgId: String, in chat: ChatRef, sent: Bool, of user: User
  ) throws(StoreError) -> [MsgReaction] {
    try all(
      "SELECT reaction FROM reactions WHERE chat_id = ? AND shared_id = ? AND item_member = '' AND sent = ?",
      try chatID(chat, of: user), sharedMsgId, sent
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return try row.json(&at)
    }
  }

  /// Adds or takes away a reaction of one side. The same reaction counts once.
  public func setReaction(
    _ reaction: MsgReaction, add: Bool, to sharedMsgId: String, in chat: ChatRef, sent: Bool, at time: Date,
    of user: User
  ) throws(StoreError) {
    let chatId = try chatID(chat, of: user)
    if add {
      try execute(
        """
        INSERT OR IGNORE INTO reactions (chat_id, shared_id, sent, reaction, reaction_ts, created_at) \
        VALUES (?, ?, ?, ?, ?, ?)
        """, chatId, sharedMsgId, sent, reaction.column, time.microseconds, nowMicroseconds)
    } else {
      try execute(
        "DELETE FROM reactions WHERE chat_id = ? AND shared_id = ? AND item_member = '' AND sent = ? AND reaction = ?",
        chatId, sharedMsgId, sent, reaction.column)
    }
  }
}
