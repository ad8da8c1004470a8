import SMPClient
import SMPClientCore
import SMPProtocol

/// The relays that a proxy is connected to, one connection each, shared by all clients.
///
/// Connections are opened when a client requests a session, and not reopened when they are lost: the client's next
/// command fails with `NO_SESSION`, and it requests a new session.
actor RelayPool {
  /// Opens connections; tests provide their own.
  typealias Connect = @Sendable (SMPServerAddress, SMPClientConfiguration) async throws(SMPClientError) -> SMPConnection

  /// A connected relay.
  struct Link: Sendable {
    let connection: SMPConnection
    /// Whether it is one of the operator's own.
    let isOwn: Bool
  }

  private struct Session {
    let link: Link
    let relay: SMPServerAddress
    /// Increases with each use of any session.
    var lastUse: UInt64
  }

  private enum Entry {
    case connecting(Task<Result<Link, SMPClientError>, Never>)
    case connected(SessionID)
    case failed(SMPClientError, until: Int64)
  }

  /// The maximum number of unreachable relays that are remembered.
  private static let failureLimit = 4_096

  private let configuration: ProxyConfiguration
  private let connect: Connect
  private var entries: [SMPServerAddress: Entry] = [:]
  private var sessions: [SessionID: Session] = [:]
  private var failures = 0
  /// The number of connections that are being opened.
  private var attempts = 0
  private var uses: UInt64 = 0
  private var isClosed = false

  init(
    _ configuration: ProxyConfiguration,
    connect: @escaping Connect = { (relay, configuration) async throws(SMPClientError) in
      try await SMPConnection.connect(to: relay, configuration)
    }
  ) {
    self.configuration = configuration
    self.connect = connect
  }

  /// The number of connected relays.
  var count: Int { sessions.count }

  /// The connection to a relay, opened if there is none.
  func link(with relay: SMPServerAddress) async throws(SMPClientError) -> Link {
    if isClosed { throw .closed }
    switch entries[relay] {
    case .connected(let id): if let link = link(of: id) { return link }
    case .connecting(let attempt): return try await attempt.value.get()
    case .failed(let error, let until):
      if steadySeconds() < until { throw error }
      failures -= 1
    case nil: break
    }
    guard attempts < configuration.attemptLimit else {
      // Nothing was found out about the relay.
      entries[relay] = nil
      throw .network(.failedError)
    }
    attempts += 1
    let attempt = Task { await open(relay) }
    entries[relay] = .connecting(attempt)
    return try await attempt.value.get()
  }

  /// The connection of this session; nil if it was closed.
  func link(of session: SessionID) -> Link? {
    uses += 1
    sessions[session]?.lastUse = uses
    return sessions[session]?.link
  }

  /// Closes all connections permanently.
  func close() async {
    isClosed = true
    let links = sessions.values.map(\.link)
    for case .connecting(let attempt) in entries.values { attempt.cancel() }
    (entries, sessions) = ([:], [:])
    for link in links { await link.connection.close() }
  }

  private func open(_ relay: SMPServerAddress) async -> Result<Link, SMPClientError> {
    defer { attempts -= 1 }
    do throws(SMPClientError) {
      let connection = try await connect(relay, configuration.client)
      guard !isClosed, let id = await connection.session?.context.sessionID else {
        await connection.close()
        throw .closed
      }
      let link = Link(connection: connection, isOwn: configuration.isOwn(relay))
      uses += 1
      sessions[id] = Session(link: link, relay: relay, lastUse: uses)
      entries[relay] = .connected(id)
      Task { [weak self] in
        // The relay sends no events to a proxy; they end with the connection.
        for await _ in connection.events {}
        await self?.lost(id)
      }
      closeLeastUsed()
      return .success(link)
    } catch {
      failed(relay, error)
      return .failure(error)
    }
  }

  private func lost(_ id: SessionID) {
    guard let session = sessions.removeValue(forKey: id) else { return }
    if case .connected(id) = entries[session.relay] { entries[session.relay] = nil }
  }

  private func failed(_ relay: SMPServerAddress, _ error: SMPClientError) {
    guard configuration.retryInterval > 0, !isClosed else {
      entries[relay] = nil
      return
    }
    if failures >= Self.failureLimit {
      for case (let relay, .failed) in entries { entries[relay] = nil }
      failures = 0
    }
    entries[relay] = .failed(error, until: steadySeconds() + configuration.retryInterval)
    failures += 1
  }

  private func closeLeastUsed() {
    guard sessions.count > configuration.connectionLimit,
      let (id, session) = sessions.min(by: { $0.value.lastUse < $1.value.lastUse })
    else { return }
    lost(id)
    Task { await session.link.connection.close() }
  }
}
