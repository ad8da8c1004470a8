import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import SMPProtocol
import SimplexAgent
import WireCodec

// Talking to the agent.

extension ChatController {
  /// Uses the agent, after what was stored is durable; its errors become errors of the API, which name no connection.
  func withAgent<Value: Sendable>(
    _ body: (Agent) async throws(AgentError) -> Value
  ) async throws(ChatError) -> Value {
    guard let agent else { throw .errorAgent(agentError: .INACTIVE) }
    try store.synchronize()
    do throws(AgentError) {
      return try await body(agent)
    } catch {
      if error.isOutage { agentOutages += 1 }
      throw .errorAgent(agentError: AgentErrorType(error), agentConnId: "")
    }
  }

  /// Uses the agent for a command of the user that has a follow-up. If the agent fails, the follow-up is carried out or
  /// removed; see ``FollowUp/follows(_:)``.
  func withAgent<Value: Sendable>(
    _ followUp: FollowUp?, _ body: (Agent) async throws(AgentError) -> Value
  ) async throws(ChatError) -> Value {
    var isInterrupted = false
    do throws(ChatError) {
      return try await withAgent { (agent) throws(AgentError) in
        do throws(AgentError) { return try await body(agent) } catch {
          isInterrupted = followUp?.follows(error) == true
          throw error
        }
      }
    } catch {
      // Where this cannot be stored either, the next process carries it out.
      if let followUp { try? turn { try isInterrupted ? $0.carryOut(followUp) : $0.finish(followUp) } }
      throw error
    }
  }

  /// The relays of a user as the agent takes them.
  /// - Parameter areChosen: whether the user chose them since the program was started; otherwise those of its options
  ///   are used, where it has any.
  nonisolated func agentServers(_ groups: [UserOperatorServers], areChosen: Bool = false) -> [AgentUserServer] {
    let used =
      options.smpServers.isEmpty || areChosen
      ? UserServerRules.used(groups) : options.smpServers.map { (server: $0, storage: true, proxy: true) }
    return used.compactMap { used in
      guard let address = try? ServerWithAuth<SMPScheme>.textCodec.decode(text: used.server) else {
        return nil
      }
      return AgentUserServer(address, storesMessages: used.storage, forwardsMessages: used.proxy)
    }
  }

  /// Sets the relays of this start in the agent, which may be others than those of the last one: also those of a change
  /// that the agent did not get before the program was killed or suspended. A user that the agent does not have is left
  /// to the comparison of both (`/_connections diff`).
  func restoreAgentServers() async throws(ChatError) {
    try await forEachUser { (user) throws(ChatError) in
      let servers = agentServers(
        try groupedServers(of: user), areChosen: session.usersWithChosenServers.contains(user.userId))
      let agentUser = try user.agentID
      try await withAgent { (agent) throws(AgentError) in
        do throws(AgentError) { try await agent.setServers(servers, for: agentUser) } catch .noUser {}
      }
    }
  }

  /// Sets the message relays and the file servers of all users in the agent.
  func updateAgentServers() async throws(ChatError) {
    try await restoreAgentServers()
    try await updateAgentFileServers()
  }

  /// Runs `body` with each user, as stored when its turn comes; a user who is deleted in the meantime is skipped, and
  /// so is one whose identifier of the agent cannot be read, which is reported.
  func forEachUser(_ body: (User) async throws(ChatError) -> Void) async throws(ChatError) {
    for id in try store.read({ try $0.users().map(\.userId) }) {
      guard let user = try store.read({ try $0.userIfPresent(id) }) else { continue }
      do throws(ChatError) { _ = try user.agentID } catch {
        emit(error)
        continue
      }
      try await body(user)
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
