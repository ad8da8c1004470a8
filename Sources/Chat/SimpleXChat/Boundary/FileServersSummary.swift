import AgentCore
import ChatAPI
import SMPProtocol

// What the agent counted at file relays, as the API shows it. Connections to them last as long as there is work, and
// are not counted as sessions.

extension XFTPServersSummary {
  /// - Parameter known: the user's file relays; nil for all users together.
  init(_ statistics: [FileServerStatistics], known: Set<XFTPServer>?) {
    var servers: [XFTPServer: FileServerStatistics] = [:]
    var total: [FileStatisticsCounter: Int64] = [:]
    for one in statistics {
      servers[one.server, default: FileServerStatistics(user: one.user, server: one.server)].add(one)
      total.add(one.counters)
    }
    self.init(
      xftpTotals: XFTPTotals(sessions: .none, stats: AgentXFTPServerStatsData(total)), currentlyUsedXFTPServers: [],
      previouslyUsedXFTPServers: [])
    for server in servers.values.sorted(by: { $0.server.description < $1.server.description }) {
      let summary = XFTPServerSummary(
        xftpServer: server.server.description, known: known.map { $0.contains(server.server) }, sessions: nil,
        stats: server.counters.isEmpty ? nil : AgentXFTPServerStatsData(server.counters),
        rcvInProgress: server.work.contains(.receiving), sndInProgress: server.work.contains(.sending),
        delInProgress: server.work.contains(.deleting))
      if server.work.isEmpty {
        previouslyUsedXFTPServers.append(summary)
      } else {
        currentlyUsedXFTPServers.append(summary)
      }
    }
  }
}

extension FileServerStatistics {
  fileprivate mutating func add(_ other: FileServerStatistics) {
    counters.add(other.counters)
    work.formUnion(other.work)
  }
}

extension [FileStatisticsCounter: Int64] {
  fileprivate mutating func add(_ other: [FileStatisticsCounter: Int64]) {
    merge(other) { $0.addingReportingOverflow($1).partialValue }
  }
}

extension AgentXFTPServerStatsData {
  fileprivate init(_ counters: [FileStatisticsCounter: Int64]) {
    func count(_ counter: FileStatisticsCounter) -> Int { Int(clamping: counters[counter] ?? 0) }
    self.init(
      _uploads: count(.uploads), _uploadsSize: counters[.uploadedKilobytes] ?? 0,
      _uploadAttempts: count(.uploadAttempts), _uploadErrs: count(.uploadErrors), _downloads: count(.downloads),
      _downloadsSize: counters[.downloadedKilobytes] ?? 0, _downloadAttempts: count(.downloadAttempts),
      _downloadAuthErrs: count(.downloadAuthorizationErrors), _downloadErrs: count(.downloadErrors),
      _deletions: count(.deletions), _deleteAttempts: count(.deleteAttempts), _deleteErrs: count(.deleteErrors))
  }
}
