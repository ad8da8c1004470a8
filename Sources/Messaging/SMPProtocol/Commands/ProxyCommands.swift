import SimplexCrypto
import WireCodec

/// The parameters of PRXY, which asks a proxy for a session with another relay. Source: simplex-messaging.md,
/// "Request proxied session".
public struct ProxyRequest: Hashable, Sendable {
  /// The other relay.
  public var relay: SMPServerAddress
  /// The password for using the proxy.
  public var basicAuth: BasicAuth?

  public init(relay: SMPServerAddress, basicAuth: BasicAuth? = nil) {
    self.relay = relay
    self.basicAuth = basicAuth
  }

  static let codec = Codec<ProxyRequest>.record(
    Field("relay", \.relay, SMPServerAddress.codec), Field("basicAuth", \.basicAuth, BasicAuth.codec.optional),
    build: { ProxyRequest(relay: $0, basicAuth: $1) })
}

/// The parameters of PFWD, which asks a proxy to forward a command; the entity of the transmission is the session that
/// PKEY named. Source: simplex-messaging.md, "Send command via destination relay".
public struct ForwardRequest: Hashable, Sendable {
  /// The version in which the forwarded command is written.
  public var version: UInt16
  /// The client's key for this command alone; with the relay's key of PKEY it makes the key of the box.
  public var key: X25519.PublicKey
  /// The box of a block with the command; its nonce is the correlation identifier of this transmission.
  public var transmission: [UInt8]

  public init(version: UInt16, key: X25519.PublicKey, transmission: [UInt8]) {
    self.version = version
    self.key = key
    self.transmission = transmission
  }

  static let codec = Codec<ForwardRequest>.record(
    Field("version", \.version, .integer), Field("key", \.key, X25519.PublicKey.codec),
    Field("transmission", \.transmission, .tail),
    build: { ForwardRequest(version: $0, key: $1, transmission: $2) })
}

extension Command {
  static let prxyForm = MessageForm<Command>(
    "PRXY", since: SMPVersion.proxy, .proxiedClient, .none, ProxyRequest.codec, { .prxy($0) },
    { if case .prxy(let request) = $0 { request } else { nil } })

  static let pfwdForm = MessageForm<Command>(
    "PFWD", since: SMPVersion.proxy, .proxiedClient, .entityOnly, ForwardRequest.codec, { .pfwd($0) },
    { if case .pfwd(let request) = $0 { request } else { nil } })

  static let rfwdForm = MessageForm<Command>(
    "RFWD", since: SMPVersion.proxy, .proxyService, .none, Codec<[UInt8]>.tail, { .rfwd($0) },
    { if case .rfwd(let box) = $0 { box } else { nil } })
}
