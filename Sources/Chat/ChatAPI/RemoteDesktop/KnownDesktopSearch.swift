/// How a phone looks for the desktops that it knows: what an app does by itself so that a session begins again after a
/// loss, or after a restart of either device.
///
/// A machine without input and output: its owner passes what the core says, and carries out the steps. It never acts
/// for a desktop that is not known, whose authority the core has checked before it tells of it, and it never searches
/// after ``end()``, until ``begin()``. Known desktops that the user connects to are verified as well.
public struct KnownDesktopSearch: Hashable, Sendable {
  /// What the user allows.
  public struct Settings: Hashable, Sendable {
    /// Whether desktops are looked for (`connectRemoteViaMulticast`).
    public var searches: Bool
    /// Whether one that is found is connected to (`connectRemoteViaMulticastAuto`).
    public var connects: Bool
    /// Whether the user compares the codes of known desktops (`confirmRemoteSessions`).
    public var comparesCodes: Bool

    /// Settings.
    public init(searches: Bool, connects: Bool, comparesCodes: Bool) {
      self.searches = searches
      self.connects = connects
      self.comparesCodes = comparesCodes
    }
  }

  /// What is to be done.
  public enum Step: Hashable, Sendable {
    /// Send a command, and pass its result to ``KnownDesktopSearch/finished(_:error:)``.
    case send(ChatCommand)
    /// Call ``KnownDesktopSearch/pauseIsOver()`` after this time, unless another step comes before.
    case pause(Duration)
  }

  private enum Phase: Hashable {
    case off
    case pausing
    case searching
    /// Until the end of a session that began by itself, or that the user begins.
    case session
  }

  /// The pause before a search where the last session or search ended as usual.
  static let shortPause = Duration.seconds(1)
  /// The pause where desktops cannot be looked for: there is no network, or the system does not permit it.
  static let longPause = Duration.seconds(60)

  /// What the user allows. A change is seen by the next step.
  public var settings: Settings
  private var phase = Phase.off
  /// Attempts to connect that failed, one after the other.
  private var failures = 0

  /// A search that has not begun.
  public init(_ settings: Settings) { self.settings = settings }

  /// Begins to search: the app is in the foreground, or the settings have changed.
  public mutating func begin() -> Step? {
    failures = 0
    return search()
  }

  /// Ends the search, with or without a session: the user stopped it, or the app leaves the foreground. A search that
  /// the core makes is ended by the command `stopRemoteCtrl`.
  public mutating func end() { phase = .off }

  /// Continues after a pause.
  public mutating func pauseIsOver() -> Step? { phase == .pausing ? search() : nil }

  private mutating func search() -> Step? {
    guard settings.searches else {
      phase = .off
      return nil
    }
    phase = .searching
    return .send(.findKnownRemoteCtrl)
  }

  /// Takes the result of a command of a step: nil for no error.
  public mutating func finished(_ command: ChatCommand, error: ChatError?) -> Step? {
    guard phase != .off else { return nil }
    switch (command, error) {
    case (.findKnownRemoteCtrl, nil): return nil
    // Until the user has had a session.
    case (.findKnownRemoteCtrl, .errorRemoteCtrl(.noKnownControllers)),
      (.findKnownRemoteCtrl, .errorRemoteCtrl(.busy)):
      phase = .session
      return nil
    case (.findKnownRemoteCtrl, _): return pause(Self.longPause)
    case (.confirmRemoteCtrl, nil):
      phase = .session
      return nil
    case (.verifyRemoteCtrlSession, nil):
      failures = 0
      return nil
    // The core's search goes on, or the end of the session is reported.
    default: return nil
    }
  }

  /// Takes an event of the core.
  public mutating func event(_ event: ChatEvent) -> Step? {
    switch event {
    case .remoteCtrlFound(let desktop, _, _, compatible: true) where phase == .searching && settings.connects:
      return .send(.confirmRemoteCtrl(remoteCtrlId: desktop.remoteCtrlId))
    case .remoteCtrlSessionCode(.some, let code) where !settings.comparesCodes:
      return .send(.verifyRemoteCtrlSession(sessionCode: code))
    case .remoteCtrlStopped(let state, let reason) where phase != .off:
      if case .connected = state { failures = 0 }
      switch reason {
      case .disconnected, .discoveryFailed: return pause(Self.shortPause)
      case .connectionFailed, .setupFailed:
        failures = min(failures + 1, 6)
        return pause(min(Self.shortPause * (1 << failures), Self.longPause))
      }
    default: return nil
    }
  }

  private mutating func pause(_ time: Duration) -> Step {
    phase = .pausing
    return .pause(time)
  }
}
