import SMPClientCore
import SMPProtocol

/// The queues of a connection and where they stand.
public struct ConnectionStats: Hashable, Sendable {
  /// The version of the agent protocol in use.
  public var agentVersion: UInt16
  /// The queues that messages are received from, the primary one first.
  public var receiveQueues: [ReceiveQueueInfo]
  /// The queues that messages are sent to, the primary one first.
  public var sendQueues: [SendQueueInfo]
  /// Whether the ratchet has to be agreed anew.
  public var ratchetSync: RatchetSyncState
  /// Whether the peer can do that.
  public var ratchetSyncSupported: Bool
  /// Whether messages are received; nil without a queue for it.
  public var subscription: SubscriptionState?
  /// Whether post-quantum encryption is used where the peer does too.
  public var pqSupport: Bool

  /// A value of its members.
  public init(
    agentVersion: UInt16, receiveQueues: [ReceiveQueueInfo], sendQueues: [SendQueueInfo],
    ratchetSync: RatchetSyncState, ratchetSyncSupported: Bool, subscription: SubscriptionState?, pqSupport: Bool
  ) {
    self.agentVersion = agentVersion
    self.receiveQueues = receiveQueues
    self.sendQueues = sendQueues
    self.ratchetSync = ratchetSync
    self.ratchetSyncSupported = ratchetSyncSupported
    self.subscription = subscription
    self.pqSupport = pqSupport
  }
}

/// A queue that messages are received from.
public struct ReceiveQueueInfo: Hashable, Sendable {
  /// Its relay.
  public var server: SMPServer
  /// What names it there to this side; none in events, which do not need it.
  public var recipientID: EntityID
  /// What names it there to the peer; none in events.
  public var senderID: EntityID
  /// What names it there to whoever sends push notifications; nil without them.
  public var notifierID: EntityID?
  /// How far it is established.
  public var status: QueueStatus
  /// How far replacing it is.
  public var switchStatus: ReceiveSwitchStatus?
  /// Whether replacing it can still be stopped.
  public var canAbortSwitch: Bool
  /// Whether it is subscribed.
  public var subscription: SubscriptionState

  /// A value of its members.
  public init(
    server: SMPServer, recipientID: EntityID = .none, senderID: EntityID = .none, notifierID: EntityID? = nil,
    status: QueueStatus, switchStatus: ReceiveSwitchStatus?, canAbortSwitch: Bool, subscription: SubscriptionState
  ) {
    self.server = server
    self.recipientID = recipientID
    self.senderID = senderID
    self.notifierID = notifierID
    self.status = status
    self.switchStatus = switchStatus
    self.canAbortSwitch = canAbortSwitch
    self.subscription = subscription
  }
}

/// A queue that messages are sent to.
public struct SendQueueInfo: Hashable, Sendable {
  /// Its relay.
  public var server: SMPServer
  /// How far it is established.
  public var status: QueueStatus
  /// How far replacing it is.
  public var switchStatus: SendSwitchStatus?

  /// A value of its members.
  public init(server: SMPServer, status: QueueStatus, switchStatus: SendSwitchStatus?) {
    self.server = server
    self.status = status
    self.switchStatus = switchStatus
  }
}

/// How far a queue is established. The raw values are stored.
public enum QueueStatus: Int64, Hashable, Sendable, CaseIterable {
  /// Created.
  case new = 0
  /// The peer's confirmation was received, or ours was sent.
  case confirmed = 1
  /// Commands of the sender have to be authorized.
  case secured = 2
  /// Messages were sent or received.
  case active = 3
  /// Not used any more.
  case disabled = 4
}

/// How far replacing a queue for receiving is. The raw values are stored.
public enum ReceiveSwitchStatus: Int64, Hashable, Sendable, CaseIterable {
  /// Asked for.
  case started = 0
  /// The new queue exists, the peer is told (QADD).
  case sendingQADD = 1
  /// The new queue is secured, the peer is told to use it (QUSE).
  case sendingQUSE = 2
  /// A message was received in the new queue; the old one is deleted.
  case receivedMessage = 3
}

/// How far replacing a queue for sending is. The raw values are stored.
public enum SendSwitchStatus: Int64, Hashable, Sendable, CaseIterable {
  /// The peer is given the keys for its new queue (QKEY).
  case sendingQKEY = 0
  /// The new queue is tested (QTEST).
  case sendingQTEST = 1
}

/// Which direction's queue is replaced.
public enum QueueDirection: Hashable, Sendable, CaseIterable { case receive, send }

/// A step of replacing a queue that applications are told of.
public enum SwitchPhase: Hashable, Sendable, CaseIterable { case started, confirmed, secured, completed }

/// Whether a connection's ratchet has to be agreed anew. The raw values are stored.
public enum RatchetSyncState: Int64, Hashable, Sendable, CaseIterable {
  /// It works.
  case ok = 0
  /// Messages cannot be decrypted, later ones may.
  case allowed = 1
  /// No message can be decrypted.
  case required = 2
  /// This side sent new keys.
  case started = 3
  /// Both sides have the keys; no message was received yet.
  case agreed = 4

  /// Whether nothing may be sent, because the peer could not decrypt it.
  public var prohibitsSending: Bool { self == .required || self == .started || self == .agreed }
  /// Whether the application may start the agreement without insisting.
  public var allowsStarting: Bool { self == .allowed || self == .required }
}

/// Whether a queue is subscribed.
public enum SubscriptionState: Hashable, Sendable {
  /// Messages are delivered.
  case active
  /// The relay has not confirmed yet.
  case pending
  /// The relay refused, or another client took over.
  case removed(SMPClientError)
  /// It was not asked for.
  case notRequested
}
