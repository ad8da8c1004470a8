import SimplexJSON

extension ChatEvent {
  static func readSecurity(_ fields: inout JSONFields) throws(JSONError) -> ChatEvent? {
    switch fields.tag {
    case "contactSwitch":
      return try .contactSwitch(
        user: fields.get("user"), contact: fields.get("contact"), switchProgress: fields.get("switchProgress"))
    case "groupMemberSwitch":
      return try .groupMemberSwitch(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"),
        switchProgress: fields.get("switchProgress"))
    case "contactRatchetSync":
      return try .contactRatchetSync(
        user: fields.get("user"), contact: fields.get("contact"), ratchetSyncProgress: fields.get("ratchetSyncProgress")
      )
    case "groupMemberRatchetSync":
      return try .groupMemberRatchetSync(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"),
        ratchetSyncProgress: fields.get("ratchetSyncProgress"))
    case "contactPQEnabled":
      return try .contactPQEnabled(
        user: fields.get("user"), contact: fields.get("contact"), pqEnabled: fields.get("pqEnabled", default: false))
    default: return nil
    }
  }

  func writeSecurity(to json: inout JSONWriter) -> Bool {
    switch self {
    case .contactSwitch(let user, let contact, let switchProgress):
      json.sum("contactSwitch", "user", user, "contact", contact, "switchProgress", switchProgress)
    case .groupMemberSwitch(let user, let groupInfo, let member, let switchProgress):
      json.sum(
        "groupMemberSwitch", "user", user, "groupInfo", groupInfo, "member", member, "switchProgress", switchProgress)
    case .contactRatchetSync(let user, let contact, let ratchetSyncProgress):
      json.sum("contactRatchetSync", "user", user, "contact", contact, "ratchetSyncProgress", ratchetSyncProgress)
    case .groupMemberRatchetSync(let user, let groupInfo, let member, let ratchetSyncProgress):
      json.sum(
        "groupMemberRatchetSync", "user", user, "groupInfo", groupInfo, "member", member, "ratchetSyncProgress",
        ratchetSyncProgress)
    case .contactPQEnabled(let user, let contact, let pqEnabled):
      json.sum("contactPQEnabled", "user", user, "contact", contact, "pqEnabled", pqEnabled)
    default: return false
    }
    return true
  }
}
