import SimplexJSON

/// Locks held by the agent.
public struct AgentLocks: JSONCodable, Hashable, Sendable {
  /// Locked connections, with the name of the operation.
  public var connLocks: [String: String]
  /// Locked invitations, with the name of the operation.
  public var invLocks: [String: String]
  /// The deletion in progress.
  public var delLock: String?
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
}

/// A worker.
public struct WorkersDetails: JSONCodable, Hashable, Sendable {
  /// How many times it was restarted.
  public var restarts: Int
  /// Whether work is waiting.
  public var hasWork: Bool
  /// Whether an action is running.
  public var hasAction: Bool
}

/// Counts of workers.
public struct WorkersSummary: JSONCodable, Hashable, Sendable {
  /// Workers that are running.
  public var numActive: Int
  /// Workers that wait.
  public var numIdle: Int
  /// Restarts of all workers.
  public var totalRestarts: Int
}

/// Queues inside the agent.
public struct AgentQueuesInfo: JSONCodable, Hashable, Sendable {
  /// The queue of received messages.
  public var msgQInfo: TBQueueInfo
  /// The queue of subscription results.
  public var subQInfo: TBQueueInfo
  /// Queues of commands by server: length, time, state.
  public var smpClientsQueues: [String: JSONValue]
}

/// A queue inside the agent.
public struct TBQueueInfo: JSONCodable, Hashable, Sendable {
  /// Number of waiting entries.
  public var qLength: Int
  /// Whether it is full.
  public var qFull: Bool
}
