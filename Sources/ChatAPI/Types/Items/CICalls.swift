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

  /// A value of its members.
  public init(
    public: Bool? = nil, pqEnabled: Bool? = nil
  ) {
    self.`public` = `public`
    self.pqEnabled = pqEnabled
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    `public` = try fields.get("public")
    pqEnabled = try fields.get("pqEnabled")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("public", `public`)
    json.field("pqEnabled", pqEnabled)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    groupId: Int64, groupMemberId: Int64, localDisplayName: String, groupProfile: GroupProfile,
    status: CIGroupInvitationStatus
  ) {
    self.groupId = groupId
    self.groupMemberId = groupMemberId
    self.localDisplayName = localDisplayName
    self.groupProfile = groupProfile
    self.status = status
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupId = try fields.get("groupId")
    groupMemberId = try fields.get("groupMemberId")
    localDisplayName = try fields.get("localDisplayName")
    groupProfile = try fields.get("groupProfile")
    status = try fields.get("status")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupId", groupId)
    json.field("groupMemberId", groupMemberId)
    json.field("localDisplayName", localDisplayName)
    json.field("groupProfile", groupProfile)
    json.field("status", status)
    json.endObject()
  }
}

/// Whether an invitation to a group was answered.
public enum CIGroupInvitationStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case pending
  case accepted
  case rejected
  case expired
}
