import AgentCore
import ChatAPI
import FoundationTypes
import SMPProtocol
import WireCodec

// What the agent counted at relays, as the API shows it. There are no servers of notifications yet, so their part is
// empty.

extension PresentedServersSummary {
  /// The statistics of a user and of all users that are not hidden from it.
  init(
    _ statistics: AgentStatistics, user: UserID, visible: Set<UserID>, known: Set<SMPServerAddress>,
    knownFileServers: Set<XFTPServer>
  ) {
    self.init(
      statsStartedAt: Date(timeIntervalSince1970: Double(statistics.startedAt) / 1_000),
      allUsersSMP: SMPServersSummary(statistics.servers.filter { visible.contains($0.user) }, known: nil),
      allUsersXFTP: XFTPServersSummary(statistics.fileServers.filter { visible.contains($0.user) }, known: nil),
      allUsersNtf: .empty,
      currentUserSMP: SMPServersSummary(statistics.servers.filter { $0.user == user }, known: known),
      currentUserXFTP: XFTPServersSummary(
        statistics.fileServers.filter { $0.user == user }, known: knownFileServers),
      currentUserNtf: .empty)
  }
}

extension SMPServersSummary {
  fileprivate init(_ statistics: [ServerStatistics], known: Set<SMPServerAddress>?) {
    var servers: [SMPServerAddress: ServerStatistics] = [:]
    for one in statistics {
      guard var sum = servers[one.server] else {
        servers[one.server] = one
        continue
      }
      sum.add(one)
      servers[one.server] = sum
    }
    var total = ServerStatistics(
      user: UserID(rawValue: 0), server: SMPServerAddress(.domain("total"), keyHash: []), counters: [:],
      activeSubscriptions: 0, pendingSubscriptions: 0)
    self.init(
      smpTotals: SMPTotals(
        sessions: total.sessions, subs: total.subscriptions, stats: AgentSMPServerStatsData(total.counters)),
      currentlyUsedSMPServers: [], previouslyUsedSMPServers: [], onlyProxiedSMPServers: [])
    for server in servers.values.sorted(by: { $0.server.description < $1.server.description }) {
      total.add(server)
      let summary = SMPServerSummary(server, known: known.map { $0.contains(server.server) })
      if summary.sessions != nil || summary.subs != nil {
        currentlyUsedSMPServers.append(summary)
      } else if server.wasConnected {
        previouslyUsedSMPServers.append(summary)
      } else {
        onlyProxiedSMPServers.append(summary)
      }
    }
    smpTotals = SMPTotals(
      sessions: total.sessions, subs: total.subscriptions, stats: AgentSMPServerStatsData(total.counters))
  }
}

extension SMPServerSummary {
  fileprivate init(_ statistics: ServerStatistics, known: Bool?) {
    let (sessions, subscriptions) = (statistics.sessions, statistics.subscriptions)
    self.init(
      smpServer: statistics.server.description, known: known,
      sessions: sessions.ssConnected + sessions.ssConnecting > 0 ? sessions : nil,
      subs: subscriptions.ssActive + subscriptions.ssPending > 0 ? subscriptions : nil,
      stats: statistics.counters.isEmpty ? nil : AgentSMPServerStatsData(statistics.counters))
  }
}

extension ServerStatistics {
  fileprivate var sessions: ServerSessions {
    ServerSessions(ssConnected: connectedSessions, ssErrors: 0, ssConnecting: connectingSessions)
  }

  fileprivate var subscriptions: SMPServerSubs {
    SMPServerSubs(ssActive: activeSubscriptions, ssPending: pendingSubscriptions)
  }

  /// Whether the relay was ever connected to, and not only through another one.
  fileprivate var wasConnected: Bool {
    let counted: [StatisticsCounter] = [
      .sentDirect, .sentProxied, .sentDirectAttempts, .sentProxiedAttempts, .receivedMessages, .connectionsCreated,
      .connectionsSecured, .connectionsSubscribed, .subscriptionAttempts,
    ]
    return counted.contains { (counters[$0] ?? 0) > 0 }
  }

  fileprivate mutating func add(_ other: ServerStatistics) {
    counters.merge(other.counters) { $0.addingReportingOverflow($1).partialValue }
    activeSubscriptions += other.activeSubscriptions
    pendingSubscriptions += other.pendingSubscriptions
    connectedSessions += other.connectedSessions
    connectingSessions += other.connectingSessions
  }
}

extension AgentSMPServerStatsData {
  fileprivate init(_ counters: [StatisticsCounter: Int64]) {
    func count(_ counter: StatisticsCounter) -> Int { Int(clamping: counters[counter] ?? 0) }
    self.init(
      _sentDirect: count(.sentDirect), _sentViaProxy: count(.sentViaProxy), _sentProxied: count(.sentProxied),
      _sentDirectAttempts: count(.sentDirectAttempts), _sentViaProxyAttempts: count(.sentViaProxyAttempts),
      _sentProxiedAttempts: count(.sentProxiedAttempts), _sentAuthErrs: count(.sentAuthErrors),
      _sentQuotaErrs: count(.sentQuotaErrors), _sentExpiredErrs: count(.sentExpired),
      _sentOtherErrs: count(.sentOtherErrors), _recvMsgs: count(.receivedMessages),
      _recvDuplicates: count(.receivedDuplicates), _recvCryptoErrs: count(.receivedCryptoErrors),
      _recvErrs: count(.receivedErrors), _ackMsgs: count(.ackMessages), _ackAttempts: count(.ackAttempts),
      _ackNoMsgErrs: count(.ackNoMessageErrors), _ackOtherErrs: count(.ackOtherErrors),
      _connCreated: count(.connectionsCreated), _connSecured: count(.connectionsSecured),
      _connCompleted: count(.connectionsCompleted), _connDeleted: count(.connectionsDeleted),
      _connDelAttempts: count(.deleteAttempts), _connDelErrs: count(.deleteErrors),
      _connSubscribed: count(.connectionsSubscribed), _connSubAttempts: count(.subscriptionAttempts),
      _connSubIgnored: 0, _connSubErrs: count(.subscriptionErrors), _ntfKey: 0, _ntfKeyAttempts: 0, _ntfKeyDeleted: 0,
      _ntfKeyDeleteAttempts: 0)
  }
}

extension NtfServersSummary {
  fileprivate static let empty = NtfServersSummary(
    ntfTotals: NtfTotals(
      sessions: .none,
      stats: AgentNtfServerStatsData(
        _ntfCreated: 0, _ntfCreateAttempts: 0, _ntfChecked: 0, _ntfCheckAttempts: 0, _ntfDeleted: 0,
        _ntfDelAttempts: 0)),
    currentlyUsedNtfServers: [], previouslyUsedNtfServers: [])
}

extension ServerSessions {
  static let none = ServerSessions(ssConnected: 0, ssErrors: 0, ssConnecting: 0)
}

extension ServerQueueInfo {
  /// The state of a queue on its relay; nil where the relay's answer cannot be shown.
  init?(_ queue: ReceiveQueueInfo, _ info: SMPProtocol.QueueInfo) {
    guard let info: ChatAPI.QueueInfo = converted(info) else { return nil }
    // The other alphabet than everywhere else.
    func text(_ id: EntityID) -> String {
      String(Base64URL.string(id.bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    }
    self.init(
      server: queue.server.description, rcvId: text(queue.recipientID), sndId: text(queue.senderID),
      ntfId: queue.notifierID.map(text), status: QueueStatus(queue.status).rawValue, info: info)
  }
}
