import SimplexJSON

extension ChatResponse1 {
  static func readConnecting(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse1? {
    switch fields.tag {
    case "invitation":
      return try .invitation(
        user: fields.get("user"), connLinkInvitation: fields.get("connLinkInvitation"),
        connection: fields.get("connection"))
    case "connectionIncognitoUpdated":
      return try .connectionIncognitoUpdated(
        user: fields.get("user"), toConnection: fields.get("toConnection"),
        customUserProfile: fields.get("customUserProfile"))
    case "connectionUserChanged":
      return try .connectionUserChanged(
        user: fields.get("user"), fromConnection: fields.get("fromConnection"),
        toConnection: fields.get("toConnection"), newUser: fields.get("newUser"))
    case "connectionPlan":
      return try .connectionPlan(
        user: fields.get("user"), connLink: fields.get("connLink"), planSimplexName: fields.get("planSimplexName"),
        otherSimplexName: fields.get("otherSimplexName"), connectionPlan: fields.get("connectionPlan"))
    case "newPreparedChat": return try .newPreparedChat(user: fields.get("user"), chat: fields.get("chat"))
    case "contactUserChanged":
      return try .contactUserChanged(
        user: fields.get("user"), fromContact: fields.get("fromContact"), newUser: fields.get("newUser"),
        toContact: fields.get("toContact"))
    case "groupUserChanged":
      return try .groupUserChanged(
        user: fields.get("user"), fromGroup: fields.get("fromGroup"), newUser: fields.get("newUser"),
        toGroup: fields.get("toGroup"))
    case "sentConfirmation":
      return try .sentConfirmation(
        user: fields.get("user"), connection: fields.get("connection"),
        customUserProfile: fields.get("customUserProfile"))
    case "sentInvitation":
      return try .sentInvitation(
        user: fields.get("user"), connection: fields.get("connection"),
        customUserProfile: fields.get("customUserProfile"))
    case "startedConnectionToContact":
      return try .startedConnectionToContact(
        user: fields.get("user"), contact: fields.get("contact"), customUserProfile: fields.get("customUserProfile"))
    case "startedConnectionToGroup":
      return try .startedConnectionToGroup(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"),
        customUserProfile: fields.get("customUserProfile"), relayResults: fields.get("relayResults", default: []))
    case "sentInvitationToContact":
      return try .sentInvitationToContact(
        user: fields.get("user"), contact: fields.get("contact"), customUserProfile: fields.get("customUserProfile"))
    case "contactAlreadyExists":
      return try .contactAlreadyExists(
        user: fields.get("user"), contact: fields.get("contact"))
    case "acceptingContactRequest":
      return try .acceptingContactRequest(
        user: fields.get("user"), contact: fields.get("contact"))
    case "contactRequestRejected":
      return try .contactRequestRejected(
        user: fields.get("user"), contactRequest: fields.get("contactRequest"), contact_: fields.get("contact_"))
    case "contactConnectionDeleted":
      return try .contactConnectionDeleted(
        user: fields.get("user"), connection: fields.get("connection"))
    default: return nil
    }
  }

  func writeConnecting(to json: inout JSONWriter) -> Bool {
    switch self {
    case .invitation(let user, let connLinkInvitation, let connection):
      json.sum("invitation", "user", user, "connLinkInvitation", connLinkInvitation, "connection", connection)
    case .connectionIncognitoUpdated(let user, let toConnection, let customUserProfile):
      json.sum(
        "connectionIncognitoUpdated", "user", user, "toConnection", toConnection, "customUserProfile", customUserProfile
      )
    case .connectionUserChanged(let user, let fromConnection, let toConnection, let newUser):
      json.sum(
        "connectionUserChanged", "user", user, "fromConnection", fromConnection, "toConnection", toConnection,
        "newUser", newUser)
    case .connectionPlan(let user, let connLink, let planSimplexName, let otherSimplexName, let connectionPlan):
      json.beginSum("connectionPlan")
      json.field("user", user)
      json.field("connLink", connLink)
      json.field("planSimplexName", planSimplexName)
      json.field("otherSimplexName", otherSimplexName)
      json.field("connectionPlan", connectionPlan)
      json.endSum()
    case .newPreparedChat(let user, let chat): json.sum("newPreparedChat", "user", user, "chat", chat)
    case .contactUserChanged(let user, let fromContact, let newUser, let toContact):
      json.sum(
        "contactUserChanged", "user", user, "fromContact", fromContact, "newUser", newUser, "toContact", toContact)
    case .groupUserChanged(let user, let fromGroup, let newUser, let toGroup):
      json.sum("groupUserChanged", "user", user, "fromGroup", fromGroup, "newUser", newUser, "toGroup", toGroup)
    case .sentConfirmation(let user, let connection, let customUserProfile):
      json.sum("sentConfirmation", "user", user, "connection", connection, "customUserProfile", customUserProfile)
    case .sentInvitation(let user, let connection, let customUserProfile):
      json.sum("sentInvitation", "user", user, "connection", connection, "customUserProfile", customUserProfile)
    case .startedConnectionToContact(let user, let contact, let customUserProfile):
      json.sum("startedConnectionToContact", "user", user, "contact", contact, "customUserProfile", customUserProfile)
    case .startedConnectionToGroup(let user, let groupInfo, let customUserProfile, let relayResults):
      json.sum(
        "startedConnectionToGroup", "user", user, "groupInfo", groupInfo, "customUserProfile", customUserProfile,
        "relayResults", relayResults)
    case .sentInvitationToContact(let user, let contact, let customUserProfile):
      json.sum("sentInvitationToContact", "user", user, "contact", contact, "customUserProfile", customUserProfile)
    case .contactAlreadyExists(let user, let contact):
      json.sum("contactAlreadyExists", "user", user, "contact", contact)
    case .acceptingContactRequest(let user, let contact):
      json.sum("acceptingContactRequest", "user", user, "contact", contact)
    case .contactRequestRejected(let user, let contactRequest, let contact_):
      json.sum("contactRequestRejected", "user", user, "contactRequest", contactRequest, "contact_", contact_)
    case .contactConnectionDeleted(let user, let connection):
      json.sum("contactConnectionDeleted", "user", user, "connection", connection)
    default: return false
    }
    return true
  }
}
