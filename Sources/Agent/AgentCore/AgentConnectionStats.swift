import SMPClientCore
import SMPProtocol

/// The queues of a connection and where they stand.
public struct AgentConnectionStats: Hashable, Sendable {
  /// The version of the agent protocol in use.
  public var agentVersion: UInt16
  /// The queues that messages are received from, the primary one first.
  public var receiveQueues: [ReceiveQueueInfo]
  /// The queues that messages are sent to, the primary one first.
  public var sendQueues: [SendQueueInfo]
  /// Whether the ratchet has to be renegotiated.
  public var ratchetSync: AgentRatchetSyncState
  /// Whether the peer can do that.
  public var ratchetSyncSupported: Bool
  /// Whether messages are received; nil without a queue for it.
  public var subscription: SubscriptionState?
  /// Whether post-quantum encryption is used where the peer does too.
  public var pqSupport: Bool

  /// A value of its members.
  public init(
    agentVersion: UInt16, receiveQueues: [ReceiveQueueInfo], sendQueues: [SendQueueInfo],
    ratchetSync: AgentRatchetSyncState, ratchetSyncSupported: Bool, subscription: SubscriptionState?, pqSupport: Bool
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
  public var server: SMPServerAddress
  /// Its identifier there for this side; empty in events, which do not need it.
  public var recipientID: EntityID
  /// Its identifier there for the peer; empty in events.
  public var senderID: EntityID
  /// Its identifier there for notification servers; nil without notifications.
  public var notifierID: EntityID?
  /// The state of establishing it.
  public var status: AgentQueueStatus
  /// The state of replacing it.
  public var switchStatus: ReceiveSwitchStatus?
  /// Whether replacing it can still be stopped.
  public var canAbortSwitch: Bool
  /// Whether it is subscribed.
  public var subscription: SubscriptionState

  /// A value of its members.
  public init(
    server: SMPServerAddress, recipientID: EntityID = .none, senderID: EntityID = .none, notifierID: EntityID? = nil,
    status: AgentQueueStatus, switchStatus: ReceiveSwitchStatus?, canAbortSwitch: Bool, subscription: SubscriptionState
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
  public var server: SMPServerAddress
  /// The state of establishing it.
  public var status: AgentQueueStatus
  /// The state of replacing it.
  public var switchStatus: SendSwitchStatus?

  /// A value of its members.
  public init(server: SMPServerAddress, status: AgentQueueStatus, switchStatus: SendSwitchStatus?) {
    self.server = server
    self.status = status
    self.switchStatus = switchStatus
  }
}

/// The state of establishing a queue. The raw values are stored.
public enum AgentQueueStatus: Int64, Hashable, Sendable, CaseIterable {
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

/// The state of replacing a queue for receiving. The raw values are stored.
public enum ReceiveSwitchStatus: Int64, Hashable, Sendable, CaseIterable {
  /// Asked for.
  case started = 0
  /// The new queue exists and was sent to the peer (QADD).
  case sendingQADD = 1
  /// The new queue is secured, and the peer was asked to use it (QUSE).
  case sendingQUSE = 2
  /// A message was received in the new queue; the old one is deleted.
  case receivedMessage = 3
}

/// The state of replacing a queue for sending. The raw values are stored.
public enum SendSwitchStatus: Int64, Hashable, Sendable, CaseIterable {
  /// The peer is sent the keys for its new queue (QKEY).
  case sendingQKEY = 0
  /// The new queue is tested (QTEST).
  case sendingQTEST = 1
}

/// Which direction's queue is replaced.
public enum AgentQueueDirection: Hashable, Sendable, CaseIterable { case receive, send }

/// A step of replacing a queue that is reported to applications.
public enum AgentSwitchPhase: Hashable, Sendable, CaseIterable { case started, confirmed, secured, completed }

/// Whether a connection's ratchet has to be renegotiated. The raw values are stored.
public enum AgentRatchetSyncState: Int64, Hashable, Sendable, CaseIterable {
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
