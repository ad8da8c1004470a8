import SimplexJSON

extension ChatResponse0 {
  static func readUsersAndChats(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse0? {
    switch fields.tag {
    case "activeUser": return try .activeUser(user: fields.get("user"))
    case "usersList": return try .usersList(users: fields.get("users"))
    case "chatStarted": return .chatStarted
    case "chatRunning": return .chatRunning
    case "chatStopped": return .chatStopped
    case "apiChats": return try .apiChats(user: fields.get("user"), chats: fields.get("chats"))
    case "apiChat":
      return try .apiChat(
        user: fields.get("user"), chat: fields.get("chat"), navInfo: fields.get("navInfo"))
    case "chatContentTypes": return try .chatContentTypes(contentTypes: fields.get("contentTypes"))
    case "chatTags": return try .chatTags(user: fields.get("user"), userTags: fields.get("userTags"))
    case "chatItemInfo":
      return try .chatItemInfo(
        user: fields.get("user"), chatItem: fields.get("chatItem"), chatItemInfo: fields.get("chatItemInfo"))
    case "tagsUpdated":
      return try .tagsUpdated(
        user: fields.get("user"), userTags: fields.get("userTags"), chatTags: fields.get("chatTags"))
    default: return nil
    }
  }

  func writeUsersAndChats(to json: inout JSONWriter) -> Bool {
    switch self {
    case .activeUser(let user): json.sum("activeUser", "user", user)
    case .usersList(let users): json.sum("usersList", "users", users)
    case .chatStarted: json.tag("chatStarted")
    case .chatRunning: json.tag("chatRunning")
    case .chatStopped: json.tag("chatStopped")
    case .apiChats(let user, let chats): json.sum("apiChats", "user", user, "chats", chats)
    case .apiChat(let user, let chat, let navInfo): json.sum("apiChat", "user", user, "chat", chat, "navInfo", navInfo)
    case .chatContentTypes(let contentTypes): json.sum("chatContentTypes", "contentTypes", contentTypes)
    case .chatTags(let user, let userTags): json.sum("chatTags", "user", user, "userTags", userTags)
    case .chatItemInfo(let user, let chatItem, let chatItemInfo):
      json.sum("chatItemInfo", "user", user, "chatItem", chatItem, "chatItemInfo", chatItemInfo)
    case .tagsUpdated(let user, let userTags, let chatTags):
      json.sum("tagsUpdated", "user", user, "userTags", userTags, "chatTags", chatTags)
    default: return false
    }
    return true
  }
}
