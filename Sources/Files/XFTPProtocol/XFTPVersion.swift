import WireCodec

/// Versions of the file protocol, named after what each of them added. Source: xftp.md, "Version history".
public enum XFTPVersion {
  /// The versions that relays and clients of this project support.
  public static let supported = VersionRange(1...3)
  /// The version of a connection without handshake: one that negotiated no application protocol.
  public static let initial: UInt16 = 1

  /// Commands authorized by X25519 authenticators; the handshake agrees on the key.
  public static let authenticators: UInt16 = 2
  /// The BLOCKED error.
  public static let blockedError: UInt16 = 3
}

/// The names of application protocols (ALPN) of connections to file relays.
public enum XFTPApplicationProtocol {
  /// A connection with the handshake.
  public static let xftp = "xftp/1"
  /// The same, from clients that want to look like browsers; HTTP/2 follows nevertheless.
  public static let disguised = "http/1.1"
  /// Browsers, which have to name the server.
  public static let web = "h2"

  /// All that a relay accepts.
  public static let accepted = [xftp, disguised, web]
}
