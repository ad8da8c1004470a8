import ChatAPI

/// The connections whose relays are not connected, for a row above what is being typed.
struct LostConnections: Sendable {
  /// Identifiers of connections by the addresses of their relays.
  private var missing: [String: Set<String>] = [:]

  /// Records a status. Returns whether the row is enough; that a queue is gone is also shown as a line.
  mutating func update(_ connections: [String], of server: String, to status: SubscriptionStatus) -> Bool {
    switch status {
    case .pending: missing[server, default: []].formUnion(connections)
    case .active, .removed, .noSub:
      missing[server]?.subtract(connections)
      if missing[server]?.isEmpty == true { missing[server] = nil }
    }
    switch status {
    case .pending, .active: return true
    case .removed, .noSub: return false
    }
  }

  /// Forgets connections that are deleted.
  mutating func remove(_ connections: [String]) {
    missing = missing.compactMapValues { ids in
      let left = ids.subtracting(connections)
      return left.isEmpty ? nil : left
    }
  }

  /// The row; none while all are connected.
  /// - Parameter host: the hosts of a relay's address.
  func rows(host: (String) -> String) -> [String] {
    if missing.isEmpty { return [] }
    let relays = missing.map { (host: host($0.key), count: $0.value.count) }.sorted { $0.host < $1.host }
    let texts = relays.map { "\($0.host) (\($0.count) \($0.count == 1 ? "connection" : "connections"))" }
    return ["connecting to " + texts.joined(separator: ", ")]
  }
}

extension TerminalSession {
  /// Shows a break of connections, and its end, in the row of the status; false where lines are still to be shown.
  func showInStatus(_ event: ChatEvent) -> Bool {
    guard input.isInteractive, !options.isTestView, options.logFile == nil else { return false }
    var isShown = false
    switch event {
    case .subscriptionStatus(let server, let status, let connections):
      isShown = state.withLock { $0.lost.update(connections, of: server, to: status) }
    case .agentConnsDeleted(let connections): state.withLock { $0.lost.remove(connections) }
    default: return false
    }
    showStatusRows()
    return isShown
  }
}
