import NIOPosix
import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexTransport

/// A relay: accepts connections and serves them until it is stopped.
public final class RelayServer: Sendable {
  let relay: Relay
  private let listeners: [TransportServer]
  private let group: MultiThreadedEventLoopGroup
  private let upkeep: Task<Void, Never>

  private init(
    relay: Relay, listeners: [TransportServer], group: MultiThreadedEventLoopGroup, upkeep: Task<Void, Never>
  ) {
    self.relay = relay
    self.listeners = listeners
    self.group = group
    self.upkeep = upkeep
  }

  /// Starts to serve. The store is used until ``stop()`` has returned, and closed by it.
  public static func start(
    _ configuration: SMPServerConfiguration, store: any QueueStore
  ) async throws(SMPServerError) -> RelayServer {
    let relay = try Relay(configuration, store: store)
    if let path = configuration.notificationsFile { try NotificationsFile(path: path).restore(relay) }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.threads))
    var tls = TLSServerConfiguration(credential: configuration.credential, applicationProtocols: ["smp/1"])
    tls.asksClientCertificate = configuration.acceptsServices
    var listeners: [TransportServer] = []
    for port in configuration.ports {
      var transport = TransportServer.Configuration(host: configuration.host, port: port, tls: tls)
      transport.connectionLimit = configuration.connectionLimit
      // Who it was is nobody's business.
      if let note = configuration.handshakeFailed { transport.handshakeFailed = { error, _ in note(error) } }
      do throws(TransportError) {
        listeners.append(try await .start(transport, group: group) { ClientSession($0, relay) })
      } catch {
        for listener in listeners { await listener.close() }
        try? await group.shutdownGracefully()
        throw .transport(error)
      }
    }
    return RelayServer(
      relay: relay, listeners: listeners, group: group, upkeep: Task { await Upkeep(relay: relay).run() })
  }

  /// The ports that are listened on.
  public var ports: [Int] { listeners.map(\.port) }

  /// SHA-256 of the identity certificate, as in the relay's address.
  public var fingerprint: [UInt8] { relay.fingerprint }

  /// What happened so far.
  public var statistics: ServerStatistics { relay.statistics }

  /// Connections since the start, of all ports.
  public var connectionCounts: [TransportServer.Counts] { listeners.map(\.counts) }

  /// Stops accepting, closes all connections, and closes the store after everything that was begun.
  public func stop() async {
    upkeep.cancel()
    for listener in listeners { await listener.close() }
    await relay.proxy?.pool.close()
    await relay.store.close()
    if let path = relay.configuration.notificationsFile {
      // A full disk costs the notifications; there is nobody left to tell.
      try? NotificationsFile(path: path).save(relay)
    }
    try? await group.shutdownGracefully()
  }
}
