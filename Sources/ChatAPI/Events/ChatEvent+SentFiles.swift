import SimplexJSON

extension ChatEvent {
  static func readSentFiles(_ fields: inout JSONFields) throws(JSONError) -> ChatEvent? {
    switch fields.tag {
    case "sndFileStart":
      return try .sndFileStart(
        user: fields.get("user"), chatItem: fields.get("chatItem"), sndFileTransfer: fields.get("sndFileTransfer"))
    case "sndFileComplete":
      return try .sndFileComplete(
        user: fields.get("user"), chatItem: fields.get("chatItem"), sndFileTransfer: fields.get("sndFileTransfer"))
    case "sndFileRcvCancelled":
      return try .sndFileRcvCancelled(
        user: fields.get("user"), chatItem_: fields.get("chatItem_"), sndFileTransfer: fields.get("sndFileTransfer"))
    case "sndFileProgressXFTP":
      return try .sndFileProgressXFTP(
        user: fields.get("user"), chatItem_: fields.get("chatItem_"), fileTransferMeta: fields.get("fileTransferMeta"),
        sentSize: fields.get("sentSize"), totalSize: fields.get("totalSize"))
    case "sndFileRedirectStartXFTP":
      return try .sndFileRedirectStartXFTP(
        user: fields.get("user"), fileTransferMeta: fields.get("fileTransferMeta"),
        redirectMeta: fields.get("redirectMeta"))
    case "sndFileCompleteXFTP":
      return try .sndFileCompleteXFTP(
        user: fields.get("user"), chatItem: fields.get("chatItem"), fileTransferMeta: fields.get("fileTransferMeta"))
    case "sndStandaloneFileComplete":
      return try .sndStandaloneFileComplete(
        user: fields.get("user"), fileTransferMeta: fields.get("fileTransferMeta"), rcvURIs: fields.get("rcvURIs"))
    case "sndFileError":
      return try .sndFileError(
        user: fields.get("user"), chatItem_: fields.get("chatItem_"), fileTransferMeta: fields.get("fileTransferMeta"),
        errorMessage: fields.get("errorMessage"))
    case "sndFileWarning":
      return try .sndFileWarning(
        user: fields.get("user"), chatItem_: fields.get("chatItem_"), fileTransferMeta: fields.get("fileTransferMeta"),
        errorMessage: fields.get("errorMessage"))
    default: return nil
    }
  }

  func writeSentFiles(to json: inout JSONWriter) -> Bool {
    switch self {
    case .sndFileStart(let user, let chatItem, let sndFileTransfer):
      json.sum("sndFileStart", "user", user, "chatItem", chatItem, "sndFileTransfer", sndFileTransfer)
    case .sndFileComplete(let user, let chatItem, let sndFileTransfer):
      json.sum("sndFileComplete", "user", user, "chatItem", chatItem, "sndFileTransfer", sndFileTransfer)
    case .sndFileRcvCancelled(let user, let chatItem_, let sndFileTransfer):
      json.sum("sndFileRcvCancelled", "user", user, "chatItem_", chatItem_, "sndFileTransfer", sndFileTransfer)
    case .sndFileProgressXFTP(let user, let chatItem_, let fileTransferMeta, let sentSize, let totalSize):
      json.beginSum("sndFileProgressXFTP")
      json.field("user", user)
      json.field("chatItem_", chatItem_)
      json.field("fileTransferMeta", fileTransferMeta)
      json.field("sentSize", sentSize)
      json.field("totalSize", totalSize)
      json.endSum()
    case .sndFileRedirectStartXFTP(let user, let fileTransferMeta, let redirectMeta):
      json.sum(
        "sndFileRedirectStartXFTP", "user", user, "fileTransferMeta", fileTransferMeta, "redirectMeta", redirectMeta)
    case .sndFileCompleteXFTP(let user, let chatItem, let fileTransferMeta):
      json.sum("sndFileCompleteXFTP", "user", user, "chatItem", chatItem, "fileTransferMeta", fileTransferMeta)
    case .sndStandaloneFileComplete(let user, let fileTransferMeta, let rcvURIs):
      json.sum("sndStandaloneFileComplete", "user", user, "fileTransferMeta", fileTransferMeta, "rcvURIs", rcvURIs)
    case .sndFileError(let user, let chatItem_, let fileTransferMeta, let errorMessage):
      json.sum(
        "sndFileError", "user", user, "chatItem_", chatItem_, "fileTransferMeta", fileTransferMeta, "errorMessage",
        errorMessage)
    case .sndFileWarning(let user, let chatItem_, let fileTransferMeta, let errorMessage):
      json.sum(
        "sndFileWarning", "user", user, "chatItem_", chatItem_, "fileTransferMeta", fileTransferMeta, "errorMessage",
        errorMessage)
    default: return false
    }
    return true
  }
}
