import ChatAPI
import ChatStore
import RemoteControl
import RemoteControlCore
import RemoteControlProtocol
import WireCodec

// Being controlled by a desktop (specification section 2.14).

extension ChatController {
  func performRemoteControl(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    if case .setLocalDeviceName(let name) = command {
      remote.deviceName = name
      return .done()
    }
    _ = try currentUser()
    switch command {
    case .connectRemoteCtrl(let link): return try await connectDesktop(link)
    case .findKnownRemoteCtrl:
      _ = try await beginDesktopSession { (host) async throws(RemoteSessionError) in try await host.find() }
      return .done()
    case .confirmRemoteCtrl(let id): return try await confirmDesktop(id)
    case .verifyRemoteCtrlSession(let code): return try await verifyDesktop(code)
    case .listRemoteCtrls:
      let session = await remote.desktop?.info
      let desktops = try store.read { try $0.remoteControllers() }
      return .response2(
        .remoteCtrlList(
          remoteCtrls: desktops.map { stored in
            RemoteCtrlInfo(stored, session?.controller == stored.pairing.controller ? session?.state : nil)
          }))
    case .stopRemoteCtrl:
      await endDesktopSession()
      return .done()
    case .deleteRemoteCtrl(let id):
      try await locked(.desktop) { () async throws(ChatError) in
        try await requireNoDesktop()
        try turn { try $0.rows.deleteRemoteController(id) }
      }
      return .done()
    default: return nil
    }
  }

  private func connectDesktop(_ link: String) async throws(ChatError) -> ChatResponse {
    let invitation: ReceivedInvitation
    do { invitation = try ReceivedInvitation.codec.decode(text: link) } catch {
      throw .errorRemoteCtrl(remoteCtrlError: .badInvitation)
    }
    return try connecting(
      try await beginDesktopSession { (host) async throws(RemoteSessionError) in try await host.connect(invitation) })
  }

  private func confirmDesktop(_ id: Int64) async throws(ChatError) -> ChatResponse {
    guard let session = remote.desktop, await session.driver.state == .searching else {
      throw .errorRemoteCtrl(remoteCtrlError: .badState)
    }
    let desktops = try store.read { try $0.allRemoteControllers() }
    guard let desktop = desktops.first(where: { $0.id == id }) else {
      throw .errorRemoteCtrl(remoteCtrlError: .badController)
    }
    let answer: HostAnswer
    do throws(RemoteSessionError) { answer = try await session.driver.confirm(desktop.pairing.controller) } catch {
      throw ChatError(hostSession: error)
    }
    return try connecting(answer)
  }

  private func verifyDesktop(_ code: String) async throws(ChatError) -> ChatResponse {
    guard let session = remote.desktop else { throw .errorRemoteCtrl(remoteCtrlError: .inactive) }
    let answer: HostAnswer
    do throws(RemoteSessionError) { answer = try await session.driver.verify(code) } catch {
      throw ChatError(hostSession: error)
    }
    guard case .connected(let pairing, let isCompressing) = answer,
      let desktop = try store.read({ try $0.remoteController(with: pairing.controller) })
    else { throw .errorRemoteCtrl(remoteCtrlError: .badState) }
    let state = await session.driver.state
    // The session may have ended in the meantime, which was reported.
    guard case .connected = state else { throw .errorRemoteCtrl(remoteCtrlError: .inactive) }
    eventQueue.moveEvents(to: session.events, sharing: !options.movesEventsToDesktop)
    // An end in the meantime has closed its queue before.
    if session.events.isClosed { eventQueue.keepEvents(from: session.events) }
    return .response2(
      .remoteCtrlConnected(
        remoteCtrl: RemoteCtrlInfo(desktop, state.map { RemoteCtrlSessionState($0) }), compression: isCompressing))
  }

  /// The response to a command that began to connect.
  private func connecting(_ answer: HostAnswer) throws(ChatError) -> ChatResponse {
    guard case .connecting(let pairing, let info, _) = answer else {
      throw .errorRemoteCtrl(remoteCtrlError: .badState)
    }
    let desktop = try pairing.flatMap { (pairing) throws(ChatError) in
      try store.read { try $0.remoteController(with: pairing.controller) }
    }
    return .response2(
      .remoteCtrlConnecting(
        remoteCtrl_: desktop.map { RemoteCtrlInfo($0, .connecting) }, ctrlAppInfo: CtrlAppInfo(info),
        appVersion: Self.version))
  }

  // MARK: Sessions

  private func requireNoDesktop() async throws(ChatError) {
    if await remote.desktop?.driver.state != nil { throw .errorRemoteCtrl(remoteCtrlError: .busy) }
  }

