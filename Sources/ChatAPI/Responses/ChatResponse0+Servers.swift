import SimplexJSON

extension ChatResponse0 {
  static func readServers(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse0? {
    switch fields.tag {
    case "serverTestResult":
      return try .serverTestResult(
        user: fields.get("user"), testServer: fields.get("testServer"), testFailure: fields.get("testFailure"))
    case "chatRelayTestResult":
      return try .chatRelayTestResult(
        user: fields.get("user"), relayProfile: fields.get("relayProfile"),
        relayTestFailure: fields.get("relayTestFailure"))
    case "serverOperatorConditions": return try .serverOperatorConditions(conditions: fields.get("conditions"))
    case "userServers":
      return try .userServers(
        user: fields.get("user"), userServers: fields.get("userServers"))
    case "userServersValidation":
      return try .userServersValidation(
        user: fields.get("user"), serverErrors: fields.get("serverErrors"), serverWarnings: fields.get("serverWarnings")
      )
    case "usageConditions":
      return try .usageConditions(
        usageConditions: fields.get("usageConditions"), conditionsText: fields.get("conditionsText"),
        acceptedConditions: fields.get("acceptedConditions"))
    case "chatItemTTL":
      return try .chatItemTTL(
        user: fields.get("user"), chatItemTTL: fields.get("chatItemTTL"))
    case "networkConfig": return try .networkConfig(networkConfig: fields.get("networkConfig"))
    case "queueInfo":
      return try .queueInfo(
        user: fields.get("user"), rcvMsgInfo: fields.get("rcvMsgInfo"), queueInfo: fields.get("queueInfo"))
    default: return nil
    }
  }

  func writeServers(to json: inout JSONWriter) -> Bool {
    switch self {
    case .serverTestResult(let user, let testServer, let testFailure):
      json.sum("serverTestResult", "user", user, "testServer", testServer, "testFailure", testFailure)
    case .chatRelayTestResult(let user, let relayProfile, let relayTestFailure):
      json.sum("chatRelayTestResult", "user", user, "relayProfile", relayProfile, "relayTestFailure", relayTestFailure)
    case .serverOperatorConditions(let conditions): json.sum("serverOperatorConditions", "conditions", conditions)
    case .userServers(let user, let userServers): json.sum("userServers", "user", user, "userServers", userServers)
    case .userServersValidation(let user, let serverErrors, let serverWarnings):
      json.sum("userServersValidation", "user", user, "serverErrors", serverErrors, "serverWarnings", serverWarnings)
    case .usageConditions(let usageConditions, let conditionsText, let acceptedConditions):
      json.sum(
        "usageConditions", "usageConditions", usageConditions, "conditionsText", conditionsText, "acceptedConditions",
        acceptedConditions)
    case .chatItemTTL(let user, let chatItemTTL): json.sum("chatItemTTL", "user", user, "chatItemTTL", chatItemTTL)
    case .networkConfig(let networkConfig): json.sum("networkConfig", "networkConfig", networkConfig)
    case .queueInfo(let user, let rcvMsgInfo, let queueInfo):
      json.sum("queueInfo", "user", user, "rcvMsgInfo", rcvMsgInfo, "queueInfo", queueInfo)
    default: return false
    }
    return true
  }
}
