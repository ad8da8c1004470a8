import SimplexJSON

/// How a call went.
public enum CICallStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case pending
  case missed
  case rejected
  case accepted
  case negotiated
  case progress
  case ended
  case error
}

/// How a conversation is encrypted.
public struct E2EEInfo: JSONCodable, Hashable, Sendable {
  /// Whether the group is public and so not encrypted end to end.
  public var `public`: Bool?
  /// Whether encryption is quantum resistant.
  public var pqEnabled: Bool?
}

/// Received or sent.
public enum MsgDirection: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case rcv
  case snd
}

/// An invitation to a group.
public struct CIGroupInvitation: JSONCodable, Hashable, Sendable {
  /// Database id of the group.
  public var groupId: Int64
  /// Database id of the member.
  public var groupMemberId: Int64
  /// The name made unique on this device.
  public var localDisplayName: String
  /// Names, image and preferences.
  public var groupProfile: GroupProfile
  /// Its status.
  public var status: CIGroupInvitationStatus
}

/// Whether an invitation to a group was answered.
public enum CIGroupInvitationStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case pending
  case accepted
  case rejected
  case expired
}
