import FoundationTypes
import SimplexJSON

/// A supporter's badge with the result of checking it.
public struct LocalBadge: JSONCodable, Hashable, Sendable {
  /// What the badge says.
  public var badge: BadgeInfo
  /// Its status.
  public var status: BadgeStatus
}

/// What a badge says.
public struct BadgeInfo: JSONCodable, Hashable, Sendable {
  /// The kind of badge.
  public var badgeType: BadgeType
  /// When the badge ends; absent if it does not.
  public var badgeExpiry: Date?
  /// Further text signed with the badge.
  public var badgeExtra: String
}

/// The result of checking a badge.
public enum BadgeStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case active
  case expired
  case expiredOld
  case failed
  case unknownKey
}

/// A zero-knowledge proof of holding a badge.
public struct BadgeProof: JSONCodable, Hashable, Sendable {
  /// Number of the key that signed the badge.
  public var badgeKeyIdx: Int
  /// What the proof is bound to, base64url.
  public var presHeader: String
  /// The zero-knowledge proof, base64url.
  public var proof: String
  /// What the badge says.
  public var badgeInfo: BadgeInfo
}

/// A signed badge from which proofs are made. The master key is secret.
public struct BadgeCredential: JSONCodable, Hashable, Sendable {
  /// Number of the key that signed the badge.
  public var badgeKeyIdx: Int
  /// Secret of the badge, base64url.
  public var masterKey: String
  /// The signature, base64url.
  public var signature: String
  /// What the badge says.
  public var badgeInfo: BadgeInfo
}
