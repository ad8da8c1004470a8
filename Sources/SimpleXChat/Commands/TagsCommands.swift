import ChatAPI
import ChatStore

// Tags of chats.

extension ChatController {
  func performTags(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiGetChatTags(let id):
      let user = try currentUser(id)
      return .response0(.chatTags(user: user, userTags: try store.read { try $0.chatTags(of: user) }))
    case .apiCreateChatTag(let tag):
      let user = try runningUser()
      let tags = try store.transaction { transaction in
        _ = try transaction.createChatTag(tag, of: user)
        return try transaction.chatTags(of: user)
      }
      return .response0(.chatTags(user: user, userTags: tags))
    case .apiSetChatTags(let type, let id, let tagIds):
      guard type == .direct else { throw .unsupported }
      return try await locked(.contact(id)) { () throws(ChatError) in try setTags(tagIds, ofContact: id) }
    case .apiDeleteChatTag(let id):
      let user = try runningUser()
      try store.transaction { try $0.deleteChatTag(id, of: user) }
      return .done(user)
    case .apiUpdateChatTag(let id, let tag):
      let user = try runningUser()
      try store.transaction { try $0.updateChatTag(id, to: tag, of: user) }
      return .done(user)
    case .apiReorderChatTags(let ids):
      let user = try runningUser()
      try store.transaction { try $0.reorderChatTags(ids, of: user) }
      return .done(user)
    default: return nil
    }
  }

  private func setTags(_ tags: [Int64], ofContact id: Int64) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return .response0(
      try store.transaction { transaction in
        try transaction.setChatTags(tags, of: ChatRef(chatType: .direct, chatId: id), of: user)
        let contact = try transaction.contact(id, of: user)
        return .tagsUpdated(user: user, userTags: try transaction.chatTags(of: user), chatTags: contact.chatTags)
      })
  }
}
