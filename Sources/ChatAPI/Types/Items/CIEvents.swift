import SimplexJSON

/// What a contact did.
public indirect enum RcvDirectEvent: JSONCodable, Hashable, Sendable {
  case contactDeleted
  case profileUpdated(fromProfile: Profile, toProfile: Profile)
  case groupInvLinkReceived(groupProfile: GroupProfile)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "contactDeleted": self = .contactDeleted
    case "profileUpdated":
      self = try .profileUpdated(
        fromProfile: fields.get("fromProfile"), toProfile: fields.get("toProfile"))
    case "groupInvLinkReceived": self = try .groupInvLinkReceived(groupProfile: fields.get("groupProfile"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .contactDeleted: json.tag("contactDeleted")
    case .profileUpdated(let fromProfile, let toProfile):
      json.sum("profileUpdated", "fromProfile", fromProfile, "toProfile", toProfile)
    case .groupInvLinkReceived(let groupProfile): json.sum("groupInvLinkReceived", "groupProfile", groupProfile)
    }
  }
}

/// What happened to the connection, by the peer.
public enum RcvConnEvent: JSONCodable, Hashable, Sendable {
  case switchQueue(phase: SwitchPhase)
  case ratchetSync(syncStatus: RatchetSyncState)
  case verificationCodeReset
  case pqEnabled(enabled: Bool)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "switchQueue": self = try .switchQueue(phase: fields.get("phase"))
    case "ratchetSync": self = try .ratchetSync(syncStatus: fields.get("syncStatus"))
    case "verificationCodeReset": self = .verificationCodeReset
    case "pqEnabled": self = try .pqEnabled(enabled: fields.get("enabled", default: false))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .switchQueue(let phase): json.sum("switchQueue", "phase", phase)
    case .ratchetSync(let syncStatus): json.sum("ratchetSync", "syncStatus", syncStatus)
    case .verificationCodeReset: json.tag("verificationCodeReset")
    case .pqEnabled(let enabled): json.sum("pqEnabled", "enabled", enabled)
    }
  }
}

/// What happened to the connection, by the user.
public indirect enum SndConnEvent: JSONCodable, Hashable, Sendable {
  case switchQueue(phase: SwitchPhase, member: GroupMemberRef?)
  case ratchetSync(syncStatus: RatchetSyncState, member: GroupMemberRef?)
  case pqEnabled(enabled: Bool)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "switchQueue": self = try .switchQueue(phase: fields.get("phase"), member: fields.get("member"))
    case "ratchetSync": self = try .ratchetSync(syncStatus: fields.get("syncStatus"), member: fields.get("member"))
    case "pqEnabled": self = try .pqEnabled(enabled: fields.get("enabled", default: false))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .switchQueue(let phase, let member):
      json.sum("switchQueue", "phase", phase, "member", member)
    case .ratchetSync(let syncStatus, let member):
      json.sum("ratchetSync", "syncStatus", syncStatus, "member", member)
    case .pqEnabled(let enabled): json.sum("pqEnabled", "enabled", enabled)
    }
  }
}
