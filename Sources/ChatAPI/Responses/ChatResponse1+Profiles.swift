import SimplexJSON

extension ChatResponse1 {
  static func readProfiles(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse1? {
    switch fields.tag {
    case "userProfileNoChange": return try .userProfileNoChange(user: fields.get("user"))
    case "userProfileUpdated":
      return try .userProfileUpdated(
        user: fields.get("user"), fromProfile: fields.get("fromProfile"), toProfile: fields.get("toProfile"),
        updateSummary: fields.get("updateSummary"))
    case "userPrivacy":
      return try .userPrivacy(
        user: fields.get("user"), updatedUser: fields.get("updatedUser"))
    case "userContactLink":
      return try .userContactLink(
        user: fields.get("user"), contactLink: fields.get("contactLink"))
    case "userContactLinkUpdated":
      return try .userContactLinkUpdated(
        user: fields.get("user"), contactLink: fields.get("contactLink"))
    case "userContactLinkCreated":
      return try .userContactLinkCreated(
        user: fields.get("user"), connLinkContact: fields.get("connLinkContact"))
    case "userContactLinkDeleted": return try .userContactLinkDeleted(user: fields.get("user"))
    default: return nil
    }
  }

  func writeProfiles(to json: inout JSONWriter) -> Bool {
    switch self {
    case .userProfileNoChange(let user): json.sum("userProfileNoChange", "user", user)
    case .userProfileUpdated(let user, let fromProfile, let toProfile, let updateSummary):
      json.sum(
        "userProfileUpdated", "user", user, "fromProfile", fromProfile, "toProfile", toProfile, "updateSummary",
        updateSummary)
    case .userPrivacy(let user, let updatedUser): json.sum("userPrivacy", "user", user, "updatedUser", updatedUser)
    case .userContactLink(let user, let contactLink):
      json.sum("userContactLink", "user", user, "contactLink", contactLink)
    case .userContactLinkUpdated(let user, let contactLink):
      json.sum("userContactLinkUpdated", "user", user, "contactLink", contactLink)
    case .userContactLinkCreated(let user, let connLinkContact):
      json.sum("userContactLinkCreated", "user", user, "connLinkContact", connLinkContact)
    case .userContactLinkDeleted(let user): json.sum("userContactLinkDeleted", "user", user)
    default: return false
    }
    return true
  }
}
