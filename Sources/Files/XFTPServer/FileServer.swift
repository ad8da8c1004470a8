import ChunkStore
import FileAccess
import HTTP2Transport
import RelayChassis
import SimplexTransport
import XFTPProtocol

/// A running file relay.
public final class FileServer: Sendable {
  let relay: FileRelay
  private let listener: HTTP2Server
  private let upkeep: Task<Void, Never>

  private init(relay: FileRelay, listener: HTTP2Server, upkeep: Task<Void, Never>) {
    self.relay = relay
    self.listener = listener
    self.upkeep = upkeep
  }

  /// Starts accepting connections. The store is closed with the relay.
  public static func start(
    _ configuration: XFTPServerConfiguration, store: any ChunkStore
  ) async throws(RelayError) -> FileServer {
    if let shortage = OpenFileLimit.shortage { throw .configuration(shortage) }
    let relay = try FileRelay(configuration, store: store)
    await relay.beginTime()
    var transport = TransportServer.Configuration(
      host: configuration.host, port: configuration.port, tls: tls(configuration))
    transport.connectionLimit = configuration.connectionLimit
    transport.share = configuration.share
    if let report = configuration.report {
      transport.refusedAboveShare = { report(ConnectionShare.warning(refused: $0)) }
    }
    if let report = configuration.handshakeFailed {
      transport.handshakeFailed = { error, _ in report(error) }
    }
    var http = HTTP2Server.Configuration(transport)
    http.inactivity = configuration.inactivity?.ttl
    if let interval = configuration.inactivity?.interval { http.inactivityCheck = interval }
    http.firstRequest = configuration.firstRequestTimeout
    do throws(TransportError) {
      let listener = try await HTTP2Server.start(http) { FileSession($0, of: relay) }
      let memory = UpkeepJob.releasingMemory {
        let counts = listener.counts
        return 2 * counts.accepted - counts.open
      }
      let upkeep = Task { await UpkeepJob.run(FileUpkeep(relay: relay).jobs + [memory]) }
      return FileServer(relay: relay, listener: listener, upkeep: upkeep)
    } catch {
      throw .listening(host: configuration.host, port: configuration.port, error)
    }
  }

  private static func tls(_ configuration: XFTPServerConfiguration) -> TLSServerConfiguration {
    var tls = TLSServerConfiguration(
      credential: configuration.credential, applicationProtocols: XFTPApplicationProtocol.accepted)
    tls.webCredential = configuration.webCredential
    return tls
  }

  /// Serves the connections that are accepted from now on with the certificates and pages of another configuration, and
  /// by its rules for new files; everything else stays as it is.
  /// - Throws: where its certificates are of another identity, or cannot be used.
  public func reload(_ configuration: XFTPServerConfiguration) throws(RelayError) {
    var changed = relay.configuration
    changed.credential = configuration.credential
    changed.webCredential = configuration.webCredential
    changed.site = configuration.site
    changed.staticFolder = configuration.staticFolder
    changed.allowsNewFiles = configuration.allowsNewFiles
    changed.basicAuth = configuration.basicAuth
    let renewed = try FileRelay(changed, store: relay.store, inPlaceOf: relay)
    guard renewed.fingerprint == relay.fingerprint else {
      throw .configuration("the certificates are of another server: its address would change")
    }
    do throws(TransportError) {
      try listener.update(Self.tls(changed)) { FileSession($0, of: renewed) }
    } catch {
      throw .transport(error)
    }
  }

  /// The port that is bound.
  public var port: Int { listener.port }

  /// SHA-256 of the identity certificate, as in the relay's address.
  public var fingerprint: [UInt8] { relay.fingerprint }

  /// Lets files expire by the present time, also where it is days ahead of the last run. Returns whether it was
  /// doubted.
  @discardableResult
  public func trustClock() -> Bool { relay.expiryClock.trust() }

  /// The statistics so far.
  public var statistics: FileStatistics { relay.statistics }

  /// What the store holds.
  public var usage: ChunkUsage { relay.store.usage }

  /// The numbers of connections since the start.
  public var connectionCounts: TransportServer.Counts { listener.counts }

  /// Stops accepting, closes all connections, and closes the store.
  public func stop() async {
    upkeep.cancel()
    await listener.close()
    await upkeep.value
    await relay.store.close()
  }
}
