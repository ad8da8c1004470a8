import FoundationTypes
import SimplexJSON

/// A company that runs servers.
public struct ServerOperator: JSONCodable, Hashable, Sendable {
  /// Database id.
  public var operatorId: Int64
  /// Which of the preset operators it is.
  public var operatorTag: OperatorTag?
  /// Name of the operator.
  public var tradeName: String
  /// Registered name of the company.
  public var legalName: String?
  /// Domains of the operator's servers.
  public var serverDomains: [String]
  /// Whether the user accepted the operator's conditions.
  public var conditionsAcceptance: ConditionsAcceptance
  /// Whether it is used.
  public var enabled: Bool
  /// What messaging servers of the operator are used for.
  public var smpRoles: ServerRoles
  /// What file servers of the operator are used for.
  public var xftpRoles: ServerRoles
}

/// Operators that come with the app.
public enum OperatorTag: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case simplex
  case flux
}

/// What servers are used for.
public struct ServerRoles: JSONCodable, Hashable, Sendable {
  /// Whether the servers are used for receiving or storing.
  public var storage: Bool
  /// Whether the servers are used to reach others.
  public var proxy: Bool
  /// Whether the operator's servers resolve names.
  public var names: Bool = false

  /// Every role.
  public static let all = ServerRoles(storage: true, proxy: true, names: true)
}

/// Whether the user accepted an operator's conditions.
public enum ConditionsAcceptance: JSONCodable, Hashable, Sendable {
  case accepted(acceptedAt: Date?, autoAccepted: Bool)
  case required(deadline: Date?)
}

/// Operators and their conditions.
public struct ServerOperatorConditions: JSONCodable, Hashable, Sendable {
  /// The operators.
  public var serverOperators: [ServerOperator]
  /// The conditions in force.
  public var currentConditions: UsageConditions
  /// What the user has to do about the conditions.
  public var conditionsAction: UsageConditionsAction?
}

/// A version of the conditions.
public struct UsageConditions: JSONCodable, Hashable, Sendable {
  /// Database id.
  public var conditionsId: Int64
  /// Commit of the document with the conditions.
  public var conditionsCommit: String
  /// When the user was notified.
  public var notifiedAt: Date?
  /// When it was created.
  public var createdAt: Date
}

/// What the user has to do about the conditions.
public enum UsageConditionsAction: JSONCodable, Hashable, Sendable {
  case review(operators: [ServerOperator], deadline: Date?, showNotice: Bool)
  case accepted(operators: [ServerOperator])
}
