import HTTP2Transport
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import WireCodec
import XFTPProtocol

/// The options of connections to file relays.
public struct FileClientConfiguration: Sendable {
  /// The versions of the protocol.
  public var versions = XFTPVersion.supported
  /// Those of TCP and TLS.
  public var transport = TransportClient.Options()
  /// The hosts of a relay that are used.
  public var hosts = HostPolicy()
  /// The time after which no further host of a relay is tried.
  public var connectDeadline = Duration.seconds(60)
  /// Whether the proxy is used for onion hosts alone.
  public var proxiesOnionHostsOnly = false
  /// The application protocols that are offered; none for version 1, which has no handshake.
  public var applicationProtocols = [XFTPApplicationProtocol.xftp]
  /// The time for a command without a chunk, and for each 16 KB of a chunk; of an upload, which passes in parts of
  /// 128 KB, eight times as long for each part.
  public var timeout = Duration.seconds(30)
  /// The additional time for each KB of an uploaded chunk, in which the relay receives the rest and stores it.
  public var timePerKB = Duration.milliseconds(40)

  /// The default options.
  public init() {}

  /// The time for the response to an uploaded chunk.
  func timeout(ofChunk size: UInt32) -> Duration { timeout + timePerKB * Int(size / 1024) }
}

/// A connection to a file relay. Commands may be sent concurrently.
public final class FileRelayConnection: Sendable {
  /// The relay.
  public let server: XFTPServer
  /// The negotiated version of the protocol.
  public let version: UInt16
  let configuration: FileClientConfiguration
  let connection: HTTP2Connection
  let session: SessionContext
  /// The relay's key of the session; nil in version 1 without handshake.
  let relayKey: X25519.PublicKey?

  private init(
    to server: XFTPServer, configuration: FileClientConfiguration, connection: HTTP2Connection, version: UInt16,
    relayKey: X25519.PublicKey?
  ) {
    self.server = server
    self.version = version
    self.configuration = configuration
    self.connection = connection
    self.relayKey = relayKey
    session = SessionContext(version: version, sessionID: SessionID(connection.session.identifier))
  }

  /// Whether commands can be sent.
  public var isOpen: Bool { connection.isOpen }

  /// Closes the connection; commands in flight fail.
  public func close() { connection.close() }

  // MARK: Connecting

  /// Connects to the first of the relay's hosts that answers, within ``FileClientConfiguration/connectDeadline``, and
  /// negotiates the version.
  public static func connect(
    to server: XFTPServer, _ configuration: FileClientConfiguration = FileClientConfiguration()
  ) async throws(FileClientError) -> FileRelayConnection {
    guard let hosts = try? configuration.hosts.hosts(of: server, hasProxy: configuration.transport.proxy != nil) else {
      throw .noHost
    }
    var failure = FileClientError.noHost
    let deadline = ContinuousClock.now + configuration.connectDeadline
    for host in hosts {
      var configuration = configuration
      let rest = deadline - .now
      guard rest > .zero else { throw failure }
      configuration.transport.timeout = min(configuration.transport.timeout, rest)
      if configuration.proxiesOnionHostsOnly, !host.isOnion { configuration.transport.proxy = nil }
      do throws(FileClientError) {
        return try await connect(to: server, host: host.description, configuration)
      } catch {
        failure = error
        guard case .network = error else { throw error }
      }
    }
    throw failure
  }

  private static func connect(
    to server: XFTPServer, host: String, _ configuration: FileClientConfiguration
  ) async throws(FileClientError) -> FileRelayConnection {
    let connection: HTTP2Connection
    do throws(TransportError) {
      let client = try HTTP2Client(
        TLSClientConfiguration(applicationProtocols: configuration.applicationProtocols))
      connection = try await client.connect(
        host: host, port: Int(server.effectivePort), policy: .relay(fingerprint: server.keyHash),
        options: configuration.transport)
    } catch {
      throw .network(error)
    }
    guard connection.session.applicationProtocol != nil else {
      return FileRelayConnection(
        to: server, configuration: configuration, connection: connection, version: XFTPVersion.initial,
        relayKey: nil)
    }
    do throws(FileClientError) {
      let handshake = FileHandshake(server: server, configuration: configuration, connection: connection)
      let (version, key) = try await handshake.run()
      return FileRelayConnection(
        to: server, configuration: configuration, connection: connection, version: version, relayKey: key)
    } catch {
      connection.close()
      throw error
    }
  }
}
