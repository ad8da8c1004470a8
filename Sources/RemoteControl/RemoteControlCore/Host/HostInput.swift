import RemoteControlProtocol
import SMPProtocol

/// The commands of the user on the host. Each is answered once.
public enum HostCommand: Hashable, Sendable {
  case connect, find, confirm, verify, stop
}

/// The inputs of a ``HostSession``.
public enum HostInput: Sendable {
  /// The user opened a link. `known` is the stored record of its controller, complete or not; `credentials` are new
  /// ones, for a controller that is not known.
  case connect(ReceivedInvitation, known: HostPairing?, credentials: RemoteCredentials)
  /// The user wants to find one of the known controllers: all stored records.
  case find([HostPairing])
  /// The user confirmed the controller that was found.
  case confirm(CertificateFingerprint)
  /// The user entered or confirmed the session code.
  case verify(String)
  /// The user stopped the session, or the application is suspended.
  case stop
  /// A datagram arrived from an address.
  case datagram([UInt8], from: IPv4Address)
  /// The TLS handshake is complete. The fingerprint is that of the controller's authority.
  case connected(ConnectionNumber, SessionID, controller: CertificateFingerprint)
  /// A block of the handshake arrived, 16,384 bytes.
  case block(ConnectionNumber, [UInt8])
  /// The controller began a request.
  case request(ConnectionNumber)
  /// The connection could not be made, or ended.
  case closed(ConnectionNumber, ConnectionFailure)
  /// The time of ``HostSession/deadline`` has come.
  case time
}

/// The effects of a ``HostSession``, to be executed in order. Records to store are committed before any other effect
/// of the same step is executed.
public enum HostEffect: Sendable {
  /// Join the group of announcements, and pass datagrams on.
  case listen
  /// Leave the group.
  case stopListening
  /// Connect to the host and port of the invitation, whose listener has the invitation's authority.
  case connect(ConnectionNumber, RemoteInvitation, RemoteCredentials)
  /// Insert or replace the record of a controller.
  case store(HostPairing)
  /// Send a block of the handshake.
  case send(ConnectionNumber, [UInt8])
  /// Serve requests over HTTP/2 on the connection.
  case serve(ConnectionNumber, FrameCipher)
  /// Close the connection; nothing if it is closed.
  case close(ConnectionNumber)
  /// Answer the user's command.
  case answer(HostCommand, Result<HostAnswer, RemoteSessionError>)
  /// Report an event to the user.
  case report(HostEvent)
}

/// The answers to commands on the host.
public enum HostAnswer: Sendable {
  /// The connection is being made: the record if the controller is known, the controller's application, and the version
  /// that both use.
  case connecting(HostPairing?, ControllerAppInfo, AppVersion)
  /// The search began.
  case searching
  /// The session is complete, and compresses or not.
  case connected(HostPairing, isCompressing: Bool)
  /// There is no session any more.
  case stopped
}

/// The events of a session on the host.
public enum HostEvent: Sendable {
  /// A known controller announced itself. The application record is nil where it is malformed; `isCompatible` is
  /// whether its versions have one in common with the host's.
  case found(HostPairing, ControllerAppInfo?, isCompatible: Bool)
  /// The controller that was found could not be connected to, and the search goes on: the announcement was an old one,
  /// or the port is not reachable.
  case attemptFailed(HostPairing, RemoteSessionError)
  /// The code for the user to compare; the record if the controller is known.
  case sessionCode(HostPairing?, SessionCode)
  /// The session ended in this state.
  case stopped(HostSessionState, HostStopReason)
}

/// The states of a session on the host that users see. Source: the reference's type `RemoteCtrlSessionState`.
public enum HostSessionState: Hashable, Sendable {
  case starting
  case searching
  case connecting
  case pendingConfirmation(SessionCode)
  case connected(SessionCode)
}

/// The reason for the end of a session on the host. Source: the reference's type `RemoteCtrlStopReason`.
public enum HostStopReason: Hashable, Sendable {
  /// No controller was found.
  case discoveryFailed(RemoteSessionError)
  /// The connection was not made.
  case connectionFailed(RemoteSessionError)
  /// The handshake failed.
  case setupFailed(RemoteSessionError)
  /// The controller is gone.
  case disconnected
}

/// The settings of the host's device.
public struct HostSettings: Hashable, Sendable {
  /// The versions of controllers' applications that the host works with; the highest is its own.
  public var versions: AppVersions
  /// The host's name for users.
  public var deviceName: String
  /// The spelling of sums in its JSON.
  public var encoding: HostAppInfo.Encoding
  /// Whether files are encrypted in its storage.
  public var encryptsFiles: Bool
  /// Whether frames may be compressed.
  public var compresses: Bool

  /// Settings of a device.
  public init(
    versions: AppVersions, deviceName: String, encoding: HostAppInfo.Encoding, encryptsFiles: Bool, compresses: Bool
  ) {
    self.versions = versions
    self.deviceName = deviceName
    self.encoding = encoding
    self.encryptsFiles = encryptsFiles
    self.compresses = compresses
  }
}
