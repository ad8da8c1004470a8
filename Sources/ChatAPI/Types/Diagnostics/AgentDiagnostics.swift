import SimplexJSON

/// Locks held by the agent.
public struct AgentLocks: JSONCodable, Hashable, Sendable {
  /// Locked connections, with the name of the operation.
  public var connLocks: [String: String]
  /// Locked invitations, with the name of the operation.
  public var invLocks: [String: String]
  /// The deletion in progress.
  public var delLock: String?

  /// A value of its members.
  public init(
    connLocks: [String: String], invLocks: [String: String], delLock: String? = nil
  ) {
    self.connLocks = connLocks
    self.invLocks = invLocks
    self.delLock = delLock
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    connLocks = try fields.get("connLocks")
    invLocks = try fields.get("invLocks")
    delLock = try fields.get("delLock")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("connLocks", connLocks)
    json.field("invLocks", invLocks)
    json.field("delLock", delLock)
    json.endObject()
  }
}

/// Workers of the agent.
public struct AgentWorkersDetails: JSONCodable, Hashable, Sendable {
  /// Connections to messaging servers.
  public var smpClients_: [String]
  /// Connections to notification servers.
  public var ntfClients_: [String]
  /// Connections to file servers.
  public var xftpClients_: [String]
  /// Workers that send messages.
  public var smpDeliveryWorkers_: [String: WorkersDetails]
  /// Workers of asynchronous commands by connection.
  public var asyncCmdWorkers_: [String: WorkersDetails]
  /// Workers that subscribe.
  public var smpSubWorkers_: [String]
  /// Workers of notification servers.
  public var ntfWorkers_: [String: WorkersDetails]
  /// Workers that set up notifications at relays.
  public var ntfSMPWorkers_: [String: WorkersDetails]
  /// Workers that download.
  public var xftpRcvWorkers_: [String: WorkersDetails]
  /// Workers that upload.
  public var xftpSndWorkers_: [String: WorkersDetails]
  /// Workers that delete files.
  public var xftpDelWorkers_: [String: WorkersDetails]

  /// A value of its members.
  public init(
    smpClients_: [String], ntfClients_: [String], xftpClients_: [String], smpDeliveryWorkers_: [String: WorkersDetails],
    asyncCmdWorkers_: [String: WorkersDetails], smpSubWorkers_: [String], ntfWorkers_: [String: WorkersDetails],
    ntfSMPWorkers_: [String: WorkersDetails], xftpRcvWorkers_: [String: WorkersDetails],
    xftpSndWorkers_: [String: WorkersDetails], xftpDelWorkers_: [String: WorkersDetails]
  ) {
    self.smpClients_ = smpClients_
    self.ntfClients_ = ntfClients_
    self.xftpClients_ = xftpClients_
    self.smpDeliveryWorkers_ = smpDeliveryWorkers_
    self.asyncCmdWorkers_ = asyncCmdWorkers_
    self.smpSubWorkers_ = smpSubWorkers_
    self.ntfWorkers_ = ntfWorkers_
    self.ntfSMPWorkers_ = ntfSMPWorkers_
    self.xftpRcvWorkers_ = xftpRcvWorkers_
    self.xftpSndWorkers_ = xftpSndWorkers_
    self.xftpDelWorkers_ = xftpDelWorkers_
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    smpClients_ = try fields.get("smpClients_")
    ntfClients_ = try fields.get("ntfClients_")
    xftpClients_ = try fields.get("xftpClients_")
    smpDeliveryWorkers_ = try fields.get("smpDeliveryWorkers_")
    asyncCmdWorkers_ = try fields.get("asyncCmdWorkers_")
    smpSubWorkers_ = try fields.get("smpSubWorkers_")
    ntfWorkers_ = try fields.get("ntfWorkers_")
    ntfSMPWorkers_ = try fields.get("ntfSMPWorkers_")
    xftpRcvWorkers_ = try fields.get("xftpRcvWorkers_")
    xftpSndWorkers_ = try fields.get("xftpSndWorkers_")
    xftpDelWorkers_ = try fields.get("xftpDelWorkers_")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("smpClients_", smpClients_)
    json.field("ntfClients_", ntfClients_)
    json.field("xftpClients_", xftpClients_)
    json.field("smpDeliveryWorkers_", smpDeliveryWorkers_)
    json.field("asyncCmdWorkers_", asyncCmdWorkers_)
    json.field("smpSubWorkers_", smpSubWorkers_)
    json.field("ntfWorkers_", ntfWorkers_)
    json.field("ntfSMPWorkers_", ntfSMPWorkers_)
    json.field("xftpRcvWorkers_", xftpRcvWorkers_)
    json.field("xftpSndWorkers_", xftpSndWorkers_)
    json.field("xftpDelWorkers_", xftpDelWorkers_)
    json.endObject()
  }
}

