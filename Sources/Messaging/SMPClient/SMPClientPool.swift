import SMPProtocol

/// The clients of an application: one for each relay and each purpose that needs a separate connection, so that the
/// relay cannot correlate them.
public actor SMPClientPool {
  /// The identity of a shared connection.
  public struct SessionKey: Hashable, Sendable {
    /// The relay.
    public var server: SMPServerAddress
    /// Sessions of different names never share a connection: a user profile, or a user and a queue.
    public var name: String

    /// The session of a name at a relay.
    public init(server: SMPServerAddress, name: String) {
      self.server = server
      self.name = name
    }
  }

  private let configuration: SMPClientConfiguration
  private var clients: [SessionKey: RelayClient] = [:]

  /// A pool without clients.
  public init(_ configuration: SMPClientConfiguration = SMPClientConfiguration()) {
    self.configuration = configuration
  }

  /// The client of a session, created on first use; if `isNew`, the caller has to read its events.
  public func client(_ key: SessionKey) -> (client: RelayClient, isNew: Bool) {
    if let client = clients[key] { return (client, false) }
    let client = RelayClient(key.server, configuration)
    clients[key] = client
    return (client, true)
  }

  /// Closes the client of a session and forgets it.
  public func close(_ key: SessionKey) async { await clients.removeValue(forKey: key)?.close() }

  /// Closes all clients.
  public func closeAll() async {
    let all = clients.values
    clients = [:]
    for client in all { await client.close() }
  }
}
