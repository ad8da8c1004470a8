import AgentCore
import AgentProtocol
import SMPProtocol

// MARK: Driving

extension AgentEngine {
  /// Takes up what was left undone, and gives events that were not confirmed.
  public func start(now: Int64) throws(AgentError) -> [AgentEffect] { throw .notImplemented }

  /// What follows from something that happened outside.
  public func handle(_ input: AgentInput, now: Int64) throws(AgentError) -> [AgentEffect] { throw .notImplemented }

  /// The application has taken these events and all before them; they will not come again.
  public func confirmEvents(through id: EventID) throws(AgentError) { throw .notImplemented }

  /// Makes keys ahead of time, so that messages need not wait for it; to be called when there is nothing else to do.
  /// Gives false if there is enough.
  public func prepareKeys() -> Bool { false }
}

// MARK: Users

extension AgentEngine {
  /// Creates a user.
  public func createUser(servers: [UserServer], now: Int64) throws(AgentError) -> UserID { throw .notImplemented }

  /// Replaces the relays of a user.
  public func setServers(_ servers: [UserServer], for user: UserID) throws(AgentError) { throw .notImplemented }

  /// Deletes a user with all connections; their queues are deleted at the relays if `deletingQueues` says so. `userDeleted`
  /// follows as an event when all of them are gone.
  public func deleteUser(
    _ user: UserID, deletingQueues: Bool, now: Int64
  ) throws(AgentError) -> [AgentEffect] { throw .notImplemented }
}

// MARK: Connections

