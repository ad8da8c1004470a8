import SimplexJSON

extension ChatEvent {
  static func readRemote(_ fields: inout JSONFields) throws(JSONError) -> ChatEvent? {
    switch fields.tag {
    case "remoteCtrlFound":
      return try .remoteCtrlFound(
        remoteCtrl: fields.get("remoteCtrl"), ctrlAppInfo_: fields.get("ctrlAppInfo_"),
        appVersion: fields.get("appVersion"), compatible: fields.get("compatible"))
    case "remoteCtrlSessionCode":
      return try .remoteCtrlSessionCode(
        remoteCtrl_: fields.get("remoteCtrl_"), sessionCode: fields.get("sessionCode"))
    case "remoteCtrlStopped":
      return try .remoteCtrlStopped(
        rcsState: fields.get("rcsState"), rcStopReason: fields.get("rcStopReason"))
    case "newRemoteHost": return try .newRemoteHost(remoteHost: fields.get("remoteHost"))
    case "remoteHostSessionCode":
      return try .remoteHostSessionCode(
        remoteHost_: fields.get("remoteHost_"), sessionCode: fields.get("sessionCode"))
    case "remoteHostConnected":
      return try .remoteHostConnected(
        remoteHost: fields.get("remoteHost"), compression: fields.get("compression", default: false))
    case "remoteHostStopped":
      return try .remoteHostStopped(
        remoteHostId_: fields.get("remoteHostId_"), rhsState: fields.get("rhsState"),
        rhStopReason: fields.get("rhStopReason"))
    default: return nil
    }
  }

  func writeRemote(to json: inout JSONWriter) -> Bool {
    switch self {
    case .remoteCtrlFound(let remoteCtrl, let ctrlAppInfo_, let appVersion, let compatible):
      json.sum(
        "remoteCtrlFound", "remoteCtrl", remoteCtrl, "ctrlAppInfo_", ctrlAppInfo_, "appVersion", appVersion,
        "compatible", compatible)
    case .remoteCtrlSessionCode(let remoteCtrl_, let sessionCode):
      json.sum("remoteCtrlSessionCode", "remoteCtrl_", remoteCtrl_, "sessionCode", sessionCode)
    case .remoteCtrlStopped(let rcsState, let rcStopReason):
      json.sum("remoteCtrlStopped", "rcsState", rcsState, "rcStopReason", rcStopReason)
    case .newRemoteHost(let remoteHost): json.sum("newRemoteHost", "remoteHost", remoteHost)
    case .remoteHostSessionCode(let remoteHost_, let sessionCode):
      json.sum("remoteHostSessionCode", "remoteHost_", remoteHost_, "sessionCode", sessionCode)
    case .remoteHostConnected(let remoteHost, let compression):
      json.sum("remoteHostConnected", "remoteHost", remoteHost, "compression", compression)
    case .remoteHostStopped(let remoteHostId_, let rhsState, let rhStopReason):
      json.sum("remoteHostStopped", "remoteHostId_", remoteHostId_, "rhsState", rhsState, "rhStopReason", rhStopReason)
    default: return false
    }
    return true
  }
}
