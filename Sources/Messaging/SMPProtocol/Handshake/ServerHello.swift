import SimplexCrypto
import WireCodec

/// The first block of a relay. Source: simplex-messaging.md, "Transport handshake".
public struct ServerHello: Hashable, Sendable {
  /// The versions that the relay supports.
  public var versions: VersionRange
  /// The TLS session.
  public var sessionID: SessionID
  /// The relay's X25519 key of this session, signed with its certificate; from version 7 on.
  public var sessionKey: CertifiedKey?

  public init(versions: VersionRange, sessionID: SessionID, sessionKey: CertifiedKey?) {
    self.versions = versions
    self.sessionID = sessionID
    self.sessionKey = sessionKey
  }

  /// The hello. Bytes after it are skipped, for later versions.
  public static let codec: Codec<ServerHello> = {
    let key = CertifiedKey.codec
    return Codec(
      decode: { (reader) throws(WireError) -> ServerHello in
        let versions = try VersionRange.codec.decode(&reader)
        let sessionID = try SessionID.codec.decode(&reader)
        var sessionKey: CertifiedKey?
        if versions.highest >= SMPVersion.authenticators, !reader.isAtEnd { sessionKey = try key.decode(&reader) }
        _ = reader.restSpan()
        return ServerHello(versions: versions, sessionID: sessionID, sessionKey: sessionKey)
      },
      encode: { (hello, writer) throws(WireError) in
        try VersionRange.codec.encode(hello.versions, &writer)
        try SessionID.codec.encode(hello.sessionID, &writer)
        if hello.versions.highest >= SMPVersion.authenticators, let sessionKey = hello.sessionKey {
          try key.encode(sessionKey, &writer)
        }
      })
  }()
}
