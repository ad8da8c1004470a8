import SimplexJSON

/// Queues and encryption of a connection.
public struct ConnectionStats: JSONCodable, Hashable, Sendable {
  /// Version of the agent protocol in use.
  public var connAgentVersion: Int
  /// Queues for receiving.
  public var rcvQueuesInfo: [RcvQueueInfo]
  /// Queues for sending.
  public var sndQueuesInfo: [SndQueueInfo]
  /// Whether the encryption has to be renegotiated.
  public var ratchetSyncState: RatchetSyncState
  /// Whether the peer supports renegotiation.
  public var ratchetSyncSupported: Bool
  /// Whether the subscription is active.
  public var subStatus: SubscriptionStatus?
}

/// A queue for receiving.
public struct RcvQueueInfo: JSONCodable, Hashable, Sendable {
  /// Address of the relay.
  public var rcvServer: String
  /// Its status.
  public var status: QueueStatus
  /// The state of moving to another queue.
  public var rcvSwitchStatus: RcvSwitchStatus?
  /// Whether moving to this queue can still be stopped.
  public var canAbortSwitch: Bool
  /// Whether the subscription is active.
  public var subStatus: SubscriptionStatus
}

/// The state of moving a receiving queue to another relay.
public enum RcvSwitchStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case switchStarted = "switch_started"
  case sendingQADD = "sending_qadd"
  case sendingQUSE = "sending_quse"
  case receivedMessage = "received_message"
}

/// A queue for sending.
public struct SndQueueInfo: JSONCodable, Hashable, Sendable {
  /// Address of the relay.
  public var sndServer: String
  /// Its status.
  public var status: QueueStatus
  /// The state of moving to another queue.
  public var sndSwitchStatus: SndSwitchStatus?
}

/// The state of moving a sending queue to another relay.
public enum SndSwitchStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case sendingQKEY = "sending_qkey"
  case sendingQTEST = "sending_qtest"
}

/// The state of a queue while it is established.
public enum QueueStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case new
  case confirmed
  case secured
  case active
  case disabled
}

/// Moving a queue to another relay.
public struct SwitchProgress: JSONCodable, Hashable, Sendable {
  /// Which direction's queue moves.
  public var queueDirection: QueueDirection
  /// The state of moving to another queue.
  public var switchPhase: SwitchPhase
  /// Queues and synchronization of the connection.
  public var connectionStats: ConnectionStats
}

/// Receiving or sending.
public enum QueueDirection: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case rcv
  case snd
}

/// The state of moving a queue.
public enum SwitchPhase: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case started
  case confirmed
  case secured
  case completed
}

/// Renegotiation of the encryption.
public struct RatchetSyncProgress: JSONCodable, Hashable, Sendable {
  /// The state of the renegotiation.
  public var ratchetSyncStatus: RatchetSyncState
  /// Queues and synchronization of the connection.
  public var connectionStats: ConnectionStats
}

/// Whether the encryption has to be renegotiated.
public enum RatchetSyncState: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case ok
  case allowed
  case required
  case started
  case agreed
}

/// Whether messages of a queue are received.
public enum SubscriptionStatus: JSONCodable, Hashable, Sendable {
  case active
  case pending
  case removed(subError: String)
  case noSub
}
