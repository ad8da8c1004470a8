import SimplexJSON

/// A domain name that a profile or group claims as its own.
public struct SimplexDomainClaim: JSONCodable, Hashable, Sendable {
  /// The full domain name.
  public var domain: String
  /// Proof of the claim.
  public var proof: SimplexDomainProof?
}

/// Proof that the owner of a short link makes the claim.
public struct SimplexDomainProof: JSONCodable, Hashable, Sendable {
  /// Owner of the short link, base64url.
  public var linkOwnerId: String?
  /// What the proof is bound to, base64url.
  public var presHeader: String
  /// The signature, base64url.
  public var signature: String
}

/// A SimpleX name: what it stands for and where it is registered.
public struct SimplexNameInfo: JSONCodable, Hashable, Sendable {
  /// What the name stands for.
  public var nameType: SimplexNameType
  /// The domain name.
  public var nameDomain: SimplexDomain
}

/// What a SimpleX name stands for.
public enum SimplexNameType: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case publicGroup
  case contact
}

/// A domain name in parts.
public struct SimplexDomain: JSONCodable, Hashable, Sendable {
  /// The top-level domain.
  public var nameTLD: SimplexTLD
  /// The name under the top-level domain.
  public var domain: String
  /// Names below, from the top.
  public var subDomain: [String]
}

/// Top-level domains of SimpleX names.
public enum SimplexTLD: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case simplex
  case testing
  case web
}

/// Why a domain name was not resolved to a link.
public enum SimplexDomainError: JSONCodable, Hashable, Sendable {
  case noValidLink
  case unknownDomain
}
