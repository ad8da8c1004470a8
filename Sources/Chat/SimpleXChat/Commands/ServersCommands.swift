import AgentCore
import ChatAPI
import ChatLogic
import ChatStore
import SMPProtocol
import SimplexAgent
import XFTPProtocol

// Operators, their conditions, and the servers of users.

extension ChatController {
  func performServers(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiGetServerOperators: return try operatorConditions()
    case .apiSetServerOperators(let operators):
      try turn { try $0.rows.setOperators(operators) }
      try await updateAgentServers()
      return try operatorConditions()
    case .apiGetUserServers(let id):
      let user = try runningUser(id)
      return .response0(.userServers(user: user, userServers: try groupedServers(of: user)))
    case .apiSetUserServers(let id, let servers):
      return try await setServers(servers.map(\.cleaned), of: try runningUser(id))
    case .apiValidateServers(let id, let servers):
      let user = try runningUser(id)
      let servers = servers.map(\.cleaned)
      let others = try otherServers(than: user)
      return .response0(
        .userServersValidation(
          user: user, serverErrors: UserServerRules.errors(servers, others: others),
          serverWarnings: UserServerRules.warnings(servers, others: others)))
    case .apiGetUsageConditions:
      let conditions = try store.read { try $0.serverOperators() }
      let current = conditions.currentConditions
      let isAccepted = conditions.serverOperators.contains {
        if case .accepted = $0.conditionsAcceptance { true } else { false }
      }
      let address = "https://github.com/simplex-chat/simplex-chat/blob/\(current.conditionsCommit)/PRIVACY.md"
      return .response0(
        .usageConditions(
          usageConditions: current, conditionsText: address, acceptedConditions: isAccepted ? current : nil))
    case .apiSetConditionsNotified(let id):
      try turn { try $0.rows.setConditionsNotified(id) }
      return .done()
    case .apiAcceptConditions(let id, let operators):
      try turn { try $0.rows.acceptConditions(id, ofOperators: operators) }
      return try operatorConditions()
    case .apiTestProtoServer(let id, let server): return try await testServer(server, of: try runningUser(id))
    default: return nil
    }
  }

  private func operatorConditions() throws(ChatError) -> ChatResponse {
    .response0(.serverOperatorConditions(conditions: try store.read { try $0.serverOperators() }))
  }

  /// The servers of the other users, without hidden ones: nobody is to learn of those.
  private func otherServers(
    than user: User
  ) throws(ChatError) -> [(user: User, groups: [UserOperatorServers])] {
    var others: [(user: User, groups: [UserOperatorServers])] = []
    for other in try store.read({ try $0.users() }) where other.userId != user.userId && !other.isConcealed {
      others.append((other, try groupedServers(of: other)))
    }
    return others
  }

  private func setServers(_ servers: [UserOperatorServers], of user: User) async throws(ChatError) -> ChatResponse {
    let errors = UserServerRules.errors(servers, others: try otherServers(than: user))
    guard errors.isEmpty else { throw .command("user servers validation error(s): \(errors)") }
    let before = try usedServers(of: user)
    try turn { turn in
      for group in servers { _ = try turn.rows.setServers(group, of: user) }
    }
    // Servers that the user chooses in the session are used, also where the program was started with others.
    if try usedServers(of: user) != before { session.usersWithChosenServers.insert(user.userId) }
    try await updateAgentServers()
    return .done()
  }

  private func usedServers(of user: User) throws(ChatError) -> [String] {
    UserServerRules.used(try groupedServers(of: user)).map(\.server)
  }

  private func testServer(_ server: String, of user: User) async throws(ChatError) -> ChatResponse {
    let agentUser = try user.agentID
    let failure: ProtocolTestFailure?
    if let address = try? ServerWithAuth<XFTPScheme>.textCodec.decode(text: server) {
      failure = try await withAgent { (agent) throws(AgentError) in
        try await agent.testFileServer(agentUser, address)
      }.map { ProtocolTestFailure(testStep: ProtocolTestStep($0.step), testError: AgentErrorType($0.error)) }
    } else if let address = try? ServerWithAuth<SMPScheme>.textCodec.decode(text: server) {
      failure = try await withAgent { (agent) throws(AgentError) in
        try await agent.testServer(agentUser, address)
      }.map { ProtocolTestFailure(testStep: ProtocolTestStep($0.step), testError: AgentErrorType($0.error)) }
    } else if let address = try? NotificationServer.textCodec.decode(text: server) {
      failure = try await withAgent { (agent) throws(AgentError) in
        try await agent.testNotificationServer(address)
      }.map { ProtocolTestFailure(testStep: ProtocolTestStep($0.step), testError: AgentErrorType($0.error)) }
    } else {
      throw .command("invalid server address: \(server)")
    }
    return .response0(.serverTestResult(user: user, testServer: server, testFailure: failure))
  }
}

extension UserOperatorServers {
  /// The servers with their addresses as they are, where they were pasted with more.
  fileprivate var cleaned: UserOperatorServers {
    func cleaned(_ servers: [UserServer]) -> [UserServer] {
      servers.map { server in
        var server = server
        server.server = PastedLink.server(server.server) ?? server.server
        return server
      }
    }
    var group = self
    group.smpServers = cleaned(smpServers)
    group.xftpServers = cleaned(xftpServers)
    return group
  }
}

extension ProtocolTestStep {
  init(_ step: NotificationServerTestFailure.Step) {
    self =
      switch step {
      case .connect: .connect
      case .createToken: .createNtfToken
      case .deleteToken: .deleteNtfToken
      }
  }

  init(_ step: ServerTestFailure.Step) {
    self =
      switch step {
      case .connect: .connect
      case .createQueue: .createQueue
      case .secureQueue: .secureQueue
      case .deleteQueue: .deleteQueue
      case .disconnect: .disconnect
      }
  }
}

extension ProtocolTestStep {
  init(_ step: FileServerTestFailure.Step) {
    self =
      switch step {
      case .connect: .connect
      case .createFile: .createFile
      case .uploadFile: .uploadFile
      case .downloadFile: .downloadFile
      case .compareFile: .compareFile
      case .deleteFile: .deleteFile
      }
  }
}
