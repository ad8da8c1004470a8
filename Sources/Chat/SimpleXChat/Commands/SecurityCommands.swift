import AgentCore
import ChatAPI
import ChatLogic
import ChatStore
import SimplexCrypto

// Codes to compare, moving queues, repairing encryption.

extension ChatController {
  func performSecurity(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiGetContactCode(let id): return try await code(id)
    case .apiVerifyContact(let id, let code): return try await verify(id, code)
    case .apiSwitchContact(let id):
      return try await withConnection(id) { (user, contact, _, connection) throws(ChatError) in
        try await withAgent { (agent) throws(AgentError) in try await agent.switchQueueAsync(connection) }
        return .response0(
          .contactSwitchStarted(user: user, contact: contact, connectionStats: try await stats(connection)))
      }
    case .apiAbortSwitchContact(let id):
      return try await withConnection(id) { (user, contact, _, connection) throws(ChatError) in
        let stats = try await withAgent { (agent) throws(AgentError) in
          try await agent.abortSwitch(connection)
        }
        return .response0(
          .contactSwitchAborted(
            user: user, contact: contact, connectionStats: ConnectionStats(stats)))
      }
    case .apiSyncContactRatchet(let id, let force):
      return try await withConnection(id) { (user, contact, stored, connection) throws(ChatError) in
        let started = try await withAgent { (agent) throws(AgentError) in
          try await agent.synchronizeRatchet(connection, pq: stored.pqSupport, force: force)
        }
        let stats = ConnectionStats(started)
        try turn {
          try $0.addItem(
            .sndConnEvent(sndConnEvent: .ratchetSync(syncStatus: stats.ratchetSyncState, member: nil)), to: contact,
            of: user)
        }
        return .response0(.contactRatchetSyncStarted(user: user, contact: contact, connectionStats: stats))
      }
    case .apiContactQueueInfo(let id):
      return try await withConnection(id) { (user, _, _, connection) throws(ChatError) in
        .response0(.queueInfo(user: user, queueInfo: try await queueInfo(connection)))
      }
    default: return nil
    }
  }

  /// Runs `body` with a contact's connection.
  private func withConnection(
    _ id: Int64,
    _ body: (User, Contact, Connection, ConnectionID) async throws(ChatError) -> ChatResponse
  ) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let contact = try store.read { try $0.contact(id, of: user) }
    guard let connection = contact.activeConn else { throw .error(errorType: .contactNotActive(contact: contact)) }
    return try await body(user, contact, connection, try ConnectionID(agentText: connection.agentConnId))
  }

  /// The state of a connection's queue at its relay.
  func queueInfo(_ connection: ConnectionID) async throws(ChatError) -> ServerQueueInfo {
    let (queue, info) = try await withAgent { (agent) throws(AgentError) in
      (try await agent.connectionStats(connection).receiveQueues.first, try await agent.queueInfo(connection))
    }
    guard let queue, let shown = ServerQueueInfo(queue, info) else {
      throw .errorAgent(agentError: .INTERNAL(internalErr: "no queue"), agentConnId: connection.text)
    }
    return shown
  }

  /// The queues of a connection.
  func stats(_ connection: ConnectionID) async throws(ChatError) -> ConnectionStats {
    ConnectionStats(
      try await withAgent { (agent) throws(AgentError) in try await agent.connectionStats(connection) })
  }

  private func code(_ id: Int64) async throws(ChatError) -> ChatResponse {
    try await withConnection(id) { (user, contact, stored, connection) throws(ChatError) in
      let code = try await currentCode(connection)
      var contact = contact
      if let known = stored.connectionCode, !VerificationCode.isSame(known.securityCode, code) {
        try turn { try $0.rows.setVerified(code: nil, ofConnection: stored.connId) }
        contact.activeConn?.connectionCode = nil
      }
      return .response0(.contactCode(user: user, contact: contact, connectionCode: code))
    }
  }

  private func verify(_ id: Int64, _ given: String?) async throws(ChatError) -> ChatResponse {
    try await withConnection(id) { (user, _, stored, connection) throws(ChatError) in
      let code = try await currentCode(connection)
      let isSame = given.map { VerificationCode.isSame($0, code) }
      if isSame != false {
        try turn { try $0.rows.setVerified(code: isSame == true ? code : nil, ofConnection: stored.connId) }
      }
      return .response0(.connectionVerified(user: user, verified: isSame == true, expectedCode: code))
    }
  }

  /// The code that both sides of a connection see.
  func currentCode(_ connection: ConnectionID) async throws(ChatError) -> String {
    VerificationCode.text(
      try await withAgent { (agent) throws(AgentError) in try await agent.verificationCode(connection) })
  }
}
