import AgentCore
import ChatAPI
import ChatStore
import FoundationTypes
import SQLiteKit

// The version, the databases' passphrase, statistics.

extension ChatController {
  /// The version of the reference whose API this is.
  public static let version = "7.0.0.6"

  func performSystem(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .showVersion:
      return .response2(
        .versionInfo(
          versionInfo: CoreVersionInfo(version: Self.version, simplexmqVersion: "7.0.0.3", simplexmqCommit: ""),
          chatMigrations: [], agentMigrations: []))
    case .apiStorageEncryption(let config):
      try await encrypt(config)
      return .done()
    case .testStorageEncryption(let key):
      try await test(key)
      return .done()
    case .getAgentSubsTotal(let id):
      let user = try runningUser(id)
      let statistics = try await withAgent { (agent) throws(AgentError) in try await agent.statistics() }
      let visible = try visibleUsers(to: user)
      let servers = statistics.servers.filter { visible.contains($0.user) }
      return .response2(
        .agentSubsTotal(
          user: user,
          subsTotal: SMPServerSubs(
            ssActive: servers.reduce(0) { $0 + $1.activeSubscriptions },
            ssPending: servers.reduce(0) { $0 + $1.pendingSubscriptions }),
          hasSession: servers.contains { $0.connectedSessions > 0 }))
    case .getAgentServersSummary(let id):
      let user = try runningUser(id)
      let statistics = try await withAgent { (agent) throws(AgentError) in try await agent.statistics() }
      let known = agentServers(try groupedServers(of: user)).map(\.address.server)
      let knownFileServers = try turn(mayBeLost: true) { try $0.fileServers(of: user) }.map(\.address.server)
      return .response2(
        .agentServersSummary(
          user: user,
          serversSummary: PresentedServersSummary(
            statistics, user: try user.agentID, visible: try visibleUsers(to: user), known: Set(known),
            knownFileServers: Set(knownFileServers))))
    case .showConnectionsDiff(let showIds):
      let (users, connections) = try await connectionsDiff()
      return .response3(.connectionsDiff(showIds: showIds, userIds: users, connIds: connections))
    case .resetAgentServersStats:
      try await withAgent { (agent) throws(AgentError) in try await agent.resetStatistics() }
      return .done()
    default: return nil
    }
  }

  /// The agent's numbers of a user and of all that are not hidden.
  private func visibleUsers(to user: User) throws(ChatError) -> Set<UserID> {
    var visible: Set<UserID> = [try user.agentID]
    for other in try store.read({ try $0.users() }) where other.viewPwdHash == nil {
      visible.insert(try other.agentID)
    }
    return visible
  }
}

extension ChatAPI.SQLiteError {
  init(_ error: SQLiteKit.SQLiteError) {
    self = error.kind == .notADatabase ? .errorNotADatabase : .error(dbError: error.message)
  }
}
