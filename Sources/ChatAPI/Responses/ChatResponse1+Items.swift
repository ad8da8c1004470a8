import SimplexJSON

extension ChatResponse1 {
  static func readItems(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse1? {
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
    case "reactionMembers":
      return try .reactionMembers(
        user: fields.get("user"), memberReactions: fields.get("memberReactions"))
    case "chatItemsDeleted":
      return try .chatItemsDeleted(
        user: fields.get("user"), chatItemDeletions: fields.get("chatItemDeletions"), byUser: fields.get("byUser"),
        timed: fields.get("timed", default: false))
    case "groupChatItemsDeleted":
      return try .groupChatItemsDeleted(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), chatItemIDs: fields.get("chatItemIDs"),
        byUser: fields.get("byUser"), member_: fields.get("member_"))
    case "itemsReadForChat":
      return try .itemsReadForChat(
        user: fields.get("user"), chatInfo: fields.get("chatInfo"))
    case "forwardPlan":
      return try .forwardPlan(
        user: fields.get("user"), itemsCount: fields.get("itemsCount"), chatItemIds: fields.get("chatItemIds"),
        forwardConfirmation: fields.get("forwardConfirmation"))
    case "chatMsgContent":
      return try .chatMsgContent(
        user: fields.get("user"), msgContent: fields.get("msgContent"))
    default: return nil
    }
  }

  func writeItems(to json: inout JSONWriter) -> Bool {
    switch self {
    case .newChatItems(let user, let chatItems): json.sum("newChatItems", "user", user, "chatItems", chatItems)
    case .chatItemUpdated(let user, let chatItem): json.sum("chatItemUpdated", "user", user, "chatItem", chatItem)
    case .chatItemNotChanged(let user, let chatItem): json.sum("chatItemNotChanged", "user", user, "chatItem", chatItem)
    case .chatItemReaction(let user, let added, let reaction):
      json.sum("chatItemReaction", "user", user, "added", added, "reaction", reaction)
    case .reactionMembers(let user, let memberReactions):
      json.sum("reactionMembers", "user", user, "memberReactions", memberReactions)
    case .chatItemsDeleted(let user, let chatItemDeletions, let byUser, let timed):
      json.sum(
        "chatItemsDeleted", "user", user, "chatItemDeletions", chatItemDeletions, "byUser", byUser, "timed", timed)
    case .groupChatItemsDeleted(let user, let groupInfo, let chatItemIDs, let byUser, let member_):
      json.beginSum("groupChatItemsDeleted")
      json.field("user", user)
      json.field("groupInfo", groupInfo)
      json.field("chatItemIDs", chatItemIDs)
      json.field("byUser", byUser)
      json.field("member_", member_)
      json.endSum()
    case .itemsReadForChat(let user, let chatInfo): json.sum("itemsReadForChat", "user", user, "chatInfo", chatInfo)
    case .forwardPlan(let user, let itemsCount, let chatItemIds, let forwardConfirmation):
      json.sum(
        "forwardPlan", "user", user, "itemsCount", itemsCount, "chatItemIds", chatItemIds, "forwardConfirmation",
        forwardConfirmation)
    case .chatMsgContent(let user, let msgContent): json.sum("chatMsgContent", "user", user, "msgContent", msgContent)
    default: return false
    }
    return true
  }
}
