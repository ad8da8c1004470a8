import SimplexJSON

/// What an item is.
public indirect enum CIContent: JSONCodable, Hashable, Sendable {
  /// A sent message.
  case sndMsgContent(msgContent: MsgContent)
  /// A received message.
  case rcvMsgContent(msgContent: MsgContent)
  /// Deleted by the user; before deletion was kept in the meta data.
  case sndDeleted(deleteMode: CIDeleteMode)
  /// Deleted by the sender; before deletion was kept in the meta data.
  case rcvDeleted(deleteMode: CIDeleteMode)
  /// A call by the user; `duration` in seconds.
  case sndCall(status: CICallStatus, duration: Int)
  /// A call by the contact; `duration` in seconds.
  case rcvCall(status: CICallStatus, duration: Int)
  /// The sequence of messages is broken.
  case rcvIntegrityError(msgError: MsgErrorType)
  /// Messages that could not be decrypted.
  case rcvDecryptionError(msgDecryptError: MsgDecryptError, msgCount: UInt32)
  /// A message that was dropped.
  case rcvMsgError(rcvMsgError: RcvMsgError)
  /// An invitation to a group.
  case rcvGroupInvitation(groupInvitation: CIGroupInvitation, memberRole: GroupMemberRole)
  /// An invitation to a group by the user.
  case sndGroupInvitation(groupInvitation: CIGroupInvitation, memberRole: GroupMemberRole)
  /// What the contact did.
  case rcvDirectEvent(rcvDirectEvent: RcvDirectEvent)
  /// What others did in the group.
  case rcvGroupEvent(rcvGroupEvent: RcvGroupEvent)
  /// What the user did in the group.
  case sndGroupEvent(sndGroupEvent: SndGroupEvent)
  /// What happened to the connection.
  case rcvConnEvent(rcvConnEvent: RcvConnEvent)
  /// What the user did to the connection.
  case sndConnEvent(sndConnEvent: SndConnEvent)
  /// A feature was switched by the contact.
  case rcvChatFeature(feature: ChatFeature, enabled: FeatureEnabled, param: Int?)
  /// A feature was switched by the user.
  case sndChatFeature(feature: ChatFeature, enabled: FeatureEnabled, param: Int?)
  /// The contact changed what it allows.
  case rcvChatPreference(feature: ChatFeature, allowed: FeatureAllowed, param: Int?)
  /// The user changed what it allows.
  case sndChatPreference(feature: ChatFeature, allowed: FeatureAllowed, param: Int?)
  /// A feature of the group was switched by others.
  case rcvGroupFeature(
    groupFeature: GroupFeature, preference: GroupPreference, param: Int?, memberRole_: GroupMemberRole?)
  /// A feature of the group was switched by the user.
  case sndGroupFeature(
    groupFeature: GroupFeature, preference: GroupPreference, param: Int?, memberRole_: GroupMemberRole?)
  /// Something received that the feature does not allow.
  case rcvChatFeatureRejected(feature: ChatFeature)
  /// Something received that the group does not allow.
  case rcvGroupFeatureRejected(groupFeature: GroupFeature)
  /// A sent message that was removed by a moderator.
  case sndModerated
  /// A received message that was removed by a moderator.
  case rcvModerated
  /// A message of a blocked member.
  case rcvBlocked
  /// How the conversation is encrypted.
  case sndDirectE2EEInfo(e2eeInfo: E2EEInfo)
  /// How the conversation is encrypted.
  case rcvDirectE2EEInfo(e2eeInfo: E2EEInfo)
  /// How the group is encrypted.
  case sndGroupE2EEInfo(e2eeInfo: E2EEInfo)
  /// How the group is encrypted.
  case rcvGroupE2EEInfo(e2eeInfo: E2EEInfo)
  /// The head of the conversation.
  case chatBanner
  /// Content that could not be read; `json` is its text.
  case invalidJSON(direction: MsgDirection, json: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "sndMsgContent": self = try .sndMsgContent(msgContent: fields.get("msgContent"))
    case "rcvMsgContent": self = try .rcvMsgContent(msgContent: fields.get("msgContent"))
    case "sndDeleted": self = try .sndDeleted(deleteMode: fields.get("deleteMode"))
    case "rcvDeleted": self = try .rcvDeleted(deleteMode: fields.get("deleteMode"))
    case "sndCall": self = try .sndCall(status: fields.get("status"), duration: fields.get("duration"))
    case "rcvCall": self = try .rcvCall(status: fields.get("status"), duration: fields.get("duration"))
    case "rcvIntegrityError": self = try .rcvIntegrityError(msgError: fields.get("msgError"))
    case "rcvDecryptionError":
      self = try .rcvDecryptionError(
        msgDecryptError: fields.get("msgDecryptError"), msgCount: fields.get("msgCount"))
    case "rcvMsgError": self = try .rcvMsgError(rcvMsgError: fields.get("rcvMsgError"))
    case "rcvGroupInvitation":
      self = try .rcvGroupInvitation(
        groupInvitation: fields.get("groupInvitation"), memberRole: fields.get("memberRole"))
    case "sndGroupInvitation":
      self = try .sndGroupInvitation(
        groupInvitation: fields.get("groupInvitation"), memberRole: fields.get("memberRole"))
    case "rcvDirectEvent": self = try .rcvDirectEvent(rcvDirectEvent: fields.get("rcvDirectEvent"))
    case "rcvGroupEvent": self = try .rcvGroupEvent(rcvGroupEvent: fields.get("rcvGroupEvent"))
    case "sndGroupEvent": self = try .sndGroupEvent(sndGroupEvent: fields.get("sndGroupEvent"))
    case "rcvConnEvent": self = try .rcvConnEvent(rcvConnEvent: fields.get("rcvConnEvent"))
    case "sndConnEvent": self = try .sndConnEvent(sndConnEvent: fields.get("sndConnEvent"))
    case "rcvChatFeature":
      self = try .rcvChatFeature(
        feature: fields.get("feature"), enabled: fields.get("enabled"), param: fields.get("param"))
    case "sndChatFeature":
      self = try .sndChatFeature(
        feature: fields.get("feature"), enabled: fields.get("enabled"), param: fields.get("param"))
    case "rcvChatPreference":
      self = try .rcvChatPreference(
        feature: fields.get("feature"), allowed: fields.get("allowed"), param: fields.get("param"))
    case "sndChatPreference":
      self = try .sndChatPreference(
        feature: fields.get("feature"), allowed: fields.get("allowed"), param: fields.get("param"))
    case "rcvGroupFeature":
      self = try .rcvGroupFeature(
        groupFeature: fields.get("groupFeature"), preference: fields.get("preference"), param: fields.get("param"),
        memberRole_: fields.get("memberRole_"))
    case "sndGroupFeature":
      self = try .sndGroupFeature(
        groupFeature: fields.get("groupFeature"), preference: fields.get("preference"), param: fields.get("param"),
        memberRole_: fields.get("memberRole_"))
    case "rcvChatFeatureRejected": self = try .rcvChatFeatureRejected(feature: fields.get("feature"))
    case "rcvGroupFeatureRejected": self = try .rcvGroupFeatureRejected(groupFeature: fields.get("groupFeature"))
    case "sndModerated": self = .sndModerated
    case "rcvModerated": self = .rcvModerated
    case "rcvBlocked": self = .rcvBlocked
    case "sndDirectE2EEInfo": self = try .sndDirectE2EEInfo(e2eeInfo: fields.get("e2eeInfo"))
    case "rcvDirectE2EEInfo": self = try .rcvDirectE2EEInfo(e2eeInfo: fields.get("e2eeInfo"))
    case "sndGroupE2EEInfo": self = try .sndGroupE2EEInfo(e2eeInfo: fields.get("e2eeInfo"))
    case "rcvGroupE2EEInfo": self = try .rcvGroupE2EEInfo(e2eeInfo: fields.get("e2eeInfo"))
    case "chatBanner": self = .chatBanner
    case "invalidJSON": self = try .invalidJSON(direction: fields.get("direction"), json: fields.get("json"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .sndMsgContent(let msgContent): json.sum("sndMsgContent", "msgContent", msgContent)
    case .rcvMsgContent(let msgContent): json.sum("rcvMsgContent", "msgContent", msgContent)
    case .sndDeleted(let deleteMode): json.sum("sndDeleted", "deleteMode", deleteMode)
    case .rcvDeleted(let deleteMode): json.sum("rcvDeleted", "deleteMode", deleteMode)
    case .sndCall(let status, let duration):
      json.sum("sndCall", "status", status, "duration", duration)
    case .rcvCall(let status, let duration):
      json.sum("rcvCall", "status", status, "duration", duration)
    case .rcvIntegrityError(let msgError): json.sum("rcvIntegrityError", "msgError", msgError)
    case .rcvDecryptionError(let msgDecryptError, let msgCount):
      json.sum("rcvDecryptionError", "msgDecryptError", msgDecryptError, "msgCount", msgCount)
    case .rcvMsgError(let rcvMsgError): json.sum("rcvMsgError", "rcvMsgError", rcvMsgError)
    case .rcvGroupInvitation(let groupInvitation, let memberRole):
      json.sum("rcvGroupInvitation", "groupInvitation", groupInvitation, "memberRole", memberRole)
    case .sndGroupInvitation(let groupInvitation, let memberRole):
      json.sum("sndGroupInvitation", "groupInvitation", groupInvitation, "memberRole", memberRole)
    case .rcvDirectEvent(let rcvDirectEvent): json.sum("rcvDirectEvent", "rcvDirectEvent", rcvDirectEvent)
    case .rcvGroupEvent(let rcvGroupEvent): json.sum("rcvGroupEvent", "rcvGroupEvent", rcvGroupEvent)
    case .sndGroupEvent(let sndGroupEvent): json.sum("sndGroupEvent", "sndGroupEvent", sndGroupEvent)
    case .rcvConnEvent(let rcvConnEvent): json.sum("rcvConnEvent", "rcvConnEvent", rcvConnEvent)
    case .sndConnEvent(let sndConnEvent): json.sum("sndConnEvent", "sndConnEvent", sndConnEvent)
    case .rcvChatFeature(let feature, let enabled, let param):
      json.sum("rcvChatFeature", "feature", feature, "enabled", enabled, "param", param)
    case .sndChatFeature(let feature, let enabled, let param):
      json.sum("sndChatFeature", "feature", feature, "enabled", enabled, "param", param)
    case .rcvChatPreference(let feature, let allowed, let param):
      json.sum("rcvChatPreference", "feature", feature, "allowed", allowed, "param", param)
    case .sndChatPreference(let feature, let allowed, let param):
      json.sum("sndChatPreference", "feature", feature, "allowed", allowed, "param", param)
    case .rcvGroupFeature(let groupFeature, let preference, let param, let memberRole_):
      json.sum(
        "rcvGroupFeature", "groupFeature", groupFeature, "preference", preference, "param", param, "memberRole_",
        memberRole_)
    case .sndGroupFeature(let groupFeature, let preference, let param, let memberRole_):
      json.sum(
        "sndGroupFeature", "groupFeature", groupFeature, "preference", preference, "param", param, "memberRole_",
        memberRole_)
    case .rcvChatFeatureRejected(let feature): json.sum("rcvChatFeatureRejected", "feature", feature)
    case .rcvGroupFeatureRejected(let groupFeature): json.sum("rcvGroupFeatureRejected", "groupFeature", groupFeature)
    case .sndModerated: json.tag("sndModerated")
    case .rcvModerated: json.tag("rcvModerated")
    case .rcvBlocked: json.tag("rcvBlocked")
    case .sndDirectE2EEInfo(let e2eeInfo): json.sum("sndDirectE2EEInfo", "e2eeInfo", e2eeInfo)
    case .rcvDirectE2EEInfo(let e2eeInfo): json.sum("rcvDirectE2EEInfo", "e2eeInfo", e2eeInfo)
    case .sndGroupE2EEInfo(let e2eeInfo): json.sum("sndGroupE2EEInfo", "e2eeInfo", e2eeInfo)
    case .rcvGroupE2EEInfo(let e2eeInfo): json.sum("rcvGroupE2EEInfo", "e2eeInfo", e2eeInfo)
    case .chatBanner: json.tag("chatBanner")
    case .invalidJSON(let direction, let original):
      json.sum("invalidJSON", "direction", direction, "json", original)
    }
  }
}
