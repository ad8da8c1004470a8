import ChatAPI

extension AppState {
  /// Events of sessions with desktops.
  mutating func reduceRemote(_ event: ChatEvent) -> [StateEffect]? {
    switch event {
    case .remoteCtrlFound(let remoteCtrl, let app, let version, let compatible):
      // One that is looked for without the user is shown when it is found.
      guard remoteCtrlSession?.discovery == true || looksForDesktops && remoteCtrlSession == nil else { return [] }
      remoteCtrlSession = RemoteCtrlSession(
        ctrlAppInfo: app, appVersion: version,
        sessionState: .found(remoteCtrl: remoteCtrl, compatible: compatible))
    case .remoteCtrlSessionCode(let remoteCtrl, let code):
      remoteCtrlSession = remoteCtrlSession?.updateState(
        .pendingConfirmation(remoteCtrl_: remoteCtrl ?? remoteCtrlSession?.desktop, sessionCode: code))
    case .remoteCtrlStopped(_, let reason):
      guard let session = remoteCtrlSession else { return [] }
      remoteCtrlSession = nil
      changes.insert(.remote)
      let effects: [StateEffect] = reason == .disconnected ? [] : [.remoteCtrlStopped(reason)]
      return session.active ? effects + [.switchToLocalSession] : effects
    case .newRemoteHost, .remoteHostSessionCode, .remoteHostConnected, .remoteHostStopped:
      changes.insert(.remote)
      return reduceRemoteHost(event)
    default: return nil
    }
    changes.insert(.remote)
    return []
  }

  /// Events of sessions with mobile devices.
  private mutating func reduceRemoteHost(_ event: ChatEvent) -> [StateEffect] {
    switch event {
    case .newRemoteHost(let host):
      remoteHosts.put(host)
      if remoteHosts.pairing?.host == nil { remoteHosts.pairing?.host = host }
      if let state = host.sessionState { remoteHosts.pairing?.sessionState = state }
      return []
    case .remoteHostSessionCode(let host, let code):
      let state = RemoteHostSessionState.pendingConfirmation(sessionCode: code)
      if let host { remoteHosts.put(host) }
      remoteHosts.setState(state, of: host?.remoteHostId)
      var pairing = remoteHosts.pairing ?? RemoteHostPairing(sessionState: state)
      if pairing.host?.remoteHostId != host?.remoteHostId { pairing = RemoteHostPairing(sessionState: state) }
      (pairing.host, pairing.sessionState) = (host, state)
      remoteHosts.pairing = pairing
      return []
    case .remoteHostConnected(let host, _):
      remoteHosts.put(host)
      if remoteHosts.pairing?.host?.remoteHostId == host.remoteHostId { remoteHosts.pairing = nil }
      remoteHosts.currentId = host.remoteHostId
      return [.switchToRemoteHost(host.remoteHostId)]
    case .remoteHostStopped(let id, _, let reason):
      let host = remoteHosts.hosts.first { $0.remoteHostId == id }
      let wasCurrent = remoteHosts.end(id)
      let effects: [StateEffect] = reason == .disconnected ? [] : [.remoteHostStopped(host, reason)]
      return effects + (wasCurrent ? [.switchToLocalSession] : [])
    default: return []
    }
  }

  /// Takes the list of known desktops, where one may have a session that the state does not know.
  mutating func setDesktops(_ desktops: [RemoteCtrlInfo]) {
    for desktop in desktops {
      guard let state = desktop.sessionState, remoteCtrlSession == nil else { continue }
      remoteCtrlSession = RemoteCtrlSession(
        ctrlAppInfo: nil, appVersion: "", sessionState: UIRemoteCtrlSessionState(state, of: desktop))
      changes.insert(.remote)
    }
  }
}
