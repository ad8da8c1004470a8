import ChatAPI
import Testing

/// What a phone does by itself to connect to a desktop that it knows.
@Suite struct KnownDesktopSearchTests {
  private static let everything = KnownDesktopSearch.Settings(searches: true, connects: true, comparesCodes: false)
  private static let desktop = RemoteCtrlInfo(remoteCtrlId: 3, ctrlDeviceName: "desk", sessionState: .searching)
  private static let found = ChatEvent.remoteCtrlFound(
    remoteCtrl: desktop, ctrlAppInfo_: nil, appVersion: "7.0.0.6", compatible: true)
  private static let code = ChatEvent.remoteCtrlSessionCode(remoteCtrl_: desktop, sessionCode: "12345")

  private static func stopped(_ reason: RemoteCtrlStopReason, in state: RemoteCtrlSessionState) -> ChatEvent {
    .remoteCtrlStopped(rcsState: state, rcStopReason: reason)
  }

  private static let lost = stopped(.disconnected, in: .connected(sessionCode: "12345"))
  private static let failed = stopped(
    .connectionFailed(chatError: .errorRemoteCtrl(remoteCtrlError: .timeout)), in: .connecting)

  /// A search that has begun in the core.
  private func searching(_ settings: KnownDesktopSearch.Settings) -> KnownDesktopSearch {
    var search = KnownDesktopSearch(settings)
    #expect(search.begin() == .send(.findKnownRemoteCtrl))
    #expect(search.finished(.findKnownRemoteCtrl, error: nil) == nil)
    return search
  }

  @Test func aDesktopIsConnectedAndVerifiedAgainAndAgain() {
    var search = searching(Self.everything)
    for _ in 0..<3 {
      #expect(search.event(Self.found) == .send(.confirmRemoteCtrl(remoteCtrlId: 3)))
      #expect(search.finished(.confirmRemoteCtrl(remoteCtrlId: 3), error: nil) == nil)
      #expect(search.event(Self.code) == .send(.verifyRemoteCtrlSession(sessionCode: "12345")))
      #expect(search.finished(.verifyRemoteCtrlSession(sessionCode: "12345"), error: nil) == nil)
      #expect(search.pauseIsOver() == nil)
      #expect(search.event(Self.lost) == .pause(.seconds(1)))
      #expect(search.pauseIsOver() == .send(.findKnownRemoteCtrl))
    }
  }

  @Test func theUserDecidesWhatTheSettingsLeave() {
    var asks = searching(.init(searches: true, connects: false, comparesCodes: true))
    #expect(asks.event(Self.found) == nil)
    #expect(asks.event(Self.code) == nil)
    var off = KnownDesktopSearch(.init(searches: false, connects: true, comparesCodes: false))
    #expect(off.begin() == nil)
    #expect(off.event(Self.lost) == nil)
    #expect(off.event(Self.found) == nil)
  }

  @Test func neverForADesktopThatIsNotKnownOrNotCompatible() {
    var search = searching(Self.everything)
    #expect(search.event(.remoteCtrlSessionCode(remoteCtrl_: nil, sessionCode: "12345")) == nil)
    #expect(
      search.event(
        .remoteCtrlFound(remoteCtrl: Self.desktop, ctrlAppInfo_: nil, appVersion: "1", compatible: false)) == nil)
  }

  @Test func failuresMakePausesLonger() {
    var search = searching(Self.everything)
    var pauses: [Duration] = []
    for _ in 0..<8 {
      guard case .pause(let time)? = search.event(Self.failed) else { break }
      pauses.append(time)
      #expect(search.pauseIsOver() == .send(.findKnownRemoteCtrl))
    }
    #expect(pauses == [2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    #expect(search.event(Self.lost) == .pause(.seconds(1)))
  }

  @Test func nothingIsSearchedWhereItCannotBe() {
    var search = KnownDesktopSearch(Self.everything)
    _ = search.begin()
    let none = ChatError.errorRemoteCtrl(remoteCtrlError: .noKnownControllers)
    #expect(search.finished(.findKnownRemoteCtrl, error: none) == nil)
    #expect(search.pauseIsOver() == nil)
    // Of a session that the user began by a link.
    #expect(search.event(Self.lost) == .pause(.seconds(1)))
    #expect(search.pauseIsOver() == .send(.findKnownRemoteCtrl))
    let forbidden = ChatError.errorAgent(agentError: .RCP(rcpErr: .exception(exception: "not permitted")))
    #expect(search.finished(.findKnownRemoteCtrl, error: forbidden) == .pause(.seconds(60)))
    #expect(search.pauseIsOver() == .send(.findKnownRemoteCtrl))
    // The user's own session: nothing until it ends.
    #expect(search.finished(.findKnownRemoteCtrl, error: .errorRemoteCtrl(remoteCtrlError: .busy)) == nil)
    #expect(search.pauseIsOver() == nil)
    #expect(search.event(Self.lost) == .pause(.seconds(1)))
  }

  @Test func theUserEndsIt() {
    var search = searching(Self.everything)
    search.end()
    #expect(search.event(Self.found) == nil)
    #expect(search.event(Self.lost) == nil)
    #expect(search.pauseIsOver() == nil)
    #expect(search.begin() == .send(.findKnownRemoteCtrl))
  }
}
