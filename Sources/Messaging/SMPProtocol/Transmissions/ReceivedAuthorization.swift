import SimplexCrypto
import WireCodec

/// The authorization of a command, before it is checked. Source: simplex-messaging.md, "Client authorization".
public struct ReceivedAuthorization: Hashable, Sendable {
  /// The kind of an authorization, determined by its size.
  public enum Proof: Hashable, Sendable {
    /// 64 bytes.
    case ed25519([UInt8])
    /// 114 bytes.
    case ed448([UInt8])
    /// 80 bytes: the X25519 authenticator.
    case authenticator([UInt8])
  }

  /// The authorization.
  public let proof: Proof
  /// The signature of a service, 64 bytes.
  public let serviceSignature: [UInt8]?
  /// The authorized data: the session identifier and everything after the authorization. Its end is the message's
  /// ``ProtocolMessage/tail``, so that long messages are not copied.
  fileprivate let head: [UInt8]
  fileprivate let tail: [UInt8]

  /// Nil where the size is neither a signature's nor an authenticator's. The content ends with `tail`.
  init?(_ proof: RawSpan, serviceSignature: [UInt8]?, prefix: [UInt8], content: RawSpan, tail: [UInt8]) {
    let bytes = [UInt8](copying: proof)
    switch bytes.count {
    case Ed25519.signatureSize: self.proof = .ed25519(bytes)
    case Ed448.signatureSize: self.proof = .ed448(bytes)
    case BoxKey.authenticatorSize: self.proof = .authenticator(bytes)
    default: return nil
    }
    self.serviceSignature = serviceSignature
    let headCount = max(0, content.byteCount - tail.count)
    var head = Writer(capacity: prefix.count + headCount)
    head.append(prefix)
    head.append(content.extracting(first: headCount))
    self.head = head.finish()
    self.tail = tail
  }
}

/// Checks the authorizations of one session on the relay's side.
public struct AuthorizationVerifier: Sendable {
  /// The relay's key of the session.
  public let sessionKey: X25519.PrivateKey
  /// The service that is the client, if it is one.
  public let service: ServiceIdentity?
  private let agreedKeys = AgreedKeys()
  private let tables: SignatureTables?
  /// The number of the session among those that share the tables.
  private let session: UInt64

  /// A verifier for a session. Without `tables`, and where the processor does not support them, it caches no keys of
  /// Ed25519.
  public init(sessionKey: X25519.PrivateKey, service: ServiceIdentity? = nil, tables: SignatureTables? = nil) {
    self.sessionKey = sessionKey
    self.service = service
    self.tables = tables
    session = tables?.newSession() ?? 0
  }

  /// Whether the owner of `key` authorized the transmission.
  ///
  /// A key of the wrong algorithm takes as long as a valid one, so that the time reveals nothing about the queue.
  public func isValid(
    _ authorization: ReceivedAuthorization, by key: AuthorizationKey, correlation: CorrelationID
  ) -> Bool {
    switch (authorization.proof, key) {
    case (.ed25519(let signature), .ed25519(let key)): isValid(signature, of: authorization, by: key)
    case (.ed448(let signature), .ed448(let key)): isValid(signature, of: authorization, by: key)
    case (.authenticator(let authenticator), .x25519(let key)):
      isValid(authenticator, of: authorization, by: key, correlation)
    default: checkWithDummyKey(authorization, correlation: correlation)
    }
  }

  /// Always false, and as slow as a real check: for queues that do not exist.
  public func checkWithDummyKey(_ authorization: ReceivedAuthorization, correlation: CorrelationID) -> Bool {
    let isValid =
      switch authorization.proof {
      case .ed25519(let signature): isValid(signature, of: authorization, by: DummyKeys.ed25519)
      case .ed448(let signature): isValid(signature, of: authorization, by: DummyKeys.ed448)
      case .authenticator(let authenticator):
        isValid(authenticator, of: authorization, by: DummyKeys.x25519, correlation)
      }
    return isValid && false
  }

