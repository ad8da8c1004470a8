import SimplexCrypto
import WireCodec

/// The datagram by which a controller announces itself to a known host in the local network: a signed invitation in a
/// box that only the key of the host's last session opens. Source: XRCP, "Session discovery"; always 985 bytes.
public struct Announcement: Hashable, Sendable {
  /// The size of the datagram in bytes.
  public static let size = 985
  /// The size in bytes to which the invitation is padded.
  public static let paddedSize = 900
  /// The group that datagrams are sent to.
  public static let group = "224.0.0.251"
  /// The port that datagrams are sent to.
  public static let port: UInt16 = 5227

  /// The controller's key of this session.
  public var controllerKey: X25519.PublicKey
  /// The nonce, another one for each datagram.
  public var nonce: BoxNonce
  /// The box, 916 bytes.
  public var box: [UInt8]

  /// A received announcement.
  public init(controllerKey: X25519.PublicKey, nonce: BoxNonce, box: [UInt8]) {
    self.controllerKey = controllerKey
    self.nonce = nonce
    self.box = box
  }

  /// An announcement of an invitation. `key` is the one between the invitation's key and the host's.
  /// - Throws: `messageTooLong` if the invitation has more than ``SignedInvitation/announcedLimit`` bytes.
  public init(_ invitation: SignedInvitation, key: BoxKey, nonce: BoxNonce) throws(CryptoError) {
    controllerKey = invitation.invitation.dhKey
    self.nonce = nonce
    box = try key.seal(Array(invitation.text.utf8), paddedTo: Self.paddedSize, nonce: nonce)
  }

  /// The key with a 1-byte length, the nonce and the box.
  public static let codec = Codec<Announcement>.record(
    Field("controllerKey", \.controllerKey, X25519.PublicKey.codec), Field("nonce", \.nonce, BoxNonce.codec),
    Field("box", \.box, .fixed(paddedSize + BoxKey.overhead)),
    build: { Announcement(controllerKey: $0, nonce: $1, box: $2) })

  /// The invitation in the box, if one of the host's keys opens it. Computes one shared secret for each key until one
  /// opens the box.
  /// - Throws: `controllerNotFound` if none does; `invitation` if the content is malformed, its signatures are not
  ///   valid, or it is of another session than the datagram.
  public func open(with keys: [X25519.PrivateKey]) throws(RemoteControlError) -> SignedInvitation {
    for key in keys {
      guard let boxKey = try? key.boxKey(with: controllerKey), let text = try? boxKey.openPadded(box, nonce: nonce)
      else { continue }
      guard let received = try? ReceivedInvitation.codec.decode(text), received.unverified.dhKey == controllerKey,
        let invitation = received.verified()
      else { throw .invitation }
      return invitation
    }
    throw .controllerNotFound
  }
}
