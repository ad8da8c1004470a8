import SimplexJSON

extension ChatResponse2 {
  static func readSystem(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse2? {
    switch fields.tag {
    case "callInvitations": return try .callInvitations(callInvitations: fields.get("callInvitations"))
    case "ntfTokenStatus": return try .ntfTokenStatus(status: fields.get("status"))
    case "ntfToken":
      return try .ntfToken(
        token: fields.get("token"), status: fields.get("status"), ntfMode: fields.get("ntfMode"),
        ntfServer: fields.get("ntfServer"))
    case "ntfConns": return try .ntfConns(ntfConns: fields.get("ntfConns"))
    case "connNtfMessages": return try .connNtfMessages(receivedMsgs: fields.get("receivedMsgs"))
    case "remoteCtrlList": return try .remoteCtrlList(remoteCtrls: fields.get("remoteCtrls"))
    case "remoteCtrlConnecting":
      return try .remoteCtrlConnecting(
        remoteCtrl_: fields.get("remoteCtrl_"), ctrlAppInfo: fields.get("ctrlAppInfo"),
        appVersion: fields.get("appVersion"))
    case "remoteCtrlConnected":
      return try .remoteCtrlConnected(
        remoteCtrl: fields.get("remoteCtrl"), compression: fields.get("compression", default: false))
    case "versionInfo":
      return try .versionInfo(
        versionInfo: fields.get("versionInfo"), chatMigrations: fields.get("chatMigrations"),
        agentMigrations: fields.get("agentMigrations"))
    case "cmdOk": return try .cmdOk(user_: fields.get("user_"))
    case "chatCmdError": return try .chatCmdError(chatError: fields.get("chatError"))
    case "agentSubsTotal":
      return try .agentSubsTotal(
        user: fields.get("user"), subsTotal: fields.get("subsTotal"), hasSession: fields.get("hasSession"))
    case "agentServersSummary":
      return try .agentServersSummary(
        user: fields.get("user"), serversSummary: fields.get("serversSummary"))
    case "agentSubsSummary":
      return try .agentSubsSummary(
        user: fields.get("user"), subsSummary: fields.get("subsSummary"))
    case "archiveExported": return try .archiveExported(archiveErrors: fields.get("archiveErrors"))
    case "archiveImported": return try .archiveImported(archiveErrors: fields.get("archiveErrors"))
    case "appSettings": return try .appSettings(appSettings: fields.get("appSettings"))
    default: return nil
    }
  }

  func writeSystem(to json: inout JSONWriter) -> Bool {
    switch self {
    case .callInvitations(let callInvitations): json.sum("callInvitations", "callInvitations", callInvitations)
    case .ntfTokenStatus(let status): json.sum("ntfTokenStatus", "status", status)
    case .ntfToken(let token, let status, let ntfMode, let ntfServer):
      json.sum("ntfToken", "token", token, "status", status, "ntfMode", ntfMode, "ntfServer", ntfServer)
    case .ntfConns(let ntfConns): json.sum("ntfConns", "ntfConns", ntfConns)
    case .connNtfMessages(let receivedMsgs): json.sum("connNtfMessages", "receivedMsgs", receivedMsgs)
    case .remoteCtrlList(let remoteCtrls): json.sum("remoteCtrlList", "remoteCtrls", remoteCtrls)
    case .remoteCtrlConnecting(let remoteCtrl_, let ctrlAppInfo, let appVersion):
      json.sum("remoteCtrlConnecting", "remoteCtrl_", remoteCtrl_, "ctrlAppInfo", ctrlAppInfo, "appVersion", appVersion)
    case .remoteCtrlConnected(let remoteCtrl, let compression):
      json.sum("remoteCtrlConnected", "remoteCtrl", remoteCtrl, "compression", compression)
    case .versionInfo(let versionInfo, let chatMigrations, let agentMigrations):
      json.sum(
        "versionInfo", "versionInfo", versionInfo, "chatMigrations", chatMigrations, "agentMigrations", agentMigrations)
    case .cmdOk(let user_): json.sum("cmdOk", "user_", user_)
    case .chatCmdError(let chatError): json.sum("chatCmdError", "chatError", chatError)
    case .agentSubsTotal(let user, let subsTotal, let hasSession):
      json.sum("agentSubsTotal", "user", user, "subsTotal", subsTotal, "hasSession", hasSession)
    case .agentServersSummary(let user, let serversSummary):
      json.sum("agentServersSummary", "user", user, "serversSummary", serversSummary)
    case .agentSubsSummary(let user, let subsSummary):
      json.sum("agentSubsSummary", "user", user, "subsSummary", subsSummary)
    case .archiveExported(let archiveErrors): json.sum("archiveExported", "archiveErrors", archiveErrors)
    case .archiveImported(let archiveErrors): json.sum("archiveImported", "archiveErrors", archiveErrors)
    case .appSettings(let appSettings): json.sum("appSettings", "appSettings", appSettings)
    default: return false
    }
    return true
  }
}
