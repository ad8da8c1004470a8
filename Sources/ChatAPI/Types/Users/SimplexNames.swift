import SimplexJSON

/// A domain name that a profile or group claims as its own.
public struct SimplexDomainClaim: JSONCodable, Hashable, Sendable {
  /// The full domain name.
  public var domain: String
  /// Proof of the claim.
  public var proof: SimplexDomainProof?

  /// A value of its members.
  public init(
    domain: String, proof: SimplexDomainProof? = nil
  ) {
    self.domain = domain
    self.proof = proof
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    domain = try fields.get("domain")
    proof = try fields.get("proof")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("domain", domain)
    json.field("proof", proof)
    json.endObject()
  }
}

/// Proof that the owner of a short link makes the claim.
public struct SimplexDomainProof: JSONCodable, Hashable, Sendable {
  /// Owner of the short link, base64url.
  public var linkOwnerId: String?
  /// What the proof is bound to, base64url.
  public var presHeader: String
  /// The signature, base64url.
  public var signature: String

  /// A value of its members.
  public init(
    linkOwnerId: String? = nil, presHeader: String, signature: String
  ) {
    self.linkOwnerId = linkOwnerId
    self.presHeader = presHeader
    self.signature = signature
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    linkOwnerId = try fields.get("linkOwnerId")
    presHeader = try fields.get("presHeader")
    signature = try fields.get("signature")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("linkOwnerId", linkOwnerId)
    json.field("presHeader", presHeader)
    json.field("signature", signature)
    json.endObject()
  }
}

/// A SimpleX name: what it stands for and where it is registered.
public struct SimplexNameInfo: JSONCodable, Hashable, Sendable {
  /// What the name stands for.
  public var nameType: SimplexNameType
  /// The domain name.
  public var nameDomain: SimplexDomain

  /// A value of its members.
  public init(
    nameType: SimplexNameType, nameDomain: SimplexDomain
  ) {
    self.nameType = nameType
    self.nameDomain = nameDomain
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    nameType = try fields.get("nameType")
    nameDomain = try fields.get("nameDomain")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("nameType", nameType)
    json.field("nameDomain", nameDomain)
    json.endObject()
  }
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

  /// A value of its members.
  public init(
    nameTLD: SimplexTLD, domain: String, subDomain: [String]
  ) {
    self.nameTLD = nameTLD
    self.domain = domain
    self.subDomain = subDomain
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    nameTLD = try fields.get("nameTLD")
    domain = try fields.get("domain")
    subDomain = try fields.get("subDomain")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("nameTLD", nameTLD)
    json.field("domain", domain)
    json.field("subDomain", subDomain)
    json.endObject()
  }
}

/// Top-level domains of SimpleX names.
public enum SimplexTLD: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case simplex
  case testing
  case web
}

/// Why a domain name gives no link.
public enum SimplexDomainError: JSONCodable, Hashable, Sendable {
  case noValidLink
  case unknownDomain

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    let fields = try json.sum()
    switch fields.tag {
    case "noValidLink": self = .noValidLink
    case "unknownDomain": self = .unknownDomain
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .noValidLink: json.tag("noValidLink")
    case .unknownDomain: json.tag("unknownDomain")
    }
  }
}
