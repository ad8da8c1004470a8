import SimplexJSON

extension ChatResponse1 {
  static func readContacts(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse1? {
    switch fields.tag {
    case "contactsList": return try .contactsList(user: fields.get("user"), contacts: fields.get("contacts"))
    case "contactDeleted": return try .contactDeleted(user: fields.get("user"), contact: fields.get("contact"))
    case "chatCleared": return try .chatCleared(user: fields.get("user"), chatInfo: fields.get("chatInfo"))
    case "groupDeletedUser":
      return try .groupDeletedUser(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), msgSigned: fields.get("msgSigned", default: false)
      )
    case "contactAliasUpdated":
      return try .contactAliasUpdated(
        user: fields.get("user"), toContact: fields.get("toContact"))
    case "groupAliasUpdated":
      return try .groupAliasUpdated(
        user: fields.get("user"), toGroup: fields.get("toGroup"))
    case "connectionAliasUpdated":
      return try .connectionAliasUpdated(
        user: fields.get("user"), toConnection: fields.get("toConnection"))
    case "contactPrefsUpdated":
      return try .contactPrefsUpdated(
        user: fields.get("user"), fromContact: fields.get("fromContact"), toContact: fields.get("toContact"))
    default: return nil
    }
  }

  func writeContacts(to json: inout JSONWriter) -> Bool {
    switch self {
    case .contactsList(let user, let contacts): json.sum("contactsList", "user", user, "contacts", contacts)
    case .contactDeleted(let user, let contact): json.sum("contactDeleted", "user", user, "contact", contact)
    case .chatCleared(let user, let chatInfo): json.sum("chatCleared", "user", user, "chatInfo", chatInfo)
    case .groupDeletedUser(let user, let groupInfo, let msgSigned):
      json.sum("groupDeletedUser", "user", user, "groupInfo", groupInfo, "msgSigned", msgSigned)
    case .contactAliasUpdated(let user, let toContact):
      json.sum("contactAliasUpdated", "user", user, "toContact", toContact)
    case .groupAliasUpdated(let user, let toGroup): json.sum("groupAliasUpdated", "user", user, "toGroup", toGroup)
    case .connectionAliasUpdated(let user, let toConnection):
      json.sum("connectionAliasUpdated", "user", user, "toConnection", toConnection)
    case .contactPrefsUpdated(let user, let fromContact, let toContact):
      json.sum("contactPrefsUpdated", "user", user, "fromContact", fromContact, "toContact", toContact)
    default: return false
    }
    return true
  }
}
