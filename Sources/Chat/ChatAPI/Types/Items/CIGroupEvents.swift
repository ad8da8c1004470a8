import SimplexJSON

/// An event in a group caused by others.
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
}

/// An event in a group caused by the user.
public indirect enum SndGroupEvent: JSONCodable, Hashable, Sendable {
  case memberRole(groupMemberId: Int64, profile: Profile, role: GroupMemberRole)
  case memberBlocked(groupMemberId: Int64, profile: Profile, blocked: Bool)
  case userRole(role: GroupMemberRole)
  case memberDeleted(groupMemberId: Int64, profile: Profile)
  case userLeft
  case groupUpdated(groupProfile: GroupProfile)
  case memberAccepted(groupMemberId: Int64, profile: Profile)
  case userPendingReview
}
