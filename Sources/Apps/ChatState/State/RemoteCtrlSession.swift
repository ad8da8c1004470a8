import ChatAPI

/// How far a session with a desktop is.
public enum UIRemoteCtrlSessionState: Hashable, Sendable {
  case starting
  case searching
  case found(remoteCtrl: RemoteCtrlInfo, compatible: Bool)
  case connecting(remoteCtrl_: RemoteCtrlInfo?)
  case pendingConfirmation(remoteCtrl_: RemoteCtrlInfo?, sessionCode: String)
  case connected(remoteCtrl: RemoteCtrlInfo, sessionCode: String)
}

extension UIRemoteCtrlSessionState {
  /// The state of a session as the core tells it, with a desktop that is known.
  public init(_ state: RemoteCtrlSessionState, of desktop: RemoteCtrlInfo) {
    self =
      switch state {
      case .starting: .starting
      case .searching: .searching
      case .connecting: .connecting(remoteCtrl_: desktop)
      case .pendingConfirmation(let code): .pendingConfirmation(remoteCtrl_: desktop, sessionCode: code)
      case .connected(let code): .connected(remoteCtrl: desktop, sessionCode: code)
      }
  }
}

/// A session in which a desktop uses this device's profile.
public struct RemoteCtrlSession: Hashable, Sendable {
  /// The app on the desktop.
  public var ctrlAppInfo: CtrlAppInfo?
  /// Its version.
  public var appVersion: String
  /// How far it is.
  public var sessionState: UIRemoteCtrlSessionState

  /// A session.
  public init(ctrlAppInfo: CtrlAppInfo? = nil, appVersion: String, sessionState: UIRemoteCtrlSessionState) {
    self.ctrlAppInfo = ctrlAppInfo
    self.appVersion = appVersion
    self.sessionState = sessionState
  }

  /// The session at another point.
  public func updateState(_ state: UIRemoteCtrlSessionState) -> RemoteCtrlSession {
    RemoteCtrlSession(ctrlAppInfo: ctrlAppInfo, appVersion: appVersion, sessionState: state)
  }

  /// Whether the desktop is connected.
  public var active: Bool { if case .connected = sessionState { true } else { false } }
  /// Whether desktops are being looked for.
  public var discovery: Bool { if case .searching = sessionState { true } else { false } }

  /// The desktop; nil while searching, and for one that is not known yet.
  public var desktop: RemoteCtrlInfo? {
    switch sessionState {
    case .starting, .searching: nil
    case .found(let desktop, _), .connected(let desktop, _): desktop
    case .connecting(let desktop), .pendingConfirmation(let desktop, _): desktop
    }
  }

  /// The code to compare with the desktop's.
  public var sessionCode: String? {
    switch sessionState {
    case .pendingConfirmation(_, let sessionCode), .connected(_, let sessionCode): sessionCode
    default: nil
    }
  }
}
