import AgentCore
import ChatAPI
import SimplexCrypto
import WireCodec

// Identifiers of the agent as the API and the database name them.

extension ConnectionID {
  /// base64url, as the API names connections.
  var text: String { Base64URL.string(bytes) }

  /// Reads an identifier of the database or the API.
  init(agentText text: String) throws(ChatError) {
    guard let bytes = Base64URL.decode(text), !bytes.isEmpty else {
      throw .errorStore(storeError: .connectionNotFound(agentConnId: text))
    }
    self.init(bytes)
  }

  /// An identifier for a new connection. The chat core draws it, so that it is stored before the agent uses it.
  static func random() -> ConnectionID {
    var random = SystemRandom()
    return ConnectionID(using: &random)
  }
}

extension User {
  /// The agent's number of the user.
  var agentID: UserID {
    get throws(ChatError) {
      guard let number = Int64(agentUserId) else { throw .errorAgent(agentError: .NO_USER) }
      return UserID(rawValue: number)
    }
  }
}
