import ChatAPI

// Sessions in which a desktop uses the profile of this device.
extension ChatModel {
  /// Connects to a desktop by its link.
  public func connectRemoteCtrl(_ link: String) async throws(ChatError) {
    try await beginSession(.starting) { () throws(ChatError) in
      try await self.connecting(.connectRemoteCtrl(xrcpInvitation: link))
    }
  }

  /// Looks for the desktops that are known; those that are found are reported by events.
  public func findKnownRemoteCtrl() async throws(ChatError) {
    try await beginSession(.searching) { () throws(ChatError) in
      try await self.requestDone(.findKnownRemoteCtrl)
    }
  }

  /// Connects to a desktop that was found.
  public func confirmRemoteCtrl(_ id: Int64) async throws(ChatError) {
    try await connecting(.confirmRemoteCtrl(remoteCtrlId: id))
  }

  /// Completes the session: the user has compared the codes, or has entered that of the desktop. Another code ends the
  /// session.
  public func verifyRemoteCtrlSession(_ code: String) async throws(ChatError) {
    try await request(.verifyRemoteCtrlSession(sessionCode: code)) { (response: ChatResponse2) throws(ChatError) in
      guard case .remoteCtrlConnected(let desktop, _) = response else { throw response.unexpected }
      let shown = if case .connected(let code)? = desktop.sessionState { code } else { code }
      let session = self.remoteCtrlSession ?? RemoteCtrlSession(appVersion: "", sessionState: .starting)
      self.remoteCtrlSession = session.updateState(.connected(remoteCtrl: desktop, sessionCode: shown))
    }
  }

  /// Ends the session, or the search. No desktop is looked for until ``followKnownDesktops(_:)``.
  public func stopRemoteCtrl() async throws(ChatError) {
    stopFollowingDesktops()
    try await requestDone(.stopRemoteCtrl)
    let wasActive = activeRemoteCtrl
    remoteCtrlSession = nil
    if wasActive { onEffect(.switchToLocalSession) }
  }

  /// Forgets a desktop, which then needs a new link. Not possible during a session.
  public func deleteRemoteCtrl(_ id: Int64) async throws(ChatError) {
    try await requestDone(.deleteRemoteCtrl(remoteCtrlId: id))
  }

  /// The known desktops. A session that the model does not know of, because it is newer than the session, is shown from
  /// now on.
  @discardableResult
  public func listRemoteCtrls() async throws(ChatError) -> [RemoteCtrlInfo] {
    try await request(.listRemoteCtrls) { (response: ChatResponse2) throws(ChatError) in
      guard case .remoteCtrlList(let desktops) = response else { throw response.unexpected }
      self.update { $0.setDesktops(desktops) }
      return desktops
    }
  }

  // MARK: Known desktops

  /// Looks for known desktops, connects and verifies by itself, as far as the settings allow: a session that was lost
  /// begins again without a hand. Call it when the app comes to the foreground, and when the preferences have changed;
  /// ``KnownDesktopSearch/Settings/init(_:)`` reads them. Ends by ``stopRemoteCtrl()`` and ``stopFollowingDesktops()``.
  public func followKnownDesktops(_ settings: KnownDesktopSearch.Settings) {
    var search = KnownDesktopSearch(settings)
    let step = search.begin()
    desktopSearch = search
    update { $0.looksForDesktops = settings.searches }
    carryOut(step)
  }

  /// Ends looking for known desktops; a session goes on. Call it when the app leaves the foreground.
  public func stopFollowingDesktops() {
    desktopStep?.cancel()
    (desktopStep, desktopSearch) = (nil, nil)
    update { $0.looksForDesktops = false }
  }

  /// Carries out a step of the search, in the place of a pause.
  func carryOut(_ step: KnownDesktopSearch.Step?) {
    guard let step else { return }
    desktopStep?.cancel()
    desktopStep = Task { @MainActor [weak self, clock] in
      switch step {
      case .pause(let time):
        try? await clock.sleep(for: time)
        guard !Task.isCancelled else { return }
        self?.carryOut(self?.desktopSearch?.pauseIsOver())
      case .send(let command):
        let error = await self?.send(command)
        guard !Task.isCancelled else { return }
        self?.carryOut(self?.desktopSearch?.finished(command, error: error))
      }
    }
  }

  /// Sends a command of the search; returns its error.
  private func send(_ command: ChatCommand) async -> ChatError? {
    do throws(ChatError) {
      switch command {
      case .confirmRemoteCtrl(let id): try await confirmRemoteCtrl(id)
      case .verifyRemoteCtrlSession(let code): try await verifyRemoteCtrlSession(code)
      // A search without the user is not shown.
      default: try await requestDone(command)
      }
      return nil
    } catch {
      return error
    }
  }

  // MARK: Steps

  /// Begins a session in a state, which is taken back where the command fails.
  private func beginSession(
    _ state: UIRemoteCtrlSessionState, _ command: () async throws(ChatError) -> Void
  ) async throws(ChatError) {
    let former = remoteCtrlSession
    remoteCtrlSession = RemoteCtrlSession(appVersion: "", sessionState: state)
    do throws(ChatError) { try await command() } catch {
      remoteCtrlSession = former
      throw error
    }
  }

  private func connecting(_ command: ChatCommand) async throws(ChatError) {
    try await request(command) { (response: ChatResponse2) throws(ChatError) in
      guard case .remoteCtrlConnecting(let desktop, let app, let version) = response else { throw response.unexpected }
      self.remoteCtrlSession = RemoteCtrlSession(
        ctrlAppInfo: app, appVersion: version, sessionState: .connecting(remoteCtrl_: desktop))
    }
  }

  func requestDone(_ command: ChatCommand) async throws(ChatError) {
    try await request(command) { (response: ChatResponse2) throws(ChatError) in
      guard case .cmdOk = response else { throw response.unexpected }
    }
  }
}

extension KnownDesktopSearch.Settings {
  /// The preferences of the user: `connectRemoteViaMulticast`, `connectRemoteViaMulticastAuto`,
  /// `confirmRemoteSessions`.
  @MainActor
  public init(_ preferences: Preferences) {
    self.init(
      searches: preferences[AppDefaults.DEFAULT_CONNECT_REMOTE_VIA_MULTICAST],
      connects: preferences[AppDefaults.DEFAULT_CONNECT_REMOTE_VIA_MULTICAST_AUTO],
      comparesCodes: preferences[AppDefaults.DEFAULT_CONFIRM_REMOTE_SESSIONS])
  }
}
