import SimplexJSON

/// Names, image and preferences that are sent to peers.
public struct Profile: JSONCodable, Hashable, Sendable {
  /// The short name.
  public var displayName: String
  /// The longer name; may be empty.
  public var fullName: String
  /// One line about it.
  public var shortDescr: String?
  /// Longer description.
  public var description: String?
  /// Image as `data:` URI.
  public var image: String?
  /// The address, a link.
  public var contactLink: String?
  /// Features the user allows; absent for the defaults.
  public var preferences: Preferences?
  /// Whether it is a person or a bot.
  public var peerType: ChatPeerType?
  /// Proof of a supporter's badge.
  public var badge: BadgeProof?
  /// The domain name the profile claims.
  public var contactDomain: SimplexDomainClaim?

  /// A value of its members.
  public init(
    displayName: String, fullName: String, shortDescr: String? = nil, description: String? = nil, image: String? = nil,
    contactLink: String? = nil, preferences: Preferences? = nil, peerType: ChatPeerType? = nil,
    badge: BadgeProof? = nil, contactDomain: SimplexDomainClaim? = nil
  ) {
    self.displayName = displayName
    self.fullName = fullName
    self.shortDescr = shortDescr
    self.description = description
    self.image = image
    self.contactLink = contactLink
    self.preferences = preferences
    self.peerType = peerType
    self.badge = badge
    self.contactDomain = contactDomain
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    displayName = try fields.get("displayName")
    fullName = try fields.get("fullName")
    shortDescr = try fields.get("shortDescr")
    description = try fields.get("description")
    image = imageData(try fields.get("image"))
    contactLink = try fields.get("contactLink")
    preferences = try fields.get("preferences")
    peerType = try fields.get("peerType")
    badge = try fields.get("badge")
    contactDomain = try fields.get("contactDomain")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("displayName", displayName)
    json.field("fullName", fullName)
    json.field("shortDescr", shortDescr)
    json.field("description", description)
    json.field("image", image)
    json.field("contactLink", contactLink)
    json.field("preferences", preferences)
    json.field("peerType", peerType)
    json.field("badge", badge)
    json.field("contactDomain", contactDomain)
    json.endObject()
  }
}

/// A profile as this device keeps it.
public struct LocalProfile: JSONCodable, Hashable, Sendable {
  /// Database id of the profile.
  public var profileId: Int64
  /// The short name.
  public var displayName: String
  /// The longer name; may be empty.
  public var fullName: String
  /// One line about it.
  public var shortDescr: String?
  /// Longer description.
  public var description: String?
  /// Image as `data:` URI.
  public var image: String?
  /// The address, a link.
  public var contactLink: String?
  /// Features the user allows; absent for the defaults.
  public var preferences: Preferences?
  /// Whether it is a person or a bot.
  public var peerType: ChatPeerType?
  /// The badge and what checking it gave.
  public var localBadge: LocalBadge?
  /// The name the user gave; may be empty.
  public var localAlias: String
  /// The domain name the profile claims.
  public var contactDomain: SimplexDomainClaim?
  /// Whether the domain name was verified to be the contact's.
  public var contactDomainVerified: Bool?

  /// A value of its members.
  public init(
    profileId: Int64, displayName: String, fullName: String, shortDescr: String? = nil, description: String? = nil,
    image: String? = nil, contactLink: String? = nil, preferences: Preferences? = nil, peerType: ChatPeerType? = nil,
    localBadge: LocalBadge? = nil, localAlias: String, contactDomain: SimplexDomainClaim? = nil,
    contactDomainVerified: Bool? = nil
  ) {
    self.profileId = profileId
    self.displayName = displayName
    self.fullName = fullName
    self.shortDescr = shortDescr
    self.description = description
    self.image = image
    self.contactLink = contactLink
    self.preferences = preferences
    self.peerType = peerType
    self.localBadge = localBadge
    self.localAlias = localAlias
    self.contactDomain = contactDomain
    self.contactDomainVerified = contactDomainVerified
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    profileId = try fields.get("profileId")
    displayName = try fields.get("displayName")
    fullName = try fields.get("fullName")
    shortDescr = try fields.get("shortDescr")
    description = try fields.get("description")
    image = imageData(try fields.get("image"))
    contactLink = try fields.get("contactLink")
    preferences = try fields.get("preferences")
    peerType = try fields.get("peerType")
    localBadge = try fields.get("localBadge")
    localAlias = try fields.get("localAlias")
    contactDomain = try fields.get("contactDomain")
    contactDomainVerified = try fields.get("contactDomainVerified")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("profileId", profileId)
    json.field("displayName", displayName)
    json.field("fullName", fullName)
    json.field("shortDescr", shortDescr)
    json.field("description", description)
    json.field("image", image)
    json.field("contactLink", contactLink)
    json.field("preferences", preferences)
    json.field("peerType", peerType)
    json.field("localBadge", localBadge)
    json.field("localAlias", localAlias)
    json.field("contactDomain", contactDomain)
    json.field("contactDomainVerified", contactDomainVerified)
    json.endObject()
  }
}

/// Whether a profile is a person's or a bot's.
public enum ChatPeerType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case human
  case bot
}
