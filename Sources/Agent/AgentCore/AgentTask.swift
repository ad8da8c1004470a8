import WireCodec

/// Something the agent has still to do at a relay. It is stored with the state that requires it, and removed with the
/// state that records its outcome, so that a crash loses nothing and does nothing twice.
public struct AgentTask: Sendable {
  /// The kind of a task. The raw values are stored.
  public enum Kind: Int64, Sendable, CaseIterable {
    /// NEW, for the purpose in ``QueuePlan``.
    case createQueue = 1
    /// KEY: ``SecurePayload``.
    case secureReceiveQueue = 2
    /// SKEY for the queue of the lane.
    case secureSendQueue = 3
    /// SEND what is encrypted already: ``EnvelopePayload``.
    case sendEnvelope = 4
    /// SEND what the ratchet's place is taken for: ``SealedPayload``.
    case sendMessage = 5
    /// SEND a request to an address: ``RequestPayload``.
    case sendRequest = 6
    /// LSET: ``LinkPayload``.
    case setLink = 7
    /// LDEL for the queue of the lane.
    case deleteLink = 8
    /// LGET or LKEY: ``GetLinkPayload``.
    case getLink = 9
    /// OFF for the queue of the lane.
    case suspendQueue = 10
    /// DEL for the queue of the lane.
    case deleteQueue = 11
    /// QUE for the queue of the lane.
    case queueInfo = 14
    /// Everything that shows that a relay works: ``ServerTestPayload``.
    case testServer = 15
    /// QUE for the queue of the lane, which is deleted once it is empty.
    case drainQueue = 16
  }

  /// Its number: tasks of a lane are done in the order of their numbers.
  public var id: Int64
  /// The lane, within which tasks keep their order.
  public var lane: Lane
  /// The connection it is for; 0 for none.
  public var connection: Int64
  /// The kind.
  public var kind: Kind
  /// The message that is sent; 0 for none.
  public var message: Int64 = 0
  /// The application's key of the message, if it chose one.
  public var messageKey: Int64?
  /// With what.
  public var payload: [UInt8]
  /// The body of the message, where several tasks have it.
  public var body: Int64?
  /// Since when, in milliseconds.
  public var createdAt: Int64
  /// The number of attempts.
  public var attempts: Int64 = 0
  /// When it is to be tried next, in milliseconds.
  public var notBefore: Int64 = 0
  /// The tag of the event that reports its outcome.
  public var tag: CorrelationTag?
  /// Whether a call waits for it, so that it is not tried again.
  public var isCall = false

  /// A task.
  public init(
    id: Int64, lane: Lane, connection: Int64, kind: Kind, message: Int64 = 0, payload: [UInt8] = [],
    body: Int64? = nil, createdAt: Int64
  ) {
    self.id = id
    self.lane = lane
    self.connection = connection
    self.kind = kind
    self.message = message
    self.payload = payload
    self.body = body
    self.createdAt = createdAt
  }

  /// The message that is sent, as the application knows it.
  public var reference: MessageReference {
    MessageReference(id: AgentMessageID(rawValue: message), key: messageKey)
  }
}

/// Tasks that are done one after the other.
public struct Lane: RawRepresentable, Hashable, Sendable {
  /// The kind of object that a lane belongs to.
  public enum Kind: Int64, Sendable {
    case connection = 0
    case sendQueue = 1
    case receiveQueue = 2
    case single = 3
  }

  /// Number and kind in one.
  public let rawValue: Int64
  /// The lane with this number and kind.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  private init(_ number: Int64, _ kind: Kind) { rawValue = number << 2 | kind.rawValue }

  /// The lane of a connection, for tasks that belong to none of its queues.
  public static func connection(_ number: Int64) -> Lane { Lane(number, .connection) }
  /// The lane of a queue that messages are sent to.
  public static func sendQueue(_ number: Int64) -> Lane { Lane(number, .sendQueue) }
  /// The lane of a queue that messages are received from.
  public static func receiveQueue(_ number: Int64) -> Lane { Lane(number, .receiveQueue) }
  /// A task of its own.
  public static func single(_ task: Int64) -> Lane { Lane(task, .single) }

  /// The kind of its owner.
  public var kind: Kind { Kind(rawValue: rawValue & 3) ?? .single }
  /// The number of what it belongs to.
  public var number: Int64 { rawValue >> 2 }
}

/// The purpose of a message that the agent sends. The raw values are stored.
public enum MessagePurpose: UInt8, Sendable, CaseIterable {
  /// A message of the application.
  case message = 1
  case receipt = 2
  case continueQueue = 3
  case hello = 4
  case addQueue = 5
  case queueKey = 6
  case useQueue = 7
  case testQueue = 8
  case ratchetReady = 9
  /// The initiating side's confirmation.
  case confirmation = 10
  /// The joining side's confirmation, with its reply queue.
  case confirmationReply = 11
  /// Keys for a new ratchet.
  case ratchetKey = 12

  static let codec = Codec<UInt8>.integer.compactMap(
    "the purpose of a message", { MessagePurpose(rawValue: $0) }, \.rawValue)
}
