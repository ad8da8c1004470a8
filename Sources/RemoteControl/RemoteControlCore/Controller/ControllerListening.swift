import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto

/// The keys of one session of a controller.
struct ControllerKeys: Sendable {
  let session: Ed25519.PrivateKey
  let dh: X25519.PrivateKey

  init(using random: inout some RandomSource) {
    session = Ed25519.PrivateKey(using: &random)
    dh = X25519.PrivateKey(using: &random)
  }
}

/// A listener that waits for a host: its invitation, the announcements, and the connections without HELLO.
struct ControllerListening: Sendable {
  /// A connection whose HELLO is awaited.
  struct Waiting: Sendable {
    var connection: ConnectionNumber
    var session: SessionID
    var host: CertificateFingerprint
    var deadline: Int64
  }

  let start: ControllerStart
  let listener: ConnectionNumber
  /// Whether the host was lost and is looked for; users see no session then.
  let isReconnecting: Bool
  var host: TransportHost
  let port: UInt16
  private(set) var keys: ControllerKeys
  private(set) var invitation: SignedInvitation
  var schedule: AnnouncementSchedule?
  /// The time at which the session ends if no connection is waiting; nil for never.
  let deadline: Int64?
  /// The connections, the newest last.
  var waiting: [Waiting] = []
  /// The keys of the boxes of announcements, for each key that the host may have.
  private var announcementKeys: [BoxKey] = []

  init(
    _ start: ControllerStart, listener: ConnectionNumber, isReconnecting: Bool, host: TransportHost, port: UInt16,
    settings: ControllerSettings, at now: ClockReading, random: inout some RandomSource
  ) {
    self.start = start
    self.listener = listener
    self.isReconnecting = isReconnecting
    self.host = host
    self.port = port
    keys = ControllerKeys(using: &random)
    invitation = keys.invitation(start.pairing, host: host, port: port, settings: settings, at: now)
    deadline = isReconnecting ? nil : now.milliseconds + ControllerSession.Times.connection
    if start.announces || isReconnecting {
      schedule = AnnouncementSchedule(at: now.milliseconds, repeats: isReconnecting)
    }
    announcementKeys = agreedKeys()
  }

  /// The time of the next announcement. Another burst waits until no connection could use the keys of the last one.
  var nextAnnouncement: Int64? {
    guard let schedule, waiting.isEmpty || !schedule.isNewBurst else { return nil }
    return schedule.next
  }

  /// The time at which something is due; nil for never.
  var nextDeadline: Int64? {
    let end = waiting.isEmpty ? deadline : waiting.map(\.deadline).min()
    return [end, nextAnnouncement].compactMap { $0 }.min()
  }

  /// Makes an invitation with new keys. Hosts that have the former one cannot complete a handshake any more.
  mutating func renew(settings: ControllerSettings, at now: ClockReading, random: inout some RandomSource) {
    keys = ControllerKeys(using: &random)
    invite(settings: settings, at: now)
    announcementKeys = agreedKeys()
  }

  /// Makes an invitation with the same keys and the present address.
  mutating func invite(settings: ControllerSettings, at now: ClockReading) {
    invitation = keys.invitation(start.pairing, host: host, port: port, settings: settings, at: now)
  }

  /// The datagrams of one announcement; none if the invitation is too long.
  func datagrams(random: inout some RandomSource) -> [[UInt8]] {
    announcementKeys.compactMap { key in
      guard let announcement = try? Announcement(invitation, key: key, nonce: BoxNonce(using: &random)) else {
        return nil
      }
      return try? Announcement.codec.encode(announcement)
    }
  }

  private func agreedKeys() -> [BoxKey] {
    (start.pairing.host?.announcementKeys ?? []).compactMap { try? keys.dh.boxKey(with: $0) }
  }
}

extension ControllerKeys {
  /// The signed invitation of a session with these keys.
  fileprivate func invitation(
    _ pairing: ControllerPairing, host: TransportHost, port: UInt16, settings: ControllerSettings,
    at now: ClockReading
  ) -> SignedInvitation {
    var invitation = RemoteInvitation(
      controller: pairing.fingerprint, host: host, port: port, app: "{}", timestamp: now.unixSeconds,
      sessionKey: session.publicKey, identityKey: pairing.identityKey.publicKey, dhKey: dh.publicKey)
    invitation.setApp(
      ControllerAppInfo(
        versions: settings.versions, deviceName: settings.deviceName, compresses: settings.compresses))
    return invitation.signed(sessionKey: session, identityKey: pairing.identityKey)
  }
}
