import AgentProtocol
import SMPProtocol
import XFTPProtocol

/// The events of the agent for the application. The name in the reference agent is stated with each.
public struct AgentEvent: Sendable {
  /// The number of an event that is kept until it is confirmed (`AgentMachine.confirmEvents(through:)`); after a
  /// restart it is delivered again with the same number. Nil for events that are not stored.
  public var id: EventID?
  /// The connection that it concerns; nil if it concerns none or many.
  public var connection: ConnectionID?
  /// The tag of the asynchronous operation that it answers.
  public var tag: CorrelationTag?
  /// The kind of the event, with its values.
  public var kind: Kind

  /// An event.
  public init(id: EventID? = nil, connection: ConnectionID? = nil, tag: CorrelationTag? = nil, _ kind: Kind) {
    self.id = id
    self.connection = connection
    self.tag = tag
    self.kind = kind
  }

  /// The kinds of events, with their values.
  public enum Kind: Sendable {
    /// An asynchronous creation finished (INV).
    case created(CreatedLink)
    /// The data of the address was stored (LINK).
    case linkSet(ShortLink, UserLinkData)
    /// The data of a link that was asked for (LDATA).
    case linkData(ConnectionRequest, LinkContent)
    /// A peer joined; the application allows it (CONF).
    case confirmation(ConfirmationID, pqSupport: Bool, servers: [SMPServerAddress], info: [UInt8])
    /// A request came to the address (REQ).
    case request(InvitationID, pqSupport: Bool, servers: [SMPServerAddress], info: [UInt8])
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
    case serverConnected(SMPServerAddress)
    /// A relay is not connected any more (DISCONNECT).
    case serverDisconnected(SMPServerAddress)
    /// These connections receive nothing for now (DOWN).
    case down(SMPServerAddress, [ConnectionID])
    /// These connections receive again (UP).
    case up(SMPServerAddress, [ConnectionID])
    /// Replacing a queue made progress (SWITCH).
    case switched(AgentQueueDirection, AgentSwitchPhase, AgentConnectionStats)
    /// The ratchet has to be renegotiated, or that made progress (RSYNC).
    case ratchetSync(AgentRatchetSyncState, AgentError?, AgentConnectionStats)
    /// A message was sent, through a proxy or not (SENT).
    case sent(MessageReference, proxy: SMPServerAddress?)
    /// A message could not be sent yet (MWARN).
    case messageWarning(MessageReference, AgentError)
    /// A message failed (MERR).
    case messageFailed(MessageReference, AgentError)
    /// Messages failed (MERRS).
    case messagesFailed([MessageReference], AgentError)
    /// A message was received (MSG). It is delivered again until the application acknowledges it.
    case message(MessageMetadata, flags: MessageFlags, body: [UInt8])
    /// The peer received messages (RCVD). It is delivered again until the application acknowledges it.
    case received(MessageMetadata, [DeliveryReceipt])
    /// The peer's queue has room again (QCONT).
    case queueContinues
    /// A message that was fetched because a push announced it was acknowledged; when the relay received it, in seconds,
    /// where that is known (MSGNTF).
    case notifiedMessageHandled(MessageID, relayTime: Int64?)
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
    /// So many bytes of the encrypted form of a file were received, of all of it (RFPROG).
    case fileReceiveProgress(AgentFileID, received: Int64, total: Int64)
    /// A file was received: its content, of this size, is at its destination (RFDONE).
    case fileReceived(AgentFileID, size: Int64)
    /// A file could not be received yet (RFWARN).
    case fileReceiveWarning(AgentFileID, AgentError)
    /// A file cannot be received (RFERR).
    case fileReceiveFailed(AgentFileID, AgentError)
    /// So many bytes of the encrypted form of a file were uploaded, of all of it (SFPROG).
    case fileSendProgress(AgentFileID, sent: Int64, total: Int64)
    /// A file was uploaded (SFDONE): how its sender deletes it, and how recipients get it, each with a description of
    /// their own. There are at least as many as were asked for. The user is nil in events that earlier versions stored.
    case fileSent(AgentFileID, user: UserID?, sender: FileDescription, recipients: RecipientDescriptions)
    /// A file could not be sent yet (SFWARN).
    case fileSendWarning(AgentFileID, AgentError)
    /// A file cannot be sent (SFERR).
    case fileSendFailed(AgentFileID, AgentError)
    /// Nothing is in flight any more, and the process may be stopped (SUSPENDED).
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
  public var server: SMPServerAddress
  /// The recipient's identifier.
  public var queue: EntityID
  /// Why it could not be deleted at the relay.
  public var error: AgentError?

  /// A queue that was deleted.
  public init(connection: ConnectionID, server: SMPServerAddress, queue: EntityID, error: AgentError?) {
    self.connection = connection
    self.server = server
    self.queue = queue
    self.error = error
  }
}

/// The metadata of a received message.
public struct MessageMetadata: Hashable, Sendable {
  /// The message in this agent.
  public var id: AgentMessageID
  /// When it was received, in milliseconds.
  public var receivedAt: Int64
  /// The message at the relay.
  public var relayID: MessageID
  /// When the relay received it, in seconds.
  public var relayTime: Int64
  /// The number that its sender assigned.
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
  public var message: MessageReference
  /// Whether the peer received what was sent; if not, what it received has another hash.
  public var isIntact: Bool

  /// A receipt.
  public init(message: MessageReference, isIntact: Bool) {
    self.message = message
    self.isIntact = isIntact
  }
}
