import AgentCore
import ChatAPI
import ChatLogic
import ChatStore
import SimplexCrypto

// Codes to compare with members, moving their queues, repairing encryption.

extension ChatController {
  func performMemberSecurity(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiGroupMemberInfo(let id, let memberId):
      let (user, group, member) = try member(memberId, ofGroup: id)
      var queues: ConnectionStats?
      if let connection = member.activeConn {
        queues = try await stats(try ConnectionID(agentText: connection.agentConnId))
      }
      return .response0(
        .groupMemberInfo(user: user, groupInfo: group, member: member, connectionStats_: queues))
    case .apiGetGroupMemberCode(let id, let memberId):
      var (user, group, member, connection) = try connection(ofMember: memberId, ofGroup: id)
      let code = try await currentCode(connection)
      if let stored = member.activeConn, let known = stored.connectionCode,
        !VerificationCode.isSame(known.securityCode, code)
      {
        try turn { try $0.rows.setVerified(code: nil, ofConnection: stored.connId) }
        member.activeConn?.connectionCode = nil
      }
      return .response0(.groupMemberCode(user: user, groupInfo: group, member: member, connectionCode: code))
    case .apiVerifyGroupMember(let id, let memberId, let given):
      let (user, _, member, connection) = try connection(ofMember: memberId, ofGroup: id)
      let code = try await currentCode(connection)
      let isSame = given.map { VerificationCode.isSame($0, code) }
      if isSame != false, let stored = member.activeConn {
        try turn { try $0.rows.setVerified(code: isSame == true ? code : nil, ofConnection: stored.connId) }
      }
      return .response0(.connectionVerified(user: user, verified: isSame == true, expectedCode: code))
    case .apiSwitchGroupMember(let id, let memberId):
      let (user, group, member, connection) = try connection(ofMember: memberId, ofGroup: id)
      try await withAgent { (agent) throws(AgentError) in try await agent.switchQueueAsync(connection) }
      return .response0(
        .groupMemberSwitchStarted(
          user: user, groupInfo: group, member: member, connectionStats: try await stats(connection)))
    case .apiAbortSwitchGroupMember(let id, let memberId):
      let (user, group, member, connection) = try connection(ofMember: memberId, ofGroup: id)
      let queues = try await withAgent { (agent) throws(AgentError) in try await agent.abortSwitch(connection) }
      return .response0(
        .groupMemberSwitchAborted(
          user: user, groupInfo: group, member: member, connectionStats: ConnectionStats(queues)))
    case .apiSyncGroupMemberRatchet(let id, let memberId, let force):
      let (user, group, member, connection) = try connection(ofMember: memberId, ofGroup: id)
      let pq = member.activeConn?.pqSupport == true
      let started = try await withAgent { (agent) throws(AgentError) in
        try await agent.synchronizeRatchet(connection, pq: pq, force: force)
      }
      let queues = ConnectionStats(started)
      try turn {
        try $0.addItem(
          .sndConnEvent(
            sndConnEvent: .ratchetSync(syncStatus: queues.ratchetSyncState, member: member.ref)),
          to: GroupChat(user: user, group: group))
      }
      return .response0(
        .groupMemberRatchetSyncStarted(user: user, groupInfo: group, member: member, connectionStats: queues))
    case .apiGroupMemberQueueInfo(let id, let memberId):
      let (user, _, _, connection) = try connection(ofMember: memberId, ofGroup: id)
      return .response0(.queueInfo(user: user, queueInfo: try await queueInfo(connection)))
    default: return nil
    }
  }

  private func member(
    _ id: Int64, ofGroup groupId: Int64
  ) throws(ChatError) -> (User, GroupInfo, GroupMember) {
    let user = try runningUser()
    return try store.read {
      (user, try $0.group(groupId, of: user), try $0.member(id, ofGroup: groupId, of: user))
    }
  }

  private func connection(
    ofMember id: Int64, ofGroup groupId: Int64
  ) throws(ChatError) -> (User, GroupInfo, GroupMember, ConnectionID) {
    let (user, group, member) = try member(id, ofGroup: groupId)
    guard let connection = member.activeConn else { throw .error(errorType: .groupMemberNotActive) }
    return (user, group, member, try ConnectionID(agentText: connection.agentConnId))
  }
}