/// Counts of workers of the agent.
public struct AgentWorkersSummary: JSONCodable, Hashable, Sendable {
  /// Connections to messaging servers.
  public var smpClientsCount: Int
  /// Connections to notification servers.
  public var ntfClientsCount: Int
  /// Connections to file servers.
  public var xftpClientsCount: Int
  /// Workers that send messages.
  public var smpDeliveryWorkersCount: WorkersSummary
  /// Workers of asynchronous commands.
  public var asyncCmdWorkersCount: WorkersSummary
  /// Workers that subscribe.
  public var smpSubWorkersCount: Int
  /// Workers of notification servers.
  public var ntfWorkersCount: WorkersSummary
  /// Workers that set up notifications at relays.
  public var ntfSMPWorkersCount: WorkersSummary
  /// Workers that download.
  public var xftpRcvWorkersCount: WorkersSummary
  /// Workers that upload.
  public var xftpSndWorkersCount: WorkersSummary
  /// Workers that delete files.
  public var xftpDelWorkersCount: WorkersSummary

  /// A value of its members.
  public init(
    smpClientsCount: Int, ntfClientsCount: Int, xftpClientsCount: Int, smpDeliveryWorkersCount: WorkersSummary,
    asyncCmdWorkersCount: WorkersSummary, smpSubWorkersCount: Int, ntfWorkersCount: WorkersSummary,
    ntfSMPWorkersCount: WorkersSummary, xftpRcvWorkersCount: WorkersSummary, xftpSndWorkersCount: WorkersSummary,
    xftpDelWorkersCount: WorkersSummary
  ) {
    self.smpClientsCount = smpClientsCount
    self.ntfClientsCount = ntfClientsCount
    self.xftpClientsCount = xftpClientsCount
    self.smpDeliveryWorkersCount = smpDeliveryWorkersCount
    self.asyncCmdWorkersCount = asyncCmdWorkersCount
    self.smpSubWorkersCount = smpSubWorkersCount
    self.ntfWorkersCount = ntfWorkersCount
    self.ntfSMPWorkersCount = ntfSMPWorkersCount
    self.xftpRcvWorkersCount = xftpRcvWorkersCount
    self.xftpSndWorkersCount = xftpSndWorkersCount
    self.xftpDelWorkersCount = xftpDelWorkersCount
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    smpClientsCount = try fields.get("smpClientsCount")
    ntfClientsCount = try fields.get("ntfClientsCount")
    xftpClientsCount = try fields.get("xftpClientsCount")
    smpDeliveryWorkersCount = try fields.get("smpDeliveryWorkersCount")
    asyncCmdWorkersCount = try fields.get("asyncCmdWorkersCount")
    smpSubWorkersCount = try fields.get("smpSubWorkersCount")
    ntfWorkersCount = try fields.get("ntfWorkersCount")
    ntfSMPWorkersCount = try fields.get("ntfSMPWorkersCount")
    xftpRcvWorkersCount = try fields.get("xftpRcvWorkersCount")
    xftpSndWorkersCount = try fields.get("xftpSndWorkersCount")
    xftpDelWorkersCount = try fields.get("xftpDelWorkersCount")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("smpClientsCount", smpClientsCount)
    json.field("ntfClientsCount", ntfClientsCount)
    json.field("xftpClientsCount", xftpClientsCount)
    json.field("smpDeliveryWorkersCount", smpDeliveryWorkersCount)
    json.field("asyncCmdWorkersCount", asyncCmdWorkersCount)
    json.field("smpSubWorkersCount", smpSubWorkersCount)
    json.field("ntfWorkersCount", ntfWorkersCount)
    json.field("ntfSMPWorkersCount", ntfSMPWorkersCount)
    json.field("xftpRcvWorkersCount", xftpRcvWorkersCount)
    json.field("xftpSndWorkersCount", xftpSndWorkersCount)
    json.field("xftpDelWorkersCount", xftpDelWorkersCount)
    json.endObject()
  }
}

