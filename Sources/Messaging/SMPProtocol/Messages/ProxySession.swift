import WireCodec

/// The parameters of PKEY: a session of the proxy with another relay. Source: simplex-messaging.md, "Proxied session".
public struct ProxySession: Hashable, Sendable {
  /// The session; the entity of PFWD commands for the relay.
  public var sessionID: SessionID
  /// The versions in which commands for the relay may be written.
  public var versions: VersionRange
  /// The relay's key, signed with its certificate.
  public var relayKey: CertifiedKey

  public init(sessionID: SessionID, versions: VersionRange, relayKey: CertifiedKey) {
    self.sessionID = sessionID
    self.versions = versions
    self.relayKey = relayKey
  }

  static let codec = Codec<ProxySession>.record(
    Field("sessionID", \.sessionID, SessionID.codec), Field("versions", \.versions, VersionRange.codec),
    Field("relayKey", \.relayKey, CertifiedKey.codec),
    build: { ProxySession(sessionID: $0, versions: $1, relayKey: $2) })
}

extension BrokerMessage {
  static let pkeyForm = MessageForm<BrokerMessage>(
    "PKEY", since: SMPVersion.proxy, (), .bareResponse, ProxySession.codec, { .pkey($0) },
    { if case .pkey(let session) = $0 { session } else { nil } })

  static let rresForm = MessageForm<BrokerMessage>(
    "RRES", since: SMPVersion.proxy, (), .bareResponse, Codec<[UInt8]>.tail, { .rres($0) },
    { if case .rres(let box) = $0 { box } else { nil } })

  static let presForm = MessageForm<BrokerMessage>(
    "PRES", since: SMPVersion.proxy, (), .response, Codec<[UInt8]>.tail, { .pres($0) },
    { if case .pres(let box) = $0 { box } else { nil } })
}
