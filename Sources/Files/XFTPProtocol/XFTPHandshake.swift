import SMPProtocol
import SimplexCrypto
import WireCodec

// The handshake of connections that negotiated an application protocol: an empty request or the client's hello, the
// relay's handshake, and the client's, each in a padded block. Source: xftp.md, "Server handshake".

/// The first request of a browser, which cannot check the relay's certificate itself.
public struct XFTPClientHello: Hashable, Sendable {
  /// Random bytes that the relay signs together with the session identifier; 32 bytes.
  public var challenge: [UInt8]?

  public init(challenge: [UInt8]?) { self.challenge = challenge }

  /// The size of a challenge in bytes.
  public static let challengeSize = 32

  /// The hello. Bytes after it are skipped, for later versions.
  public static let codec: Codec<XFTPClientHello> = {
    let challenge = Codec<[UInt8]>.short.validated("32 bytes") { $0.count == challengeSize }.optional
    return Codec(
      decode: { (reader) throws(WireError) -> XFTPClientHello in
        let hello = XFTPClientHello(challenge: try challenge.decode(&reader))
        _ = reader.restSpan()
        return hello
      },
      encode: { (hello, writer) throws(WireError) in try challenge.encode(hello.challenge, &writer) })
  }()
}

/// The relay's part of the handshake.
public struct XFTPServerHandshake: Hashable, Sendable {
  /// The versions that the relay supports.
  public var versions: VersionRange
  /// The TLS session.
  public var sessionID: SessionID
  /// The relay's X25519 key of this session, signed with its certificate.
  public var sessionKey: CertifiedKey
  /// The signature of challenge and session identifier by the certificate's key: 64 bytes with Ed25519, 114 with Ed448.
  public var identityProof: [UInt8]?

  public init(
    versions: VersionRange, sessionID: SessionID, sessionKey: CertifiedKey, identityProof: [UInt8]? = nil
  ) {
    self.versions = versions
    self.sessionID = sessionID
    self.sessionKey = sessionKey
    self.identityProof = identityProof
  }

  /// The handshake. Bytes after it are skipped, for later versions; so is a proof of another size.
  public static let codec = Codec<XFTPServerHandshake>(
    decode: { (reader) throws(WireError) -> XFTPServerHandshake in
      let versions = try VersionRange.codec.decode(&reader)
      let sessionID = try SessionID.codec.decode(&reader)
      let sessionKey = try CertifiedKey.codec.decode(&reader)
      var proof: [UInt8]?
      if let bytes = try? Codec<[UInt8]>.short.decode(&reader), isSignature(bytes) { proof = bytes }
      _ = reader.restSpan()
      return XFTPServerHandshake(
        versions: versions, sessionID: sessionID, sessionKey: sessionKey, identityProof: proof)
    },
    encode: { (handshake, writer) throws(WireError) in
      try VersionRange.codec.encode(handshake.versions, &writer)
      try SessionID.codec.encode(handshake.sessionID, &writer)
      try CertifiedKey.codec.encode(handshake.sessionKey, &writer)
      try Codec<[UInt8]>.short.encode(handshake.identityProof ?? [], &writer)
    })

  private static func isSignature(_ bytes: [UInt8]) -> Bool {
    bytes.count == Ed25519.signatureSize || bytes.count == Ed448.signatureSize
  }
}

/// The client's part of the handshake.
public struct XFTPClientHandshake: Hashable, Sendable {
  /// The version that the client chose.
  public var version: UInt16
  /// The fingerprint of the relay that the client expects.
  public var keyHash: [UInt8]

  public init(version: UInt16, keyHash: [UInt8]) {
    self.version = version
    self.keyHash = keyHash
  }

  /// The handshake. Bytes after it are skipped, for later versions.
  public static let codec = Codec<XFTPClientHandshake>(
    decode: { (reader) throws(WireError) -> XFTPClientHandshake in
      let version = try reader.integer(UInt16.self)
      let keyHash = try Codec<[UInt8]>.short.decode(&reader)
      _ = reader.restSpan()
      return XFTPClientHandshake(version: version, keyHash: keyHash)
    },
    encode: { (handshake, writer) throws(WireError) in
      writer.append(integer: handshake.version)
      try Codec<[UInt8]>.short.encode(handshake.keyHash, &writer)
    })
}
