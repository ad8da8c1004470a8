import SimplexCrypto
import SimplexJSON

// Contacts, probes and calls.

extension ChatMessageEvent {
  static func readContact(_ tag: String, _ params: inout JSONFields) throws(JSONError) -> ChatMessageEvent? {
    switch tag {
    case "x.info": return .info(try params.get("profile"))
    case "x.contact": return .contact(try ContactRequestInfo(members: &params))
    case "x.member":
      return try .member(
        profile: params.get("profile"), newMemberId: params.get("newMemberId"),
        newMemberKey: params.get("newMemberKey", Ed25519.PublicKey.textCodec), viaRelay: params.get("viaRelay"))
    case "x.direct.del": return .directDel
    case "x.info.probe": return .infoProbe(try params.get("probe"))
    case "x.info.probe.check": return .infoProbeCheck(try params.get("probeHash"))
    case "x.info.probe.ok": return .infoProbeOk(try params.get("probe"))
    case "x.ok": return .ok
    case "x.call.inv": return try .callInv(params.get("callId"), params.get("invitation"))
    case "x.call.offer": return try .callOffer(params.get("callId"), params.get("offer"))
    case "x.call.answer": return try .callAnswer(params.get("callId"), params.get("answer"))
    case "x.call.extra": return try .callExtra(params.get("callId"), params.get("extra"))
    case "x.call.end": return .callEnd(try params.get("callId"))
    default: return nil
    }
  }

  func writeContact(to json: inout JSONWriter) -> Bool {
    switch self {
    case .info(let profile): json.field("profile", profile)
    case .contact(let request): request.encodeMembers(to: &json)
    case .member(let profile, let newMemberId, let newMemberKey, let viaRelay):
      json.field("profile", profile)
      json.field("newMemberId", newMemberId)
      json.field("newMemberKey", newMemberKey, Ed25519.PublicKey.textCodec)
      json.field("viaRelay", viaRelay)
    case .directDel, .ok: break
    case .infoProbe(let probe), .infoProbeOk(let probe): json.field("probe", probe)
    case .infoProbeCheck(let hash): json.field("probeHash", hash)
    case .callInv(let callId, let invitation):
      json.field("callId", callId)
      json.field("invitation", invitation)
    case .callOffer(let callId, let offer):
      json.field("callId", callId)
      json.field("offer", offer)
    case .callAnswer(let callId, let answer):
      json.field("callId", callId)
      json.field("answer", answer)
    case .callExtra(let callId, let extra):
      json.field("callId", callId)
      json.field("extra", extra)
    case .callEnd(let callId): json.field("callId", callId)
    default: return false
    }
    return true
  }
}
