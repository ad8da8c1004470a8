import SimplexJSON

extension ChatResponse2 {
  static func readGroups(_ fields: inout JSONFields) throws(JSONError) -> ChatResponse2? {
    switch fields.tag {
    case "groupCreated": return try .groupCreated(user: fields.get("user"), groupInfo: fields.get("groupInfo"))
    case "sentGroupInvitation":
      return try .sentGroupInvitation(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), contact: fields.get("contact"),
        member: fields.get("member"))
    case "userAcceptedGroupSent":
      return try .userAcceptedGroupSent(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), hostContact: fields.get("hostContact"))
    case "groupMembers": return try .groupMembers(user: fields.get("user"), group: fields.get("group"))
    case "groupsList": return try .groupsList(user: fields.get("user"), groups: fields.get("groups"))
    case "userDeletedMembers":
      return try .userDeletedMembers(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), members: fields.get("members"),
        withMessages: fields.get("withMessages"), msgSigned: fields.get("msgSigned", default: false))
    case "leftMemberUser":
      return try .leftMemberUser(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"))
    case "memberAccepted":
      return try .memberAccepted(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"))
    case "memberSupportChatRead":
      return try .memberSupportChatRead(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"))
    case "memberSupportChatDeleted":
      return try .memberSupportChatDeleted(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"))
    case "membersRoleUser":
      return try .membersRoleUser(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), members: fields.get("members"),
        toRole: fields.get("toRole"), msgSigned: fields.get("msgSigned", default: false))
    case "membersBlockedForAllUser":
      return try .membersBlockedForAllUser(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), members: fields.get("members"),
        blocked: fields.get("blocked"), msgSigned: fields.get("msgSigned", default: false))
    case "groupUpdated":
      return try .groupUpdated(
        user: fields.get("user"), fromGroup: fields.get("fromGroup"), toGroup: fields.get("toGroup"),
        member_: fields.get("member_"), msgSigned: fields.get("msgSigned", default: false))
    default: return nil
    }
  }

  func writeGroups(to json: inout JSONWriter) -> Bool {
    switch self {
    case .groupCreated(let user, let groupInfo): json.sum("groupCreated", "user", user, "groupInfo", groupInfo)
    case .sentGroupInvitation(let user, let groupInfo, let contact, let member):
      json.sum("sentGroupInvitation", "user", user, "groupInfo", groupInfo, "contact", contact, "member", member)
    case .userAcceptedGroupSent(let user, let groupInfo, let hostContact):
      json.sum("userAcceptedGroupSent", "user", user, "groupInfo", groupInfo, "hostContact", hostContact)
    case .groupMembers(let user, let group): json.sum("groupMembers", "user", user, "group", group)
    case .groupsList(let user, let groups): json.sum("groupsList", "user", user, "groups", groups)
    case .userDeletedMembers(let user, let groupInfo, let members, let withMessages, let msgSigned):
      json.beginSum("userDeletedMembers")
      json.field("user", user)
      json.field("groupInfo", groupInfo)
      json.field("members", members)
      json.field("withMessages", withMessages)
      json.field("msgSigned", msgSigned)
      json.endSum()
    case .leftMemberUser(let user, let groupInfo): json.sum("leftMemberUser", "user", user, "groupInfo", groupInfo)
    case .memberAccepted(let user, let groupInfo, let member):
      json.sum("memberAccepted", "user", user, "groupInfo", groupInfo, "member", member)
    case .memberSupportChatRead(let user, let groupInfo, let member):
      json.sum("memberSupportChatRead", "user", user, "groupInfo", groupInfo, "member", member)
    case .memberSupportChatDeleted(let user, let groupInfo, let member):
      json.sum("memberSupportChatDeleted", "user", user, "groupInfo", groupInfo, "member", member)
    case .membersRoleUser(let user, let groupInfo, let members, let toRole, let msgSigned):
      json.beginSum("membersRoleUser")
      json.field("user", user)
      json.field("groupInfo", groupInfo)
      json.field("members", members)
      json.field("toRole", toRole)
      json.field("msgSigned", msgSigned)
      json.endSum()
    case .membersBlockedForAllUser(let user, let groupInfo, let members, let blocked, let msgSigned):
      json.beginSum("membersBlockedForAllUser")
      json.field("user", user)
      json.field("groupInfo", groupInfo)
      json.field("members", members)
      json.field("blocked", blocked)
      json.field("msgSigned", msgSigned)
      json.endSum()
    case .groupUpdated(let user, let fromGroup, let toGroup, let member_, let msgSigned):
      json.beginSum("groupUpdated")
      json.field("user", user)
      json.field("fromGroup", fromGroup)
      json.field("toGroup", toGroup)
      json.field("member_", member_)
      json.field("msgSigned", msgSigned)
      json.endSum()
    default: return false
    }
    return true
  }
}