  /// Whether the service of this session signed the transmission.
  public func isSignedByService(_ authorization: ReceivedAuthorization) -> Bool {
    guard let service, let signature = authorization.serviceSignature else { return false }
    return isValid(signature, head: authorization.head, tail: authorization.tail, by: service.sessionKey)
  }

  /// Whether the session key of the service alone authorized the transmission, as SUBS and NSUBS require.
  public func isAuthorizedByService(_ authorization: ReceivedAuthorization) -> Bool {
    guard let service, authorization.serviceSignature == nil, case .ed25519(let signature) = authorization.proof else {
      return false
    }
    return isValid(signature, head: authorization.head, tail: authorization.tail, by: service.sessionKey)
  }

  private func isValid(
    _ signature: [UInt8], of authorization: ReceivedAuthorization, by key: Ed25519.PublicKey
  ) -> Bool {
    let head = signedHead(authorization)
    guard let tables else { return isValid(signature, head: head, tail: authorization.tail, by: key) }
    let known = tables[session, key]
    let table = known ?? SignatureTable(key)
    let isValid = table.isValid(signature.span.bytes, of: head.span.bytes, authorization.tail.span.bytes)
    if isValid, known == nil { tables.keep(table, of: session) }
    return isValid
  }

  private func isValid<Algorithm: SignatureAlgorithm>(
    _ signature: [UInt8], of authorization: ReceivedAuthorization, by key: PublicKey<Algorithm>
  ) -> Bool {
    isValid(signature, head: signedHead(authorization), tail: authorization.tail, by: key)
  }

  private func isValid<Algorithm: SignatureAlgorithm>(
    _ signature: [UInt8], head: [UInt8], tail: [UInt8], by key: PublicKey<Algorithm>
  ) -> Bool {
    key.isValid(signature, of: tail.isEmpty ? head : head + tail)
  }

  private func isValid(
    _ authenticator: [UInt8], of authorization: ReceivedAuthorization, by key: X25519.PublicKey,
    _ correlation: CorrelationID
  ) -> Bool {
    let known = agreedKeys[key]
    guard let box = known ?? (try? sessionKey.boxKey(with: key)) else { return false }
    var hash = IncrementalHash(.sha512)
    hash.update(signedHead(authorization))
    hash.update(authorization.tail)
    let digest = hash.finish()
    let isValid = box.isValid(authenticator.span.bytes, ofDigest: digest.span.bytes, nonce: correlation.nonce)
    if isValid, known == nil { agreedKeys.keep(box, for: key) }
    return isValid
  }

  /// The data that the key of a queue authorizes, up to the tail: with a service signature also the service, so that
  /// nobody else can take its place.
  private func signedHead(_ authorization: ReceivedAuthorization) -> [UInt8] {
    guard authorization.serviceSignature != nil, let service else { return authorization.head }
    return service.certificateHash + authorization.head
  }
}

/// A service as the relay knows it in a session.
public struct ServiceIdentity: Hashable, Sendable {
  /// The SHA-256 fingerprint of its long-term certificate.
  public let certificateHash: [UInt8]
  /// Its key of this session.
  public let sessionKey: Ed25519.PublicKey

  public init(certificateHash: [UInt8], sessionKey: Ed25519.PublicKey) {
    self.certificateHash = certificateHash
    self.sessionKey = sessionKey
  }
}

/// Keys whose private half was discarded; generated once at random.
private enum DummyKeys {
  static let ed25519 = keys.0
  static let ed448 = keys.1
  static let x25519 = keys.2

  private static let keys = {
    var random = SystemRandom()
    return (
      Ed25519.PrivateKey(using: &random).publicKey, Ed448.PrivateKey(using: &random).publicKey,
      X25519.PrivateKey(using: &random).publicKey
    )
  }()
}
