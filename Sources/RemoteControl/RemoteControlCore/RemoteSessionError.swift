import RemoteControlProtocol

/// Errors of commands and sessions on either side. Source: the reference's types `RemoteCtrlError` and
/// `RemoteHostError`, and its `RCP` errors.
public enum RemoteSessionError: Error, Hashable, Sendable {
  /// There is no session of this host.
  case missing
  /// There is no session, or it is not complete.
  case inactive
  /// The session is not in the state that the command needs.
  case badState
  /// There is a session already.
  case busy
  /// The peer or the user did not act in time.
  case timeout
  /// No controller is known that could be found.
  case noKnownControllers
  /// The controller that the user confirmed is not one that was found.
  case badController
  /// The invitation's signatures or its application record are not valid.
  case badInvitation
  /// The peer's application, of this version, is too old or too new.
  case badVersion(AppVersion)
  /// An error of the protocol of frames.
  case protocolError(FrameError)
  /// An error of the connection.
  case control(RemoteControlError)
}

/// Why a connection ended, as its driver saw it.
public enum ConnectionFailure: Hashable, Sendable {
  /// The peer refused the certificate with the alert `unknown_ca`.
  case unknownAuthority
  /// The peer closed the connection.
  case ended
  /// An error of the network, or of TLS.
  case failed(String)

  /// The error to report.
  var error: RemoteSessionError {
    switch self {
    case .unknownAuthority: .control(.identity)
    case .ended: .control(.exception("connection closed"))
    case .failed(let text): .control(.exception(text))
    }
  }
}

/// The number of a connection or listener, unique in a session machine: inputs about ended ones are ignored.
public struct ConnectionNumber: Hashable, Sendable {
  /// The number.
  public let value: UInt64

  /// A number that the caller has not used before.
  public init(_ value: UInt64) { self.value = value }
}
