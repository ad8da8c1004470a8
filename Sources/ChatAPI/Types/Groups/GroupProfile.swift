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
  public var image: String?
  /// Link and type of a public group.
  public var publicGroup: PublicGroupProfile?
  /// Features the owners set.
  public var groupPreferences: GroupPreferences?
  /// How members are admitted.
  public var memberAdmission: GroupMemberAdmission?

  /// A value of its members.
  public init(
    displayName: String, fullName: String, shortDescr: String? = nil, description: String? = nil, image: String? = nil,
    publicGroup: PublicGroupProfile? = nil, groupPreferences: GroupPreferences? = nil,
    memberAdmission: GroupMemberAdmission? = nil
  ) {
    self.displayName = displayName
    self.fullName = fullName
    self.shortDescr = shortDescr
    self.description = description
    self.image = image
    self.publicGroup = publicGroup
    self.groupPreferences = groupPreferences
    self.memberAdmission = memberAdmission
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    displayName = try fields.get("displayName")
    fullName = try fields.get("fullName")
    shortDescr = try fields.get("shortDescr")
    description = try fields.get("description")
    image = imageData(try fields.get("image"))
    publicGroup = try fields.get("publicGroup")
    groupPreferences = try fields.get("groupPreferences")
    memberAdmission = try fields.get("memberAdmission")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("displayName", displayName)
    json.field("fullName", fullName)
    json.field("shortDescr", shortDescr)
    json.field("description", description)
    json.field("image", image)
    json.field("publicGroup", publicGroup)
    json.field("groupPreferences", groupPreferences)
    json.field("memberAdmission", memberAdmission)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    groupType: GroupType, groupLink: String, publicGroupId: String, publicGroupAccess: PublicGroupAccess? = nil
  ) {
    self.groupType = groupType
    self.groupLink = groupLink
    self.publicGroupId = publicGroupId
    self.publicGroupAccess = publicGroupAccess
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupType = try fields.get("groupType")
    groupLink = try fields.get("groupLink")
    publicGroupId = try fields.get("publicGroupId")
    publicGroupAccess = try fields.get("publicGroupAccess")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupType", groupType)
    json.field("groupLink", groupLink)
    json.field("publicGroupId", publicGroupId)
    json.field("publicGroupAccess", publicGroupAccess)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    groupWebPage: String? = nil, groupDomainClaim: SimplexDomainClaim? = nil, domainWebPage: Bool, allowEmbedding: Bool
  ) {
    self.groupWebPage = groupWebPage
    self.groupDomainClaim = groupDomainClaim
    self.domainWebPage = domainWebPage
    self.allowEmbedding = allowEmbedding
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    groupWebPage = try fields.get("groupWebPage")
    groupDomainClaim = try fields.get("groupDomainClaim")
    domainWebPage = try fields.get("domainWebPage")
    allowEmbedding = try fields.get("allowEmbedding")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("groupWebPage", groupWebPage)
    json.field("groupDomainClaim", groupDomainClaim)
    json.field("domainWebPage", domainWebPage)
    json.field("allowEmbedding", allowEmbedding)
    json.endObject()
  }
}

/// How new members are admitted.
public struct GroupMemberAdmission: JSONCodable, Hashable, Sendable {
  /// Which new members are reviewed before they join.
  public var review: MemberCriteria?

  /// A value of its members.
  public init(
    review: MemberCriteria? = nil
  ) {
    self.review = review
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    review = try fields.get("review")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("review", review)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    chatType: BusinessChatType, businessId: String, customerId: String, businessDomain: SimplexDomainClaim? = nil
  ) {
    self.chatType = chatType
    self.businessId = businessId
    self.customerId = customerId
    self.businessDomain = businessDomain
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chatType = try fields.get("chatType")
    businessId = try fields.get("businessId")
    customerId = try fields.get("customerId")
    businessDomain = try fields.get("businessDomain")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("chatType", chatType)
    json.field("businessId", businessId)
    json.field("customerId", customerId)
    json.field("businessDomain", businessDomain)
    json.endObject()
  }
}

/// Which party of a business chat the user is.
public enum BusinessChatType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case business
  case customer
}
