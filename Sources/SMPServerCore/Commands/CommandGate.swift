import SMPProtocol
import SimplexCrypto

/// The identity of a client with a service certificate, in one session.
public struct ServiceSession: Hashable, Sendable {
  /// The identifier that the relay gave the service.
  public let id: EntityID
  /// What the service is for.
  public let role: ServiceRole

  /// A value of its members.
  public init(id: EntityID, role: ServiceRole) {
    self.id = id
    self.role = role
  }
}

/// Decides whether a command that arrived may be carried out. Source: simplex-messaging.md, "Command verification".
///
/// It takes the same time whether a queue does not exist, has another key, or has a key of another kind: it depends
/// only on the kind of authorization that was sent.
public struct CommandGate: Sendable {
  /// Checks signatures and authenticators of the session.
  public let verifier: AuthorizationVerifier
  /// The service that the client is, if it is one.
  public let service: ServiceSession?

  /// A gate for one session.
  public init(verifier: AuthorizationVerifier, service: ServiceSession? = nil) {
    self.verifier = verifier
    self.service = service
  }

  /// Why the command is refused; nil where it may be carried out.
  ///
  /// `queue` is the queue that the transmission names, as the party of the command knows it; nil where there is none.
  public func refusal(
    of command: Command, in transmission: ReceivedTransmission<Command>, queue: QueueRecord?
  ) -> ProtocolErrorType? {
    if let service, let role = command.party.serviceRole, role != service.role { return .CMD(cmdErr: .PROHIBITED) }
    guard hasRightServiceSignature(command, transmission.authorization) else { return .SERVICE }
    switch command {
    case .new(let request): return isAuthorized(transmission, by: [request.recipientKey]) ? nil : .AUTH
    case .sub, .key, .rkey, .lset, .ldel, .nkey, .ndel, .get, .ack, .off, .del, .que:
      return isAuthorized(
        transmission, by: (queue?.recipientKeys ?? []).lazy.compactMap(AuthorizationKey.init(stored:)))
        ? nil : .AUTH
    case .skey(let key), .lkey(let key):
      return isAuthorized(transmission, by: queue?.accepts(senderKey: key) == true ? [key] : []) ? nil : .AUTH
    case .send: return maySend(transmission, queue) ? nil : .AUTH
    case .lget: return queue?.isContact == true ? nil : .AUTH
    case .nsub:
      let key = queue?.notifier.flatMap { AuthorizationKey(stored: $0.key) }
      return isAuthorized(transmission, by: key.map { [$0] } ?? []) ? nil : .AUTH
    case .subs, .nsubs:
      guard let authorization = transmission.authorization, transmission.entityID == service?.id,
        verifier.isAuthorizedByService(authorization)
      else { return .SERVICE }
      return nil
    case .ping, .prxy, .pfwd, .rfwd, .rslv: return nil
    }
  }

  /// Whether one of the keys authorized it. Without keys a check is made for its time alone.
  private func isAuthorized(
    _ transmission: ReceivedTransmission<Command>, by keys: some Sequence<AuthorizationKey>
  ) -> Bool {
    guard let authorization = transmission.authorization else { return false }
    var hasKey = false
    for key in keys {
      if verifier.isValid(authorization, by: key, correlation: transmission.correlationID) { return true }
      hasKey = true
    }
    return !hasKey && verifier.checkWithDummyKey(authorization, correlation: transmission.correlationID)
  }

  /// Messages need no authorization until the queue is secured, and must have none.
  private func maySend(_ transmission: ReceivedTransmission<Command>, _ queue: QueueRecord?) -> Bool {
    guard let queue else { return isAuthorized(transmission, by: EmptyCollection()) }
    guard let stored = queue.senderKey else { return transmission.authorization == nil }
    return isAuthorized(transmission, by: CollectionOfOne(stored).lazy.compactMap(AuthorizationKey.init(stored:)))
  }

  private func hasRightServiceSignature(_ command: Command, _ authorization: ReceivedAuthorization?) -> Bool {
    let hasSignature = authorization?.serviceSignature != nil
    guard command.needsServiceSignature, service != nil else { return !hasSignature }
    return authorization.map { verifier.isSignedByService($0) } ?? false
  }
}

extension QueueRecord {
  /// Whether a sender may secure the queue with this key.
  fileprivate func accepts(senderKey key: AuthorizationKey) -> Bool {
    mode == .messaging && (senderKey == nil || senderKey == key.stored)
  }
}

extension AuthorizationKey {
  /// The key that is stored in this form; nil where it is damaged.
  init?(stored: [UInt8]) {
    guard let key = try? AnyPublicKey(der: stored.span.bytes) else { return nil }
    self.init(key)
  }

  /// The form in which keys are stored: X.509 as on the wire.
  var stored: [UInt8] { publicKey.der }
}
