import SMPProtocol

/// The counters of the agent for each user and file relay.
public enum FileStatisticsCounter: Int64, Hashable, Sendable, CaseIterable {
  case uploads = 0
  case uploadedKilobytes = 1
  case uploadAttempts = 2
  case uploadErrors = 3
  case downloads = 4
  case downloadedKilobytes = 5
  case downloadAttempts = 6
  /// Chunks that are not at the relay any more, or not for this recipient.
  case downloadAuthorizationErrors = 7
  case downloadErrors = 8
  case deletions = 9
  case deleteAttempts = 10
  case deleteErrors = 11
}

/// What the agent has to do at a file relay.
public enum FileServerWork: Int64, Hashable, Sendable, CaseIterable {
  case sending = 0
  case receiving = 1
  case deleting = 2
}

/// The counters of one user and file relay.
public struct FileServerStatistics: Hashable, Sendable {
  /// Whose.
  public var user: UserID
  /// At which relay.
  public var server: XFTPServer
  /// The counters that are not 0.
  public var counters: [FileStatisticsCounter: Int64] = [:]
  /// What is to be done now.
  public var work: Set<FileServerWork> = []

  /// Statistics without values.
  public init(user: UserID, server: XFTPServer) {
    self.user = user
    self.server = server
  }
}
