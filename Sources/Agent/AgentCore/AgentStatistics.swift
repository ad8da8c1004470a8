import SMPProtocol

/// The counters of the agent for each user and relay.
public enum StatisticsCounter: Int64, Hashable, Sendable, CaseIterable {
  case sentDirect = 0
  case sentViaProxy = 1
  case sentDirectAttempts = 2
  case sentViaProxyAttempts = 3
  case sentAuthErrors = 4
  case sentQuotaErrors = 5
  case sentExpired = 6
  case sentOtherErrors = 7
  case receivedMessages = 8
  case receivedDuplicates = 9
  case receivedCryptoErrors = 10
  case receivedErrors = 11
  case ackAttempts = 12
  case ackMessages = 13
  case ackNoMessageErrors = 14
  case ackOtherErrors = 15
  case connectionsCreated = 16
  case connectionsSecured = 17
  case connectionsCompleted = 18
  case connectionsDeleted = 19
  case deleteAttempts = 20
  case deleteErrors = 21
  case connectionsSubscribed = 22
  case subscriptionAttempts = 23
  case subscriptionErrors = 24
  case sentProxied = 25
  case sentProxiedAttempts = 26
}

/// The counters of one user and relay.
public struct ServerStatistics: Hashable, Sendable {
  /// Whose.
  public var user: UserID
  /// At which relay.
  public var server: SMPServerAddress
  /// The counters that are not 0.
  public var counters: [StatisticsCounter: Int64]
  /// Queues that are subscribed now.
  public var activeSubscriptions: Int
  /// Queues whose subscription is asked for.
  public var pendingSubscriptions: Int
  /// Sessions that have a connection.
  public var connectedSessions = 0
  /// Sessions that wait for one.
  public var connectingSessions = 0

  /// A value of its members.
  public init(
    user: UserID, server: SMPServerAddress, counters: [StatisticsCounter: Int64], activeSubscriptions: Int,
    pendingSubscriptions: Int
  ) {
    self.user = user
    self.server = server
    self.counters = counters
    self.activeSubscriptions = activeSubscriptions
    self.pendingSubscriptions = pendingSubscriptions
  }
}

/// The values of the agent's counters since they were reset.
public struct AgentStatistics: Hashable, Sendable {
  /// When that was, in milliseconds.
  public var startedAt: Int64
  /// By user and relay.
  public var servers: [ServerStatistics]
  /// By user and file relay.
  public var fileServers: [FileServerStatistics]

  /// A value of its members.
  public init(startedAt: Int64, servers: [ServerStatistics], fileServers: [FileServerStatistics]) {
    self.startedAt = startedAt
    self.servers = servers
    self.fileServers = fileServers
  }
}
