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
  public var shortLinkLargeDataSet: Bool = false
  /// Id of the group link, base64url.
  public var groupLinkId: String
  /// The role of members who join by the link.
  public var acceptMemberRole: GroupMemberRole
}

/// What a group's short link shows before joining.
public struct GroupShortLinkData: JSONCodable, Hashable, Sendable {
  /// Names, image and preferences.
  public var groupProfile: GroupProfile
  /// Further data of a public group.
  public var publicGroupData: PublicGroupData?
}

/// Counts that a public group's link shows.
public struct PublicGroupData: JSONCodable, Hashable, Sendable {
  /// Number of members the relays report.
  public var publicMemberCount: Int64
}

/// Where a group's short link leads.
public struct GroupShortLinkInfo: JSONCodable, Hashable, Sendable {
  /// Whether the link leads to a member, not to relays.
  public var direct: Bool
  /// Short links of the relays.
  public var groupRelays: [String]
  /// Id of the public group, base64url.
  public var publicGroupId: String?
}
