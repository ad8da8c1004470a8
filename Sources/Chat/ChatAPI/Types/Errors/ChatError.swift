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
  case unexpectedResult(resultType: String)
}
