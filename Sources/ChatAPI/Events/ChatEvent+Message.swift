import SimplexJSON

extension ChatEvent {
  static func readMessage(_ fields: inout JSONFields) throws(JSONError) -> ChatEvent? {
    switch fields.tag {
    case "newChatItems": return try .newChatItems(user: fields.get("user"), chatItems: fields.get("chatItems"))
    case "chatItemUpdated":
      return try .chatItemUpdated(
        user: fields.get("user"), chatItem: fields.get("chatItem"))
    case "chatItemNotChanged":
      return try .chatItemNotChanged(
        user: fields.get("user"), chatItem: fields.get("chatItem"))
    case "chatItemReaction":
      return try .chatItemReaction(
        user: fields.get("user"), added: fields.get("added"), reaction: fields.get("reaction"))
    case "chatItemsDeleted":
      return try .chatItemsDeleted(
        user: fields.get("user"), chatItemDeletions: fields.get("chatItemDeletions"), byUser: fields.get("byUser"),
        timed: fields.get("timed", default: false))
    case "chatItemsStatusesUpdated":
      return try .chatItemsStatusesUpdated(
        user: fields.get("user"), chatItems: fields.get("chatItems"))
    case "groupChatItemsDeleted":
      return try .groupChatItemsDeleted(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), chatItemIDs: fields.get("chatItemIDs"),
        byUser: fields.get("byUser"), member_: fields.get("member_"))
    case "chatItemDeletedNotFound":
      return try .chatItemDeletedNotFound(
        user: fields.get("user"), contact: fields.get("contact"), sharedMsgId: fields.get("sharedMsgId"))
    case "chatInfoUpdated":
      return try .chatInfoUpdated(
        user: fields.get("user"), chatInfo: fields.get("chatInfo"))
    default: return nil
    }
  }

  func writeMessage(to json: inout JSONWriter) -> Bool {
    switch self {
    case .newChatItems(let user, let chatItems): json.sum("newChatItems", "user", user, "chatItems", chatItems)
    case .chatItemUpdated(let user, let chatItem): json.sum("chatItemUpdated", "user", user, "chatItem", chatItem)
    case .chatItemNotChanged(let user, let chatItem): json.sum("chatItemNotChanged", "user", user, "chatItem", chatItem)
    case .chatItemReaction(let user, let added, let reaction):
      json.sum("chatItemReaction", "user", user, "added", added, "reaction", reaction)
    case .chatItemsDeleted(let user, let chatItemDeletions, let byUser, let timed):
      json.sum(
        "chatItemsDeleted", "user", user, "chatItemDeletions", chatItemDeletions, "byUser", byUser, "timed", timed)
    case .chatItemsStatusesUpdated(let user, let chatItems):
      json.sum("chatItemsStatusesUpdated", "user", user, "chatItems", chatItems)
    case .groupChatItemsDeleted(let user, let groupInfo, let chatItemIDs, let byUser, let member_):
      json.beginSum("groupChatItemsDeleted")
      json.field("user", user)
      json.field("groupInfo", groupInfo)
      json.field("chatItemIDs", chatItemIDs)
      json.field("byUser", byUser)
      json.field("member_", member_)
      json.endSum()
    case .chatItemDeletedNotFound(let user, let contact, let sharedMsgId):
      json.sum("chatItemDeletedNotFound", "user", user, "contact", contact, "sharedMsgId", sharedMsgId)
    case .chatInfoUpdated(let user, let chatInfo): json.sum("chatInfoUpdated", "user", user, "chatInfo", chatInfo)
    default: return false
    }
    return true
  }
}