  /// Begins a session, of which there is one at most.
  private func beginDesktopSession(
    _ begin: (RemoteHost) async throws(RemoteSessionError) -> HostAnswer
  ) async throws(ChatError) -> HostAnswer {
    try await locked(.desktop) { () async throws(ChatError) in
      try await requireNoDesktop()
      let session = try makeDesktopSession()
      remote.desktop = session
      let answer: HostAnswer
      do throws(RemoteSessionError) { answer = try await begin(session.driver) } catch {
        throw ChatError(hostSession: error)
      }
      guard remote.desktop?.driver === session.driver else {
        await session.driver.stop()
        throw .errorRemoteCtrl(remoteCtrlError: .inactive)
      }
      return answer
    }
  }

  private func makeDesktopSession() throws(ChatError) -> DesktopSession {
    guard let versions = AppVersions.supported else {
      throw .error(errorType: .internalError(message: "the version of this core is no version"))
    }
    let core: @Sendable () -> ChatController? = { [weak self] in self }
    let events = DesktopEventQueue { [weak self] in
      Task { await self?.endSilentDesktop() }
    }
    let uploads = DesktopUploads()
    let folder = try makeFolder(session.tempFolder ?? options.transfersFolder)
    if remote.mobiles.isEmpty { RemoteTemporaryFiles.removeLeftovers(in: folder) }
    let driver = RemoteHost(
      settings: HostSettings(
        versions: versions, deviceName: remote.deviceName, encoding: .kotlin,
        encryptsFiles: session.encryptsLocalFiles, compresses: true),
      pairings: DesktopPairings(core: core),
      handler: DesktopRequests(core: core, events: events, uploads: uploads),
      discovery: options.remoteDiscovery ?? MulticastDiscovery(),
      temporaryFolder: folder,
      onEvent: { [store, eventQueue] in Self.report($0, to: eventQueue, store: store, events: events) })
    return DesktopSession(driver: driver, events: events, uploads: uploads)
  }

  /// Reports an event of a session in its order.
  private static func report(
    _ event: HostEvent, to queue: ChatEventQueue, store: ChatDatabase, events: DesktopEventQueue
  ) {
    func desktop(_ pairing: HostPairing?, _ state: RemoteCtrlSessionState) -> RemoteCtrlInfo? {
      guard let pairing, let stored = try? store.read({ try $0.remoteController(with: pairing.controller) }) else {
        return nil
      }
      return RemoteCtrlInfo(stored, state)
    }
    switch event {
    case .found(let pairing, let info, let isCompatible):
      guard let desktop = desktop(pairing, .searching) else { return }
      queue.push(
        .result(
          .remoteCtrlFound(
            remoteCtrl: desktop, ctrlAppInfo_: info.map { CtrlAppInfo($0) }, appVersion: version,
            compatible: isCompatible)))
    case .attemptFailed(_, let error): queue.push(.error(ChatError(hostSession: error)))
    case .sessionCode(let pairing, let code):
      let state = RemoteCtrlSessionState.pendingConfirmation(sessionCode: code.description)
      queue.push(
        .result(
          .remoteCtrlSessionCode(remoteCtrl_: desktop(pairing, state), sessionCode: code.description)))
    case .stopped(let state, let reason):
      queue.end(events)
      queue.push(
        .result(
          .remoteCtrlStopped(rcsState: RemoteCtrlSessionState(state), rcStopReason: RemoteCtrlStopReason(reason))))
    }
  }

  /// Ends the session with a desktop, of which nothing is reported; no-op where there is none.
  func endDesktopSession() async {
    guard let session = remote.desktop else { return }
    // One that is just beginning notices this.
    remote.desktop = nil
    await session.driver.stop()
    eventQueue.end(session.events)
  }

  /// Ends the session with a desktop that does not read its events.
  private func endSilentDesktop() async {
    guard let session = remote.desktop, let info = await session.info, let state = info.state else { return }
    await endDesktopSession()
    let stored = info.controller.flatMap { controller in try? store.read { try $0.remoteController(with: controller) } }
    if let stored {
      let reason = "it does not read events"
      emit(.errorRemoteCtrl(remoteCtrlError: .disconnected(remoteCtrlId: stored.id, reason: reason)))
    }
    emit(.remoteCtrlStopped(rcsState: state, rcStopReason: .disconnected))
  }
}

extension DesktopSession {
  /// The state, and the desktop if it is known; nil where the session has ended.
  fileprivate var info: (controller: CertificateFingerprint?, state: RemoteCtrlSessionState?)? {
    get async {
      guard let state = await driver.state else { return nil }
      return (await driver.controller, RemoteCtrlSessionState(state))
    }
  }
}

extension ChatEventQueue {
  /// Ends the queue of a desktop. No event between the steps is lost, and a session that begins meanwhile sees that its
  /// queue is closed.
  fileprivate func end(_ events: DesktopEventQueue) {
    keepEvents(from: events)
    events.close()
    keepEvents(from: events)
  }
}
