import AgentProtocol
import SMPProtocol
import SimplexCrypto
import WireCodec

/// The link of an address whose queue is not created yet: the application can put it into the data of that link.
///
/// Preparing sends nothing and stores nothing. The application keeps the value, which contains secrets, until the
/// address is created. A link is created once: if the relay created its queue and the response was lost, the next
/// attempt is refused with `AUTH`, and the application has to prepare another link.
public struct PreparedLink: Sendable {
  /// The relay of the queue, with the password for new queues.
  public let server: ServerWithAuth<SMPScheme>
  /// The correlation of the command that creates the queue; the sender's identifier of the queue follows from it.
  public let correlation: CorrelationID
  /// The key of the queue, whose public part is in the link.
  public let queueKey: X25519.PrivateKey
  /// The key that signs the data of the link.
  public let rootKey: Ed25519.PrivateKey
  /// The full link.
  public let request: ConnectionRequest
  /// The encoded data of the link that never changes, with its signature.
  public let signedFixedData: [UInt8]
  /// The key of the short link: the hash of that data, 32 bytes.
  public let linkKey: [UInt8]

  /// A link with the root key and the identifier that the application chose.
  public init(
    root: Ed25519.PrivateKey, entityID: [UInt8], server: ServerWithAuth<SMPScheme>, agentVersions: VersionRange,
    clientVersions: VersionRange, clientData: String?, random: inout some RandomSource
  ) throws(WireError) {
    self.server = server
    rootKey = root
    correlation = CorrelationID(using: &random)
    queueKey = X25519.PrivateKey(using: &random)
    let address = QueueAddress(
      server: server.server, senderID: .sender(for: correlation), dhKey: queueKey.publicKey, mode: .contact)
    request = ConnectionRequest(
      agentVersions: agentVersions, queues: [QueueURI(clientVersions: clientVersions, address: address)],
      clientData: clientData, kind: .contact)
    (signedFixedData, linkKey) = try LinkContent.signedFixedData(
      FixedLinkData(
        agentVersions: agentVersions, rootKey: root.publicKey, request: request, entityID: entityID), by: root)
  }

  private init(
    server: ServerWithAuth<SMPScheme>, correlation: CorrelationID, queueKey: X25519.PrivateKey,
    rootKey: Ed25519.PrivateKey, request: ConnectionRequest, signedFixedData: [UInt8], linkKey: [UInt8]
  ) {
    self.server = server
    self.correlation = correlation
    self.queueKey = queueKey
    self.rootKey = rootKey
    self.request = request
    self.signedFixedData = signedFixedData
    self.linkKey = linkKey
  }

  /// The sender's identifier of the queue.
  public var senderID: EntityID { .sender(for: correlation) }

  /// The full and the short link. The type of the short link is that of a contact; the application names another one.
  public var link: CreatedLink {
    CreatedLink(
      full: request,
      short: ShortLink(scheme: .server, kind: .contact(.contact), server: server.server, linkKey: linkKey))
  }

  /// The stored form. It contains the secrets.
  public static let codec = Codec<PreparedLink>.record(
    Field("server", \.server.server, SMPServerAddress.codec),
    Field("password", \.server.basicAuth, BasicAuth.codec.optional),
    Field("correlation", \.correlation, CorrelationID.codec),
    Field("queueKey", \.queueKey, privateKeyCodec()), Field("rootKey", \.rootKey, privateKeyCodec()),
    Field("request", \.request, ConnectionRequest.codec.inLarge),
    Field("signedFixedData", \.signedFixedData, .large), Field("linkKey", \.linkKey, .short),
    build: {
      PreparedLink(
        server: ServerWithAuth(server: $0, basicAuth: $1), correlation: $2, queueKey: $3, rootKey: $4, request: $5,
        signedFixedData: $6, linkKey: $7)
    })

  private static func privateKeyCodec<Algorithm: KeyAlgorithm>() -> Codec<PrivateKey<Algorithm>> {
    Codec<[UInt8]>.short.compactMap(
      "a private key in DER", { try? PrivateKey<Algorithm>(der: $0.span.bytes) }, { [UInt8](copying: $0.der.bytes) })
  }
}
