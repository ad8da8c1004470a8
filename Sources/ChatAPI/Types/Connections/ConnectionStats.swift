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

  /// A value of its members.
  public init(
    connAgentVersion: Int, rcvQueuesInfo: [RcvQueueInfo], sndQueuesInfo: [SndQueueInfo],
    ratchetSyncState: RatchetSyncState, ratchetSyncSupported: Bool, subStatus: SubscriptionStatus? = nil
  ) {
    self.connAgentVersion = connAgentVersion
    self.rcvQueuesInfo = rcvQueuesInfo
    self.sndQueuesInfo = sndQueuesInfo
    self.ratchetSyncState = ratchetSyncState
    self.ratchetSyncSupported = ratchetSyncSupported
    self.subStatus = subStatus
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    connAgentVersion = try fields.get("connAgentVersion")
    rcvQueuesInfo = try fields.get("rcvQueuesInfo")
    sndQueuesInfo = try fields.get("sndQueuesInfo")
    ratchetSyncState = try fields.get("ratchetSyncState")
    ratchetSyncSupported = try fields.get("ratchetSyncSupported")
    subStatus = try fields.get("subStatus")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("connAgentVersion", connAgentVersion)
    json.field("rcvQueuesInfo", rcvQueuesInfo)
    json.field("sndQueuesInfo", sndQueuesInfo)
    json.field("ratchetSyncState", ratchetSyncState)
    json.field("ratchetSyncSupported", ratchetSyncSupported)
    json.field("subStatus", subStatus)
    json.endObject()
  }
}

/// A queue for receiving.
public struct RcvQueueInfo: JSONCodable, Hashable, Sendable {
  /// Address of the relay.
  public var rcvServer: String
  /// Its status.
  public var status: QueueStatus
  /// How far moving to another queue is.
  public var rcvSwitchStatus: RcvSwitchStatus?
  /// Whether moving to this queue can still be stopped.
  public var canAbortSwitch: Bool
  /// Whether the subscription is active.
  public var subStatus: SubscriptionStatus

  /// A value of its members.
  public init(
    rcvServer: String, status: QueueStatus, rcvSwitchStatus: RcvSwitchStatus? = nil, canAbortSwitch: Bool,
    subStatus: SubscriptionStatus
  ) {
    self.rcvServer = rcvServer
    self.status = status
    self.rcvSwitchStatus = rcvSwitchStatus
    self.canAbortSwitch = canAbortSwitch
    self.subStatus = subStatus
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    rcvServer = try fields.get("rcvServer")
    status = try fields.get("status")
    rcvSwitchStatus = try fields.get("rcvSwitchStatus")
    canAbortSwitch = try fields.get("canAbortSwitch")
    subStatus = try fields.get("subStatus")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("rcvServer", rcvServer)
    json.field("status", status)
    json.field("rcvSwitchStatus", rcvSwitchStatus)
    json.field("canAbortSwitch", canAbortSwitch)
    json.field("subStatus", subStatus)
    json.endObject()
  }
}

/// How far moving a receiving queue to another relay is.
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
  /// How far moving to another queue is.
  public var sndSwitchStatus: SndSwitchStatus?

  /// A value of its members.
  public init(
    sndServer: String, status: QueueStatus, sndSwitchStatus: SndSwitchStatus? = nil
  ) {
    self.sndServer = sndServer
    self.status = status
    self.sndSwitchStatus = sndSwitchStatus
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    sndServer = try fields.get("sndServer")
    status = try fields.get("status")
    sndSwitchStatus = try fields.get("sndSwitchStatus")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("sndServer", sndServer)
    json.field("status", status)
    json.field("sndSwitchStatus", sndSwitchStatus)
    json.endObject()
  }
}

/// How far moving a sending queue to another relay is.
public enum SndSwitchStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case sendingQKEY = "sending_qkey"
  case sendingQTEST = "sending_qtest"
}

/// How far a queue is established.
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
  /// How far moving to another queue is.
  public var switchPhase: SwitchPhase
  /// Queues and synchronization of the connection.
  public var connectionStats: ConnectionStats

  /// A value of its members.
  public init(
    queueDirection: QueueDirection, switchPhase: SwitchPhase, connectionStats: ConnectionStats
  ) {
    self.queueDirection = queueDirection
    self.switchPhase = switchPhase
    self.connectionStats = connectionStats
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    queueDirection = try fields.get("queueDirection")
    switchPhase = try fields.get("switchPhase")
    connectionStats = try fields.get("connectionStats")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("queueDirection", queueDirection)
    json.field("switchPhase", switchPhase)
    json.field("connectionStats", connectionStats)
    json.endObject()
  }
}

/// Receiving or sending.
public enum QueueDirection: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case rcv
  case snd
}

/// How far moving a queue is.
public enum SwitchPhase: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case started
  case confirmed
  case secured
  case completed
}

/// Renegotiation of the encryption.
public struct RatchetSyncProgress: JSONCodable, Hashable, Sendable {
  /// How far the renegotiation is.
  public var ratchetSyncStatus: RatchetSyncState
  /// Queues and synchronization of the connection.
  public var connectionStats: ConnectionStats

  /// A value of its members.
  public init(
    ratchetSyncStatus: RatchetSyncState, connectionStats: ConnectionStats
  ) {
    self.ratchetSyncStatus = ratchetSyncStatus
    self.connectionStats = connectionStats
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    ratchetSyncStatus = try fields.get("ratchetSyncStatus")
    connectionStats = try fields.get("connectionStats")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("ratchetSyncStatus", ratchetSyncStatus)
    json.field("connectionStats", connectionStats)
    json.endObject()
  }
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

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "active": self = .active
    case "pending": self = .pending
    case "removed": self = try .removed(subError: fields.get("subError"))
    case "noSub": self = .noSub
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .active: json.tag("active")
    case .pending: json.tag("pending")
    case .removed(let subError): json.sum("removed", "subError", subError)
    case .noSub: json.tag("noSub")
    }
  }
}
