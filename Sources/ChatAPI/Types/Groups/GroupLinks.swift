import SimplexJSON

/// A link by which anyone can join.
public struct GroupLink: JSONCodable, Hashable, Sendable {
  /// Database id of the address.
  public var userContactLinkId: Int64
  /// Links of the address.
  public var connLinkContact: CreatedConnLink
  /// Whether the short link has the profile.
  public var shortLinkDataSet: Bool
  /// Whether the short link has the profile with its image.
  public var shortLinkLargeDataSet: Bool
  /// Id of the group link, base64url.
  public var groupLinkId: String
  /// The role of members who join by the link.
  public var acceptMemberRole: GroupMemberRole

  /// A value of its members.
  public init(
    userContactLinkId: Int64, connLinkContact: CreatedConnLink, shortLinkDataSet: Bool,
    shortLinkLargeDataSet: Bool = false, groupLinkId: String, acceptMemberRole: GroupMemberRole
  ) {
    self.userContactLinkId = userContactLinkId
    self.connLinkContact = connLinkContact
    self.shortLinkDataSet = shortLinkDataSet
    self.shortLinkLargeDataSet = shortLinkLargeDataSet
    self.groupLinkId = groupLinkId
    self.acceptMemberRole = acceptMemberRole
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    userContactLinkId = try fields.get("userContactLinkId")
    connLinkContact = try fields.get("connLinkContact")
    shortLinkDataSet = try fields.get("shortLinkDataSet")
    shortLinkLargeDataSet = try fields.get("shortLinkLargeDataSet", default: false)
    groupLinkId = try fields.get("groupLinkId")
    acceptMemberRole = try fields.get("acceptMemberRole")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("userContactLinkId", userContactLinkId)
    json.field("connLinkContact", connLinkContact)
    json.field("shortLinkDataSet", shortLinkDataSet)
    json.field("shortLinkLargeDataSet", shortLinkLargeDataSet)
    json.field("groupLinkId", groupLinkId)
    json.field("acceptMemberRole", acceptMemberRole)
    json.endObject()
  }
}

/// What a group's short link shows before joining.
public struct GroupShortLinkData: JSONCodable, Hashable, Sendable {
  /// Names, image and preferences.
  public var groupProfile: GroupProfile
  /// Further data of a public group.
  public var publicGroupData: PublicGroupData?

  /// A value of its members.
  public init(
    groupProfile: GroupProfile, publicGroupData: PublicGroupData? = nil
  ) {
    self.groupProfile = groupProfile
    self.publicGroupData = publicGroupData
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupProfile = try fields.get("groupProfile")
    publicGroupData = try fields.get("publicGroupData")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupProfile", groupProfile)
    json.field("publicGroupData", publicGroupData)
    json.endObject()
  }
}

/// Counts that a public group's link shows.
public struct PublicGroupData: JSONCodable, Hashable, Sendable {
  /// Number of members the relays report.
  public var publicMemberCount: Int64

  /// A value of its members.
  public init(
    publicMemberCount: Int64
  ) {
    self.publicMemberCount = publicMemberCount
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    publicMemberCount = try fields.get("publicMemberCount")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("publicMemberCount", publicMemberCount)
    json.endObject()
  }
}

/// Where a group's short link leads.
public struct GroupShortLinkInfo: JSONCodable, Hashable, Sendable {
  /// Whether the link leads to a member, not to relays.
  public var direct: Bool
  /// Short links of the relays.
  public var groupRelays: [String]
  /// Id of the public group, base64url.
  public var publicGroupId: String?

  /// A value of its members.
  public init(
    direct: Bool, groupRelays: [String], publicGroupId: String? = nil
  ) {
    self.direct = direct
    self.groupRelays = groupRelays
    self.publicGroupId = publicGroupId
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    direct = try fields.get("direct")
    groupRelays = try fields.get("groupRelays")
    publicGroupId = try fields.get("publicGroupId")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("direct", direct)
    json.field("groupRelays", groupRelays)
    json.field("publicGroupId", publicGroupId)
    json.endObject()
  }
}
