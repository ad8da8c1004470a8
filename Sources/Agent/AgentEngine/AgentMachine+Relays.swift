import AgentCore
import AgentStore
import SMPClientCore
import SMPProtocol

// The choice of the relay that a new queue is created at.

extension AgentMachine {
  /// What a new queue is for, as far as the choice of its relay depends on it.
  struct QueueDemand {
    var user: UserID
    /// Relays it should not share a host with.
    var avoiding: [SMPServerAddress] = []
    /// Whether it is for an address, which relays may ask not to create for now.
    var isAddress = false
    /// Relays where creating it was tried.
    var refused: [SMPServerAddress] = []
  }

  /// A relay for a new queue.
  /// - Throws: `noServers`; `notice` if all of the user's relays asked not to create addresses.
  func storageServer(_ demand: QueueDemand, now: Int64) throws -> ServerWithAuth<SMPScheme> {
    var servers = try store.servers(of: demand.user).filter(\.storesMessages)
    if demand.isAddress, let notice = try removeNoticed(from: &servers, now: now), servers.isEmpty { throw notice }
    let untried = servers.filter { server in
      !demand.refused.contains { server.address.server.sharesHost(with: $0) }
    }
    if !untried.isEmpty { servers = untried }
    let free = servers.filter { flights.hasRoom(for: $0.address.server, configuration) }
    guard let server = pick(free.isEmpty ? servers : free, avoiding: demand.avoiding) else {
      throw AgentError.noServers
    }
    return server.address
  }

  /// Removes the relays that asked not to create addresses, and returns the first one's notice.
  private func removeNoticed(from servers: inout [AgentUserServer], now: Int64) throws -> AgentError? {
    let notices = try store.notices(at: now)
    guard !notices.isEmpty else { return nil }
    var first: AgentError?
    servers.removeAll { server in
      let address = server.address.server
      let notice = notices.first { $0.server.sharesHost(with: address) || isPreset($0.server) && isPreset(address) }
      guard let notice else { return false }
      if first == nil { first = .notice(address, expiresAt: notice.until) }
      return true
    }
    return first
  }

  /// Whether a relay is a preset one: a notice of one of them applies to all.
  private func isPreset(_ server: SMPServerAddress) -> Bool {
    configuration.presetServers.contains { $0.sharesHost(with: server) }
  }

  /// Handles the error that a relay blocked a queue, which may ask not to create addresses for some time.
  func note(_ error: SMPClientError, of queue: EntityID, at server: SMPServerAddress, in transaction: AgentTransaction)
    throws
  {
    guard case .relay(.BLOCKED(let info)) = error, let notice = info.notice else { return }
    try store.setNotice(queue, at: server, until: notice.ttl.map { Self.time($0, after: transaction.now) })
  }

  /// A time in milliseconds, plus a number of seconds.
  static func time(_ seconds: Int64, after now: Int64) -> Int64 {
    let (milliseconds, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000)
    let (time, isTooLate) = now.addingReportingOverflow(milliseconds)
    return isTooLong || isTooLate ? .max : time
  }

  /// Retries the creation of a queue at another relay of the user. False if there is none left, or the limit of
  /// attempts is reached.
  func creates(
    _ task: AgentTask, elsewhereThan refused: CreationRefusals, connection: StoredConnection,
    in transaction: AgentTransaction
  ) throws -> Bool {
    let rest = try store.servers(of: connection.user).filter { candidate in
      candidate.storesMessages && !refused.relays.contains { candidate.address.server.sharesHost(with: $0) }
    }
    let goesOn = !rest.isEmpty && refused.relays.count < configuration.creationRelays
    transaction.change { self.refusals[task.id] = goesOn ? refused : nil }
    return goesOn
  }
}

/// The relays that did not create a queue, until all were asked.
struct CreationRefusals {
  private(set) var relays: [SMPServerAddress] = []
  /// The error of a relay that may succeed later, if there is one.
  private(set) var passing: AgentError?

  mutating func add(_ relay: SMPServerAddress, _ error: AgentError) {
    relays.append(relay)
    if passing == nil, error.isTemporary || error.isHostError { passing = error }
  }
}

extension ProtocolServer {
  func sharesHost(with other: ProtocolServer) -> Bool { hosts.contains { other.hosts.contains($0) } }
}
