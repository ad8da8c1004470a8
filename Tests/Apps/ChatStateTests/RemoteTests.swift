import ChatAPI
import ChatStateTesting
import Foundation
import Synchronization
import Testing

@testable import ChatState

/// A core whose answers the test gives.
private final class ScriptedCore: ChatCore {
  private let answer: @Sendable (ChatCommand) -> APIResult<ChatResponse>
  private let sent = Mutex<[ChatCommand]>([])
  private let stream: AsyncStream<ChatOutput>
  private let sink: AsyncStream<ChatOutput>.Continuation

  init(_ answer: @escaping @Sendable (ChatCommand) -> APIResult<ChatResponse>) {
    self.answer = answer
    (stream, sink) = AsyncStream.makeStream()
  }

  /// The commands so far.
  var commands: [ChatCommand] { sent.withLock { $0 } }

  func emit(_ event: ChatEvent) { sink.yield(.event(.result(event))) }

  func send<R: ChatAPIResult>(_ command: ChatCommand) async -> APIResult<R> {
    sent.withLock { $0.append(command) }
    return answer(command).narrowed()
  }

  func post(_ command: ChatCommand, as number: UInt64) async {
    sent.withLock { $0.append(command) }
    sink.yield(.response(number, answer(command)))
  }

  func nextOutput() async -> ChatOutput? {
    for await output in stream { return output }
    return nil
  }

  func closeStore() async throws(ChatError) {}
  func reopenStore() async throws(ChatError) {}
}

/// Sessions with desktops and with mobile devices.
@Suite @MainActor struct RemoteTests {
  nonisolated private static let app = CtrlAppInfo(
    appVersionRange: AppVersionRange(minVersion: "6.5.0.12", maxVersion: "7.0.0.6"), deviceName: "desk")
  nonisolated private static let done = APIResult<ChatResponse>.done

  nonisolated private static func desktop(_ state: RemoteCtrlSessionState? = nil) -> RemoteCtrlInfo {
    RemoteCtrlInfo(remoteCtrlId: 1, ctrlDeviceName: "desk", sessionState: state)
  }

  nonisolated private static func phone(_ state: RemoteHostSessionState? = nil) -> RemoteHostInfo {
    RemoteHostInfo(
      remoteHostId: 4, hostDeviceName: "phone", storePath: "folder", bindAddress_: nil, bindPort_: nil,
      sessionState: state)
  }

  private func makeModel(
    _ answer: @escaping @Sendable (ChatCommand) -> APIResult<ChatResponse>
  ) -> (ChatModel, ScriptedCore) {
    let core = ScriptedCore(answer)
    let model = ChatModel()
    model.core = core
    model.receiveEvents()
    return (model, core)
  }

  /// A core that knows a desktop, and accepts everything.
  private func phoneModel() -> (ChatModel, ScriptedCore) {
    makeModel { command in
      switch command {
      case .connectRemoteCtrl:
        .result(.response2(.remoteCtrlConnecting(remoteCtrl_: nil, ctrlAppInfo: Self.app, appVersion: "7.0.0.6")))
      case .confirmRemoteCtrl:
        .result(
          .response2(
            .remoteCtrlConnecting(remoteCtrl_: Self.desktop(.connecting), ctrlAppInfo: Self.app, appVersion: "7.0.0.6"))
        )
      case .verifyRemoteCtrlSession(let code):
        .result(.response2(.remoteCtrlConnected(remoteCtrl: Self.desktop(.connected(sessionCode: code)))))
      case .listRemoteCtrls:
        .result(.response2(.remoteCtrlList(remoteCtrls: [Self.desktop(.connected(sessionCode: "5"))])))
      default: Self.done
      }
    }
  }

  private func wait(for condition: () -> Bool) async throws {
    for _ in 0..<100_000 where !condition() { await Task.yield() }
    try #require(condition())
  }

