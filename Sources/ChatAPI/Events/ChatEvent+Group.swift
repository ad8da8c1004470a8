import SimplexJSON

extension ChatEvent {
  static func readGroup(_ fields: inout JSONFields) throws(JSONError) -> ChatEvent? {
    switch fields.tag {
    case "receivedGroupInvitation":
      return try .receivedGroupInvitation(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), contact: fields.get("contact"),
        fromMemberRole: fields.get("fromMemberRole"), memberRole: fields.get("memberRole"))
    case "userAcceptedGroupSent":
      return try .userAcceptedGroupSent(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), hostContact: fields.get("hostContact"))
    case "groupLinkConnecting":
      return try .groupLinkConnecting(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), hostMember: fields.get("hostMember"))
    case "businessLinkConnecting":
      return try .businessLinkConnecting(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), hostMember: fields.get("hostMember"),
        fromContact: fields.get("fromContact"))
    case "sentGroupInvitation":
      return try .sentGroupInvitation(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), contact: fields.get("contact"),
        member: fields.get("member"))
    case "userJoinedGroup":
      return try .userJoinedGroup(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), hostMember: fields.get("hostMember"))
    case "deletedMemberUser":
      return try .deletedMemberUser(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"),
        withMessages: fields.get("withMessages"), msgSigned: fields.get("msgSigned"))
    case "groupDeleted":
      return try .groupDeleted(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"),
        msgSigned: fields.get("msgSigned"))
    case "groupUpdated":
      return try .groupUpdated(
        user: fields.get("user"), fromGroup: fields.get("fromGroup"), toGroup: fields.get("toGroup"),
        member_: fields.get("member_"), msgSigned: fields.get("msgSigned"))
    case "groupLinkDataUpdated":
      return try .groupLinkDataUpdated(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), groupLink: fields.get("groupLink"),
        groupRelays: fields.get("groupRelays"), relaysChanged: fields.get("relaysChanged"))
    case "groupRelayUpdated":
      return try .groupRelayUpdated(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"),
        groupRelay: fields.get("groupRelay"))
    case "newMemberContactReceivedInv":
      return try .newMemberContactReceivedInv(
        user: fields.get("user"), contact: fields.get("contact"), groupInfo: fields.get("groupInfo"),
        member: fields.get("member"))
    case "contactAndMemberAssociated":
      return try .contactAndMemberAssociated(
        user: fields.get("user"), contact: fields.get("contact"), groupInfo: fields.get("groupInfo"),
        member: fields.get("member"), updatedContact: fields.get("updatedContact"))
    case "noMemberContactCreating":
      return try .noMemberContactCreating(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"))
    default: return nil
    }
  }

  func writeGroup(to json: inout JSONWriter) -> Bool {
    switch self {
    case .receivedGroupInvitation(let user, let groupInfo, let contact, let fromMemberRole, let memberRole):
      json.beginSum("receivedGroupInvitation")
      json.field("user", user)
      json.field("groupInfo", groupInfo)
      json.field("contact", contact)
      json.field("fromMemberRole", fromMemberRole)
      json.field("memberRole", memberRole)
      json.endSum()
    case .userAcceptedGroupSent(let user, let groupInfo, let hostContact):
      json.sum("userAcceptedGroupSent", "user", user, "groupInfo", groupInfo, "hostContact", hostContact)
    case .groupLinkConnecting(let user, let groupInfo, let hostMember):
      json.sum("groupLinkConnecting", "user", user, "groupInfo", groupInfo, "hostMember", hostMember)
    case .businessLinkConnecting(let user, let groupInfo, let hostMember, let fromContact):
      json.sum(
        "businessLinkConnecting", "user", user, "groupInfo", groupInfo, "hostMember", hostMember, "fromContact",
        fromContact)
    case .sentGroupInvitation(let user, let groupInfo, let contact, let member):
      json.sum("sentGroupInvitation", "user", user, "groupInfo", groupInfo, "contact", contact, "member", member)
    case .userJoinedGroup(let user, let groupInfo, let hostMember):
      json.sum("userJoinedGroup", "user", user, "groupInfo", groupInfo, "hostMember", hostMember)
    case .deletedMemberUser(let user, let groupInfo, let member, let withMessages, let msgSigned):
      json.beginSum("deletedMemberUser")
      json.field("user", user)
      json.field("groupInfo", groupInfo)
      json.field("member", member)
      json.field("withMessages", withMessages)
      json.field("msgSigned", msgSigned)
      json.endSum()
    case .groupDeleted(let user, let groupInfo, let member, let msgSigned):
      json.sum("groupDeleted", "user", user, "groupInfo", groupInfo, "member", member, "msgSigned", msgSigned)
    case .groupUpdated(let user, let fromGroup, let toGroup, let member_, let msgSigned):
      json.beginSum("groupUpdated")
      json.field("user", user)
      json.field("fromGroup", fromGroup)
      json.field("toGroup", toGroup)
      json.field("member_", member_)
      json.field("msgSigned", msgSigned)
      json.endSum()
    case .groupLinkDataUpdated(let user, let groupInfo, let groupLink, let groupRelays, let relaysChanged):
      json.beginSum("groupLinkDataUpdated")
      json.field("user", user)
      json.field("groupInfo", groupInfo)
      json.field("groupLink", groupLink)
      json.field("groupRelays", groupRelays)
      json.field("relaysChanged", relaysChanged)
      json.endSum()
    case .groupRelayUpdated(let user, let groupInfo, let member, let groupRelay):
      json.sum("groupRelayUpdated", "user", user, "groupInfo", groupInfo, "member", member, "groupRelay", groupRelay)
    case .newMemberContactReceivedInv(let user, let contact, let groupInfo, let member):
      json.sum(
        "newMemberContactReceivedInv", "user", user, "contact", contact, "groupInfo", groupInfo, "member", member)
    case .contactAndMemberAssociated(let user, let contact, let groupInfo, let member, let updatedContact):
      json.beginSum("contactAndMemberAssociated")
      json.field("user", user)
      json.field("contact", contact)
      json.field("groupInfo", groupInfo)
      json.field("member", member)
      json.field("updatedContact", updatedContact)
      json.endSum()
    case .noMemberContactCreating(let user, let groupInfo, let member):
      json.sum("noMemberContactCreating", "user", user, "groupInfo", groupInfo, "member", member)
    default: return false
    }
    return true
  }
}
