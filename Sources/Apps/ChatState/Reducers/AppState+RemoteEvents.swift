import ChatAPI

extension AppState {
  /// Events of sessions with desktops.
  mutating func reduceRemote(_ event: ChatEvent) -> [StateEffect]? {
    switch event {
    case .remoteCtrlFound(let remoteCtrl, let app, let version, let compatible):
      guard remoteCtrlSession?.discovery == true else { return [] }
      remoteCtrlSession = RemoteCtrlSession(
        ctrlAppInfo: app, appVersion: version,
        sessionState: .found(remoteCtrl: remoteCtrl, compatible: compatible))
    case .remoteCtrlSessionCode(let remoteCtrl, let code):
      remoteCtrlSession = remoteCtrlSession?.updateState(
        .pendingConfirmation(remoteCtrl_: remoteCtrl, sessionCode: code))
    case .remoteCtrlStopped(_, let reason):
      guard let session = remoteCtrlSession else { return [] }
      remoteCtrlSession = nil
      changes.insert(.remote)
      let effects: [StateEffect] = reason == .disconnected ? [] : [.remoteCtrlStopped(reason)]
      return session.active ? effects + [.switchToLocalSession] : effects
    case .newRemoteHost, .remoteHostSessionCode, .remoteHostConnected, .remoteHostStopped:
      return [.ignored(event)]
    default: return nil
    }
    changes.insert(.remote)
    return []
  }
}
