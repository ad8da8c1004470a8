import SimplexJSON

extension ChatResponse0 {
  /// Chats that cannot be read become invalid ones, so that the others are shown.
  public static func fallbackResult(_ type: String, _ json: JSONNode) -> ChatResponse0? {
    do {
      var fields = try json.sum()
      switch type {
      case "apiChats":
        let chats: [Readable<ChatData>] = try fields.get("chats")
        return .apiChats(user: try fields.get("user"), chats: chats.map { $0.value })
      case "apiChat":
        let chat: Readable<ChatData> = try fields.get("chat")
        return .apiChat(user: try fields.get("user"), chat: chat.value, navInfo: try fields.get("navInfo"))
      default: return nil
      }
    } catch {
      return nil
    }
  }
}
