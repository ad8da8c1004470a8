import SimplexCrypto
import WireCodec

/// The block with which a client answers the relay's hello. Source: simplex-messaging.md, "Transport handshake".
public struct ClientHello: Hashable, Sendable {
  /// The version that the client chose, which determines the following fields.
  public var version: UInt16
  /// The fingerprint of the relay that the client expects.
  public var keyHash: [UInt8]
  /// The client's X25519 key of this session, for encrypting blocks; from version 7 on.
  public var sessionKey: X25519.PublicKey?
  /// Whether the client is a proxy, whose blocks are not encrypted; from version 14 on.
  public var isProxy: Bool
  /// The service that the client is; from version 16 on.
  public var service: ServiceHello?

  public init(
    version: UInt16, keyHash: [UInt8], sessionKey: X25519.PublicKey? = nil, isProxy: Bool = false,
    service: ServiceHello? = nil
  ) {
    self.version = version
    self.keyHash = keyHash
    self.sessionKey = sessionKey
    self.isProxy = isProxy
    self.service = service
  }

  /// The hello. Bytes after it are skipped, for later versions.
  public static let codec: Codec<ClientHello> = {
    let key = X25519.PublicKey.codec
    let service = ServiceHello.codec.optional
    return Codec(
      decode: { (reader) throws(WireError) -> ClientHello in
        var hello = ClientHello(version: try reader.integer(), keyHash: [UInt8](copying: try reader.shortSpan()))
        if hello.version >= SMPVersion.authenticators {
          // The key is optional, and nothing marks its absence: a key begins with its length, 44, unlike anything else
          // here.
          if reader.peek == keySize { hello.sessionKey = try key.decode(&reader) }
        }
        if hello.version >= SMPVersion.proxyHandshake { hello.isProxy = try Codec<Bool>.bool.decode(&reader) }
        if hello.version >= SMPVersion.services { hello.service = try service.decode(&reader) }
        _ = reader.restSpan()
        return hello
      },
      encode: { (hello, writer) throws(WireError) in
        writer.append(integer: hello.version)
        try Codec<[UInt8]>.short.encode(hello.keyHash, &writer)
        if hello.version >= SMPVersion.authenticators, let sessionKey = hello.sessionKey {
          try key.encode(sessionKey, &writer)
        }
        if hello.version >= SMPVersion.proxyHandshake { try Codec<Bool>.bool.encode(hello.isProxy, &writer) }
        if hello.version >= SMPVersion.services { try service.encode(hello.service, &writer) }
      })
  }()

  private static let keySize: UInt8 = 44
}

/// The part of a client's hello that identifies the service.
public struct ServiceHello: Hashable, Sendable {
  /// Its role.
  public var role: ServiceRole
  /// Its Ed25519 key of this session, signed with its certificate, which it presents in TLS as well.
  public var sessionKey: CertifiedKey

  public init(role: ServiceRole, sessionKey: CertifiedKey) {
    self.role = role
    self.sessionKey = sessionKey
  }

  /// The role and the key.
  public static let codec = Codec<ServiceHello>.record(
    Field("role", \.role, ServiceRole.codec), Field("sessionKey", \.sessionKey, CertifiedKey.codec),
    build: { ServiceHello(role: $0, sessionKey: $1) })
}

/// The block with which a relay answers a client that is a service.
public enum ServiceResponse: Hashable, Sendable {
  /// The identifier of the service at this relay.
  case registered(EntityID)
  /// The relay does not accept the service, and closes the connection.
  case refused(ProtocolTransportError)

  /// `R` and the identifier, or `E` and the error.
  public static let codec = Codec<ServiceResponse>.tagged(
    "a response to a service",
    Alternative(
      "R", EntityID.codec, { .registered($0) }, { if case .registered(let service) = $0 { service } else { nil } }),
    Alternative(
      "E", ProtocolTransportError.codec, { .refused($0) },
      { if case .refused(let error) = $0 { error } else { nil } }))
}
