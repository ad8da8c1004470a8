import SMPProtocol
import SimplexCrypto
import WireCodec

/// A relay that a proxy has a session with, as the client knows it from PKEY.
public struct ProxiedRelay: Hashable, Sendable {
  /// The session of proxy and relay; the entity of PFWD.
  public let sessionID: SessionID
  /// The version for commands to the relay.
  public let version: UInt16
  /// The relay's key of that session.
  public let relayKey: X25519.PublicKey

  /// A relay behind a proxy. `certificateKey` is the key of the first certificate in `session`, whose chain the caller
  /// has verified.
  /// - Throws: `transport` where there is no common version, or the relay did not sign its key.
  public init(
    _ session: ProxySession, certificateKey: AnyPublicKey, versions: VersionRange = SMPVersion.proxied
  ) throws(SMPClientError) {
    guard let version = session.versions.intersection(versions)?.highest else { throw .transport(.version) }
    guard session.relayKey.key.isSigned(by: certificateKey), case .x25519(let key) = session.relayKey.key.key else {
      throw .transport(.handshake(handshakeErr: .BAD_AUTH))
    }
    sessionID = session.sessionID
    self.version = version
    relayKey = key
  }
}

/// A sender's command that is sent through a proxy, and the keys to read the response.
public struct ProxiedCommand: Sendable {
  /// The parameters for the proxy.
  public let request: RequestPipeline.Request
  private let context: SessionContext
  private let block: ProxiedBlock

  /// Seals a command for a relay in its boxes.
  public init(
    _ inner: RequestPipeline.Request, to relay: ProxiedRelay, random: inout some RandomSource
  ) throws(SMPClientError) {
    let key = X25519.PrivateKey(using: &random)
    let correlation = CorrelationID(using: &random)
    let context = SessionContext(version: relay.version, sessionID: relay.sessionID)
    let boxKey: BoxKey
    do { boxKey = try key.boxKey(with: relay.relayKey) } catch { throw .crypto(error) }
    let signer: CommandSigner?
    do {
      signer = try inner.key.map { (key) throws(ProtocolTransportError) in
        try CommandSigner(key, serverKey: relay.relayKey)
      }
    } catch {
      throw .transport(error)
    }
    var batch = BlockBatch(context)
    do throws(WireError) {
      try batch.add { (writer) throws(WireError) in
        guard let signer else {
          return try context.write(inner.command, entity: inner.entity, correlation: correlation, to: &writer)
        }
        try context.write(inner.command, entity: inner.entity, correlation: correlation, signer: signer, to: &writer)
      }
    } catch {
      if case .unsupportedVersion = error.kind { throw .transport(.version) }
      throw .transport(.largeMsg)
    }
    let block = ProxiedBlock(key: boxKey, correlationID: correlation)
    let box: [UInt8]
    do { box = try block.sealCommand(batch.take().first ?? []) } catch { throw .transport(.largeMsg) }
    let forward = ForwardRequest(version: relay.version, key: key.publicKey, transmission: box)
    request = RequestPipeline.Request(
      .pfwd(forward), entity: EntityID(relay.sessionID.bytes), correlation: correlation)
    self.context = context
    self.block = block
  }

  /// The relay's response in the proxy's response.
  public func response(_ message: BrokerMessage) throws(SMPClientError) -> BrokerMessage {
    guard case .pres(let box) = message else { throw .unexpectedResponse(message.form.keyword) }
    let content: [UInt8]
    do { content = try block.openResponse(box) } catch { throw .crypto(error) }
    let transmissions = context.transmissions(of: BrokerMessage.self, in: content.span.bytes)
    guard transmissions.count == 1, let transmission = transmissions.first else { throw .response(.block) }
    switch transmission.message {
    case .success(.err(let error)): throw .relay(error)
    case .success(let message): return message
    case .failure(let error): throw .response(error)
    }
  }
}
