import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import SMPProtocol
import SimplexAgent
import WireCodec

// Talking to the agent.

extension ChatController {
  /// Uses the agent, after what was stored is durable; its errors become errors of the API.
  func withAgent<Value: Sendable>(
    _ connection: ConnectionID? = nil, _ body: (Agent) async throws(AgentError) -> Value
  ) async throws(ChatError) -> Value {
    guard let agent else { throw .errorAgent(agentError: .INACTIVE) }
    try store.synchronize()
    do throws(AgentError) {
      return try await body(agent)
    } catch {
      if error.isOutage { agentOutages += 1 }
      throw .errorAgent(agentError: AgentErrorType(error), agentConnId: connection?.text ?? "")
    }
  }

  /// The agent's number of a user.
  nonisolated func agentUserID(_ user: User) throws(ChatError) -> UserID {
    guard let number = Int64(user.agentUserId) else { throw .errorAgent(agentError: .NO_USER) }
    return UserID(rawValue: number)
  }

  /// The agent's identifier of a connection.
  nonisolated func agentConnection(_ text: String) throws(ChatError) -> ConnectionID {
    guard let bytes = Base64URL.decode(text), !bytes.isEmpty else {
      throw .errorStore(storeError: .connectionNotFound(agentConnId: text))
    }
    return ConnectionID(bytes)
  }

  /// The relays of a user as the agent takes them.
  nonisolated func agentServers(_ groups: [UserOperatorServers]) -> [AgentCore.UserServer] {
    let used =
      options.smpServers.isEmpty
      ? UserServerRules.used(groups) : options.smpServers.map { (server: $0, storage: true, proxy: true) }
    return used.compactMap { used in
      guard let address = try? SMPProtocol.ServerAddress<SMPScheme>.textCodec.decode(text: used.server) else {
        return nil
      }
      return AgentCore.UserServer(address, storesMessages: used.storage, forwardsMessages: used.proxy)
    }
  }

  /// Gives the agent the relays of all users.
  func updateAgentServers() async throws(ChatError) {
    for user in try store.read({ try $0.users() }) {
      let servers = agentServers(try groupedServers(of: user))
      let agentUser = try agentUserID(user)
      try await withAgent { (agent) throws(AgentError) in try await agent.setServers(servers, for: agentUser) }
    }
  }

  /// A user's servers, by operator.
  nonisolated func groupedServers(of user: User) throws(ChatError) -> [UserOperatorServers] {
    try store.read { transaction in
      UserServerRules.grouped(
        operators: try transaction.serverOperators().serverOperators, smp: try transaction.servers(.smp, of: user),
        xftp: try transaction.servers(.xftp, of: user), relays: try transaction.chatRelays(of: user))
    }
  }
}

extension ConnectionID {
  /// base64url, as the API names connections.
  var text: String { Base64URL.string(bytes) }
}