/// A worker.
public struct WorkersDetails: JSONCodable, Hashable, Sendable {
  /// How many times it was restarted.
  public var restarts: Int
  /// Whether work is waiting.
  public var hasWork: Bool
  /// Whether an action is running.
  public var hasAction: Bool

  /// A value of its members.
  public init(
    restarts: Int, hasWork: Bool, hasAction: Bool
  ) {
    self.restarts = restarts
    self.hasWork = hasWork
    self.hasAction = hasAction
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    restarts = try fields.get("restarts")
    hasWork = try fields.get("hasWork")
    hasAction = try fields.get("hasAction")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("restarts", restarts)
    json.field("hasWork", hasWork)
    json.field("hasAction", hasAction)
    json.endObject()
  }
}

/// Counts of workers.
public struct WorkersSummary: JSONCodable, Hashable, Sendable {
  /// Workers that are running.
  public var numActive: Int
  /// Workers that wait.
  public var numIdle: Int
  /// Restarts of all workers.
  public var totalRestarts: Int

  /// A value of its members.
  public init(
    numActive: Int, numIdle: Int, totalRestarts: Int
  ) {
    self.numActive = numActive
    self.numIdle = numIdle
    self.totalRestarts = totalRestarts
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    numActive = try fields.get("numActive")
    numIdle = try fields.get("numIdle")
    totalRestarts = try fields.get("totalRestarts")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("numActive", numActive)
    json.field("numIdle", numIdle)
    json.field("totalRestarts", totalRestarts)
    json.endObject()
  }
}

/// Queues inside the agent.
public struct AgentQueuesInfo: JSONCodable, Hashable, Sendable {
  /// The queue of received messages.
  public var msgQInfo: TBQueueInfo
  /// The queue of subscription results.
  public var subQInfo: TBQueueInfo
  /// Queues of commands by server: length, time, state.
  public var smpClientsQueues: [String: JSONValue]

  /// A value of its members.
  public init(
    msgQInfo: TBQueueInfo, subQInfo: TBQueueInfo, smpClientsQueues: [String: JSONValue]
  ) {
    self.msgQInfo = msgQInfo
    self.subQInfo = subQInfo
    self.smpClientsQueues = smpClientsQueues
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    msgQInfo = try fields.get("msgQInfo")
    subQInfo = try fields.get("subQInfo")
    smpClientsQueues = try fields.get("smpClientsQueues")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("msgQInfo", msgQInfo)
    json.field("subQInfo", subQInfo)
    json.field("smpClientsQueues", smpClientsQueues)
    json.endObject()
  }
}

/// A queue inside the agent.
public struct TBQueueInfo: JSONCodable, Hashable, Sendable {
  /// Number of waiting entries.
  public var qLength: Int
  /// Whether it is full.
  public var qFull: Bool

  /// A value of its members.
  public init(
    qLength: Int, qFull: Bool
  ) {
    self.qLength = qLength
    self.qFull = qFull
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    qLength = try fields.get("qLength")
    qFull = try fields.get("qFull")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("qLength", qLength)
    json.field("qFull", qFull)
    json.endObject()
  }
}
