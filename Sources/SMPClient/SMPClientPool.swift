import SMPProtocol

/// The clients of an application: one for each relay and each purpose that is to have a connection of its own, so that
/// the relay cannot tell that they belong together.
public actor SMPClientPool {
  /// What shares a connection.
  public struct SessionKey: Hashable, Sendable {
    /// The relay.
    public var server: SMPServer
    /// Sessions of different names never share a connection: a user profile, or a user and a queue.
    public var name: String

    /// The session of a name at a relay.
    public init(server: SMPServer, name: String) {
      self.server = server
      self.name = name
    }
  }

  private let configuration: SMPClientConfiguration
  private var clients: [SessionKey: SMPClient] = [:]

  /// A pool without clients.
  public init(_ configuration: SMPClientConfiguration = SMPClientConfiguration()) {
    self.configuration = configuration
  }

  /// The client of a session. It is made when it is first asked for; `isNew` says so, since its events then have to
  /// be read.
  public func client(_ key: SessionKey) -> (client: SMPClient, isNew: Bool) {
    if let client = clients[key] { return (client, false) }
    let client = SMPClient(key.server, configuration)
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
