import SMPProtocol
import WireCodec

/// Versions of the notification protocol, named after what each of them added. Source: push-notifications.md, "NTF
/// protocol".
public enum NotificationVersion {
  /// The versions that servers and clients of this project support.
  public static let supported = VersionRange(1...3)
  /// The only version of a connection that negotiated no application protocol.
  public static let legacy = VersionRange(1)

  /// Batches of transmissions, X25519 authenticators, and a session identifier that is not sent.
  public static let batches: UInt16 = 2
  /// The reason why a token is invalid.
  public static let invalidReason: UInt16 = 3
}

/// Constants of connections to notification servers.
public enum NotificationTransport {
  /// The size of a block in bytes.
  public static let blockSize = 512
  /// The name of the application protocol (ALPN).
  public static let applicationProtocol = "ntf/1"
}

extension TransmissionForm {
  /// The form of transmissions to and from a notification server.
  public static func notifications(version: UInt16) -> TransmissionForm {
    let isBatched = version >= NotificationVersion.batches
    return TransmissionForm(
      blockSize: NotificationTransport.blockSize, isBatched: isBatched, impliesSessionID: isBatched,
      hasServiceSignatures: false)
  }
}

extension SessionContext {
  /// A session with a notification server.
  public static func notifications(version: UInt16, sessionID: SessionID) -> SessionContext {
    SessionContext(version: version, sessionID: sessionID, form: .notifications(version: version))
  }
}
