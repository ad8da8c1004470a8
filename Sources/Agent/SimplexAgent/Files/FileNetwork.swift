import AgentCore
import AgentEngine
import SMPClient
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import XFTPClient
import XFTPProtocol

/// Whose connection to a file relay it is.
struct FileSessionKey: Hashable, Sendable {
  let server: XFTPServer
  let user: UserID
  /// The chunk that it is for, where each has a connection of its own.
  var entity: EntityID?
}

/// How file relays are reached.
struct FileNetwork: Sendable {
  private let options: Agent.Options

  init(_ options: Agent.Options) { self.options = options }

  /// The number of chunks that are transferred at once with one relay.
  var chunksPerRelay: Int { max(1, options.configuration.chunksPerRelay) }
  /// The number of steps that may run at once in a lane of a relay.
  func limit(in lane: FileLane) -> Int {
    // One is uploaded while the next one is created, and waits for its turn.
    if case .sending = lane { return 2 }
    return chunksPerRelay
  }
  /// The number of chunks that are transferred at once in one direction.
  var chunksAtOnce: Int { max(1, options.configuration.chunksAtOnce) }
  /// The number of failures in sequence after which a chunk that arrives damaged is given up.
  var attempts: Int64 { options.configuration.fileAttempts }

  /// The connection for a chunk.
  func session(_ server: XFTPServer, of user: UserID, chunk digest: [UInt8]) -> FileSessionKey {
    FileSessionKey(
      server: server, user: user,
      entity: options.configuration.isolation == .perConnection ? EntityID(digest) : nil)
  }

  /// Whether a relay does not learn the address of this device.
  func isProtected(_ server: XFTPServer) -> Bool { options.network.hidesAddress(from: server.hosts) }

  /// The configuration of a connection.
  func configuration(of key: FileSessionKey) -> FileClientConfiguration {
    let network = options.network
    var configuration = FileClientConfiguration()
    configuration.hosts = network.hosts
    configuration.proxiesOnionHostsOnly = network.socksMode == .onion
    configuration.timeout = network.requestTimeout
    // Chunks that are transferred at once share the network, also while a response is awaited.
    configuration.timePerKB = options.fileTimePerKB * chunksPerRelay
    configuration.transport.timeout = network.connectTimeout
    configuration.transport.keepAlive = network.keepAlive
    configuration.transport.addresses = network.addresses
    configuration.transport.proxy = network.socksProxy
    let address = SMPServerAddress(hosts: key.server.hosts, port: nil, keyHash: key.server.keyHash)
    guard let address else { return configuration }
    if network.socksProxy != nil, network.socksProxy?.credentials == nil {
      configuration.transport.proxy?.credentials = options.proxyCredentials?(
        SessionKey(server: address, user: key.user, entity: key.entity))
    }
    // Where relays are to look like web servers, they are asked for the protocol of the web.
    if network.webPort.port(of: address) == 443 {
      configuration.applicationProtocols = [XFTPApplicationProtocol.disguised]
    }
    return configuration
  }
}
