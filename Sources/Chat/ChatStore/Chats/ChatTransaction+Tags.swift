import ChatAPI

extension ChatTransaction {
  /// The user's tags, in the user's order.
  public func chatTags(of user: User) throws(StoreError) -> [ChatTag] {
    try all(
      "SELECT tag_id, text, emoji FROM chat_tags WHERE user_id = ? ORDER BY position, tag_id", user.userId
    ) { (row) throws(SQLFailure) in
      ChatTag(chatTagId: try row.integer(0), chatTagText: try row.text(1), chatTagEmoji: try row.optionalText(2))
    }
  }

  /// Creates a tag at the end of the order; returns its database id.
  /// - Throws: `uniqueID` where a tag has this text or emoji.
  public func createChatTag(_ tag: ChatTagData, of user: User) throws(StoreError) -> Int64 {
    try insert(
      """
      INSERT INTO chat_tags (user_id, text, emoji, position) \
      VALUES (?1, ?2, ?3, coalesce((SELECT max(position) + 1 FROM chat_tags WHERE user_id = ?1), 1))
      """, user.userId, tag.text, tag.emoji)
  }

  /// Changes a tag.
  public func updateChatTag(_ id: Int64, to tag: ChatTagData, of user: User) throws(StoreError) {
    try insert(
      "UPDATE chat_tags SET text = ?3, emoji = ?4 WHERE tag_id = ?1 AND user_id = ?2", id, user.userId, tag.text,
      tag.emoji)
  }

  /// Deletes a tag, and takes it off all chats.
  public func deleteChatTag(_ id: Int64, of user: User) throws(StoreError) {
    let deleted = try execute("DELETE FROM chat_tags WHERE tag_id = ? AND user_id = ?", id, user.userId)
    if deleted > 0 { try execute("DELETE FROM chat_tagging WHERE tag_id = ?", id) }
  }

  /// Sets the order of tags.
  public func reorderChatTags(_ ids: [Int64], of user: User) throws(StoreError) {
    for (index, id) in ids.enumerated() {
      try execute(
        "UPDATE chat_tags SET position = ?3 WHERE tag_id = ?1 AND user_id = ?2", id, user.userId, index + 1)
    }
  }

  /// Sets the tags of a chat.
  public func setChatTags(_ ids: [Int64], of chat: ChatRef, of user: User) throws(StoreError) {
    let chatId = try chatID(chat, of: user)
    try execute("DELETE FROM chat_tagging WHERE chat_id = ?", chatId)
    for id in Set(ids) {
      try execute(
        """
        INSERT INTO chat_tagging (chat_id, tag_id) SELECT ?1, tag_id FROM chat_tags WHERE tag_id = ?2 AND user_id = ?3
        """, chatId, id, user.userId)
    }
  }
}
