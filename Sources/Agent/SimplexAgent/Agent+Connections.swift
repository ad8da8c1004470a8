import AgentCore
import AgentEngine
import AgentProtocol
import SMPProtocol

// MARK: Users

extension Agent {
  /// Creates a user.
  public nonisolated(nonsending) func createUser(servers: [AgentUserServer]) async throws(AgentError) -> UserID {
    try await change { (engine, now) throws(AgentError) in try engine.createUser(servers: servers, now: now) }
  }

  /// The users, without those that are being deleted.
  public nonisolated(nonsending) func users() async throws(AgentError) -> [UserID] {
    try await look { (engine, now) throws(AgentError) in try engine.users() }
  }

  /// The connections of a user, without those that are being deleted.
  public nonisolated(nonsending) func connections(of user: UserID) async throws(AgentError) -> [ConnectionID] {
    try await look { (engine, now) throws(AgentError) in try engine.connections(of: user) }
  }

  /// Replaces the relays of a user.
  public nonisolated(nonsending) func setServers(_ servers: [AgentUserServer], for user: UserID)
    async throws(AgentError)
  {
    try await change { (engine, now) throws(AgentError) in try engine.setServers(servers, for: user) }
  }

  /// Deletes a user with all connections; their queues are deleted at the relays if `deletingQueues` says so.
  /// If so, `userDeleted` follows as an event when all of them are gone. It also follows for a user who does not exist.
  /// Files are forgotten as by ``deleteReceivedFiles(_:)`` and ``deleteSentFiles(_:)``.
  public nonisolated(nonsending) func deleteUser(_ user: UserID, deletingQueues: Bool) async throws(AgentError) {
    let files = try await run { (engine, now) throws(AgentError) in
      try engine.deleteUser(user, deletingQueues: deletingQueues, now: now)
    }
    await transfers?.forget(files.sent, .sent)
    await transfers?.forget(files.received, .received)
    await transfers?.lookEverywhere()
  }
}

// MARK: Connections

extension Agent {
  /// Creates an invitation or an address at one of the user's relays.
  /// - Parameters:
  ///   - id: the identifier of the connection, which makes the operation repeatable: if there is such a connection
  ///     already, the link that was created first is returned, or the caller waits for it too. Nil for a new one.
  ///   - linkData: what the short link shows; nil for no short link. Its versions are filled in.
  ///   - clientData: text of the application in the full link.
  public nonisolated(nonsending) func createConnection(
    _ user: UserID, connection id: ConnectionID? = nil, mode: ConnectionMode, linkData: UserLinkData? = nil,
    clientData: String? = nil,
    options: ConnectionOptions = ConnectionOptions()
  ) async throws(AgentError) -> (connection: ConnectionID, link: CreatedLink) {
    let (value, outcome) = try await call(
      { (engine, now) throws(AgentError) in
        try engine.createConnection(
          user, connection: id, mode: mode, linkData: linkData, clientData: clientData, options: options, now: now)
      }, { $0.call })
    guard case .created(_, let link) = outcome else { throw .unexpected(outcome) }
    return (value.connection, link)
  }

  /// Creates an invitation or an address in the background, also after restarts; the event `created` says when, or
  /// `failed` why not. Repeated with the same identifier it emits nothing while the first event is not confirmed, and
  /// the same once more afterwards.
  public nonisolated(nonsending) func createConnectionAsync(
    _ user: UserID, connection id: ConnectionID? = nil, mode: ConnectionMode, linkData: UserLinkData? = nil,
    clientData: String? = nil,
    options: ConnectionOptions = ConnectionOptions(), tag: CorrelationTag? = nil
  ) async throws(AgentError) -> ConnectionID {
    try await run { (engine, now) throws(AgentError) in
      try engine.createConnection(
        user, connection: id, mode: mode, linkData: linkData, clientData: clientData, options: options,
        waiting: .event(tag), now: now)
    }.connection
  }

  /// Joins by an invitation, or sends a request to an address.
  /// - Parameter connection: the identifier of the connection, which makes the operation repeatable: where joining is
  ///   finished, the first answer is returned; where it is in progress, the caller waits for it too; where it failed,
  ///   it continues. Nil for a new connection.
  /// - Returns: whether the peer's queue is secured already, so that messages can be sent before the peer confirms.
  public nonisolated(nonsending) func join(
    _ user: UserID, connection: ConnectionID? = nil, _ request: ConnectionRequest, info: [UInt8],
    options: ConnectionOptions = ConnectionOptions()
  ) async throws(AgentError) -> (connection: ConnectionID, isSecured: Bool) {
    let (value, outcome) = try await call(
      { (engine, now) throws(AgentError) in
        try engine.join(user, connection: connection, request, info: info, options: options, now: now)
      }, { $0.call })
    guard case .joined(_, let isSecured) = outcome else { throw .unexpected(outcome) }
    return (value.connection, isSecured)
  }

  /// Joins in the background, also after restarts; the event `joined` follows, or `failed`. Repeated with the same
  /// identifier it emits nothing while the first event is not confirmed, and the same once more afterwards.
  public nonisolated(nonsending) func joinAsync(
    _ user: UserID, connection: ConnectionID? = nil, _ request: ConnectionRequest, info: [UInt8],
    options: ConnectionOptions = ConnectionOptions(), tag: CorrelationTag? = nil
  ) async throws(AgentError) -> ConnectionID {
    try await run { (engine, now) throws(AgentError) in
      try engine.join(
        user, connection: connection, request, info: info, options: options, waiting: .event(tag), now: now)
    }.connection
  }

