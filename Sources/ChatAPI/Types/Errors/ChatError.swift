import SimplexJSON

/// Any error of the core.
public indirect enum ChatError: JSONCodable, Hashable, Sendable, Error {
  /// An error of the chat logic.
  case error(errorType: ChatErrorType)
  /// An error of the agent, with the connection it concerns.
  case errorAgent(agentError: AgentErrorType, agentConnId: String = "", connectionEntity_: ConnectionEntity? = nil)
  /// An error of the chat database.
  case errorStore(storeError: StoreError)
  /// An error of opening or encrypting a database.
  case errorDatabase(databaseError: DatabaseError)
  /// An error of the session with a desktop.
  case errorRemoteCtrl(remoteCtrlError: RemoteCtrlError)
  /// An error of the session with a mobile device.
  case errorRemoteHost(rhKey: RHKey, remoteHostError: RemoteHostError)
  /// A response that could not be read; made on this side, never sent.
  case invalidJSON(json: String)
  /// A response of another type than expected; made on this side, never sent.
  case unexpectedResult(type: String)

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "error": self = try .error(errorType: fields.get("errorType"))
    case "errorAgent":
      self = try .errorAgent(
        agentError: fields.get("agentError"), agentConnId: fields.get("agentConnId"),
        connectionEntity_: fields.get("connectionEntity_"))
    case "errorStore": self = try .errorStore(storeError: fields.get("storeError"))
    case "errorDatabase": self = try .errorDatabase(databaseError: fields.get("databaseError"))
    case "errorRemoteCtrl": self = try .errorRemoteCtrl(remoteCtrlError: fields.get("remoteCtrlError"))
    case "errorRemoteHost":
      self = try .errorRemoteHost(
        rhKey: fields.get("rhKey"), remoteHostError: fields.get("remoteHostError"))
    case "invalidJSON": self = try .invalidJSON(json: fields.get("json"))
    case "unexpectedResult": self = try .unexpectedResult(type: fields.get("resultType"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .error(let errorType): json.sum("error", "errorType", errorType)
    case .errorAgent(let agentError, let agentConnId, let connectionEntity_):
      json.sum(
        "errorAgent", "agentError", agentError, "agentConnId", agentConnId, "connectionEntity_", connectionEntity_)
    case .errorStore(let storeError): json.sum("errorStore", "storeError", storeError)
    case .errorDatabase(let databaseError): json.sum("errorDatabase", "databaseError", databaseError)
    case .errorRemoteCtrl(let remoteCtrlError): json.sum("errorRemoteCtrl", "remoteCtrlError", remoteCtrlError)
    case .errorRemoteHost(let rhKey, let remoteHostError):
      json.sum("errorRemoteHost", "rhKey", rhKey, "remoteHostError", remoteHostError)
    case .invalidJSON(let original): json.sum("invalidJSON", "json", original)
    case .unexpectedResult(let type): json.sum("unexpectedResult", "resultType", type)
    }
  }
}
