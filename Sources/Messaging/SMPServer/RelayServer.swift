import FileAccess
import NIOPosix
import QueueStore
import RelayChassis
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

  /// Starts the relay. It uses the store until ``stop()`` has returned, and closes it.
  ///
  /// - Throws: Where the credential cannot be used, a port cannot be bound, or the file of notifications cannot be read
  ///   or removed; the store remains open.
  public static func start(
    _ configuration: SMPServerConfiguration, store: any RelayStore
  ) async throws(SMPServerError) -> RelayServer {
    if let shortage = OpenFileLimit.shortage { throw .configuration(shortage) }
    let relay = try Relay(configuration, store: store)
    await relay.beginTime()
    if let path = configuration.notificationsFile {
      do throws(FileError) { try await NotificationsFile(path: path).restore(relay) } catch {
        throw SMPServerError(error)
      }
    }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.threads))
    var listeners: [TransportServer] = []
    for port in configuration.ports {
      var transport = TransportServer.Configuration(
        host: configuration.host, port: port, tls: tls(configuration, port: port))
      transport.connectionLimit = configuration.connectionLimit
      transport.share = configuration.share
      if let report = configuration.report {
        transport.refusedAboveShare = { report(ConnectionShare.warning(refused: $0)) }
      }
      // The address of the client is not logged.
      if let note = configuration.handshakeFailed { transport.handshakeFailed = { error, _ in note(error) } }
      do throws(TransportError) {
        listeners.append(
          try await .start(transport, group: group, makeReceiver: receiver(of: relay, configuration, port: port)))
      } catch {
        for listener in listeners { await listener.close() }
        try? await group.shutdownGracefully()
        throw .listening(host: configuration.host, port: port, error)
      }
    }
    return RelayServer(
      relay: relay, listeners: listeners, group: group, upkeep: Task { await UpkeepJob.run(Upkeep(relay: relay).jobs) })
  }

  /// Replaces the configuration while connections are open: the credential is used for new connections, the settings
  /// of queues and clients for everything that begins from now on. The identity, addresses, ports, limits of
  /// connections and the proxy have to be the same.
  ///
  /// - Throws: Where the credential cannot be used; then nothing is changed.
  func update(_ configuration: SMPServerConfiguration) throws(SMPServerError) {
    var changes: [() -> Void] = []
    for (listener, port) in zip(listeners, configuration.ports) {
      do throws(TransportError) {
        changes.append(
          try listener.prepareUpdate(
            Self.tls(configuration, port: port), makeReceiver: Self.receiver(of: relay, configuration, port: port)))
      } catch {
        throw .transport(error)
      }
    }
    for change in changes { change() }
    relay.update(configuration)
  }

  private static func tls(_ configuration: SMPServerConfiguration, port: Int) -> TLSServerConfiguration {
    var tls = TLSServerConfiguration(credential: configuration.credential, applicationProtocols: ["smp/1"])
    tls.asksClientCertificate = configuration.acceptsServices
    if let web = configuration.web, web.port == port {
      tls.webCredential = web.credential
      tls.applicationProtocols.append(WebReceiver.applicationProtocol)
    }
    return tls
  }

  /// What serves a connection: a browser, which named the server, or a client of the relay.
  private static func receiver(
    of relay: Relay, _ configuration: SMPServerConfiguration, port: Int
  ) -> TransportServer.MakeReceiver {
    let credential = ClientSession.Credential(configuration.credential)
    let blocks = TransportServer.receiver(blockTimeout: configuration.blockTimeout) {
      ClientSession($0, of: relay, credential: credential)
    }
    guard let web = configuration.web, web.port == port else { return blocks }
    return { session, channel, tls in
      guard session.usedWebCredential else { return blocks(session, channel, tls) }
      return WebReceiver(web.site, tls: tls, channel: channel)
    }
  }

  /// The ports that are bound.
  public var ports: [Int] { listeners.map(\.port) }

  /// SHA-256 of the identity certificate, as in the relay's address.
  public var fingerprint: [UInt8] { relay.fingerprint }

  /// Lets messages expire by the present time, also where it is days ahead of the last run. Returns whether it was
  /// doubted.
  @discardableResult
  public func trustClock() -> Bool { relay.expiryClock.trust() }

  /// The statistics so far.
  public var statistics: ServerStatistics { relay.statistics }

  /// The numbers of connections since the start, of all ports.
  public var connectionCounts: [TransportServer.Counts] { listeners.map(\.counts) }

  /// Stops accepting, closes all connections, ends the periodic work, and closes the store after what was submitted to
  /// it. What connections began otherwise may go on: forwarded commands, whose responses nobody receives any more, and
  /// pages of a service's queues, which the closed store refuses.
  public func stop() async {
    upkeep.cancel()
    for listener in listeners { await listener.close() }
    await relay.proxy?.pool.close()
    await upkeep.value
    await relay.store.close()
    if let path = relay.configuration.notificationsFile {
      // A full disk loses the notifications; no caller is left to receive the error.
      try? NotificationsFile(path: path).save(relay)
    }
    try? await group.shutdownGracefully()
  }
}
