import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore

// Direct conversations with members of groups.

extension ChatController {
  func performMemberContacts(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiCreateMemberContact(let group, let member):
      return try await createContact(ofMember: member, inGroup: group) { _, contact, chat, member in
        .response2(.newMemberContact(user: chat.user, contact: contact, groupInfo: chat.group, member: member))
      }
    case .apiSendMemberContactInvitation(let id, let content):
      let user = try runningUser()
      return try turn { turn in try turn.invite(try turn.rows.contact(id, of: user), content, of: user) }
    case .apiAcceptMemberContact(let id): return try await acceptMemberContact(id)
    default: return nil
    }
  }

  /// Sends a text to a member directly: to the contact that it is, or with an invitation to become one.
  func sendDirectly(_ text: String, toMember member: Int64, inGroup group: Int64) async throws(ChatError)
    -> ChatResponse
  {
    let user = try runningUser()
    let (info, found) = try store.read {
      (try $0.group(group, of: user), try $0.member(member, ofGroup: group, of: user))
    }
    if let contact = found.memberContactId {
      return try await perform(
        .apiSendMessages(
          type: .direct, id: contact, scope: nil, live: false, ttl: nil,
          composedMessages: [ComposedMessage(msgContent: .text(text))]))
    }
    try checkContact(ofMember: member, inGroup: group, of: user)
    emit(.noMemberContactCreating(user: user, groupInfo: info, member: found))
    return try await createContact(ofMember: member, inGroup: group) {
      turn, contact, chat, member in
      turn.emit(
        .terminalEvent(
          .newMemberContact(user: chat.user, contact: contact, groupInfo: chat.group, member: member)))
      return try turn.invite(contact, .text(text), of: chat.user)
    }
  }

  /// Throws where a member cannot become a contact.
  private func checkContact(ofMember id: Int64, inGroup groupId: Int64, of user: User) throws(ChatError) {
    try turn { turn in
      let member = try turn.rows.member(id, ofGroup: groupId, of: user)
      _ = try turn.connectionForContact(member, in: try turn.groupChat(groupId, of: user))
    }
  }

  /// Creates the contact of a member, and does more in the same turn: what fails then leaves no contact.
  private func createContact(
    ofMember id: Int64, inGroup groupId: Int64,
    _ then: (Turn, Contact, GroupChat, GroupMember) throws -> ChatResponse
  ) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    // What is not allowed is refused before a queue is created.
    try checkContact(ofMember: id, inGroup: groupId, of: user)
    return try await createConnection(of: user, mode: .invitation, nil, options: ConnectionOptions(pq: false)) {
      turn, connection, link in
      let chat = try turn.groupChat(groupId, of: user)
      let contact = try turn.createContact(
        of: try turn.rows.member(id, ofGroup: groupId, of: user), in: chat, connection: connection.text, link)
      return try then(turn, contact, chat, try turn.rows.member(id, of: user))
    }
  }

  private func acceptMemberContact(_ id: Int64) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let contact = try store.read { try $0.contact(id, of: user) }
    guard let invitation = contact.groupDirectInv else {
      throw .errorStore(storeError: .memberContactGroupMemberNotFound(contactId: id))
    }
    guard case .full(let request) = try ParsedLink(invitation.groupDirectInvLink) else {
      throw .error(errorType: .invalidConnReq)
    }
    return try await locked(.link(request.text)) { () throws(ChatError) in
      do throws(ChatError) {
        let (connection, info, followUp) = try turn { turn in
          let contact = try turn.rows.contact(id, of: user)
          guard let connection = contact.activeConn, connection.connStatus.mayJoin,
            contact.groupDirectInv?.groupDirectInvLink == invitation.groupDirectInvLink
          else {
            throw ChatError.command("connection already started")
          }
          let info = try turn.directInfo(connection, of: user)
          return (
            connection, info,
            try turn.joinIfInterrupted(connection, request: request, info: info, of: user)
          )
        }
        let isSecured = try await join(
          connection, request, info: info, followUp: followUp, of: user)
        return try turn { turn in
          _ = try turn.finishJoining(connection.agentConnId)
          _ = try turn.rows.setStatus(
            of: connection, from: connection.connStatus, to: isSecured ? .sndReady : .joined)
          let accepted = try turn.rows.contact(id, of: user)
          // The member may have invited again meanwhile.
          if accepted.activeConn?.connId == connection.connId { try turn.acceptedDirectInvitation(of: accepted) }
          return .response2(.memberContactAccepted(user: user, contact: try turn.rows.contact(id, of: user)))
        }
      } catch {
        emitChatUpdate(id, of: user)
        throw error
      }
    }
  }
}

extension ConnStatus {
  /// Whether joining has not begun, or failed.
  fileprivate var mayJoin: Bool {
    switch self {
    case .prepared, .failed: true
    default: false
    }
  }
}
