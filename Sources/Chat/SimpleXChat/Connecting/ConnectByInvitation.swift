import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore

// Joining by an invitation.

extension ChatController {
  /// Joins by an invitation. A retry after an error continues where the first attempt stopped: the connection is stored
  /// before it is created at the agent, and reused. If the program ends, the next start continues.
  /// - Parameter message: what ``Turn/sendJoiningMessage(to:of:)`` sends to the prepared contact then.
  func connect(
    _ user: User, byInvitation link: CreatedConnLink, _ request: ConnectionRequest, incognito: Bool,
    contact: Int64? = nil, message: MsgContent? = nil
  ) async throws(ChatError) -> (connection: Connection, incognito: Profile?) {
    // Two at once would make two connections of one invitation.
    try await locked(.link(request.text)) { () throws(ChatError) in
      let (connection, shown, info, followUp) = try turn { turn in
        let (connection, shown, info) = try turn.prepareToJoin(
          link, request, incognito: incognito, contact: contact, of: user)
        if let message { try turn.requireSendable(message, by: connection) }
        if let contact { try turn.rows.setJoiningMessage(message, ofContact: contact) }
        return (
          connection, shown, info,
          try turn.joinIfInterrupted(connection, request: request, info: info, of: user)
        )
      }
      let isSecured = try await join(connection, request, info: info, followUp: followUp, of: user)
      let started = try turn { turn in
        _ = try turn.finishJoining(connection.agentConnId)
        return try turn.rows.setStatus(of: connection, from: .prepared, to: isSecured ? .sndReady : .joined)
      }
      return (started, shown)
    }
  }

  /// Joins by a link. If the program ends or closes its databases meanwhile, it continues with the next start; if it
  /// fails, the user may retry.
  /// - Returns: whether messages can be sent.
  /// - Parameter followUp: what ``Turn/joinIfInterrupted(_:request:info:of:)`` stored with the connection.
  func join(
    _ connection: Connection, _ request: ConnectionRequest, info: [UInt8], followUp: FollowUp?, of user: User
  ) async throws(ChatError) -> Bool {
    let id = try ConnectionID(agentText: connection.agentConnId)
    let agentUser = try user.agentID
    return try await withAgent(followUp) { (agent) throws(AgentError) in
      try await agent.join(
        agentUser, connection: id, request, info: info, options: ConnectionOptions(pq: connection.pqSupport))
    }.isSecured
  }

  /// The profile that the other side of a connection sees instead of the user's own.
  func incognitoProfile(_ connection: Connection, of user: User) throws(ChatError) -> Profile? {
    guard let id = connection.customUserProfileId else { return nil }
    return try store.read { try $0.profile(id, of: user) }.shared
  }
}

extension Turn {
  /// Stores, in the turn that stores the connection, that the next start joins by a link if the program ends before.
  func joinIfInterrupted(
    _ connection: Connection, request: ConnectionRequest, info: [UInt8], of user: User
  ) throws -> FollowUp? {
    try joinIfInterrupted(
      .join(user: try user.agentID, request: request.text, pq: connection.pqSupport, info: info),
      for: connection.agentConnId)
  }

  /// The connection to join an invitation with, and the profile for the inviting side.
  fileprivate func prepareToJoin(
    _ link: CreatedConnLink, _ request: ConnectionRequest, incognito: Bool, contact: Int64?, of user: User
  ) throws -> (Connection, incognito: Profile?, info: [UInt8]) {
    // The user may have been deleted, or have another profile, since a relay was asked for the link.
    let user = try rows.user(user.userId)
    var entity = try rows.connectionEntity(invitations: [request.text], of: user)
    // What an interrupted command began may have failed for good at the next start.
    if case .rcvDirectMsgConnection(let failed, let owner)? = entity, failed.isFailedJoin,
      owner == nil || owner?.contactId == contact
    {
      try deleteAttempt(failed, of: user)
      entity = nil
    }
    var known: Connection?
    if case .rcvDirectMsgConnection(let found, _) = entity { known = found }
    let connection: Connection
    var shown: Profile?
    if let known, known.connStatus == .prepared {
      connection = known
      shown = try incognitoProfile(known, of: user)
    } else if entity == nil || (known?.connStatus == .new && known?.contactConnInitiated == true) {
      shown = incognito ? Profile.random() : nil
      var new = NewConnection(
        agentConnId: ConnectionID.random().text, entity: .contact(contact), status: .prepared,
        chatVersion: Int(request.impliedChatVersion(for: environment.options)))
      new.pqSupport = true
      new.invitation = link
      new.customUserProfileId = try shown.map { try rows.createIncognitoProfile($0, of: user) }
      connection = try rows.createConnection(new, of: user)
    } else {
      throw ChatError.command("connection is not prepared")
    }
    let profile = user.sharedProfile(for: nil, incognito: shown, sharesTTL: true)
    return (connection, shown, try connectionInfo(.info(profile), connection))
  }

  /// The information that the agent passes to the peer while connecting.
  func connectionInfo(_ event: ChatMessageEvent, _ connection: Connection) throws(ChatError) -> [UInt8] {
    do throws(ChatProtocolError) {
      return try ConnectionInfo.encode(
        event, versions: environment.options.chatVersions, isPostQuantum: connection.pqSupport,
        version: UInt16(clamping: connection.connChatVersion))
    } catch {
      throw .error(errorType: .exception(message: "large info"))
    }
  }
}
