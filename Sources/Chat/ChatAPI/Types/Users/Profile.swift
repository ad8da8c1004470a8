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
  public var image: String?  // json: imageData(image)
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
  public var image: String?  // json: imageData(image)
  /// The address, a link.
  public var contactLink: String?
  /// Features the user allows; absent for the defaults.
  public var preferences: Preferences?
  /// Whether it is a person or a bot.
  public var peerType: ChatPeerType?
  /// The badge and the result of checking it.
  public var localBadge: LocalBadge?
  /// The name that the user chose; may be empty.
  public var localAlias: String
  /// The domain name the profile claims.
  public var contactDomain: SimplexDomainClaim?
  /// Whether the domain name was verified to be the contact's.
  public var contactDomainVerified: Bool?
}

/// Whether a profile is a person's or a bot's.
public enum ChatPeerType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case human
  case bot
}
