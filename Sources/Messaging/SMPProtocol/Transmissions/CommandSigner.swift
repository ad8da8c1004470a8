import SimplexCrypto
import WireCodec

/// Authorizes the commands of a client about one queue, in one session. Source: simplex-messaging.md, "Client
/// authorization".
///
/// Keep it for further commands: for X25519 it holds the key that was agreed with the relay's session key.
public enum CommandSigner: Sendable {
  case ed25519(Ed25519.PrivateKey)
  case ed448(Ed448.PrivateKey)
  case authenticator(BoxKey)

  /// A signer with a queue's key; `serverKey` is the relay's key of the session.
  /// - Throws: `noServerAuth` where the key is of X25519 and the relay provided no key or an unusable one.
  public init(_ key: AuthorizationPrivateKey, serverKey: X25519.PublicKey?) throws(ProtocolTransportError) {
    switch key {
    case .ed25519(let key): self = .ed25519(key)
    case .ed448(let key): self = .ed448(key)
    case .x25519(let key):
      guard let serverKey, let box = try? key.boxKey(with: serverKey) else { throw .noServerAuth }
      self = .authenticator(box)
    }
  }

  func authorization(of content: RawSpan, correlation: CorrelationID) -> [UInt8] {
    switch self {
    case .ed25519(let key): key.signature(of: content)
    case .ed448(let key): key.signature(of: content)
    case .authenticator(let key): key.authenticator(of: content, nonce: correlation.nonce)
    }
  }
}

/// Signs the commands of a client that is a service, in addition to the signature of the queue's key.
public struct ServiceSigner: Sendable {
  /// The SHA-256 fingerprint of the service's long-term certificate.
  public let certificateHash: [UInt8]
  /// The service's key of this session.
  public let sessionKey: Ed25519.PrivateKey

  public init(certificateHash: [UInt8], sessionKey: Ed25519.PrivateKey) {
    self.certificateHash = certificateHash
    self.sessionKey = sessionKey
  }
}

extension SessionContext {
  /// Writes a transmission without authorization: responses, and commands that need none.
  public func write(
    _ message: some ProtocolMessage, entity: EntityID, correlation: CorrelationID, to writer: inout Writer
  ) throws(WireError) {
    try writePlain(message, about: entity, correlation: correlation, to: &writer)
  }

  /// Writes a response or an event. Equivalent to the generic function, but specialized for its type, which is faster.
  public func write(
    _ message: BrokerMessage, entity: EntityID, correlation: CorrelationID, to writer: inout Writer
  ) throws(WireError) {
    try writePlain(message, about: entity, correlation: correlation, to: &writer)
  }

  /// Writes a MSG. Its box is sealed in place.
  public func write(
    _ message: DeliveredMessage, id: MessageID, key: BoxKey, entity: EntityID, correlation: CorrelationID,
    to writer: inout Writer
  ) throws(WireError) {
    writeNoAuthorization(&writer)
    try correlation.write(&writer)
    try entity.write(&writer)
    writer.append(BrokerMessage.msgForm.prefix)
    try id.write(&writer)
    do throws(MessageBoxError) {
      try message.seal(id: id, key: key, to: &writer)
    } catch {
      switch error {
      case .malformed(let error): throw error
      case .crypto: throw writer.failure(.tooLong(limit: DeliveredMessage.paddedSize - Padding.prefixSize))
      }
    }
  }

  private func writePlain(
    _ message: some ProtocolMessage, about entity: EntityID, correlation: CorrelationID, to writer: inout Writer
  ) throws(WireError) {
    writeNoAuthorization(&writer)
    try writeContent(message, entity: entity, correlation: correlation, &writer)
  }

  private func writeNoAuthorization(_ writer: inout Writer) {
    writer.append(0)
    if !impliesSessionID { writer.append(sessionPrefix) }
  }

  /// Writes a command that is authorized by `signer`, and also by `service` if it is given.
  public func write(
    _ command: Command, entity: EntityID, correlation: CorrelationID, signer: CommandSigner,
    service: ServiceSigner? = nil, to writer: inout Writer
  ) throws(WireError) {
    try writeSigned(command, entity: entity, correlation: correlation, signer: signer, service: service, to: &writer)
  }

  /// Writes a command of another protocol that has the transmissions of this one, authorized by `signer`.
  public func write(
    _ command: some ProtocolMessage, entity: EntityID, correlation: CorrelationID, signer: CommandSigner,
    to writer: inout Writer
  ) throws(WireError) {
    try writeSigned(command, entity: entity, correlation: correlation, signer: signer, service: nil, to: &writer)
  }

  private func writeSigned(
    _ command: some ProtocolMessage, entity: EntityID, correlation: CorrelationID, signer: CommandSigner,
    service: ServiceSigner?, to writer: inout Writer
  ) throws(WireError) {
    var signed = Writer(version: version, capacity: 512)
    signed.append(sessionPrefix)
    try writeContent(command, entity: entity, correlation: correlation, &signed)
    let bytes = signed.finish()
    let authorized = service.map { $0.certificateHash + bytes } ?? bytes
    try Codec<[UInt8]>.short.encode(signer.authorization(of: authorized.span.bytes, correlation: correlation), &writer)
    if hasServiceSignatures {
      try Codec<[UInt8]>.short.optional.encode(service?.sessionKey.signature(of: bytes.span.bytes), &writer)
    }
    writer.append(bytes.span.bytes.extracting(droppingFirst: impliesSessionID ? sessionPrefix.count : 0))
  }
}