extension AgentEngine {
  /// Creates an invitation or an address. The call gives `created`, the event `created`.
  /// - Parameters:
  ///   - linkData: what the short link shows; nil for no short link. Its versions are filled in.
  ///   - clientData: text of the application in the full link.
  public func createConnection(
    _ user: UserID, mode: ConnectionMode, linkData: UserLinkData? = nil, clientData: String? = nil,
    options: ConnectionOptions = ConnectionOptions(), waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<(connection: ConnectionID, call: CallID?)> { throw .notImplemented }

  /// Prepares a connection, so that it has an identifier before it is joined.
  public func prepareToJoin(
    _ user: UserID, _ request: ConnectionRequest, pq: Bool, notifications: Bool = true, now: Int64
  ) throws(AgentError) -> ConnectionID { throw .notImplemented }

  /// Joins by an invitation, or sends a request to an address. The call gives `joined`, the event `joined`. After an
  /// error it may be repeated with the same connection and request.
  /// - Parameter connection: one that was prepared, or whose joining failed; nil for a new one.
  public func join(
    _ user: UserID, connection: ConnectionID? = nil, _ request: ConnectionRequest, info: [UInt8],
    options: ConnectionOptions = ConnectionOptions(), waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<(connection: ConnectionID, call: CallID?)> { throw .notImplemented }

  /// Allows a peer to connect, who gets `info`.
  public func allow(
    _ connection: ConnectionID, _ confirmation: ConfirmationID, info: [UInt8], tag: CorrelationTag? = nil, now: Int64
  ) throws(AgentError) -> [AgentEffect] { throw .notImplemented }

  /// Prepares a connection to accept a request with.
  public func prepareToAccept(
    _ user: UserID, _ invitation: InvitationID, pq: Bool, notifications: Bool = true, now: Int64
  ) throws(AgentError) -> ConnectionID { throw .notImplemented }

  /// Accepts a request to an address: joins by the invitation in it.
  public func acceptContact(
    _ user: UserID, connection: ConnectionID? = nil, _ invitation: InvitationID, info: [UInt8],
    options: ConnectionOptions = ConnectionOptions(), waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<(connection: ConnectionID, call: CallID?)> { throw .notImplemented }

  /// Rejects a request; its sender is not told.
  public func rejectContact(_ invitation: InvitationID) throws(AgentError) { throw .notImplemented }

  /// Moves a connection that is not established yet to another user.
  public func changeUser(
    _ connection: ConnectionID, to user: UserID, now: Int64
  ) throws(AgentError) -> [AgentEffect] { throw .notImplemented }

  /// Takes no messages any more (OFF).
  public func suspend(
    _ connection: ConnectionID, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<CallID?> { throw .notImplemented }

  /// Deletes connections: at once for the application, at the relays as soon as possible, or once their messages are sent.
  public func delete(
    _ connections: [ConnectionID], waitForDelivery: Bool = false, now: Int64
  ) throws(AgentError) -> [AgentEffect] { throw .notImplemented }
}

// MARK: Links

extension AgentEngine {
  /// Stores the data of a connection's short link, which is made where there is none yet. The call gives `linkSet`.
  public func setLinkData(
    _ connection: ConnectionID, _ data: UserLinkData, clientData: String? = nil, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<CallID?> { throw .notImplemented }

  /// Deletes a connection's short link.
  public func deleteShortLink(
    _ connection: ConnectionID, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<CallID?> { throw .notImplemented }

  /// Gets the data of a short link. The call gives `linkData`.
  public func getLinkData(
    _ user: UserID, _ link: ShortLink, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<CallID?> { throw .notImplemented }
}

// MARK: Messages

extension AgentEngine {
  /// Accepts a message: it will be sent, or an event says why not.
  public func send(
    _ connection: ConnectionID, pq: Bool? = nil, flags: MessageFlags = MessageFlags(), body: [UInt8], now: Int64
  ) throws(AgentError) -> Accepted<AcceptedMessage> { throw .notImplemented }

  /// Accepts many messages in one transaction, each or its error. Bodies that several messages have are stored once.
  public func send(
    _ messages: [OutgoingMessage], bodies: [[UInt8]], now: Int64
  ) throws(AgentError) -> Accepted<[Result<AcceptedMessage, AgentError>]> { throw .notImplemented }

  /// The application stored a message: it is acknowledged to the relay, and with `receipt` to its sender too.
  public func ack(
    _ connection: ConnectionID, _ message: AgentMessageID, receipt: [UInt8]? = nil, tag: CorrelationTag? = nil,
    now: Int64
  ) throws(AgentError) -> [AgentEffect] { throw .notImplemented }
}

// MARK: Subscriptions and network

extension AgentEngine {
  /// Receives messages of these connections. Connections that cannot be subscribed are given with the reason.
  public func subscribe(
    _ connections: [ConnectionID], now: Int64
  ) throws(AgentError) -> Accepted<[ConnectionID: AgentError]> { throw .notImplemented }

  /// Receives messages of all connections.
  public func subscribeAll(now: Int64) throws(AgentError) -> [AgentEffect] { throw .notImplemented }

  /// Whether the device has a network. Without one nothing is tried.
  public func setNetwork(online: Bool, now: Int64) throws(AgentError) -> [AgentEffect] { throw .notImplemented }

  /// Starts nothing new; `suspended` follows as an event when nothing is on its way any more, or after the timeout.
  public func suspend(timeout: Int64, now: Int64) throws(AgentError) -> [AgentEffect] { throw .notImplemented }

  /// Goes on after ``suspend(timeout:now:)``.
  public func activate(now: Int64) throws(AgentError) -> [AgentEffect] { throw .notImplemented }

  /// Tests whether a relay can be used. The call gives `serverTested`.
  public func testServer(
    _ user: UserID, _ address: ServerAddress<SMPScheme>, now: Int64
  ) throws(AgentError) -> Accepted<CallID> { throw .notImplemented }

  /// What was counted.
  public func statistics() throws(AgentError) -> AgentStatistics { throw .notImplemented }

  /// Begins counting anew.
  public func resetStatistics(now: Int64) throws(AgentError) { throw .notImplemented }
}

// MARK: Inspection and repair

extension AgentEngine {
  /// The queues of a connection and where they stand.
  public func connectionStats(_ connection: ConnectionID) throws(AgentError) -> ConnectionStats {
    throw .notImplemented
  }

  /// What both sides of a connection can compare: SHA-256 of what both authenticate with every message.
  public func verificationCode(_ connection: ConnectionID) throws(AgentError) -> [UInt8] { throw .notImplemented }

  /// The state of the connection's queue on its relay. The call gives `queueInfo`.
  public func queueInfo(
    _ connection: ConnectionID, now: Int64
  ) throws(AgentError) -> Accepted<CallID> { throw .notImplemented }

  /// Replaces the queue that messages are received from by one at another relay.
  public func switchQueue(
    _ connection: ConnectionID, waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<(stats: ConnectionStats, call: CallID?)> { throw .notImplemented }

  /// Stops replacing a queue.
  public func abortSwitch(
    _ connection: ConnectionID, now: Int64
  ) throws(AgentError) -> Accepted<ConnectionStats> { throw .notImplemented }

  /// Agrees on a new ratchet with the peer.
  public func synchronizeRatchet(
    _ connection: ConnectionID, pq: Bool, force: Bool, now: Int64
  ) throws(AgentError) -> Accepted<ConnectionStats> { throw .notImplemented }

  /// Whether push notifications are wanted for a connection.
  public func setNotifications(
    _ connection: ConnectionID, enabled: Bool, now: Int64
  ) throws(AgentError) -> [AgentEffect] { throw .notImplemented }

  /// Why a connection is not delivering.
  public func diagnose(_ connection: ConnectionID, now: Int64) throws(AgentError) -> ConnectionDiagnosis {
    throw .notImplemented
  }
}

extension AgentError {
  /// The operation is not written yet.
  static let notImplemented = AgentError.internalError("not implemented")
}
