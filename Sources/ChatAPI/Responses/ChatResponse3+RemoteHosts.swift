import SimplexJSON

extension ChatResponse3 {
  static func readRemoteHosts(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse3? {
    switch fields.tag {
    case "remoteHostList": return try .remoteHostList(remoteHosts: fields.get("remoteHosts"))
    case "currentRemoteHost": return try .currentRemoteHost(remoteHost_: fields.get("remoteHost_"))
    case "remoteHostStarted":
      return try .remoteHostStarted(
        remoteHost_: fields.get("remoteHost_"), invitation: fields.get("invitation"), ctrlPort: fields.get("ctrlPort"),
        localAddrs: fields.get("localAddrs"))
    case "remoteFileStored":
      return try .remoteFileStored(
        remoteHostId: fields.get("remoteHostId"), remoteFileSource: fields.get("remoteFileSource"))
    default: return nil
    }
  }

  func writeRemoteHosts(to json: inout JSONWriter) -> Bool {
    switch self {
    case .remoteHostList(let remoteHosts): json.sum("remoteHostList", "remoteHosts", remoteHosts)
    case .currentRemoteHost(let remoteHost_): json.sum("currentRemoteHost", "remoteHost_", remoteHost_)
    case .remoteHostStarted(let remoteHost_, let invitation, let ctrlPort, let localAddrs):
      json.sum(
        "remoteHostStarted", "remoteHost_", remoteHost_, "invitation", invitation, "ctrlPort", ctrlPort, "localAddrs",
        localAddrs)
    case .remoteFileStored(let remoteHostId, let remoteFileSource):
      json.sum("remoteFileStored", "remoteHostId", remoteHostId, "remoteFileSource", remoteFileSource)
    default: return false
    }
    return true
  }
}
