import SimplexCrypto
import WireCodec

/// The signatures of a request by the session key and the identity key of the controller: 130 bytes.
///
/// The session key signs the SHA-512 digest of head and box, the identity key that of the same and the first signature.
public struct FrameSignatures: Hashable, Sendable {
  /// The size in bytes.
  public static let size = 2 * (1 + 64)

  /// The signature by the session key.
  public var session: [UInt8]
  /// The signature by the identity key.
  public var identity: [UInt8]

  /// Received signatures.
  public init(session: [UInt8], identity: [UInt8]) {
    self.session = session
    self.identity = identity
  }

  /// Signs a head and its box.
  public init(
    of head: FrameHead, box: [UInt8], sessionKey: Ed25519.PrivateKey, identityKey: Ed25519.PrivateKey
  ) {
    session = sessionKey.signature(of: Self.digest(head, box))
    identity = identityKey.signature(of: Self.digest(head, box, first: session))
  }

  /// Whether both keys signed the head and its box.
  public func areValid(
    of head: FrameHead, box: [UInt8], sessionKey: Ed25519.PublicKey, identityKey: Ed25519.PublicKey
  ) -> Bool {
    sessionKey.isValid(session, of: Self.digest(head, box))
      && identityKey.isValid(identity, of: Self.digest(head, box, first: session))
  }

  /// Both signatures with a 1-byte length each.
  public static let codec = Codec<FrameSignatures>.record(
    Field("session", \.session, signature), Field("identity", \.identity, signature),
    build: { FrameSignatures(session: $0, identity: $1) })

  private static let signature = Codec<[UInt8]>.short.validated("a signature of 64 bytes") {
    $0.count == Ed25519.signatureSize
  }

  private static func digest(_ head: FrameHead, _ box: [UInt8], first signature: [UInt8] = []) -> [UInt8] {
    var hash = IncrementalHash(.sha512)
    hash.update(head.bytes)
    hash.update(box)
    hash.update(signature)
    return hash.finish()
  }
}
