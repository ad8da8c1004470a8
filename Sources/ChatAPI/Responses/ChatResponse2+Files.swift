import SimplexJSON

extension ChatResponse2 {
  static func readFiles(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse2? {
    switch fields.tag {
    case "rcvFileAccepted":
      return try .rcvFileAccepted(
        user: fields.get("user"), chatItem: fields.get("chatItem"))
    case "rcvFileAcceptedSndCancelled":
      return try .rcvFileAcceptedSndCancelled(
        user: fields.get("user"), rcvFileTransfer: fields.get("rcvFileTransfer"))
    case "standaloneFileInfo": return try .standaloneFileInfo(fileMeta: fields.get("fileMeta"))
    case "rcvStandaloneFileCreated":
      return try .rcvStandaloneFileCreated(
        user: fields.get("user"), rcvFileTransfer: fields.get("rcvFileTransfer"))
    case "rcvFileCancelled":
      return try .rcvFileCancelled(
        user: fields.get("user"), chatItem_: fields.get("chatItem_"), rcvFileTransfer: fields.get("rcvFileTransfer"))
    case "sndFileCancelled":
      return try .sndFileCancelled(
        user: fields.get("user"), chatItem_: fields.get("chatItem_"), fileTransferMeta: fields.get("fileTransferMeta"),
        sndFileTransfers: fields.get("sndFileTransfers"))
    case "sndStandaloneFileCreated":
      return try .sndStandaloneFileCreated(
        user: fields.get("user"), fileTransferMeta: fields.get("fileTransferMeta"))
    default: return nil
    }
  }

  func writeFiles(to json: inout JSONWriter) -> Bool {
    switch self {
    case .rcvFileAccepted(let user, let chatItem): json.sum("rcvFileAccepted", "user", user, "chatItem", chatItem)
    case .rcvFileAcceptedSndCancelled(let user, let rcvFileTransfer):
      json.sum("rcvFileAcceptedSndCancelled", "user", user, "rcvFileTransfer", rcvFileTransfer)
    case .standaloneFileInfo(let fileMeta): json.sum("standaloneFileInfo", "fileMeta", fileMeta)
    case .rcvStandaloneFileCreated(let user, let rcvFileTransfer):
      json.sum("rcvStandaloneFileCreated", "user", user, "rcvFileTransfer", rcvFileTransfer)
    case .rcvFileCancelled(let user, let chatItem_, let rcvFileTransfer):
      json.sum("rcvFileCancelled", "user", user, "chatItem_", chatItem_, "rcvFileTransfer", rcvFileTransfer)
    case .sndFileCancelled(let user, let chatItem_, let fileTransferMeta, let sndFileTransfers):
      json.sum(
        "sndFileCancelled", "user", user, "chatItem_", chatItem_, "fileTransferMeta", fileTransferMeta,
        "sndFileTransfers", sndFileTransfers)
    case .sndStandaloneFileCreated(let user, let fileTransferMeta):
      json.sum("sndStandaloneFileCreated", "user", user, "fileTransferMeta", fileTransferMeta)
    default: return false
    }
    return true
  }
}
