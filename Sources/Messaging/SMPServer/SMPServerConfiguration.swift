import NIOCore
import RelayChassis
import SMPProtocol
import SimplexTransport
import WireCodec

/// The configuration of a relay.
public struct SMPServerConfiguration: Sendable {
  /// The address to listen on; nil for all of IPv4 and IPv6.
  public var host: String?
  /// The ports to listen on; 0 lets the system choose one.
  public var ports: [Int]
  /// The credential for TLS; the second certificate of the chain is the relay's identity.
  public var credential: TLSCredential
  /// The supported versions of the protocol.
  public var versions = SMPVersion.supported
  /// Whether clients may create queues.
  public var allowsNewQueues = true
  /// The password for creating queues and for using the relay as a proxy; nil where none is needed.
  public var basicAuth: BasicAuth?
  /// The maximum number of messages of a queue.
  public var queueQuota = 128
  /// The time in seconds after which undelivered messages are deleted; nil for never.
  public var messageTTL: Int64? = 21 * 86_400
  /// The interval of checks for expired messages, in seconds.
  public var expirationInterval: Int64 = 7_200
  /// Whether expired messages are also deleted when the relay starts.
  public var expiresMessagesOnStart = true
  /// Whether a queue's expired messages are deleted when a message is sent to it.
  public var expiresMessagesOnSend = false
  /// The time in seconds after which undelivered notifications are dropped.
  public var notificationTTL: Int64 = 24 * 3_600
  /// The notifications that are kept for connections that do not take them, in total; each connection may keep 1,000
  /// regardless. Beyond that they are lost.
  var unsentNotificationLimit = 1 << 18
  /// The bytes of messages, link data and responses of other relays that are kept in memory for connections that do not
  /// take them, in total; each connection may keep 16 KB and one more content regardless.
  var unsentBodyLimit = 64 << 20
  /// The bytes of answers of the store that are kept in memory until they are used, for all connections together; of
  /// each event loop and kind of connections one read has room regardless.
  var readAnswerLimit = 64 << 20
  /// The interval at which messages that could not be read are read again.
  var readRetryInterval = Duration.seconds(10)
  /// The file that keeps waiting notifications while the relay is stopped; nil to drop them.
  public var notificationsFile: String?
  /// When connections without subscriptions are closed; nil for never.
  public var inactivity: Inactivity? = Inactivity(ttl: 21_600, checkInterval: 3_600)
  /// The deadline for the handshake of the protocol, in seconds.
  public var handshakeTimeout: Int64 = 60
  /// The deadline for the rest of a block that has arrived in part.
  var blockTimeout = Duration.seconds(60)
  /// Connections beyond this number are closed at once.
  public var connectionLimit = 100_000
  /// The share of the connections that one address may have.
  public var share = ConnectionShare()
  /// Whether clients may identify as services with a certificate.
  public var acceptsServices = true
  /// The settings for forwarding commands to other relays; nil to refuse them. The password is ``basicAuth``.
  public var proxy: ProxyConfiguration? = ProxyConfiguration()
  /// Called with what the operator should know, a sentence each: that the store fails or works again, and that the
  /// clock is doubted.
  public var report: (@Sendable (String) -> Void)?
  /// The seconds without a failure of the store after which it is reported to work again.
  var storeQuietTime = StoreHealth.quietTime
  /// Called when the TLS handshake of a client fails; for the operator's log.
  public var handshakeFailed: (@Sendable (TransportError) -> Void)?
  /// The number of threads that serve connections: as many as processors, at least 2 and at most 8.
  public var threads = min(8, max(2, System.coreCount))
  /// What browsers are served; nil for nothing.
  public var web: Web?

  /// Pages for browsers, which name the server in TLS (SNI), as clients of the relay do not.
  public struct Web: Sendable {
    /// The port of the relay on which they are served.
    public var port: Int
    /// The credential for browsers.
    public var credential: TLSCredential
    /// The pages.
    public var site: WebSite

    /// Pages for browsers on a port of the relay.
    public init(port: Int, credential: TLSCredential, site: WebSite) {
      self.port = port
      self.credential = credential
      self.site = site
    }
  }

  /// When idle connections are closed.
  public struct Inactivity: Hashable, Sendable {
    /// Seconds without any block.
    public var ttl: Int64
    /// Seconds between checks.
    public var checkInterval: Int64

    public init(ttl: Int64, checkInterval: Int64) {
      self.ttl = ttl
      self.checkInterval = checkInterval
    }
  }

  /// A relay that listens on these ports, with the default limits.
  public init(host: String?, ports: [Int], credential: TLSCredential) {
    self.host = host
    self.ports = ports
    self.credential = credential
  }
}
