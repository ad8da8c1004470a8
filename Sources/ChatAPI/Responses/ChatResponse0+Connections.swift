import SimplexJSON

extension ChatResponse0 {
  static func readConnections(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse0? {
    switch fields.tag {
    case "contactInfo":
      return try .contactInfo(
        user: fields.get("user"), contact: fields.get("contact"), connectionStats_: fields.get("connectionStats_"),
        customUserProfile: fields.get("customUserProfile"))
    case "groupInfo": return try .groupInfo(user: fields.get("user"), groupInfo: fields.get("groupInfo"))
    case "groupMemberInfo":
      return try .groupMemberInfo(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"),
        connectionStats_: fields.get("connectionStats_"))
    case "contactSwitchStarted":
      return try .contactSwitchStarted(
        user: fields.get("user"), contact: fields.get("contact"), connectionStats: fields.get("connectionStats"))
    case "groupMemberSwitchStarted":
      return try .groupMemberSwitchStarted(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"),
        connectionStats: fields.get("connectionStats"))
    case "contactSwitchAborted":
      return try .contactSwitchAborted(
        user: fields.get("user"), contact: fields.get("contact"), connectionStats: fields.get("connectionStats"))
    case "groupMemberSwitchAborted":
      return try .groupMemberSwitchAborted(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"),
        connectionStats: fields.get("connectionStats"))
    case "contactRatchetSyncStarted":
      return try .contactRatchetSyncStarted(
        user: fields.get("user"), contact: fields.get("contact"), connectionStats: fields.get("connectionStats"))
    case "groupMemberRatchetSyncStarted":
      return try .groupMemberRatchetSyncStarted(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"),
        connectionStats: fields.get("connectionStats"))
    case "contactCode":
      return try .contactCode(
        user: fields.get("user"), contact: fields.get("contact"), connectionCode: fields.get("connectionCode"))
    case "groupMemberCode":
      return try .groupMemberCode(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"),
        connectionCode: fields.get("connectionCode"))
    case "connectionVerified":
      return try .connectionVerified(
        user: fields.get("user"), verified: fields.get("verified"), expectedCode: fields.get("expectedCode"))
    default: return nil
    }
  }

  func writeConnections(to json: inout JSONWriter) -> Bool {
    switch self {
    case .contactInfo(let user, let contact, let connectionStats_, let customUserProfile):
      json.sum(
        "contactInfo", "user", user, "contact", contact, "connectionStats_", connectionStats_, "customUserProfile",
        customUserProfile)
    case .groupInfo(let user, let groupInfo): json.sum("groupInfo", "user", user, "groupInfo", groupInfo)
    case .groupMemberInfo(let user, let groupInfo, let member, let connectionStats_):
      json.sum(
        "groupMemberInfo", "user", user, "groupInfo", groupInfo, "member", member, "connectionStats_", connectionStats_)
    case .contactSwitchStarted(let user, let contact, let connectionStats):
      json.sum("contactSwitchStarted", "user", user, "contact", contact, "connectionStats", connectionStats)
    case .groupMemberSwitchStarted(let user, let groupInfo, let member, let connectionStats):
      json.sum(
        "groupMemberSwitchStarted", "user", user, "groupInfo", groupInfo, "member", member, "connectionStats",
        connectionStats)
    case .contactSwitchAborted(let user, let contact, let connectionStats):
      json.sum("contactSwitchAborted", "user", user, "contact", contact, "connectionStats", connectionStats)
    case .groupMemberSwitchAborted(let user, let groupInfo, let member, let connectionStats):
      json.sum(
        "groupMemberSwitchAborted", "user", user, "groupInfo", groupInfo, "member", member, "connectionStats",
        connectionStats)
    case .contactRatchetSyncStarted(let user, let contact, let connectionStats):
      json.sum("contactRatchetSyncStarted", "user", user, "contact", contact, "connectionStats", connectionStats)
    case .groupMemberRatchetSyncStarted(let user, let groupInfo, let member, let connectionStats):
      json.sum(
        "groupMemberRatchetSyncStarted", "user", user, "groupInfo", groupInfo, "member", member, "connectionStats",
        connectionStats)
    case .contactCode(let user, let contact, let connectionCode):
      json.sum("contactCode", "user", user, "contact", contact, "connectionCode", connectionCode)
    case .groupMemberCode(let user, let groupInfo, let member, let connectionCode):
      json.sum(
        "groupMemberCode", "user", user, "groupInfo", groupInfo, "member", member, "connectionCode", connectionCode)
    case .connectionVerified(let user, let verified, let expectedCode):
      json.sum("connectionVerified", "user", user, "verified", verified, "expectedCode", expectedCode)
    default: return false
    }
    return true
  }
}
