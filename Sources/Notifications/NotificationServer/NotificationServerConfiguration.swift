import NotificationProtocol
import NotificationServerCore
import RelayChassis
import SMPClient
import SimplexTransport
import WireCodec

/// The configuration of a notification server.
public struct NotificationServerConfiguration: Sendable {
  /// The address to listen on; nil for all of IPv4 and IPv6.
  public var host: String?
  /// The port to listen on; 0 lets the system choose one.
  public var port: Int
  /// The credential for TLS; the second certificate of the chain is the server's identity.
  public var credential: TLSCredential
  /// The supported versions of the protocol.
  public var versions = NotificationVersion.supported
  /// What clients may cause.
  public var limits = NotificationLimits()
  /// When pushes are sent.
  public var pushes = PushSchedule.Settings()
  /// The services that pushes are sent to.
  public var senders: [PushService: any PushSender] = [.null: NullSender()]
  /// The clients of relays.
  public var subscriber = Self.subscriberConfiguration
  /// The number of relays that are connected to at the same time.
  public var connectingLimit = 100
  /// The notifications of one relay that wait for the store; the relay has to wait then.
  public var storingLimit = 512
  /// The commands of one connection that wait for an answer; nothing further is read then.
  public var commandLimit = 64
  /// The domains of relays that are counted as the operator's own.
  public var ownDomains: [String] = []
  /// The seconds in which a client has to finish the handshake.
  public var handshakeTimeout: Int64 = 60
  /// When connections without traffic are closed; nil for never.
  public var inactivity: (ttl: Duration, interval: Duration)?
  /// Connections beyond this number are closed at once.
  public var connectionLimit = 20_000
  /// The share of the connections that one address may have.
  public var share = ConnectionShare()
  /// Called when the TLS handshake of a client fails; for the operator's log.
  public var handshakeFailed: (@Sendable (TransportError) -> Void)?
  /// Called with what the operator should know, a sentence each.
  public var report: (@Sendable (String) -> Void)?

  /// A server with the default limits.
  public init(host: String?, port: Int, credential: TLSCredential) {
    self.host = host
    self.port = port
    self.credential = credential
  }

  /// Clients of relays, which only connect to addresses on the internet: their addresses are given by clients.
  private static var subscriberConfiguration: SMPClientConfiguration {
    var configuration = SMPClientConfiguration()
    configuration.subscription = .nsub
    configuration.addresses = .publicOnly
    configuration.hosts.preference = .publicHosts
    configuration.socksMode = .onion
    configuration.subscriptionBatch = 900
    configuration.pingInterval = .seconds(60)
    return configuration
  }
}
