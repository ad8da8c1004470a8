import SimplexJSON

extension ChatEvent {
  static func readSystem(_ fields: inout JSONFields) throws(JSONError) -> ChatEvent? {
    switch fields.tag {
    case "chatSuspended": return .chatSuspended
    case "ntfMessage":
      return try .ntfMessage(
        user: fields.get("user"), connEntity: fields.get("connEntity"), ntfMessage: fields.get("ntfMessage"))
    case "hostConnected":
      return try .hostConnected(
        protocol: fields.get("protocol"), transportHost: fields.get("transportHost"))
    case "hostDisconnected":
      return try .hostDisconnected(
        protocol: fields.get("protocol"), transportHost: fields.get("transportHost"))
    case "agentRcvQueuesDeleted":
      return try .agentRcvQueuesDeleted(
        deletedRcvQueues: fields.get("deletedRcvQueues"))
    case "agentConnsDeleted": return try .agentConnsDeleted(agentConnIds: fields.get("agentConnIds"))
    case "agentUserDeleted": return try .agentUserDeleted(agentUserId: fields.get("agentUserId"))
    case "messageError":
      return try .messageError(
        user: fields.get("user"), severity: fields.get("severity"), errorMessage: fields.get("errorMessage"))
    case "chatErrors": return try .chatErrors(chatErrors: fields.get("chatErrors"))
    case "chatError": return try .chatError(chatError: fields.get("chatError"))
    case "timedAction":
      return try .timedAction(
        action: fields.get("action"), durationMilliseconds: fields.get("durationMilliseconds"))
    case "customChatEvent":
      return try .customChatEvent(
        user_: fields.get("user_"), response: fields.get("response"))
    default: return nil
    }
  }

  func writeSystem(to json: inout JSONWriter) -> Bool {
    switch self {
    case .chatSuspended: json.tag("chatSuspended")
    case .ntfMessage(let user, let connEntity, let ntfMessage):
      json.sum("ntfMessage", "user", user, "connEntity", connEntity, "ntfMessage", ntfMessage)
    case .hostConnected(let `protocol`, let transportHost):
      json.sum("hostConnected", "protocol", `protocol`, "transportHost", transportHost)
    case .hostDisconnected(let `protocol`, let transportHost):
      json.sum("hostDisconnected", "protocol", `protocol`, "transportHost", transportHost)
    case .agentRcvQueuesDeleted(let deletedRcvQueues):
      json.sum("agentRcvQueuesDeleted", "deletedRcvQueues", deletedRcvQueues)
    case .agentConnsDeleted(let agentConnIds): json.sum("agentConnsDeleted", "agentConnIds", agentConnIds)
    case .agentUserDeleted(let agentUserId): json.sum("agentUserDeleted", "agentUserId", agentUserId)
    case .messageError(let user, let severity, let errorMessage):
      json.sum("messageError", "user", user, "severity", severity, "errorMessage", errorMessage)
    case .chatErrors(let chatErrors): json.sum("chatErrors", "chatErrors", chatErrors)
    case .chatError(let chatError): json.sum("chatError", "chatError", chatError)
    case .timedAction(let action, let durationMilliseconds):
      json.sum("timedAction", "action", action, "durationMilliseconds", durationMilliseconds)
    case .customChatEvent(let user_, let response): json.sum("customChatEvent", "user_", user_, "response", response)
    default: return false
    }
    return true
  }
}
