import SMPClientCore
import SMPProtocol
import SimplexTransport
import WireCodec

/// How a client connects to relays and talks to them.
public struct SMPClientConfiguration: Sendable {
  /// The versions that are supported.
  public var versions = SMPVersion.supported
  /// Which hosts of a relay are used.
  public var hosts = HostPolicy()
  /// The proxy to go through; nil to connect directly.
  public var socksProxy: SOCKS5Proxy?
  /// Whether the client is itself a relay that forwards commands.
  public var isProxy = false
  /// For connecting: all steps to the end of TLS, and again for the handshake that follows.
  public var connectTimeout = Duration.seconds(25)
  /// For the answer to a command.
  public var requestTimeout = Duration.seconds(15)
  /// A connection that is silent for so long is asked for a sign of life.
  public var pingInterval = Duration.seconds(600)
  /// How long to wait before connecting again.
  public var backoff = Backoff.Policy.standard
  /// Events that may wait to be taken. When there are more, the connection is closed; nothing is lost, because the
  /// relay sends again what was not acknowledged.
  public var eventLimit = 16_384
  /// Queues that are subscribed at once, before the next ones are.
  public var subscriptionBatch = 1_350

  /// The usual times and limits.
  public init() {}
}
