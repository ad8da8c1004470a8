import SimplexJSON

extension ChatResponse3 {
  static func readTerminal(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse3? {
    switch fields.tag {
    case "chats": return try .chats(chats: fields.get("chats"))
    case "chatItems":
      return try .chatItems(
        user: fields.get("user"), chatName_: fields.get("chatName_"), chatItems: fields.get("chatItems"))
    case "chatItemId":
      let pair: JSONPair<User, Int64?> = try fields.getPayload()
      return .chatItemId(user: pair.first, chatItemId: pair.second)
    case "broadcastSent":
      return try .broadcastSent(
        user: fields.get("user"), msgContent: fields.get("msgContent"), successes: fields.get("successes"),
        failures: fields.get("failures"), timestamp: fields.get("timestamp"))
    case "chatHelp": return try .chatHelp(helpSection: fields.get("helpSection"))
    case "welcome": return try .welcome(user: fields.get("user"))
    case "memberSupportChats":
      return try .memberSupportChats(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), members: fields.get("members"))
    case "fileTransferStatus":
      let pair: JSONPair<User, JSONPair<FileTransfer, [Int64]>> = try fields.getPayload()
      return .fileTransferStatus(user: pair.first, fileTransfer: pair.second.first, chunks: pair.second.second)
    case "fileTransferStatusXFTP":
      let pair: JSONPair<User, AChatItem> = try fields.getPayload()
      return .fileTransferStatusXFTP(user: pair.first, chatItem: pair.second)
    case "userProfile": return try .userProfile(user: fields.get("user"), profile: fields.get("profile"))
    case "userProfileImage":
      return try .userProfileImage(
        user: fields.get("user"), profile: fields.get("profile"))
    case "joinedGroupMember":
      return try .joinedGroupMember(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"))
    case "groupProfile": return try .groupProfile(user: fields.get("user"), groupInfo: fields.get("groupInfo"))
    case "groupDescription":
      return try .groupDescription(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"))
    case "customChatResponse":
      return try .customChatResponse(
        user_: fields.get("user_"), response: fields.get("response"))
    default: return nil
    }
  }

  func writeTerminal(to json: inout JSONWriter) -> Bool {
    switch self {
    case .chats(let chats): json.sum("chats", "chats", chats)
    case .chatItems(let user, let chatName_, let chatItems):
      json.sum("chatItems", "user", user, "chatName_", chatName_, "chatItems", chatItems)
    case .chatItemId(let user, let chatItemId): json.payload("chatItemId", JSONPair(user, chatItemId))
    case .broadcastSent(let user, let msgContent, let successes, let failures, let timestamp):
      json.beginSum("broadcastSent")
      json.field("user", user)
      json.field("msgContent", msgContent)
      json.field("successes", successes)
      json.field("failures", failures)
      json.field("timestamp", timestamp)
      json.endSum()
    case .chatHelp(let helpSection): json.sum("chatHelp", "helpSection", helpSection)
    case .welcome(let user): json.sum("welcome", "user", user)
    case .memberSupportChats(let user, let groupInfo, let members):
      json.sum("memberSupportChats", "user", user, "groupInfo", groupInfo, "members", members)
    case .fileTransferStatus(let user, let fileTransfer, let chunks):
      json.payload("fileTransferStatus", JSONPair(user, JSONPair(fileTransfer, chunks)))
    case .fileTransferStatusXFTP(let user, let chatItem):
      json.payload("fileTransferStatusXFTP", JSONPair(user, chatItem))
    case .userProfile(let user, let profile): json.sum("userProfile", "user", user, "profile", profile)
    case .userProfileImage(let user, let profile): json.sum("userProfileImage", "user", user, "profile", profile)
    case .joinedGroupMember(let user, let groupInfo, let member):
      json.sum("joinedGroupMember", "user", user, "groupInfo", groupInfo, "member", member)
    case .groupProfile(let user, let groupInfo): json.sum("groupProfile", "user", user, "groupInfo", groupInfo)
    case .groupDescription(let user, let groupInfo): json.sum("groupDescription", "user", user, "groupInfo", groupInfo)
    case .customChatResponse(let user_, let response):
      json.sum("customChatResponse", "user_", user_, "response", response)
    default: return false
    }
    return true
  }
}
