import AgentProtocol
import SimplexCrypto
import SimplexJSON

// Members of groups.

extension ChatMessageEvent {
  static func readMember(_ tag: String, _ params: inout JSONFields) throws(JSONError) -> ChatMessageEvent? {
    switch tag {
    case "x.grp.mem.new": return try .grpMemNew(params.get("memberInfo"), scope: params.get("scope"))
    case "x.grp.mem.intro":
      return try .grpMemIntro(params.get("memberInfo"), memberRestrictions: params.get("memberRestrictions"))
    case "x.grp.mem.inv":
      return try .grpMemInv(memberId: params.get("memberId"), memberIntro: params.get("memberIntro"))
    case "x.grp.mem.fwd": return try .grpMemFwd(params.get("memberInfo"), memberIntro: params.get("memberIntro"))
    case "x.grp.mem.info": return try .grpMemInfo(memberId: params.get("memberId"), profile: params.get("profile"))
    case "x.grp.mem.role":
      return try .grpMemRole(
        memberId: params.get("memberId"), role: params.get("role"),
        memberKey: params.getIfPresent("memberKey", Ed25519.PublicKey.textCodec),
        rosterVersion: params.get("rosterVersion"))
    case "x.grp.mem.restrict":
      return try .grpMemRestrict(
        memberId: params.get("memberId"), memberRestrictions: params.get("memberRestrictions"))
    case "x.grp.mem.con": return .grpMemCon(memberId: try params.get("memberId"))
    case "x.grp.mem.con.all": return .grpMemConAll(memberId: try params.get("memberId"))
    case "x.grp.mem.del":
      // Anything but true leaves the messages, as in the reference.
      let withMessages: Bool? = try? params.get("messages")
      return try .grpMemDel(
        memberId: params.get("memberId"), withMessages: withMessages ?? false,
        rosterVersion: params.get("rosterVersion"))
    case "x.grp.direct.inv":
      return try .grpDirectInv(
        connReq: params.get("connReq", ConnectionRequest.invitationTextCodec), content: params.get("content"),
        scope: params.get("scope"))
    default: return nil
    }
  }

  func writeMember(to json: inout JSONWriter) -> Bool {
    switch self {
    case .grpMemNew(let info, let scope):
      json.field("memberInfo", info)
      json.field("scope", scope)
    case .grpMemIntro(let info, let restrictions):
      json.field("memberInfo", info)
      json.field("memberRestrictions", restrictions)
    case .grpMemInv(let memberId, let intro):
      json.field("memberId", memberId)
      json.field("memberIntro", intro)
    case .grpMemFwd(let info, let intro):
      json.field("memberInfo", info)
      json.field("memberIntro", intro)
    case .grpMemInfo(let memberId, let profile):
      json.field("memberId", memberId)
      json.field("profile", profile)
    case .grpMemRole(let memberId, let role, let memberKey, let rosterVersion):
      json.field("memberId", memberId)
      json.field("role", role)
      json.field("memberKey", memberKey, Ed25519.PublicKey.textCodec)
      json.field("rosterVersion", rosterVersion)
    case .grpMemRestrict(let memberId, let restrictions):
      json.field("memberId", memberId)
      json.field("memberRestrictions", restrictions)
    case .grpMemCon(let memberId), .grpMemConAll(let memberId): json.field("memberId", memberId)
    case .grpMemDel(let memberId, let withMessages, let rosterVersion):
      json.field("memberId", memberId)
      if withMessages { json.field("messages", true) }
      json.field("rosterVersion", rosterVersion)
    case .grpDirectInv(let connReq, let content, let scope):
      json.field("connReq", connReq, ConnectionRequest.invitationTextCodec)
      json.field("content", content?.betweenPeers)
      json.field("scope", scope)
    default: return false
    }
    return true
  }
}
