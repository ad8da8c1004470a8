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

  /// A value of its members.
  public init(
    operatorId: Int64, operatorTag: OperatorTag? = nil, tradeName: String, legalName: String? = nil,
    serverDomains: [String], conditionsAcceptance: ConditionsAcceptance, enabled: Bool, smpRoles: ServerRoles,
    xftpRoles: ServerRoles
  ) {
    self.operatorId = operatorId
    self.operatorTag = operatorTag
    self.tradeName = tradeName
    self.legalName = legalName
    self.serverDomains = serverDomains
    self.conditionsAcceptance = conditionsAcceptance
    self.enabled = enabled
    self.smpRoles = smpRoles
    self.xftpRoles = xftpRoles
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    operatorId = try fields.get("operatorId")
    operatorTag = try fields.get("operatorTag")
    tradeName = try fields.get("tradeName")
    legalName = try fields.get("legalName")
    serverDomains = try fields.get("serverDomains")
    conditionsAcceptance = try fields.get("conditionsAcceptance")
    enabled = try fields.get("enabled")
    smpRoles = try fields.get("smpRoles")
    xftpRoles = try fields.get("xftpRoles")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("operatorId", operatorId)
    json.field("operatorTag", operatorTag)
    json.field("tradeName", tradeName)
    json.field("legalName", legalName)
    json.field("serverDomains", serverDomains)
    json.field("conditionsAcceptance", conditionsAcceptance)
    json.field("enabled", enabled)
    json.field("smpRoles", smpRoles)
    json.field("xftpRoles", xftpRoles)
    json.endObject()
  }
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
  public var names: Bool

  /// A value of its members.
  public init(
    storage: Bool, proxy: Bool, names: Bool = false
  ) {
    self.storage = storage
    self.proxy = proxy
    self.names = names
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    storage = try fields.get("storage")
    proxy = try fields.get("proxy")
    names = try fields.get("names", default: false)
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("storage", storage)
    json.field("proxy", proxy)
    json.field("names", names)
    json.endObject()
  }
}

/// Whether the user accepted an operator's conditions.
public enum ConditionsAcceptance: JSONCodable, Hashable, Sendable {
  case accepted(acceptedAt: Date?, autoAccepted: Bool)
  case required(deadline: Date?)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "accepted":
      self = try .accepted(
        acceptedAt: fields.get("acceptedAt"), autoAccepted: fields.get("autoAccepted"))
    case "required": self = try .required(deadline: fields.get("deadline"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .accepted(let acceptedAt, let autoAccepted):
      json.sum("accepted", "acceptedAt", acceptedAt, "autoAccepted", autoAccepted)
    case .required(let deadline): json.sum("required", "deadline", deadline)
    }
  }
}

/// Operators and their conditions.
public struct ServerOperatorConditions: JSONCodable, Hashable, Sendable {
  /// The operators.
  public var serverOperators: [ServerOperator]
  /// The conditions in force.
  public var currentConditions: UsageConditions
  /// What the user has to do about the conditions.
  public var conditionsAction: UsageConditionsAction?

  /// A value of its members.
  public init(
    serverOperators: [ServerOperator], currentConditions: UsageConditions,
    conditionsAction: UsageConditionsAction? = nil
  ) {
    self.serverOperators = serverOperators
    self.currentConditions = currentConditions
    self.conditionsAction = conditionsAction
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    serverOperators = try fields.get("serverOperators")
    currentConditions = try fields.get("currentConditions")
    conditionsAction = try fields.get("conditionsAction")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("serverOperators", serverOperators)
    json.field("currentConditions", currentConditions)
    json.field("conditionsAction", conditionsAction)
    json.endObject()
  }
}

/// A version of the conditions.
public struct UsageConditions: JSONCodable, Hashable, Sendable {
  /// Database id.
  public var conditionsId: Int64
  /// Commit of the document with the conditions.
  public var conditionsCommit: String
  /// When the user was told.
  public var notifiedAt: Date?
  /// When it was created.
  public var createdAt: Date

  /// A value of its members.
  public init(
    conditionsId: Int64, conditionsCommit: String, notifiedAt: Date? = nil, createdAt: Date
  ) {
    self.conditionsId = conditionsId
    self.conditionsCommit = conditionsCommit
    self.notifiedAt = notifiedAt
    self.createdAt = createdAt
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    conditionsId = try fields.get("conditionsId")
    conditionsCommit = try fields.get("conditionsCommit")
    notifiedAt = try fields.get("notifiedAt")
    createdAt = try fields.get("createdAt")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("conditionsId", conditionsId)
    json.field("conditionsCommit", conditionsCommit)
    json.field("notifiedAt", notifiedAt)
    json.field("createdAt", createdAt)
    json.endObject()
  }
}

/// What the user has to do about the conditions.
public enum UsageConditionsAction: JSONCodable, Hashable, Sendable {
  case review(operators: [ServerOperator], deadline: Date?, showNotice: Bool)
  case accepted(operators: [ServerOperator])

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "review":
      self = try .review(
        operators: fields.get("operators"), deadline: fields.get("deadline"), showNotice: fields.get("showNotice"))
    case "accepted": self = try .accepted(operators: fields.get("operators"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .review(let operators, let deadline, let showNotice):
      json.sum("review", "operators", operators, "deadline", deadline, "showNotice", showNotice)
    case .accepted(let operators): json.sum("accepted", "operators", operators)
    }
  }
}
