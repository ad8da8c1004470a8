import SimplexJSON

/// An event caused by a contact.
public indirect enum RcvDirectEvent: JSONCodable, Hashable, Sendable {
  case contactDeleted
  case profileUpdated(fromProfile: Profile, toProfile: Profile)
  case groupInvLinkReceived(groupProfile: GroupProfile)
}

/// An event of the connection caused by the peer.
public enum RcvConnEvent: JSONCodable, Hashable, Sendable {
  case switchQueue(phase: SwitchPhase)
  case ratchetSync(syncStatus: RatchetSyncState)
  case verificationCodeReset
  case pqEnabled(enabled: Bool = false)
}

/// An event of the connection caused by the user.
public indirect enum SndConnEvent: JSONCodable, Hashable, Sendable {
  case switchQueue(phase: SwitchPhase, member: GroupMemberRef?)
  case ratchetSync(syncStatus: RatchetSyncState, member: GroupMemberRef?)
  case pqEnabled(enabled: Bool = false)
}
