import SMPProtocol
import SimplexCrypto
import WireCodec

// The handshake after TLS: the server's hello, then the client's, each in a padded block. Source:
// push-notifications.md, "NTF protocol".

/// The first block of a notification server.
public struct NotificationServerHello: Hashable, Sendable {
  /// The versions that the server supports.
  public var versions: VersionRange
  /// The TLS session.
  public var sessionID: SessionID
  /// The server's X25519 key of this session, signed with its certificate; from version 2 on.
  public var sessionKey: SignedKey?

  public init(versions: VersionRange, sessionID: SessionID, sessionKey: SignedKey?) {
    self.versions = versions
    self.sessionID = sessionID
    self.sessionKey = sessionKey
  }

  /// The hello. Bytes after it are skipped, for later versions.
  public static let codec: Codec<NotificationServerHello> = {
    let key = SignedKey.codec.inLarge
    return Codec(
      decode: { (reader) throws(WireError) -> NotificationServerHello in
        let versions = try VersionRange.codec.decode(&reader)
        let sessionID = try SessionID.codec.decode(&reader)
        var sessionKey: SignedKey?
        if versions.highest >= NotificationVersion.batches { sessionKey = try key.decode(&reader) }
        _ = reader.restSpan()
        return NotificationServerHello(versions: versions, sessionID: sessionID, sessionKey: sessionKey)
      },
      encode: { (hello, writer) throws(WireError) in
        try VersionRange.codec.encode(hello.versions, &writer)
        try SessionID.codec.encode(hello.sessionID, &writer)
        guard hello.versions.highest >= NotificationVersion.batches else { return }
        guard let sessionKey = hello.sessionKey else { throw writer.failure(.expected("a session key")) }
        try key.encode(sessionKey, &writer)
      })
  }()
}

/// The block with which a client answers the hello of a notification server.
public struct NotificationClientHello: Hashable, Sendable {
  /// The version that the client chose.
  public var version: UInt16
  /// The fingerprint of the server that the client expects.
  public var keyHash: [UInt8]

  public init(version: UInt16, keyHash: [UInt8]) {
    self.version = version
    self.keyHash = keyHash
  }

  /// The hello. Bytes after it are skipped, for later versions.
  public static let codec = Codec<NotificationClientHello>(
    decode: { (reader) throws(WireError) -> NotificationClientHello in
      let version: UInt16 = try reader.integer()
      let keyHash = try Codec<[UInt8]>.short.decode(&reader)
      _ = reader.restSpan()
      return NotificationClientHello(version: version, keyHash: keyHash)
    },
    encode: { (hello, writer) throws(WireError) in
      writer.append(integer: hello.version)
      try Codec<[UInt8]>.short.encode(hello.keyHash, &writer)
    })
}
