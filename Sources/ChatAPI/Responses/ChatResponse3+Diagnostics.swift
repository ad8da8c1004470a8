import SimplexJSON

extension ChatResponse3 {
  static func readDiagnostics(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse3? {
    switch fields.tag {
    case "connectionsDiff":
      return try .connectionsDiff(
        showIds: fields.get("showIds"), userIds: fields.get("userIds"), connIds: fields.get("connIds"))
    case "sQLResult": return try .sQLResult(rows: fields.get("rows"))
    case "slowSQLQueries":
      return try .slowSQLQueries(
        chatQueries: fields.get("chatQueries"), agentQueries: fields.get("agentQueries"))
    case "debugLocks":
      return try .debugLocks(
        chatLockName: fields.get("chatLockName"), chatEntityLocks: fields.get("chatEntityLocks"),
        agentLocks: fields.get("agentLocks"))
    case "agentWorkersDetails":
      return try .agentWorkersDetails(
        agentWorkersDetails: fields.get("agentWorkersDetails"))
    case "agentWorkersSummary":
      return try .agentWorkersSummary(
        agentWorkersSummary: fields.get("agentWorkersSummary"))
    case "agentSubs":
      return try .agentSubs(
        activeSubs: fields.get("activeSubs"), pendingSubs: fields.get("pendingSubs"),
        removedSubs: fields.get("removedSubs"))
    case "agentSubsDetails": return try .agentSubsDetails(agentSubs: fields.get("agentSubs"))
    case "agentQueuesInfo": return try .agentQueuesInfo(agentQueuesInfo: fields.get("agentQueuesInfo"))
    default: return nil
    }
  }

  func writeDiagnostics(to json: inout JSONWriter) -> Bool {
    switch self {
    case .connectionsDiff(let showIds, let userIds, let connIds):
      json.sum("connectionsDiff", "showIds", showIds, "userIds", userIds, "connIds", connIds)
    case .sQLResult(let rows): json.sum("sQLResult", "rows", rows)
    case .slowSQLQueries(let chatQueries, let agentQueries):
      json.sum("slowSQLQueries", "chatQueries", chatQueries, "agentQueries", agentQueries)
    case .debugLocks(let chatLockName, let chatEntityLocks, let agentLocks):
      json.sum("debugLocks", "chatLockName", chatLockName, "chatEntityLocks", chatEntityLocks, "agentLocks", agentLocks)
    case .agentWorkersDetails(let agentWorkersDetails):
      json.sum("agentWorkersDetails", "agentWorkersDetails", agentWorkersDetails)
    case .agentWorkersSummary(let agentWorkersSummary):
      json.sum("agentWorkersSummary", "agentWorkersSummary", agentWorkersSummary)
    case .agentSubs(let activeSubs, let pendingSubs, let removedSubs):
      json.sum("agentSubs", "activeSubs", activeSubs, "pendingSubs", pendingSubs, "removedSubs", removedSubs)
    case .agentSubsDetails(let agentSubs): json.sum("agentSubsDetails", "agentSubs", agentSubs)
    case .agentQueuesInfo(let agentQueuesInfo): json.sum("agentQueuesInfo", "agentQueuesInfo", agentQueuesInfo)
    default: return false
    }
    return true
  }
}
