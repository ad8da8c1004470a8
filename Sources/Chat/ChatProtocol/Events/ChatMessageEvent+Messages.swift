import AgentProtocol
import SimplexJSON

// Messages, reactions and files.

extension ChatMessageEvent {
  static func readMessage(_ tag: String, _ params: inout JSONFields) throws(JSONError) -> ChatMessageEvent? {
    switch tag {
    case "x.msg.new": return .msgNew(try MsgContainer(members: &params))
    case "x.msg.file.descr":
      return try .msgFileDescr(msgId: params.get("msgId"), fileDescr: params.get("fileDescr"))
    case "x.msg.update": return .msgUpdate(try MsgUpdate(members: &params))
    case "x.msg.del":
      return try .msgDel(
        msgId: params.get("msgId"), memberId: params.get("memberId"), scope: params.get("scope"),
        onlyHistory: params.get("onlyHistory", default: false))
    case "x.msg.deleted": return .msgDeleted
    case "x.msg.react":
      return try .msgReact(
        msgId: params.get("msgId"), memberId: params.get("memberId"), scope: params.get("scope"),
        reaction: params.get("reaction"), add: params.get("add"))
    case "x.file": return .file(try params.get("file"))
    case "x.file.acpt": return .fileAcpt(fileName: try params.get("fileName"))
    case "x.file.acpt.inv":
      return try .fileAcptInv(
        msgId: params.get("msgId"),
        fileConnReq: params.getIfPresent("fileConnReq", ConnectionRequest.invitationTextCodec),
        fileName: params.get("fileName"))
    case "x.file.cancel": return .fileCancel(msgId: try params.get("msgId"))
    default: return nil
    }
  }

  func writeMessage(to json: inout JSONWriter) -> Bool {
    switch self {
    case .msgNew(let message): message.encodeMembers(to: &json)
    case .msgFileDescr(let msgId, let fileDescr):
      json.field("msgId", msgId)
      json.field("fileDescr", fileDescr)
    case .msgUpdate(let update): update.encodeMembers(to: &json)
    case .msgDel(let msgId, let memberId, let scope, let onlyHistory):
      json.field("msgId", msgId)
      json.field("memberId", memberId)
      json.field("scope", scope)
      if onlyHistory { json.field("onlyHistory", true) }
    case .msgDeleted: break
    case .msgReact(let msgId, let memberId, let scope, let reaction, let add):
      json.field("msgId", msgId)
      json.field("memberId", memberId)
      json.field("scope", scope)
      json.field("reaction", reaction)
      json.field("add", add)
    case .file(let file): json.field("file", file)
    case .fileAcpt(let fileName): json.field("fileName", fileName)
    case .fileAcptInv(let msgId, let fileConnReq, let fileName):
      json.field("msgId", msgId)
      json.field("fileConnReq", fileConnReq, ConnectionRequest.invitationTextCodec)
      json.field("fileName", fileName)
    case .fileCancel(let msgId): json.field("msgId", msgId)
    default: return false
    }
    return true
  }
}
