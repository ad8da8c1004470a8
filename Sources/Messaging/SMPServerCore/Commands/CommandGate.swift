import SMPProtocol
import SimplexCrypto

/// The identity of a client with a service certificate, in one session.
public struct ServiceSession: Hashable, Sendable {
  /// The identifier that the relay assigned to the service.
  public let id: EntityID
  /// Its role.
  public let role: ServiceRole

  public init(id: EntityID, role: ServiceRole) {
    self.id = id
    self.role = role
  }
}

/// Decides whether a command may be executed. Source: simplex-messaging.md, "Command verification".
///
/// It does the same work whether a queue does not exist, has another key, has keys of other kinds, or is not secured
/// yet: one check, whose cost depends on the kind of the authorization alone. For queues with several keys of that kind
/// there are as many checks, at most ``QueueRecord/recipientKeyLimit``. What the times still reveal is in
/// `docs/operators.md`, "Limits".
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

  /// Why the command is refused; nil where it may be executed.
  ///
  /// `queue` is the queue that the transmission names, as the party of the command knows it; nil where there is none.
  public func refusal(
    of command: Command, in transmission: ReceivedTransmission<Command>, queue: QueueRecord?
  ) -> ProtocolErrorType? {
    refusal(of: command, in: transmission, queue: queue) { authorization, key in
      guard let key else { return verifier.checkWithDummyKey(authorization, correlation: transmission.correlationID) }
      return verifier.isValid(authorization, by: key, correlation: transmission.correlationID)
    }
  }

  /// Checks an authorization with a key; nil stands for a key of nobody, with which it fails.
  typealias Check = (ReceivedAuthorization, AuthorizationKey?) -> Bool

  /// Why the command is refused, where authorizations by keys are checked with `check`.
  func refusal(
    of command: Command, in transmission: ReceivedTransmission<Command>, queue: QueueRecord?, check: Check
  ) -> ProtocolErrorType? {
    if let service, let role = command.party.serviceRole, role != service.role { return .CMD(cmdErr: .PROHIBITED) }
    guard hasRightServiceSignature(command, transmission.authorization) else { return .SERVICE }
    switch command {
    case .new(let request): return isAuthorized(transmission, by: [request.recipientKey], check) ? nil : .AUTH
    case .sub, .key, .rkey, .lset, .ldel, .nkey, .ndel, .get, .ack, .off, .del, .que:
      // Older stores may have more keys than are allowed.
      let keys = (queue?.recipientKeys ?? []).prefix(QueueRecord.recipientKeyLimit)
      return isAuthorized(transmission, by: keys.lazy.compactMap(AuthorizationKey.init(stored:)), check) ? nil : .AUTH
    case .skey(let key), .lkey(let key):
      return isAuthorized(transmission, by: queue?.accepts(senderKey: key) == true ? [key] : [], check) ? nil : .AUTH
    case .send: return maySend(transmission, queue, check: check) ? nil : .AUTH
    case .lget: return queue?.isContact == true ? nil : .AUTH
    case .nsub:
      let key = queue?.notifier.flatMap { AuthorizationKey(stored: $0.key) }
      return isAuthorized(transmission, by: key.map { [$0] } ?? [], check) ? nil : .AUTH
    case .subs, .nsubs:
      guard let authorization = transmission.authorization, transmission.entityID == service?.id,
        verifier.isAuthorizedByService(authorization)
      else { return .SERVICE }
      return nil
    case .ping, .prxy, .pfwd, .rfwd, .rslv: return nil
    }
  }

  /// Whether one of the keys authorized it. Keys of other kinds are not checked; without keys of its kind one check is
  /// made, so that the work is the same.
  private func isAuthorized(
    _ transmission: ReceivedTransmission<Command>, by keys: some Sequence<AuthorizationKey>, _ check: Check
  ) -> Bool {
    guard let authorization = transmission.authorization else { return false }
    var hasKey = false
    for key in keys where authorization.proof.isOfKind(of: key) {
      if check(authorization, key) { return true }
      hasKey = true
    }
    return !hasKey && check(authorization, nil)
  }

  /// Sending needs no authorization until the queue is secured, and must not have one. Then it is checked nevertheless,
  /// as for a queue that does not exist.
  private func maySend(
    _ transmission: ReceivedTransmission<Command>, _ queue: QueueRecord?, check: Check
  ) -> Bool {
    if let queue, queue.senderKey == nil, transmission.authorization == nil { return true }
    let keys = CollectionOfOne(queue?.senderKey).lazy.compactMap { $0.flatMap(AuthorizationKey.init(stored:)) }
    return isAuthorized(transmission, by: keys, check)
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

extension QueueRecord {
  /// The most keys that a recipient may have: each is checked for each wrong authorization.
  public static var recipientKeyLimit: Int { 16 }
}

extension ReceivedAuthorization.Proof {
  /// Whether it can be of this key.
  func isOfKind(of key: AuthorizationKey) -> Bool {
    switch (self, key) {
    case (.ed25519, .ed25519), (.ed448, .ed448), (.authenticator, .x25519): true
    default: false
    }
  }
}

extension AuthorizationKey {
  /// The key of this stored form; nil where it is damaged.
  init?(stored: [UInt8]) {
    guard let key = try? AnyPublicKey(der: stored.span.bytes) else { return nil }
    self.init(key)
  }

  /// The stored form of keys: X.509 as on the wire.
  var stored: [UInt8] { publicKey.der }
}
