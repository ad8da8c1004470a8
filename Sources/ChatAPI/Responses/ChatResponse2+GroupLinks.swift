import SimplexJSON

extension ChatResponse2 {
  static func readGroupLinks(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse2? {
    switch fields.tag {
    case "groupLinkCreated":
      return try .groupLinkCreated(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), groupLink: fields.get("groupLink"))
    case "groupLink":
      return try .groupLink(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), groupLink: fields.get("groupLink"))
    case "groupLinkDeleted":
      return try .groupLinkDeleted(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"))
    case "newMemberContact":
      return try .newMemberContact(
        user: fields.get("user"), contact: fields.get("contact"), groupInfo: fields.get("groupInfo"),
        member: fields.get("member"))
    case "newMemberContactSentInv":
      return try .newMemberContactSentInv(
        user: fields.get("user"), contact: fields.get("contact"), groupInfo: fields.get("groupInfo"),
        member: fields.get("member"))
    case "memberContactAccepted":
      return try .memberContactAccepted(
        user: fields.get("user"), contact: fields.get("contact"))
    case "publicGroupCreated":
      return try .publicGroupCreated(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), groupLink: fields.get("groupLink"),
        groupRelays: fields.get("groupRelays"))
    case "publicGroupCreationFailed":
      return try .publicGroupCreationFailed(
        user: fields.get("user"), addRelayResults: fields.get("addRelayResults"))
    case "groupRelays":
      return try .groupRelays(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), groupRelays: fields.get("groupRelays"))
    case "groupRelaysAdded":
      return try .groupRelaysAdded(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), groupLink: fields.get("groupLink"),
        groupRelays: fields.get("groupRelays"))
    case "groupRelaysAddFailed":
      return try .groupRelaysAddFailed(
        user: fields.get("user"), addRelayResults: fields.get("addRelayResults"))
    case "relayGroupAllowed":
      return try .relayGroupAllowed(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"))
    case "contactDomainVerified":
      return try .contactDomainVerified(
        user: fields.get("user"), contact: fields.get("contact"), verificationFailure: fields.get("verificationFailure")
      )
    case "groupDomainVerified":
      return try .groupDomainVerified(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"),
        verificationFailure: fields.get("verificationFailure"))
    default: return nil
    }
  }

  func writeGroupLinks(to json: inout JSONWriter) -> Bool {
    switch self {
    case .groupLinkCreated(let user, let groupInfo, let groupLink):
      json.sum("groupLinkCreated", "user", user, "groupInfo", groupInfo, "groupLink", groupLink)
    case .groupLink(let user, let groupInfo, let groupLink):
      json.sum("groupLink", "user", user, "groupInfo", groupInfo, "groupLink", groupLink)
    case .groupLinkDeleted(let user, let groupInfo): json.sum("groupLinkDeleted", "user", user, "groupInfo", groupInfo)
    case .newMemberContact(let user, let contact, let groupInfo, let member):
      json.sum("newMemberContact", "user", user, "contact", contact, "groupInfo", groupInfo, "member", member)
    case .newMemberContactSentInv(let user, let contact, let groupInfo, let member):
      json.sum("newMemberContactSentInv", "user", user, "contact", contact, "groupInfo", groupInfo, "member", member)
    case .memberContactAccepted(let user, let contact):
      json.sum("memberContactAccepted", "user", user, "contact", contact)
    case .publicGroupCreated(let user, let groupInfo, let groupLink, let groupRelays):
      json.sum(
        "publicGroupCreated", "user", user, "groupInfo", groupInfo, "groupLink", groupLink, "groupRelays", groupRelays)
    case .publicGroupCreationFailed(let user, let addRelayResults):
      json.sum("publicGroupCreationFailed", "user", user, "addRelayResults", addRelayResults)
    case .groupRelays(let user, let groupInfo, let groupRelays):
      json.sum("groupRelays", "user", user, "groupInfo", groupInfo, "groupRelays", groupRelays)
    case .groupRelaysAdded(let user, let groupInfo, let groupLink, let groupRelays):
      json.sum(
        "groupRelaysAdded", "user", user, "groupInfo", groupInfo, "groupLink", groupLink, "groupRelays", groupRelays)
    case .groupRelaysAddFailed(let user, let addRelayResults):
      json.sum("groupRelaysAddFailed", "user", user, "addRelayResults", addRelayResults)
    case .relayGroupAllowed(let user, let groupInfo):
      json.sum("relayGroupAllowed", "user", user, "groupInfo", groupInfo)
    case .contactDomainVerified(let user, let contact, let verificationFailure):
      json.sum("contactDomainVerified", "user", user, "contact", contact, "verificationFailure", verificationFailure)
    case .groupDomainVerified(let user, let groupInfo, let verificationFailure):
      json.sum("groupDomainVerified", "user", user, "groupInfo", groupInfo, "verificationFailure", verificationFailure)
    default: return false
    }
    return true
  }
}
