import SimplexJSON

/// What happened in a group, by others.
public indirect enum RcvGroupEvent: JSONCodable, Hashable, Sendable {
  case memberAdded(groupMemberId: Int64, profile: Profile)
  case memberConnected
  case memberAccepted(groupMemberId: Int64, profile: Profile)
  case userAccepted
  case memberLeft
  case memberRole(groupMemberId: Int64, profile: Profile, role: GroupMemberRole)
  case memberBlocked(groupMemberId: Int64, profile: Profile, blocked: Bool)
  case userRole(role: GroupMemberRole)
  case memberDeleted(groupMemberId: Int64, profile: Profile)
  case userDeleted
  case groupDeleted
  case groupUpdated(groupProfile: GroupProfile)
  case invitedViaGroupLink
  case memberCreatedContact
  case memberProfileUpdated(fromProfile: Profile, toProfile: Profile)
  case newMemberPendingReview
  case msgBadSignature

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "memberAdded":
      self = try .memberAdded(
        groupMemberId: fields.get("groupMemberId"), profile: fields.get("profile"))
    case "memberConnected": self = .memberConnected
    case "memberAccepted":
      self = try .memberAccepted(
        groupMemberId: fields.get("groupMemberId"), profile: fields.get("profile"))
    case "userAccepted": self = .userAccepted
    case "memberLeft": self = .memberLeft
    case "memberRole":
      self = try .memberRole(
        groupMemberId: fields.get("groupMemberId"), profile: fields.get("profile"), role: fields.get("role"))
    case "memberBlocked":
      self = try .memberBlocked(
        groupMemberId: fields.get("groupMemberId"), profile: fields.get("profile"), blocked: fields.get("blocked"))
    case "userRole": self = try .userRole(role: fields.get("role"))
    case "memberDeleted":
      self = try .memberDeleted(
        groupMemberId: fields.get("groupMemberId"), profile: fields.get("profile"))
    case "userDeleted": self = .userDeleted
    case "groupDeleted": self = .groupDeleted
    case "groupUpdated": self = try .groupUpdated(groupProfile: fields.get("groupProfile"))
    case "invitedViaGroupLink": self = .invitedViaGroupLink
    case "memberCreatedContact": self = .memberCreatedContact
    case "memberProfileUpdated":
      self = try .memberProfileUpdated(
        fromProfile: fields.get("fromProfile"), toProfile: fields.get("toProfile"))
    case "newMemberPendingReview": self = .newMemberPendingReview
    case "msgBadSignature": self = .msgBadSignature
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .memberAdded(let groupMemberId, let profile):
      json.sum("memberAdded", "groupMemberId", groupMemberId, "profile", profile)
    case .memberConnected: json.tag("memberConnected")
    case .memberAccepted(let groupMemberId, let profile):
      json.sum("memberAccepted", "groupMemberId", groupMemberId, "profile", profile)
    case .userAccepted: json.tag("userAccepted")
    case .memberLeft: json.tag("memberLeft")
    case .memberRole(let groupMemberId, let profile, let role):
      json.sum("memberRole", "groupMemberId", groupMemberId, "profile", profile, "role", role)
    case .memberBlocked(let groupMemberId, let profile, let blocked):
      json.sum("memberBlocked", "groupMemberId", groupMemberId, "profile", profile, "blocked", blocked)
    case .userRole(let role): json.sum("userRole", "role", role)
    case .memberDeleted(let groupMemberId, let profile):
      json.sum("memberDeleted", "groupMemberId", groupMemberId, "profile", profile)
    case .userDeleted: json.tag("userDeleted")
    case .groupDeleted: json.tag("groupDeleted")
    case .groupUpdated(let groupProfile): json.sum("groupUpdated", "groupProfile", groupProfile)
    case .invitedViaGroupLink: json.tag("invitedViaGroupLink")
    case .memberCreatedContact: json.tag("memberCreatedContact")
    case .memberProfileUpdated(let fromProfile, let toProfile):
      json.sum("memberProfileUpdated", "fromProfile", fromProfile, "toProfile", toProfile)
    case .newMemberPendingReview: json.tag("newMemberPendingReview")
    case .msgBadSignature: json.tag("msgBadSignature")
    }
  }
}

/// What happened in a group, by the user.
public indirect enum SndGroupEvent: JSONCodable, Hashable, Sendable {
  case memberRole(groupMemberId: Int64, profile: Profile, role: GroupMemberRole)
  case memberBlocked(groupMemberId: Int64, profile: Profile, blocked: Bool)
  case userRole(role: GroupMemberRole)
  case memberDeleted(groupMemberId: Int64, profile: Profile)
  case userLeft
  case groupUpdated(groupProfile: GroupProfile)
  case memberAccepted(groupMemberId: Int64, profile: Profile)
  case userPendingReview

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "memberRole":
      self = try .memberRole(
        groupMemberId: fields.get("groupMemberId"), profile: fields.get("profile"), role: fields.get("role"))
    case "memberBlocked":
      self = try .memberBlocked(
        groupMemberId: fields.get("groupMemberId"), profile: fields.get("profile"), blocked: fields.get("blocked"))
    case "userRole": self = try .userRole(role: fields.get("role"))
    case "memberDeleted":
      self = try .memberDeleted(
        groupMemberId: fields.get("groupMemberId"), profile: fields.get("profile"))
    case "userLeft": self = .userLeft
    case "groupUpdated": self = try .groupUpdated(groupProfile: fields.get("groupProfile"))
    case "memberAccepted":
      self = try .memberAccepted(
        groupMemberId: fields.get("groupMemberId"), profile: fields.get("profile"))
    case "userPendingReview": self = .userPendingReview
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .memberRole(let groupMemberId, let profile, let role):
      json.sum("memberRole", "groupMemberId", groupMemberId, "profile", profile, "role", role)
    case .memberBlocked(let groupMemberId, let profile, let blocked):
      json.sum("memberBlocked", "groupMemberId", groupMemberId, "profile", profile, "blocked", blocked)
    case .userRole(let role): json.sum("userRole", "role", role)
    case .memberDeleted(let groupMemberId, let profile):
      json.sum("memberDeleted", "groupMemberId", groupMemberId, "profile", profile)
    case .userLeft: json.tag("userLeft")
    case .groupUpdated(let groupProfile): json.sum("groupUpdated", "groupProfile", groupProfile)
    case .memberAccepted(let groupMemberId, let profile):
      json.sum("memberAccepted", "groupMemberId", groupMemberId, "profile", profile)
    case .userPendingReview: json.tag("userPendingReview")
    }
  }
}
