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
      let tags = try turn { turn in
        _ = try turn.rows.createChatTag(tag, of: user)
        return try turn.rows.chatTags(of: user)
      }
      return .response0(.chatTags(user: user, userTags: tags))
    case .apiSetChatTags(let type, let id, let tagIds):
      guard type == .direct || type == .group else { throw .unsupported }
      return try setTags(tagIds, of: ChatRef(chatType: type, chatId: id))
    case .apiDeleteChatTag(let id):
      let user = try runningUser()
      try turn { try $0.rows.deleteChatTag(id, of: user) }
      return .done(user)
    case .apiUpdateChatTag(let id, let tag):
      let user = try runningUser()
      try turn { try $0.rows.updateChatTag(id, to: tag, of: user) }
      return .done(user)
    case .apiReorderChatTags(let ids):
      let user = try runningUser()
      try turn { try $0.rows.reorderChatTags(ids, of: user) }
      return .done(user)
    default: return nil
    }
  }

  private func setTags(_ tags: [Int64], of chat: ChatRef) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return .response0(
      try turn { turn in
        try turn.rows.setChatTags(tags, of: chat, of: user)
        let chatTags =
          switch try turn.rows.chatInfo(chat, of: user) {
          case .direct(let contact): contact.chatTags
          case .group(let group, _): group.chatTags
          default: [Int64]()
          }
        return .tagsUpdated(user: user, userTags: try turn.rows.chatTags(of: user), chatTags: chatTags)
      })
  }
}
