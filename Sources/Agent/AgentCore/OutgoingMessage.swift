import SMPProtocol

/// A message to send, one of many that are accepted together.
public struct OutgoingMessage: Hashable, Sendable {
  /// To whom.
  public var connection: ConnectionID
  /// The application's number of the message, unique in its connection and growing: sending it again with the same key
  /// returns what the first attempt returned, and sends nothing. Nil for a message that is never repeated.
  public var key: Int64?
  /// Switches post-quantum encryption on or off; nil leaves it as it is.
  public var pq: Bool?
  /// What the relay has to know.
  public var flags: MessageFlags
  /// The index of its body among the bodies that are passed with the messages.
  public var bodyIndex: Int
  /// Whether the receipts that are owed to the connection are sent before it, because the peer may delete the
  /// connection when it receives this message.
  public var sendsReceiptsFirst: Bool

  /// A message.
  public init(
    to connection: ConnectionID, key: Int64? = nil, pq: Bool? = nil, flags: MessageFlags = MessageFlags(),
    bodyIndex: Int, sendsReceiptsFirst: Bool = false
  ) {
    self.connection = connection
    self.key = key
    self.pq = pq
    self.flags = flags
    self.bodyIndex = bodyIndex
    self.sendsReceiptsFirst = sendsReceiptsFirst
  }
}

/// A message that was sent: its number in the agent, and the key that the application sent it with.
public struct MessageReference: Hashable, Sendable {
  /// The number in the agent.
  public var id: AgentMessageID
  /// The application's key, if it chose one; see ``OutgoingMessage/key``.
  public var key: Int64?

  /// A message with a number and a key.
  public init(id: AgentMessageID, key: Int64? = nil) {
    self.id = id
    self.key = key
  }
}

/// The result of accepting a message to send.
public struct AcceptedMessage: Hashable, Sendable {
  /// The message.
  public var id: AgentMessageID
  /// Whether it is encrypted with post-quantum keys.
  public var pqEncryption: Bool

  /// A message that will be sent.
  public init(id: AgentMessageID, pqEncryption: Bool) {
    self.id = id
    self.pqEncryption = pqEncryption
  }
}

/// Whether an operation's caller waits for the network.
public enum Waiting: Hashable, Sendable {
  /// It waits for ``AgentEffect/complete(_:_:)``. Where the network fails, so does the operation.
  case call
  /// It does not: the outcome comes as an event with this tag, if there is one. The operation survives restarts and is
  /// tried until it succeeds or is refused.
  case event(CorrelationTag?)
}

/// The options for creating the queue of a connection.
public struct ConnectionOptions: Hashable, Sendable {
  /// Whether post-quantum encryption is requested.
  public var pq: Bool
  /// Whether the link itself carries post-quantum keys, which makes it long. (Short links always do.)
  public var pqKeysInLink: Bool
  /// Whether to receive messages at once.
  public var subscribe: Bool
  /// Whether push notifications are enabled.
  public var notifications: Bool

  /// The usual options.
  public init(pq: Bool = true, pqKeysInLink: Bool = false, subscribe: Bool = true, notifications: Bool = true) {
    self.pq = pq
    self.pqKeysInLink = pqKeysInLink
    self.subscribe = subscribe
    self.notifications = notifications
  }
}

/// The purpose of a new connection.
public enum ConnectionMode: Int64, Hashable, Sendable, CaseIterable {
  /// One peer.
  case invitation = 0
  /// An address that anybody can send requests to.
  case contact = 1
}

/// A message that the application stored.
public struct MessageAcknowledgement: Hashable, Sendable {
  /// The connection it came from.
  public var connection: ConnectionID
  /// The message.
  public var message: AgentMessageID
  /// The information for its sender in the receipt, at most 255 bytes; nil for no receipt.
  public var receipt: [UInt8]?

  /// A message was stored.
  public init(_ connection: ConnectionID, _ message: AgentMessageID, receipt: [UInt8]? = nil) {
    self.connection = connection
    self.message = message
    self.receipt = receipt
  }
}
