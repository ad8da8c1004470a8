import AgentProtocol
import SimplexJSON
import WireCodec

// Groups: joining them, what concerns all of it, forwarded messages.

extension ChatMessageEvent {
  static func readGroup(_ tag: String, _ params: inout JSONFields) throws(JSONError) -> ChatMessageEvent? {
    switch tag {
    case "x.grp.inv": return .grpInv(try params.get("groupInvitation"))
    case "x.grp.acpt": return .grpAcpt(memberId: try params.get("memberId"))
    case "x.grp.link.inv": return .grpLinkInv(try params.get("groupLinkInvitation"))
    case "x.grp.link.reject": return .grpLinkReject(try params.get("groupLinkRejection"))
    case "x.grp.link.mem": return .grpLinkMem(try params.get("profile"))
    case "x.grp.link.acpt":
      return try .grpLinkAcpt(
        acceptance: params.get("acceptance"), role: params.get("role"), memberId: params.get("memberId"))
    case "x.grp.relay.inv": return .grpRelayInv(try params.get("groupRelayInvitation"))
    case "x.grp.relay.acpt":
      return try .grpRelayAcpt(
        relayLink: params.get("relayLink", ShortLink.contactTextCodec), relayCap: params.get("relayCap"))
    case "x.grp.relay.reject": return .grpRelayReject(reason: try params.get("reason"))
    case "x.grp.relay.cap": return .grpRelayCap(try params.get("relayCap"))
    case "x.grp.relay.new": return .grpRelayNew(relayLink: try params.get("relayLink", ShortLink.contactTextCodec))
    case "x.grp.relay.test":
      return try .grpRelayTest(challenge: params.get("challenge"), signature: params.get("signature"))
    case "x.grp.leave": return .grpLeave
    case "x.grp.del": return .grpDel
    case "x.grp.info": return .grpInfo(try params.get("groupProfile"))
    case "x.grp.prefs": return .grpPrefs(try params.get("groupPreferences"))
    case "x.grp.roster": return .grpRoster(try GroupRoster(members: &params))
    case "x.grp.roster.ack":
      return try .grpRosterAck(version: params.get("version"), error: params.get("error"))
    case "x.grp.roster.request": return .grpRosterRequest(version: try params.get("version"))
    case "x.grp.msg.forward":
      return try .grpMsgForward(MessageForward(members: &params), params.get("msg"))
    default: return nil
    }
  }

  func writeGroup(to json: inout JSONWriter) -> Bool {
    switch self {
    case .grpInv(let invitation): json.field("groupInvitation", invitation)
    case .grpAcpt(let memberId): json.field("memberId", memberId)
    case .grpLinkInv(let invitation): json.field("groupLinkInvitation", invitation)
    case .grpLinkReject(let rejection): json.field("groupLinkRejection", rejection)
    case .grpLinkMem(let profile): json.field("profile", profile)
    case .grpLinkAcpt(let acceptance, let role, let memberId):
      json.field("acceptance", acceptance)
      json.field("role", role)
      json.field("memberId", memberId)
    case .grpRelayInv(let invitation): json.field("groupRelayInvitation", invitation)
    case .grpRelayAcpt(let relayLink, let relayCap):
      json.field("relayLink", relayLink, ShortLink.contactTextCodec)
      json.field("relayCap", relayCap)
    case .grpRelayReject(let reason): json.field("reason", reason)
    case .grpRelayCap(let relayCap): json.field("relayCap", relayCap)
    case .grpRelayNew(let relayLink): json.field("relayLink", relayLink, ShortLink.contactTextCodec)
    case .grpRelayTest(let challenge, let signature):
      json.field("challenge", challenge)
      json.field("signature", signature)
    case .grpLeave, .grpDel: break
    case .grpInfo(let profile): json.field("groupProfile", profile)
    case .grpPrefs(let preferences): json.field("groupPreferences", preferences)
    case .grpRoster(let roster): roster.encodeMembers(to: &json)
    case .grpRosterAck(let version, let error):
      json.field("version", version)
      json.field("error", error)
    case .grpRosterRequest(let version): json.field("version", version)
    case .grpMsgForward(let origin, let message):
      origin.encodeMembers(to: &json)
      json.field("msg", message)
    default: return false
    }
    return true
  }
}

extension MessageForward {
  init(members fields: inout JSONFields) throws(JSONError) {
    if let memberId: MemberId = try fields.get("memberId") {
      sender = .member(memberId, name: try fields.get("memberName", default: ""))
    } else {
      sender = .channel
    }
    brokerTs = try fields.get("msgTs", UTCTime.textCodec)
  }

  func encodeMembers(to json: inout JSONWriter) {
    if case .member(let memberId, let name) = sender {
      json.field("memberId", memberId)
      json.field("memberName", name)
    }
    json.field("msgTs", brokerTs, UTCTime.textCodec)
  }
}
