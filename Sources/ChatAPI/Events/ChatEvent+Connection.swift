import SimplexJSON

extension ChatEvent {
  static func readConnection(_ fields: inout JSONFields) throws(JSONError) -> ChatEvent? {
    switch fields.tag {
    case "contactConnected":
      return try .contactConnected(
        user: fields.get("user"), contact: fields.get("contact"), userCustomProfile: fields.get("userCustomProfile"))
    case "contactConnecting":
      return try .contactConnecting(
        user: fields.get("user"), contact: fields.get("contact"))
    case "contactSndReady":
      return try .contactSndReady(
        user: fields.get("user"), contact: fields.get("contact"))
    case "contactAnotherClient":
      return try .contactAnotherClient(
        user: fields.get("user"), contact: fields.get("contact"))
    case "contactDeletedByContact":
      return try .contactDeletedByContact(
        user: fields.get("user"), contact: fields.get("contact"))
    case "contactUpdated":
      return try .contactUpdated(
        user: fields.get("user"), fromContact: fields.get("fromContact"), toContact: fields.get("toContact"))
    case "receivedContactRequest":
      return try .receivedContactRequest(
        user: fields.get("user"), contactRequest: fields.get("contactRequest"), chat_: fields.get("chat_"))
    case "acceptingContactRequest":
      return try .acceptingContactRequest(
        user: fields.get("user"), contact: fields.get("contact"))
    case "acceptingBusinessRequest":
      return try .acceptingBusinessRequest(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"))
    case "contactRequestAlreadyAccepted":
      return try .contactRequestAlreadyAccepted(
        user: fields.get("user"), contact: fields.get("contact"))
    case "businessRequestAlreadyAccepted":
      return try .businessRequestAlreadyAccepted(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"))
    case "contactDisabled":
      return try .contactDisabled(
        user: fields.get("user"), contact: fields.get("contact"))
    case "subscriptionStatus":
      return try .subscriptionStatus(
        server: fields.get("server"), subscriptionStatus: fields.get("subscriptionStatus"),
        connections: fields.get("connections"))
    case "subscriptionEnd":
      return try .subscriptionEnd(
        user: fields.get("user"), connectionEntity: fields.get("connectionEntity"))
    case "serviceSubStatus":
      return try .serviceSubStatus(
        server: fields.get("server"), serviceSubEvent: fields.get("serviceSubEvent"))
    case "connectionsDiff":
      return try .connectionsDiff(
        userIds: fields.get("userIds"), connIds: fields.get("connIds"))
    case "connectionDisabled": return try .connectionDisabled(connectionEntity: fields.get("connectionEntity"))
    case "connectionInactive":
      return try .connectionInactive(
        connectionEntity: fields.get("connectionEntity"), inactive: fields.get("inactive"))
    default: return nil
    }
  }

  func writeConnection(to json: inout JSONWriter) -> Bool {
    switch self {
    case .contactConnected(let user, let contact, let userCustomProfile):
      json.sum("contactConnected", "user", user, "contact", contact, "userCustomProfile", userCustomProfile)
    case .contactConnecting(let user, let contact): json.sum("contactConnecting", "user", user, "contact", contact)
    case .contactSndReady(let user, let contact): json.sum("contactSndReady", "user", user, "contact", contact)
    case .contactAnotherClient(let user, let contact):
      json.sum("contactAnotherClient", "user", user, "contact", contact)
    case .contactDeletedByContact(let user, let contact):
      json.sum("contactDeletedByContact", "user", user, "contact", contact)
    case .contactUpdated(let user, let fromContact, let toContact):
      json.sum("contactUpdated", "user", user, "fromContact", fromContact, "toContact", toContact)
    case .receivedContactRequest(let user, let contactRequest, let chat_):
      json.sum("receivedContactRequest", "user", user, "contactRequest", contactRequest, "chat_", chat_)
    case .acceptingContactRequest(let user, let contact):
      json.sum("acceptingContactRequest", "user", user, "contact", contact)
    case .acceptingBusinessRequest(let user, let groupInfo):
      json.sum("acceptingBusinessRequest", "user", user, "groupInfo", groupInfo)
    case .contactRequestAlreadyAccepted(let user, let contact):
      json.sum("contactRequestAlreadyAccepted", "user", user, "contact", contact)
    case .businessRequestAlreadyAccepted(let user, let groupInfo):
      json.sum("businessRequestAlreadyAccepted", "user", user, "groupInfo", groupInfo)
    case .contactDisabled(let user, let contact): json.sum("contactDisabled", "user", user, "contact", contact)
    case .subscriptionStatus(let server, let subscriptionStatus, let connections):
      json.sum(
        "subscriptionStatus", "server", server, "subscriptionStatus", subscriptionStatus, "connections", connections)
    case .subscriptionEnd(let user, let connectionEntity):
      json.sum("subscriptionEnd", "user", user, "connectionEntity", connectionEntity)
    case .serviceSubStatus(let server, let serviceSubEvent):
      json.sum("serviceSubStatus", "server", server, "serviceSubEvent", serviceSubEvent)
    case .connectionsDiff(let userIds, let connIds): json.sum("connectionsDiff", "userIds", userIds, "connIds", connIds)
    case .connectionDisabled(let connectionEntity): json.sum("connectionDisabled", "connectionEntity", connectionEntity)
    case .connectionInactive(let connectionEntity, let inactive):
      json.sum("connectionInactive", "connectionEntity", connectionEntity, "inactive", inactive)
    default: return false
    }
    return true
  }
}
