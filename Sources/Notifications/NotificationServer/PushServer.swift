import FileAccess
import NotificationProtocol
import NotificationServerCore
import NotificationStore
import RelayChassis
import SimplexTransport

/// A running notification server.
public final class PushServer: Sendable {
  let hub: ServerHub
  private let listener: TransportServer
  private let upkeep: Task<Void, Never>

  private init(hub: ServerHub, listener: TransportServer, upkeep: Task<Void, Never>) {
    self.hub = hub
    self.listener = listener
    self.upkeep = upkeep
  }

  /// Starts accepting connections, and subscribes to what is stored. The store is closed with the server.
  public static func start(
    _ configuration: NotificationServerConfiguration, store: any NotificationStore
  ) async throws(RelayError) -> PushServer {
    if let shortage = OpenFileLimit.shortage { throw .configuration(shortage) }
    let hub = try ServerHub(configuration, store: store)
    var transport = TransportServer.Configuration(
      host: configuration.host, port: configuration.port, tls: tls(configuration))
    transport.blockSize = NotificationTransport.blockSize
    transport.connectionLimit = configuration.connectionLimit
    transport.share = configuration.share
    if let report = configuration.report {
      transport.refusedAboveShare = { report(ConnectionShare.warning(refused: $0)) }
    }
    if let report = configuration.handshakeFailed {
      transport.handshakeFailed = { error, _ in report(error) }
    }
    let listener: TransportServer
    do throws(TransportError) {
      listener = try await TransportServer.start(transport) { connection in
        NotificationSession(connection, of: hub, credential: configuration.credential)
      }
    } catch {
      throw .listening(host: configuration.host, port: configuration.port, error)
    }
    do throws(NotificationStoreError) { try await hub.start() } catch {
      await listener.close()
      throw .file("the store cannot be read: \(error)")
    }
    let memory = UpkeepJob.releasingMemory {
      let counts = listener.counts
      return 2 * counts.accepted - counts.open
    }
    let upkeep = Task { await UpkeepJob.run(NotificationUpkeep(hub: hub).jobs + [memory]) }
    return PushServer(hub: hub, listener: listener, upkeep: upkeep)
  }

  private static func tls(_ configuration: NotificationServerConfiguration) -> TLSServerConfiguration {
    TLSServerConfiguration(
      credential: configuration.credential, applicationProtocols: [NotificationTransport.applicationProtocol])
  }

  /// Serves the connections that are accepted from now on with the certificates of another configuration; everything
  /// else stays as it is.
  /// - Throws: where its certificates are of another identity, or cannot be used.
  public func reload(_ configuration: NotificationServerConfiguration) throws(RelayError) {
    guard configuration.credential.chain.identity?.fingerprint == hub.fingerprint else {
      throw .configuration("the certificates are of another server: its address would change")
    }
    do throws(TransportError) {
      try listener.update(Self.tls(configuration)) { [hub] connection in
        NotificationSession(connection, of: hub, credential: configuration.credential)
      }
    } catch {
      throw .transport(error)
    }
  }

  /// The port that is bound.
  public var port: Int { listener.port }

  /// SHA-256 of the identity certificate, as in the server's address.
  public var fingerprint: [UInt8] { hub.fingerprint }

  /// Lets tokens expire by the present time, also where it is days ahead of the last run. Returns whether it was
  /// doubted.
  @discardableResult
  public func trustClock() -> Bool { hub.expiryClock.trust() }

  /// The numbers of connections since the start.
  public var connectionCounts: TransportServer.Counts { listener.counts }

  /// The number of events since the start, or since the last line of the daily statistics.
  public func count(of event: NotificationEvent) -> Int { hub.counts.value(event) }

  /// What is stored, in numbers.
  public func usage() async throws(NotificationStoreError) -> NotificationUsage {
    try await hub.store.perform { (records) throws(NotificationStoreError) in try records.usage() }
  }

  /// Stops accepting, closes all connections, and closes the store.
  public func stop() async {
    upkeep.cancel()
    await listener.close()
    await upkeep.value
    await hub.stop()
  }
}
