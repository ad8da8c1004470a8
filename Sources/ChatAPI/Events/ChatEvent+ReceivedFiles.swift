import SimplexJSON

extension ChatEvent {
  static func readReceivedFiles(_ fields: inout JSONFields) throws(JSONError) -> ChatEvent? {
    switch fields.tag {
    case "rcvFileDescrReady":
      return try .rcvFileDescrReady(
        user: fields.get("user"), chatItem: fields.get("chatItem"), rcvFileTransfer: fields.get("rcvFileTransfer"),
        rcvFileDescr: fields.get("rcvFileDescr"))
    case "rcvFileAccepted":
      return try .rcvFileAccepted(
        user: fields.get("user"), chatItem: fields.get("chatItem"))
    case "rcvFileAcceptedSndCancelled":
      return try .rcvFileAcceptedSndCancelled(
        user: fields.get("user"), rcvFileTransfer: fields.get("rcvFileTransfer"))
    case "rcvFileStart": return try .rcvFileStart(user: fields.get("user"), chatItem: fields.get("chatItem"))
    case "rcvFileProgressXFTP":
      return try .rcvFileProgressXFTP(
        user: fields.get("user"), chatItem_: fields.get("chatItem_"), receivedSize: fields.get("receivedSize"),
        totalSize: fields.get("totalSize"), rcvFileTransfer: fields.get("rcvFileTransfer"))
    case "rcvFileComplete":
      return try .rcvFileComplete(
        user: fields.get("user"), chatItem: fields.get("chatItem"))
    case "rcvStandaloneFileComplete":
      return try .rcvStandaloneFileComplete(
        user: fields.get("user"), targetPath: fields.get("targetPath"), rcvFileTransfer: fields.get("rcvFileTransfer"))
    case "rcvFileSndCancelled":
      return try .rcvFileSndCancelled(
        user: fields.get("user"), chatItem: fields.get("chatItem"), rcvFileTransfer: fields.get("rcvFileTransfer"))
    case "rcvFileError":
      return try .rcvFileError(
        user: fields.get("user"), chatItem_: fields.get("chatItem_"), agentError: fields.get("agentError"),
        rcvFileTransfer: fields.get("rcvFileTransfer"))
    case "rcvFileWarning":
      return try .rcvFileWarning(
        user: fields.get("user"), chatItem_: fields.get("chatItem_"), agentError: fields.get("agentError"),
        rcvFileTransfer: fields.get("rcvFileTransfer"))
    default: return nil
    }
  }

  func writeReceivedFiles(to json: inout JSONWriter) -> Bool {
    switch self {
    case .rcvFileDescrReady(let user, let chatItem, let rcvFileTransfer, let rcvFileDescr):
      json.sum(
        "rcvFileDescrReady", "user", user, "chatItem", chatItem, "rcvFileTransfer", rcvFileTransfer, "rcvFileDescr",
        rcvFileDescr)
    case .rcvFileAccepted(let user, let chatItem): json.sum("rcvFileAccepted", "user", user, "chatItem", chatItem)
    case .rcvFileAcceptedSndCancelled(let user, let rcvFileTransfer):
      json.sum("rcvFileAcceptedSndCancelled", "user", user, "rcvFileTransfer", rcvFileTransfer)
    case .rcvFileStart(let user, let chatItem): json.sum("rcvFileStart", "user", user, "chatItem", chatItem)
    case .rcvFileProgressXFTP(let user, let chatItem_, let receivedSize, let totalSize, let rcvFileTransfer):
      json.beginSum("rcvFileProgressXFTP")
      json.field("user", user)
      json.field("chatItem_", chatItem_)
      json.field("receivedSize", receivedSize)
      json.field("totalSize", totalSize)
      json.field("rcvFileTransfer", rcvFileTransfer)
      json.endSum()
    case .rcvFileComplete(let user, let chatItem): json.sum("rcvFileComplete", "user", user, "chatItem", chatItem)
    case .rcvStandaloneFileComplete(let user, let targetPath, let rcvFileTransfer):
      json.sum("rcvStandaloneFileComplete", "user", user, "targetPath", targetPath, "rcvFileTransfer", rcvFileTransfer)
    case .rcvFileSndCancelled(let user, let chatItem, let rcvFileTransfer):
      json.sum("rcvFileSndCancelled", "user", user, "chatItem", chatItem, "rcvFileTransfer", rcvFileTransfer)
    case .rcvFileError(let user, let chatItem_, let agentError, let rcvFileTransfer):
      json.sum(
        "rcvFileError", "user", user, "chatItem_", chatItem_, "agentError", agentError, "rcvFileTransfer",
        rcvFileTransfer)
    case .rcvFileWarning(let user, let chatItem_, let agentError, let rcvFileTransfer):
      json.sum(
        "rcvFileWarning", "user", user, "chatItem_", chatItem_, "agentError", agentError, "rcvFileTransfer",
        rcvFileTransfer)
    default: return false
    }
    return true
  }
}
