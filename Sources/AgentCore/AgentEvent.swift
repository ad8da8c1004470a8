import AgentProtocol
import SMPProtocol

/// What the agent tells the application. The reference agent's word is named with each.
public struct AgentEvent: Sendable {
  /// The number of an event that is kept until it is confirmed (``AgentEngine/confirmEvents(through:)``); after a
  /// restart it comes again with the same number. Nil for those that come again by other means, or do not matter then.
  public var id: EventID?
  /// What it is about; nil where it is about none or many.
  public var connection: ConnectionID?
  /// The tag of the asynchronous operation that it answers.
  public var tag: CorrelationTag?
  /// What happened.
  public var kind: Kind

  /// An event.
  public init(id: EventID? = nil, connection: ConnectionID? = nil, tag: CorrelationTag? = nil, _ kind: Kind) {
    self.id = id
    self.connection = connection
    self.tag = tag
    self.kind = kind
  }

  /// What happened.
  public enum Kind: Sendable {
    /// An asynchronous creation finished (INV).
    case created(CreatedLink)
    /// The data of the address was stored (LINK).
    case linkSet(ShortLink, UserLinkData)
    /// The data of a link that was asked for (LDATA).
    case linkData(ConnectionRequest, LinkContent)
    /// A peer joined; the application allows it (CONF).
    case confirmation(ConfirmationID, pqSupport: Bool, servers: [SMPServer], info: [UInt8])
    /// A request came to the address (REQ).
    case request(InvitationID, pqSupport: Bool, servers: [SMPServer], info: [UInt8])
    /// The peer's information (INFO).
    case information(pqSupport: Bool, info: [UInt8])
    /// The connection works in both directions (CON).
    case connected(pqEncryption: Bool)
    /// An asynchronous join finished (JOINED).
    case joined(isSecured: Bool)
    /// Another client subscribed to the queue (END).
    case subscriptionEnded
    /// The queue was deleted at the relay (DELD).
    case queueDeleted
    /// A relay is connected (CONNECT).
    case serverConnected(SMPServer)
    /// A relay is not connected any more (DISCONNECT).
    case serverDisconnected(SMPServer)
    /// These connections receive nothing for now (DOWN).
    case down(SMPServer, [ConnectionID])
    /// These connections receive again (UP).
    case up(SMPServer, [ConnectionID])
    /// Replacing a queue made progress (SWITCH).
    case switched(QueueDirection, SwitchPhase, ConnectionStats)
    /// The ratchet has to be agreed anew, or that made progress (RSYNC).
    case ratchetSync(RatchetSyncState, AgentError?, ConnectionStats)
    /// A message was sent, through a proxy or not (SENT).
    case sent(AgentMessageID, proxy: SMPServer?)
    /// A message could not be sent yet (MWARN).
    case messageWarning(AgentMessageID, AgentError)
    /// A message is given up (MERR).
    case messageFailed(AgentMessageID, AgentError)
    /// Messages are given up (MERRS).
    case messagesFailed([AgentMessageID], AgentError)
    /// A message came; the application acknowledges it (MSG). It comes again until then.
    case message(MessageMetadata, flags: MessageFlags, body: [UInt8])
    /// Messages were received; the application acknowledges it (RCVD). It comes again until then.
    case received(MessageMetadata, [DeliveryReceipt])
    /// The peer's queue has room again (QCONT).
    case queueContinues
    /// Queues were deleted, or could not be (DEL_RCVQS).
    case receiveQueuesDeleted([DeletedQueue])
    /// Connections were deleted (DEL_CONNS).
    case connectionsDeleted([ConnectionID])
    /// A user was deleted (DEL_USER).
    case userDeleted(UserID)
    /// An asynchronous operation finished (OK).
    case done
    /// Something about a connection, or an asynchronous operation, failed (ERR).
    case failed(AgentError)
    /// Something about several connections failed (ERRS).
    case connectionsFailed([(connection: ConnectionID, error: AgentError)])
    /// Nothing is on its way any more, the process may be stopped (SUSPENDED).
    case suspended
    /// The watchdog found that a connection does not deliver. No word of the reference agent.
    case stuck(ConnectionDiagnosis)
  }
}

/// A queue that was deleted.
public struct DeletedQueue: Hashable, Sendable {
  /// Whose queue it was.
  public var connection: ConnectionID
  /// Its relay.
  public var server: SMPServer
  /// The recipient's identifier.
  public var queue: EntityID
  /// Why it could not be deleted at the relay.
  public var error: AgentError?

  /// A queue that was deleted.
  public init(connection: ConnectionID, server: SMPServer, queue: EntityID, error: AgentError?) {
    self.connection = connection
    self.server = server
    self.queue = queue
    self.error = error
  }
}

/// What is known about a received message.
public struct MessageMetadata: Hashable, Sendable {
  /// The message in this agent.
  public var id: AgentMessageID
  /// When it was received, in milliseconds.
  public var receivedAt: Int64
  /// The message at the relay.
  public var relayID: MessageID
  /// When the relay received it, in seconds.
  public var relayTime: Int64
  /// The number that its sender gave it.
  public var senderNumber: Int64
  /// Whether messages before it are missing.
  public var integrity: MessageIntegrity
  /// Whether it was encrypted with post-quantum keys.
  public var pqEncryption: Bool

  /// A value of its members.
  public init(
    id: AgentMessageID, receivedAt: Int64, relayID: MessageID, relayTime: Int64, senderNumber: Int64,
    integrity: MessageIntegrity, pqEncryption: Bool
  ) {
    self.id = id
    self.receivedAt = receivedAt
    self.relayID = relayID
    self.relayTime = relayTime
    self.senderNumber = senderNumber
    self.integrity = integrity
    self.pqEncryption = pqEncryption
  }
}

/// A receipt for a message that was sent.
public struct DeliveryReceipt: Hashable, Sendable {
  /// The message.
  public var message: AgentMessageID
  /// Whether the peer received what was sent; if not, what it received has another hash.
  public var isIntact: Bool

  /// A receipt.
  public init(message: AgentMessageID, isIntact: Bool) {
    self.message = message
    self.isIntact = isIntact
  }
}
