import SimplexJSON

extension ChatEvent {
  static func readMember(_ fields: inout JSONFields) throws(JSONError) -> ChatEvent? {
    switch fields.tag {
    case "joinedGroupMember":
      return try .joinedGroupMember(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"))
    case "joinedGroupMemberConnecting":
      return try .joinedGroupMemberConnecting(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), hostMember: fields.get("hostMember"),
        member: fields.get("member"))
    case "acceptingGroupJoinRequestMember":
      return try .acceptingGroupJoinRequestMember(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"))
    case "memberAcceptedByOther":
      return try .memberAcceptedByOther(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), acceptingMember: fields.get("acceptingMember"),
        member: fields.get("member"))
    case "connectedToGroupMember":
      return try .connectedToGroupMember(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"),
        memberContact: fields.get("memberContact"))
    case "groupMemberUpdated":
      return try .groupMemberUpdated(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), fromMember: fields.get("fromMember"),
        toMember: fields.get("toMember"))
    case "memberRole":
      return try .memberRole(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), byMember: fields.get("byMember"),
        member: fields.get("member"), fromRole: fields.get("fromRole"), toRole: fields.get("toRole"),
        msgSigned: fields.get("msgSigned"))
    case "memberBlockedForAll":
      return try .memberBlockedForAll(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), byMember: fields.get("byMember"),
        member: fields.get("member"), blocked: fields.get("blocked"), msgSigned: fields.get("msgSigned"))
    case "deletedMember":
      return try .deletedMember(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), byMember: fields.get("byMember"),
        deletedMember: fields.get("deletedMember"), withMessages: fields.get("withMessages"),
        msgSigned: fields.get("msgSigned"))
    case "leftMember":
      return try .leftMember(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), member: fields.get("member"),
        msgSigned: fields.get("msgSigned"))
    case "unknownMemberCreated":
      return try .unknownMemberCreated(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"),
        forwardedByMember: fields.get("forwardedByMember"), member: fields.get("member"))
    case "unknownMemberBlocked":
      return try .unknownMemberBlocked(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), blockedByMember: fields.get("blockedByMember"),
        member: fields.get("member"))
    case "unknownMemberAnnounced":
      return try .unknownMemberAnnounced(
        user: fields.get("user"), groupInfo: fields.get("groupInfo"), announcingMember: fields.get("announcingMember"),
        unknownMember: fields.get("unknownMember"), announcedMember: fields.get("announcedMember"))
    default: return nil
    }
  }

  func writeMember(to json: inout JSONWriter) -> Bool {
    switch self {
    case .joinedGroupMember(let user, let groupInfo, let member):
      json.sum("joinedGroupMember", "user", user, "groupInfo", groupInfo, "member", member)
    case .joinedGroupMemberConnecting(let user, let groupInfo, let hostMember, let member):
      json.sum(
        "joinedGroupMemberConnecting", "user", user, "groupInfo", groupInfo, "hostMember", hostMember, "member", member)
    case .acceptingGroupJoinRequestMember(let user, let groupInfo, let member):
      json.sum("acceptingGroupJoinRequestMember", "user", user, "groupInfo", groupInfo, "member", member)
    case .memberAcceptedByOther(let user, let groupInfo, let acceptingMember, let member):
      json.sum(
        "memberAcceptedByOther", "user", user, "groupInfo", groupInfo, "acceptingMember", acceptingMember, "member",
        member)
    case .connectedToGroupMember(let user, let groupInfo, let member, let memberContact):
      json.sum(
        "connectedToGroupMember", "user", user, "groupInfo", groupInfo, "member", member, "memberContact", memberContact
      )
    case .groupMemberUpdated(let user, let groupInfo, let fromMember, let toMember):
      json.sum(
        "groupMemberUpdated", "user", user, "groupInfo", groupInfo, "fromMember", fromMember, "toMember", toMember)
    case .memberRole(let user, let groupInfo, let byMember, let member, let fromRole, let toRole, let msgSigned):
      json.beginSum("memberRole")
      json.field("user", user)
      json.field("groupInfo", groupInfo)
      json.field("byMember", byMember)
      json.field("member", member)
      json.field("fromRole", fromRole)
      json.field("toRole", toRole)
      json.field("msgSigned", msgSigned)
      json.endSum()
    case .memberBlockedForAll(let user, let groupInfo, let byMember, let member, let blocked, let msgSigned):
      json.beginSum("memberBlockedForAll")
      json.field("user", user)
      json.field("groupInfo", groupInfo)
      json.field("byMember", byMember)
      json.field("member", member)
      json.field("blocked", blocked)
      json.field("msgSigned", msgSigned)
      json.endSum()
    case .deletedMember(let user, let groupInfo, let byMember, let deletedMember, let withMessages, let msgSigned):
      json.beginSum("deletedMember")
      json.field("user", user)
      json.field("groupInfo", groupInfo)
      json.field("byMember", byMember)
      json.field("deletedMember", deletedMember)
      json.field("withMessages", withMessages)
      json.field("msgSigned", msgSigned)
      json.endSum()
    case .leftMember(let user, let groupInfo, let member, let msgSigned):
      json.sum("leftMember", "user", user, "groupInfo", groupInfo, "member", member, "msgSigned", msgSigned)
    case .unknownMemberCreated(let user, let groupInfo, let forwardedByMember, let member):
      json.sum(
        "unknownMemberCreated", "user", user, "groupInfo", groupInfo, "forwardedByMember", forwardedByMember, "member",
        member)
    case .unknownMemberBlocked(let user, let groupInfo, let blockedByMember, let member):
      json.sum(
        "unknownMemberBlocked", "user", user, "groupInfo", groupInfo, "blockedByMember", blockedByMember, "member",
        member)
    case .unknownMemberAnnounced(let user, let groupInfo, let announcingMember, let unknownMember, let announcedMember):
      json.beginSum("unknownMemberAnnounced")
      json.field("user", user)
      json.field("groupInfo", groupInfo)
      json.field("announcingMember", announcingMember)
      json.field("unknownMember", unknownMember)
      json.field("announcedMember", announcedMember)
      json.endSum()
    default: return false
    }
    return true
  }
}
