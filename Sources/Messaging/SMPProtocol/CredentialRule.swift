/// The credentials that the transmission of a message has to have: an authorization (a signature or an authenticator),
/// and the entity that the message is about. Source: simplex-messaging.md, "SMP Transmission and transport block
/// structure".
public struct CredentialRule: Hashable, Sendable {
  /// Whether a part of a transmission is required.
  public enum Requirement: Hashable, Sendable {
    case required, optional, forbidden
  }

  /// Whether it is authorized.
  public let authorization: Requirement
  /// Whether it names an entity.
  public let entity: Requirement

  /// A rule of its two parts.
  public init(authorization: Requirement, entity: Requirement) {
    self.authorization = authorization
    self.entity = entity
  }

  /// Authorized and about an entity.
  public static let both = CredentialRule(authorization: .required, entity: .required)
  /// Neither authorized nor about an entity.
  public static let none = CredentialRule(authorization: .forbidden, entity: .forbidden)
  /// About an entity, and not authorized.
  public static let entityOnly = CredentialRule(authorization: .forbidden, entity: .required)

  /// The error of a transmission with these parts present or absent; nil if it is valid.
  public func violation(isAuthorized: Bool, hasEntity: Bool) -> ProtocolCommandError? {
    if authorization == .required, !isAuthorized { return .NO_AUTH }
    if entity == .required, !hasEntity { return authorization == .required ? .NO_AUTH : .NO_ENTITY }
    if authorization == .forbidden, isAuthorized { return .HAS_AUTH }
    if entity == .forbidden, hasEntity { return .HAS_AUTH }
    return nil
  }
}
