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

  /// The code to compare with the desktop's.
  public var sessionCode: String? {
    switch sessionState {
    case .pendingConfirmation(_, let sessionCode), .connected(_, let sessionCode): sessionCode
    default: nil
    }
  }
}