  @Test func `A session with a new desktop`() async throws {
    let (model, core) = phoneModel()
    try await model.connectRemoteCtrl("xrcp:/link")
    #expect(model.remoteCtrlSession?.sessionState == .connecting(remoteCtrl_: nil))
    #expect(model.remoteCtrlSession?.ctrlAppInfo == Self.app)
    core.emit(.remoteCtrlSessionCode(remoteCtrl_: nil, sessionCode: "123 45"))
    try await wait { model.remoteCtrlSession?.sessionCode != nil }
    #expect(
      model.remoteCtrlSession?.sessionState == .pendingConfirmation(remoteCtrl_: nil, sessionCode: "123 45"))
    try await model.verifyRemoteCtrlSession("123 45")
    #expect(model.activeRemoteCtrl && model.remoteCtrlSession?.desktop?.remoteCtrlId == 1)
    var effects: [StateEffect] = []
    model.onEffect = { effects.append($0) }
    core.emit(.remoteCtrlStopped(rcsState: .connected(sessionCode: "123 45"), rcStopReason: .disconnected))
    try await wait { model.remoteCtrlSession == nil }
    #expect(effects == [.switchToLocalSession])
    // Nobody asked for a search.
    #expect(core.commands.count == 2)
  }

  @Test func `Every state of the core has one that is shown`() {
    let desktop = Self.desktop()
    let states: [(RemoteCtrlSessionState, UIRemoteCtrlSessionState)] = [
      (.starting, .starting), (.searching, .searching), (.connecting, .connecting(remoteCtrl_: desktop)),
      (
        .pendingConfirmation(sessionCode: "1"), .pendingConfirmation(remoteCtrl_: desktop, sessionCode: "1")
      ), (.connected(sessionCode: "1"), .connected(remoteCtrl: desktop, sessionCode: "1")),
    ]
    for (state, shown) in states { #expect(UIRemoteCtrlSessionState(state, of: desktop) == shown) }
  }

  @Test func `A session that is older than the model is shown`() async throws {
    let (model, _) = phoneModel()
    try await model.listRemoteCtrls()
    #expect(model.remoteCtrlSession?.sessionCode == "5" && model.activeRemoteCtrl)
  }

  @Test func `An error leaves no session`() async throws {
    let error = ChatError.errorRemoteCtrl(remoteCtrlError: .badInvitation)
    let (model, _) = makeModel { _ in .error(error) }
    await #expect(throws: error) { try await model.connectRemoteCtrl("xrcp:/link") }
    await #expect(throws: error) { try await model.findKnownRemoteCtrl() }
    #expect(model.remoteCtrlSession == nil)
    #expect(error.text == "The link is not valid")
  }

  @Test func `A known desktop that was lost is connected again without the user`() async throws {
    let (model, core) = phoneModel()
    var effects: [StateEffect] = []
    model.onEffect = { effects.append($0) }
    model.followKnownDesktops(.init(searches: true, connects: true, comparesCodes: false))
    for session in 0..<2 {
      try await wait { core.commands.count == 1 + 3 * session }
      #expect(core.commands.last == .findKnownRemoteCtrl && model.remoteCtrlSession == nil)
      core.emit(
        .remoteCtrlFound(
          remoteCtrl: Self.desktop(.searching), ctrlAppInfo_: Self.app, appVersion: "7.0.0.6", compatible: true))
      try await wait { core.commands.last == .confirmRemoteCtrl(remoteCtrlId: 1) }
      core.emit(.remoteCtrlSessionCode(remoteCtrl_: Self.desktop(.connecting), sessionCode: "99"))
      try await wait { model.activeRemoteCtrl }
      guard session == 0 else { break }
      core.emit(.remoteCtrlStopped(rcsState: .connected(sessionCode: "99"), rcStopReason: .disconnected))
      try await wait { model.remoteCtrlSession == nil }
      // After a pause of a second.
      while core.commands.count == 3 { try await Task.sleep(for: .milliseconds(20)) }
    }
    #expect(effects == [.switchToLocalSession])
    try await model.stopRemoteCtrl()
    #expect(core.commands.last == .stopRemoteCtrl && model.remoteCtrlSession == nil)
    core.emit(.remoteCtrlStopped(rcsState: .searching, rcStopReason: .disconnected))
    core.emit(.chatSuspended)
    try await wait { effects.contains(.chatSuspended) }
    #expect(core.commands.last == .stopRemoteCtrl)
  }

  @Test func `Preferences say what the user turned off`() {
    let preferences = Preferences(MemoryPreferenceStore())
    #expect(
      KnownDesktopSearch.Settings(preferences) == .init(searches: true, connects: true, comparesCodes: false))
    preferences[AppDefaults.DEFAULT_CONFIRM_REMOTE_SESSIONS] = true
    preferences[AppDefaults.DEFAULT_CONNECT_REMOTE_VIA_MULTICAST_AUTO] = false
    #expect(
      KnownDesktopSearch.Settings(preferences) == .init(searches: true, connects: false, comparesCodes: true))
  }

  @Test func `A desktop shows its mobile devices and the sessions with them`() async throws {
    let address = RCCtrlAddress(address: "192.0.2.2", interface: "eth0")
    let (model, core) = makeModel { command in
      switch command {
      case .terminal(.listRemoteHosts): .result(.response3(.remoteHostList(remoteHosts: [])))
      case .terminal(.startRemoteHost):
        .result(
          .response3(
            .remoteHostStarted(remoteHost_: nil, invitation: "xrcp:/x", ctrlPort: "5000", localAddrs: [address])))
      case .terminal(.switchRemoteHost(hostId: nil)): .result(.response3(.currentRemoteHost(remoteHost_: nil)))
      case .terminal(.switchRemoteHost):
        .result(.response3(.currentRemoteHost(remoteHost_: Self.phone(.connected(sessionCode: "7")))))
      default: Self.done
      }
    }
    var effects: [StateEffect] = []
    model.onEffect = { effects.append($0) }
    try await model.listRemoteHosts()
    try await model.startRemoteHost(.new)
    #expect(model.remoteHosts.pairing?.sessionState == .connecting(invitation: "xrcp:/x"))
    #expect(model.remoteHosts.pairing?.localAddresses == [address] && model.remoteHosts.pairing?.port == "5000")
    core.emit(.remoteHostSessionCode(remoteHost_: nil, sessionCode: "7"))
    try await wait { model.remoteHosts.pairing?.sessionCode == "7" }
    core.emit(.newRemoteHost(remoteHost: Self.phone(.confirmed(sessionCode: "7"))))
    try await wait { model.remoteHosts.hosts.count == 1 }
    #expect(model.remoteHosts.pairing?.host?.remoteHostId == 4)
    core.emit(.remoteHostConnected(remoteHost: Self.phone(.connected(sessionCode: "7"))))
    try await wait { model.currentRemoteHost != nil }
    #expect(model.remoteHosts.pairing == nil)
    try await model.switchRemoteHost(nil)
    #expect(model.currentRemoteHost == nil)
    try await model.switchRemoteHost(4)
    #expect(model.currentRemoteHost?.hostDeviceName == "phone")
    core.emit(
      .remoteHostStopped(
        remoteHostId_: 4, rhsState: .connected(sessionCode: "7"), rhStopReason: .disconnected))
    try await wait { model.currentRemoteHost == nil }
    #expect(model.remoteHosts.hosts.map(\.sessionState) == [nil])
    #expect(
      effects == [.switchToRemoteHost(4), .switchToLocalSession, .switchToRemoteHost(4), .switchToLocalSession])
    try await model.deleteRemoteHost(4)
    #expect(model.remoteHosts.hosts.isEmpty)
  }

  @Test func `A session that fails says why`() async throws {
    let (model, core) = makeModel { _ in Self.done }
    var effects: [StateEffect] = []
    model.onEffect = { effects.append($0) }
    let reason = RemoteHostStopReason.crashed(
      chatError: .errorRemoteHost(rhKey: .new, remoteHostError: .timeout))
    core.emit(.remoteHostSessionCode(remoteHost_: nil, sessionCode: "7"))
    core.emit(
      .remoteHostStopped(
        remoteHostId_: nil, rhsState: .pendingConfirmation(sessionCode: "7"), rhStopReason: reason))
    try await wait { !effects.isEmpty }
    #expect(effects == [.remoteHostStopped(nil, reason)])
    #expect(model.remoteHosts.pairing == nil)
  }
}

extension APIResult where R == ChatResponse {
  fileprivate static var done: Self { .result(.response2(.cmdOk(user_: nil))) }
}
