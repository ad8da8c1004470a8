import RelayChassis
import SMPProtocol
import SimplexTransport
import WireCodec
import XFTPProtocol

/// The configuration of a file relay.
public struct XFTPServerConfiguration: Sendable {
  /// The address to listen on; nil for all of IPv4 and IPv6.
  public var host: String?
  /// The port to listen on; 0 lets the system choose one.
  public var port: Int
  /// The credential for TLS; the second certificate of the chain is the relay's identity.
  public var credential: TLSCredential
  /// The credential for browsers, which name the server; nil for none.
  public var webCredential: TLSCredential?
  /// The pages for browsers that name the server; nil for none.
  public var site: WebSite?
  /// A folder of further files for them; nil for none.
  public var staticFolder: StaticFolder?
  /// The supported versions of the protocol.
  public var versions = XFTPVersion.supported
  /// Whether clients may create chunks.
  public var allowsNewFiles = true
  /// The password for creating chunks; nil where none is needed.
  public var basicAuth: BasicAuth?
  /// The sizes that chunks may have, in bytes.
  public var chunkSizes = Set(ChunkSizes.all)
  /// The time in seconds after which chunks are deleted; nil for never.
  public var fileTTL: Int64? = ChunkLifetime.seconds
  /// The interval of checks for expired chunks, in seconds.
  public var expirationInterval: Int64 = 2 * 3600
  /// The time in which a client has to send the block of a request.
  public var requestTimeout = Duration.seconds(60)
  /// The time in which each 64 KB of a chunk have to be received or sent.
  public var transferTimeout = Duration.seconds(60)
  /// The number of chunks that are received and sent at once: each holds a few parts in memory and an open file.
  public var transferLimit = 1_000
  /// The number of them on one connection.
  public var transfersPerConnection = 8
  /// While ``transferLimit`` transfers run and others wait, those of which less than 16 KB passed in this time are
  /// ended.
  public var transferStall = Duration.seconds(5)
  /// Connections that do not begin a request within this time are closed.
  public var firstRequestTimeout = Duration.seconds(60)
  /// When connections without traffic are closed; nil for never.
  public var inactivity: (ttl: Duration, interval: Duration)?
  /// Connections beyond this number are closed at once.
  public var connectionLimit = 20_000
  /// The seconds without a failure after which a success ends an outage of the store.
  var storeQuietTime = StoreHealth.quietTime
  /// The share of the connections that one address may have.
  public var share = ConnectionShare()
  /// Called when the TLS handshake of a client fails; for the operator's log.
  public var handshakeFailed: (@Sendable (TransportError) -> Void)?
  /// Called with what the operator should know, a sentence each: that the store fails or works again, that the clock is
  /// doubted, and what a command of the control port did not do.
  public var report: (@Sendable (String) -> Void)?

  /// A relay with the default limits.
  public init(host: String?, port: Int, credential: TLSCredential) {
    self.host = host
    self.port = port
    self.credential = credential
  }
}