  /// Allows a peer to connect, who gets `info`. Repeating it changes nothing.
  public nonisolated(nonsending) func allow(
    _ connection: ConnectionID, _ confirmation: ConfirmationID, info: [UInt8], tag: CorrelationTag? = nil
  ) async throws(AgentError) {
    try await run { (engine, now) throws(AgentError) in
      try engine.allow(connection, confirmation, info: info, tag: tag, now: now)
    }
  }

  /// Accepts a request to an address: joins by the invitation in it. It is repeated as
  /// ``join(_:connection:_:info:options:)``.
  public nonisolated(nonsending) func acceptContact(
    _ user: UserID, connection: ConnectionID? = nil, _ invitation: InvitationID, info: [UInt8],
    options: ConnectionOptions = ConnectionOptions()
  ) async throws(AgentError) -> (connection: ConnectionID, isSecured: Bool) {
    let (value, outcome) = try await call(
      { (engine, now) throws(AgentError) in
        try engine.acceptContact(user, connection: connection, invitation, info: info, options: options, now: now)
      }, { $0.call })
    guard case .joined(_, let isSecured) = outcome else { throw .unexpected(outcome) }
    return (value.connection, isSecured)
  }

  /// Accepts a request in the background, also after restarts; the event `joined` follows, or `failed`.
  public nonisolated(nonsending) func acceptContactAsync(
    _ user: UserID, connection: ConnectionID? = nil, _ invitation: InvitationID, info: [UInt8],
    options: ConnectionOptions = ConnectionOptions(), tag: CorrelationTag? = nil
  ) async throws(AgentError) -> ConnectionID {
    try await run { (engine, now) throws(AgentError) in
      try engine.acceptContact(
        user, connection: connection, invitation, info: info, options: options, waiting: .event(tag), now: now)
    }.connection
  }

  /// Rejects a request without notifying its sender. A no-op if it does not exist.
  public nonisolated(nonsending) func rejectContact(_ invitation: InvitationID) async throws(AgentError) {
    try await change { (engine, now) throws(AgentError) in try engine.rejectContact(invitation) }
  }

  /// Moves a connection that is not established yet to another user.
  public nonisolated(nonsending) func changeUser(_ connection: ConnectionID, to user: UserID) async throws(AgentError) {
    try await run { (engine, now) throws(AgentError) in try engine.changeUser(connection, to: user, now: now) }
  }

  /// Takes no messages of a connection any more.
  public nonisolated(nonsending) func suspend(_ connection: ConnectionID) async throws(AgentError) {
    _ = try await call(
      { (engine, now) throws(AgentError) in try engine.suspend(connection, now: now) }, { $0 })
  }

  /// Deletes connections: at once for the application, at the relays as soon as possible, or once their messages are
  /// sent. Those that do not exist are passed over.
  public nonisolated(nonsending) func delete(_ connections: [ConnectionID], waitForDelivery: Bool = false)
    async throws(AgentError)
  {
    try await run { (engine, now) throws(AgentError) in
      try engine.delete(connections, waitForDelivery: waitForDelivery, now: now)
    }
  }
}

// MARK: Links

extension Agent {
  /// Stores the data of a connection's short link, which is created if there is none.
  public nonisolated(nonsending) func setLinkData(
    _ connection: ConnectionID, _ data: UserLinkData, clientData: String? = nil
  ) async throws(AgentError) -> ShortLink {
    let (_, outcome) = try await call(
      { (engine, now) throws(AgentError) in
        try engine.setLinkData(connection, data, clientData: clientData, now: now)
      }, { $0 })
    guard case .linkSet(let link) = outcome else { throw .unexpected(outcome) }
    return link
  }

  /// Stores the data in the background, also after restarts; the event `linkSet` follows.
  public nonisolated(nonsending) func setLinkDataAsync(
    _ connection: ConnectionID, _ data: UserLinkData, clientData: String? = nil, tag: CorrelationTag? = nil
  ) async throws(AgentError) {
    _ = try await run { (engine, now) throws(AgentError) in
      try engine.setLinkData(connection, data, clientData: clientData, waiting: .event(tag), now: now)
    }
  }

  /// Deletes a connection's short link.
  public nonisolated(nonsending) func deleteShortLink(_ connection: ConnectionID) async throws(AgentError) {
    _ = try await call(
      { (engine, now) throws(AgentError) in try engine.deleteShortLink(connection, now: now) }, { $0 })
  }

  /// Gets the data of a short link, with the request to join by.
  public nonisolated(nonsending) func getLinkData(
    _ user: UserID, _ link: ShortLink
  ) async throws(AgentError) -> (request: ConnectionRequest, content: LinkContent) {
    let (_, outcome) = try await call(
      { (engine, now) throws(AgentError) in try engine.getLinkData(user, link, now: now) }, { $0 })
    guard case .linkData(let request, let content) = outcome else { throw .unexpected(outcome) }
    return (request, content)
  }

  /// Gets the data of a short link in the background; the event `linkData` brings it.
  public nonisolated(nonsending) func getLinkDataAsync(
    _ user: UserID, _ link: ShortLink, tag: CorrelationTag? = nil
  ) async throws(AgentError) {
    _ = try await run { (engine, now) throws(AgentError) in
      try engine.getLinkData(user, link, waiting: .event(tag), now: now)
    }
  }
}

extension AgentError {
  /// The engine finished a call with what does not belong to it.
  static func unexpected(_ outcome: CallOutcome) -> AgentError { .internalError("unexpected outcome of a call") }
}
