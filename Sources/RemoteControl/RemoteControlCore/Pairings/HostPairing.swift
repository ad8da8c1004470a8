import RemoteControlProtocol
import SimplexCrypto

/// The host's record of a controller, identified by the controller's fingerprint.
///
/// The controller announces itself in a box for the key of the host's last session. It learns that key with the host's
/// HELLO, so the host stores the key as pending before it sends HELLO, and offers the same one until a session is
/// complete: whichever side is killed at whatever point, one of at most three keys opens the next announcement.
public struct HostPairing: Sendable, Equatable {
  /// The host's certificate authority for this controller.
  public let credentials: RemoteCredentials
  /// The controller's certificate authority.
  public let controller: CertificateFingerprint
  /// The controller's key that signs in all sessions.
  public let identityKey: Ed25519.PublicKey
  /// The controller's name for users.
  public var controllerName: String
  /// The key of the last complete session; nil before the first.
  public private(set) var currentKey: X25519.PrivateKey?
  /// The key of the complete session before that one.
  public private(set) var previousKey: X25519.PrivateKey?
  /// The key that was offered in a session that is not complete.
  public private(set) var pendingKey: X25519.PrivateKey?

  /// A stored record.
  public init(
    credentials: RemoteCredentials, controller: CertificateFingerprint, identityKey: Ed25519.PublicKey,
    controllerName: String, currentKey: X25519.PrivateKey?, previousKey: X25519.PrivateKey?,
    pendingKey: X25519.PrivateKey?
  ) {
    self.credentials = credentials
    self.controller = controller
    self.identityKey = identityKey
    self.controllerName = controllerName
    self.currentKey = currentKey
    self.previousKey = previousKey
    self.pendingKey = pendingKey
  }

  /// The record of a controller that invites for the first time.
  init(credentials: RemoteCredentials, invitation: RemoteInvitation, controllerName: String) {
    self.init(
      credentials: credentials, controller: invitation.controller, identityKey: invitation.identityKey,
      controllerName: controllerName, currentKey: nil, previousKey: nil, pendingKey: nil)
  }

  /// Whether a session was complete. Records of which none was are stored, but not shown to users.
  public var isComplete: Bool { currentKey != nil }

  /// The keys for which the controller may have encrypted an announcement, at most three.
  public var announcementKeys: [X25519.PrivateKey] { [currentKey, previousKey, pendingKey].compactMap { $0 } }

  /// The key to offer in the next HELLO, which becomes or is the pending one. The record has to be stored before HELLO
  /// is sent.
  mutating func offerKey(using random: inout some RandomSource) -> X25519.PrivateKey {
    if let pendingKey { return pendingKey }
    let key = X25519.PrivateKey(using: &random)
    pendingKey = key
    return key
  }

  /// Makes the pending key the current one: the controller has accepted it.
  mutating func complete() {
    guard let pendingKey else { return }
    previousKey = currentKey
    currentKey = pendingKey
    self.pendingKey = nil
  }
}
