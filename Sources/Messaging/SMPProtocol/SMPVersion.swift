import WireCodec

/// Versions of the SMP transport protocol, named after what each of them added. Source: simplex-messaging.md, "Version
/// history".
public enum SMPVersion {
  /// The versions that relays and clients of this project support.
  public static let supported = VersionRange(6...20)
  /// The only version that a connection without the ALPN name `smp/1` may use.
  public static let legacy = VersionRange(6)
  /// The versions a proxy announces to its clients for a destination relay. The upper bound should stay behind the
  /// current version, so that a relay cannot infer the age of a client that uses a proxy; it currently does not,
  /// because names have to be resolved through proxies.
  public static let proxied = VersionRange(8...20)

  /// Authorization by X25519 authenticators; the session identifier is authorized but not sent.
  public static let authenticators: UInt16 = 7
  /// Sending through a proxy relay.
  public static let proxy: UInt16 = 8
  /// Queues that the sender may secure (SKEY), and queue modes.
  public static let senderKey: UInt16 = 9
  /// The DELD event.
  public static let deletedEvent: UInt16 = 10
  /// Encryption of transport blocks.
  public static let encryptedBlocks: UInt16 = 11
  /// The BLOCKED error.
  public static let blockedError: UInt16 = 12
  /// Proxies declare themselves in the handshake.
  public static let proxyHandshake: UInt16 = 14
  /// Short links: data stored with a queue.
  public static let shortLinks: UInt16 = 15
  /// Service certificates, and a second signature in transmissions.
  public static let services: UInt16 = 16
  /// Notification credentials in NEW.
  public static let notifierInNew: UInt16 = 17
  /// Notices to clients in the BLOCKED error.
  public static let clientNotices: UInt16 = 18
  /// Services of recipients: SUBS and ALLS, and the hash of the identifiers in SUBS, NSUBS, SOKS and ENDS.
  public static let serviceQueues: UInt16 = 19
  /// Resolving names (RSLV).
  public static let names: UInt16 = 20

  /// The longest body of a SEND command, in bytes. Source: simplex-messaging.md, "Send message".
  public static func messageLimit(_ version: UInt16) -> Int {
    switch version {
    case encryptedBlocks...: 16048
    case proxy...: 16064
    default: 16088
    }
  }
}
