import FoundationTypes

import SimplexJSON

/// A supporter's badge with what checking it gave.
public struct LocalBadge: JSONCodable, Hashable, Sendable {
  /// What the badge says.
  public var badge: BadgeInfo
  /// Its status.
  public var status: BadgeStatus

  /// A value of its members.
  public init(
    badge: BadgeInfo, status: BadgeStatus
  ) {
    self.badge = badge
    self.status = status
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    badge = try fields.get("badge")
    status = try fields.get("status")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("badge", badge)
    json.field("status", status)
    json.endObject()
  }
}

/// What a badge says.
public struct BadgeInfo: JSONCodable, Hashable, Sendable {
  /// The kind of badge.
  public var badgeType: BadgeType
  /// When the badge ends; absent if it does not.
  public var badgeExpiry: Date?
  /// Further text signed with the badge.
  public var badgeExtra: String

  /// A value of its members.
  public init(
    badgeType: BadgeType, badgeExpiry: Date? = nil, badgeExtra: String
  ) {
    self.badgeType = badgeType
    self.badgeExpiry = badgeExpiry
    self.badgeExtra = badgeExtra
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    badgeType = try fields.get("badgeType")
    badgeExpiry = try fields.get("badgeExpiry")
    badgeExtra = try fields.get("badgeExtra")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("badgeType", badgeType)
    json.field("badgeExpiry", badgeExpiry)
    json.field("badgeExtra", badgeExtra)
    json.endObject()
  }
}

/// What checking a badge gave.
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

  /// A value of its members.
  public init(
    badgeKeyIdx: Int, presHeader: String, proof: String, badgeInfo: BadgeInfo
  ) {
    self.badgeKeyIdx = badgeKeyIdx
    self.presHeader = presHeader
    self.proof = proof
    self.badgeInfo = badgeInfo
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    badgeKeyIdx = try fields.get("badgeKeyIdx")
    presHeader = try fields.get("presHeader")
    proof = try fields.get("proof")
    badgeInfo = try fields.get("badgeInfo")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("badgeKeyIdx", badgeKeyIdx)
    json.field("presHeader", presHeader)
    json.field("proof", proof)
    json.field("badgeInfo", badgeInfo)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    badgeKeyIdx: Int, masterKey: String, signature: String, badgeInfo: BadgeInfo
  ) {
    self.badgeKeyIdx = badgeKeyIdx
    self.masterKey = masterKey
    self.signature = signature
    self.badgeInfo = badgeInfo
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    badgeKeyIdx = try fields.get("badgeKeyIdx")
    masterKey = try fields.get("masterKey")
    signature = try fields.get("signature")
    badgeInfo = try fields.get("badgeInfo")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("badgeKeyIdx", badgeKeyIdx)
    json.field("masterKey", masterKey)
    json.field("signature", signature)
    json.field("badgeInfo", badgeInfo)
    json.endObject()
  }
}
