import RemoteControlProtocol
import SMPProtocol

/// The commands of the user on the controller. Each is answered once.
public enum ControllerCommand: Hashable, Sendable {
  case start, stop
}

/// A session that the user starts.
public struct ControllerStart: Sendable {
  /// The record of the host, or that of a new one.
  public var pairing: ControllerPairing
  /// Whether to announce the session in the local network, which is possible for known hosts only.
  public var announces: Bool
  /// The port that the user chose now; nil for the one chosen for the host before, or any.
  public var port: UInt16?
  /// The port of the session that is lost, on which the host is looked for again.
  var lastPort: UInt16?
  /// Whether to look for the host again when it was lost.
  public var reconnects: Bool

  /// The parameters of a session.
  public init(pairing: ControllerPairing, announces: Bool, port: UInt16? = nil, reconnects: Bool) {
    self.pairing = pairing
    self.announces = announces
    self.port = port
    self.reconnects = reconnects
  }
}

/// The inputs of a ``ControllerSession``.
public enum ControllerInput: Sendable {
  /// The user starts a session.
  case start(ControllerStart)
  /// The user stops the session, or the application ends.
  case stop
  /// The listener has a port; `host` is the address for the invitation.
  case listening(ConnectionNumber, host: TransportHost, port: UInt16)
  /// The listener could not be started: `noLocalAddress`, `tlsStartFailed`.
  case listenFailed(ConnectionNumber, RemoteControlError)
  /// The address of the device has changed.
  case addressChanged(TransportHost)
  /// A TLS handshake is complete. The number is one that the driver has not used before; the fingerprint is that of the
  /// host's authority, which ``ControllerSession/accepts(_:)`` has accepted.
  case connected(ConnectionNumber, SessionID, host: CertificateFingerprint)
  /// A block of the handshake arrived, 16,384 bytes.
  case block(ConnectionNumber, [UInt8])
  /// HTTP/2 runs on the connection.
  case attached(ConnectionNumber)
  /// A request for events was sent.
  case polled(ConnectionNumber)
  /// The host answered a request for events.
  case answered(ConnectionNumber)
  /// The connection ended.
  case closed(ConnectionNumber, ConnectionFailure)
  /// The time of ``ControllerSession/deadline`` has come.
  case time
}

/// The effects of a ``ControllerSession``, to be executed in order. Records to store are committed before any other
/// effect of the same step is executed.
public enum ControllerEffect: Sendable {
  /// Start a listener with a new certificate of the authority, on this port or any; the listener asks
  /// ``ControllerSession/accepts(_:)`` during each handshake.
  case listen(ConnectionNumber, port: UInt16?, RemoteCredentials)
  /// Stop the listener; its connections stay.
  case stopListening(ConnectionNumber)
  /// Send a datagram to the group, on every interface.
  case announce([UInt8])
  /// Insert or replace the record of the host.
  case store(ControllerPairing)
  /// Send a block of the handshake.
  case send(ConnectionNumber, [UInt8])
  /// Run HTTP/2 on the connection, as its client.
  case attach(ConnectionNumber, FrameCipher, HostAppInfo)
  /// Close the connection after what was sent; nothing if it is closed.
  case close(ConnectionNumber)
  /// Answer the user's command.
  case answer(ControllerCommand, Result<ControllerAnswer, RemoteSessionError>)
  /// Report an event to the user.
  case report(ControllerEvent)
}

/// The answers to commands on the controller.
public enum ControllerAnswer: Sendable {
  /// The listener waits for the host, which needs this invitation.
  case started(SignedInvitation)
  /// There is no session any more.
  case stopped
}

/// The events of a session on the controller.
public enum ControllerEvent: Sendable {
  /// The code for the user to compare; the record if the host is known.
  case sessionCode(ControllerPairing?, SessionCode)
  /// A new host was stored.
  case newHost(ControllerPairing)
  /// The session is complete, and compresses or not.
  case connected(ControllerPairing, isCompressing: Bool)
  /// The session ended in this state. `isReconnecting` is whether the host is looked for: the events of another session
  /// follow when it has come.
  case stopped(ControllerSessionState, ControllerStopReason, isReconnecting: Bool)
}

/// The states of a session on the controller that users see. Source: the reference's type `RemoteHostSessionState`.
public enum ControllerSessionState: Hashable, Sendable {
  case starting
  case connecting(SignedInvitation)
  case pendingConfirmation(SessionCode)
  case confirmed(SessionCode)
  case connected(SessionCode)
}

/// The reason for the end of a session on the controller. Source: the reference's type `RemoteHostStopReason`.
public enum ControllerStopReason: Hashable, Sendable {
  /// The listener was not started.
  case connectionFailed(RemoteSessionError)
  /// The host did not complete the handshake.
  case crashed(RemoteSessionError)
  /// The host is gone.
  case disconnected
}

/// The settings of the controller's device.
public struct ControllerSettings: Hashable, Sendable {
  /// The versions of hosts' applications that the controller works with; the highest is its own.
  public var versions: AppVersions
  /// The controller's name for users.
  public var deviceName: String
  /// Whether frames may be compressed.
  public var compresses: Bool

  /// Settings of a device.
  public init(versions: AppVersions, deviceName: String, compresses: Bool) {
    self.versions = versions
    self.deviceName = deviceName
    self.compresses = compresses
  }
}
