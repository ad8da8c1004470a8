import SimplexJSON

/// Names, image and settings of a group, the same for all members.
public struct GroupProfile: JSONCodable, Hashable, Sendable {
  /// The short name.
  public var displayName: String
  /// The longer name; may be empty.
  public var fullName: String
  /// One line about it.
  public var shortDescr: String?
  /// Welcome message.
  public var description: String?
  /// Image as `data:` URI.
  public var image: String?  // json: imageData(image)
  /// Link and type of a public group.
  public var publicGroup: PublicGroupProfile?
  /// Features the owners set.
  public var groupPreferences: GroupPreferences?
  /// How members are admitted.
  public var memberAdmission: GroupMemberAdmission?
}

/// Link and type of a public group.
public struct PublicGroupProfile: JSONCodable, Hashable, Sendable {
  /// The kind of public group.
  public var groupType: GroupType
  /// Short link of the group.
  public var groupLink: String
  /// Id of the public group, base64url.
  public var publicGroupId: String
  /// How a public group can be reached.
  public var publicGroupAccess: PublicGroupAccess?
}

/// How a public group can be reached on the web.
public struct PublicGroupAccess: JSONCodable, Hashable, Sendable {
  /// Address of the group's page.
  public var groupWebPage: String?
  /// The domain name the group claims.
  public var groupDomainClaim: SimplexDomainClaim?
  /// Whether the group's domain has a page.
  public var domainWebPage: Bool
  /// Whether the group's page may be embedded in other pages.
  public var allowEmbedding: Bool
}

/// How new members are admitted.
public struct GroupMemberAdmission: JSONCodable, Hashable, Sendable {
  /// Which new members are reviewed before they join.
  public var review: MemberCriteria?
}

/// Which new members a rule is for.
public enum MemberCriteria: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case all
}

/// The parties of a business chat.
public struct BusinessChatInfo: JSONCodable, Hashable, Sendable {
  /// Whether the user is the business or its customer.
  public var chatType: BusinessChatType
  /// Member id of the business, base64url.
  public var businessId: String
  /// Member id of the customer, base64url.
  public var customerId: String
  /// The domain name the business claims.
  public var businessDomain: SimplexDomainClaim?
}

/// Which party of a business chat the user is.
public enum BusinessChatType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case business
  case customer
}
