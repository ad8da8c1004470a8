import SMPProtocol
import SimplexTransport
import WireCodec

/// How a relay behaves.
public struct SMPServerConfiguration: Sendable {
  /// The address to listen on; nil for all of IPv4 and IPv6.
  public var host: String?
  /// The ports to listen on; 0 for one that the system chooses.
  public var ports: [Int]
  /// What the relay presents in TLS; the second certificate of the chain is its identity.
  public var credential: TLSCredential
  /// The versions of the protocol that are spoken.
  public var versions = SMPVersion.supported
  /// Whether clients may create queues.
  public var allowsNewQueues = true
  /// The password for creating queues and for using the relay as a proxy; nil where none is needed.
  public var basicAuth: BasicAuth?
  /// How many messages a queue takes.
  public var queueQuota = 128
  /// After how many seconds undelivered messages are deleted; nil for never.
  public var messageTTL: Int64? = 21 * 86_400
  /// How often, in seconds, old messages are looked for.
  public var expirationInterval: Int64 = 7_200
  /// Whether old messages are also looked for when the relay starts.
  public var expiresMessagesOnStart = true
  /// Whether a queue's old messages are deleted when a message is sent to it.
  public var expiresMessagesOnSend = false
  /// After how many seconds notifications that nobody took are forgotten.
  public var notificationTTL: Int64 = 24 * 3_600
  /// The file that keeps waiting notifications while the relay is stopped; nil where they are forgotten.
  public var notificationsFile: String?
  /// When connections without subscriptions are closed; nil for never.
  public var inactivity: Inactivity? = Inactivity(ttl: 21_600, checkInterval: 3_600)
  /// Seconds that a client has for the handshake of the protocol.
  public var handshakeTimeout: Int64 = 60
  /// Connections beyond this number are closed at once.
  public var connectionLimit = 100_000
  /// Whether clients may identify as services with a certificate.
  public var acceptsServices = true
  /// How commands of clients are forwarded to other relays; nil where they are not. The password is ``basicAuth``.
  public var proxy: ProxyConfiguration? = ProxyConfiguration()
  /// Called when the TLS handshake of a client fails; for the operator's log.
  public var handshakeFailed: (@Sendable (TransportError) -> Void)?
  /// The number of threads that serve connections.
  public var threads = 2

  /// When connections that do nothing are closed.
  public struct Inactivity: Hashable, Sendable {
    /// Seconds without any block.
    public var ttl: Int64
    /// Seconds between checks.
    public var checkInterval: Int64

    /// A value of its members.
    public init(ttl: Int64, checkInterval: Int64) {
      self.ttl = ttl
      self.checkInterval = checkInterval
    }
  }

  /// A relay that listens on these ports, with the usual limits.
  public init(host: String?, ports: [Int], credential: TLSCredential) {
    self.host = host
    self.ports = ports
    self.credential = credential
  }
}
