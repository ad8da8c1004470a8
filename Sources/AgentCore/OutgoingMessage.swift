import SMPProtocol

/// A message to send, one of many that are accepted together.
public struct OutgoingMessage: Hashable, Sendable {
  /// To whom.
  public var connection: ConnectionID
  /// Switches post-quantum encryption on or off; nil leaves it as it is.
  public var pq: Bool?
  /// What the relay has to know.
  public var flags: MessageFlags
  /// Which of the bodies that were given with the messages it has.
  public var bodyIndex: Int

  /// A message.
  public init(to connection: ConnectionID, pq: Bool? = nil, flags: MessageFlags = MessageFlags(), bodyIndex: Int) {
    self.connection = connection
    self.pq = pq
    self.flags = flags
    self.bodyIndex = bodyIndex
  }
}

/// What became of a message that was to be sent.
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

/// What a queue is created with.
public struct ConnectionOptions: Hashable, Sendable {
  /// Whether post-quantum encryption is wanted.
  public var pq: Bool
  /// Whether the link itself carries post-quantum keys, which makes it long. (Short links always do.)
  public var pqKeysInLink: Bool
  /// Whether to receive messages at once.
  public var subscribe: Bool
  /// Whether push notifications are wanted.
  public var notifications: Bool

  /// The usual options.
  public init(pq: Bool = true, pqKeysInLink: Bool = false, subscribe: Bool = true, notifications: Bool = true) {
    self.pq = pq
    self.pqKeysInLink = pqKeysInLink
    self.subscribe = subscribe
    self.notifications = notifications
  }
}

/// What a new connection is for.
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
  /// What its sender is told with the receipt, at most 255 bytes; nil for no receipt.
  public var receipt: [UInt8]?

  /// A message was stored.
  public init(_ connection: ConnectionID, _ message: AgentMessageID, receipt: [UInt8]? = nil) {
    self.connection = connection
    self.message = message
    self.receipt = receipt
  }
}
