import SimplexJSON

extension ChatEvent {
  static func readCall(_ fields: inout JSONFields) throws(JSONError) -> ChatEvent? {
    switch fields.tag {
    case "callInvitation": return try .callInvitation(callInvitation: fields.get("callInvitation"))
    case "callOffer":
      return try .callOffer(
        user: fields.get("user"), contact: fields.get("contact"), callType: fields.get("callType"),
        offer: fields.get("offer"), sharedKey: fields.get("sharedKey"), askConfirmation: fields.get("askConfirmation"))
    case "callAnswer":
      return try .callAnswer(
        user: fields.get("user"), contact: fields.get("contact"), answer: fields.get("answer"))
    case "callExtraInfo":
      return try .callExtraInfo(
        user: fields.get("user"), contact: fields.get("contact"), extraInfo: fields.get("extraInfo"))
    case "callEnded": return try .callEnded(user: fields.get("user"), contact: fields.get("contact"))
    default: return nil
    }
  }

  func writeCall(to json: inout JSONWriter) -> Bool {
    switch self {
    case .callInvitation(let callInvitation): json.sum("callInvitation", "callInvitation", callInvitation)
    case .callOffer(let user, let contact, let callType, let offer, let sharedKey, let askConfirmation):
      json.beginSum("callOffer")
      json.field("user", user)
      json.field("contact", contact)
      json.field("callType", callType)
      json.field("offer", offer)
      json.field("sharedKey", sharedKey)
      json.field("askConfirmation", askConfirmation)
      json.endSum()
    case .callAnswer(let user, let contact, let answer):
      json.sum("callAnswer", "user", user, "contact", contact, "answer", answer)
    case .callExtraInfo(let user, let contact, let extraInfo):
      json.sum("callExtraInfo", "user", user, "contact", contact, "extraInfo", extraInfo)
    case .callEnded(let user, let contact): json.sum("callEnded", "user", user, "contact", contact)
    default: return false
    }
    return true
  }
}
