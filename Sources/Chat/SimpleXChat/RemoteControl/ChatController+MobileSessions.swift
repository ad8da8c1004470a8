import ChatAPI
import ChatStore
import RemoteControl
import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexTransport

// Controlling mobile devices: the controller's sessions, one with each of them at most.

/// A session with a mobile device.
struct MobileSession: Sendable {
  /// Distinguishes it from later sessions with the same mobile device.
  let number: Int
  /// The mobile device; a new one until its pairing is stored.
  var key: RHKey
  /// The connection.
  let driver: RemoteController
  /// Ends the handling of what it reports.
  let finish: @Sendable () -> Void
  /// The code of the last connection.
  var code: String?
  /// Whether the terminal uses its profile as soon as it is connected: the first time, and if it was used when it was
  /// lost.
  var isSelected = true
}

/// The pairings with mobile devices, for their driver.
struct MobilePairings: ControllerPairingStore {
  /// The controller, while there is one.
  let core: @Sendable () -> ChatController?
  /// The address at which the user wants this device to be found.
  let address: RCCtrlAddress?

  func store(_ pairing: ControllerPairing) async throws {
    guard let core = core() else { throw ChatError.error(errorType: .chatNotStarted) }
    try await core.storePairing { [address] rows in
      let id = try rows.setRemoteHost(pairing)
      if let address { try rows.setAddress(address, ofRemoteHost: id) }
      return id
    }
  }
}

extension ChatController {
  /// Carries out a typed command about mobile devices; nil for all others.
  func performForMobiles(_ typed: TerminalCommand) async throws(ChatError) -> ChatResponse? {
    switch typed {
    case .listRemoteHosts:
      var infos: [RemoteHostInfo] = []
      for stored in try store.read({ try $0.remoteHosts() }) {
        infos.append(RemoteHostInfo(stored, await state(of: .id(remoteHostId: stored.id))))
      }
      return .response3(.remoteHostList(remoteHosts: infos))
    case .startRemoteHost(let start, let address, let port):
      return try await startMobile(start, address: address, port: port)
    case .switchRemoteHost(let id): return .response3(.currentRemoteHost(remoteHost_: try await switchMobile(to: id)))
    case .stopRemoteHost(let id):
      await endMobileSession(id.map { .id(remoteHostId: $0) } ?? .new)
      return .done()
    case .deleteRemoteHost(let id):
      let stored = try store.read { try $0.remoteHost(id) }
      await endMobileSession(.id(remoteHostId: id))
      try turn { try $0.rows.deleteRemoteHost(id) }
      removeFolder(of: stored)
      return .done()
    case .storeRemoteFile(let id, let encrypts, let path):
      let file = try await storeOnMobile(id, path: path, encrypts: encrypts)
      return .response3(.remoteFileStored(remoteHostId: id, remoteFileSource: file))
    case .getRemoteFile(let id, let file):
      try await fetchFromMobile(id, file)
      return .done()
    default: return nil
    }
  }

  /// The mobile device whose profile a terminal uses, a database id; nil for this device. Set when one is connected,
  /// and by `/switch remote host`.
  public var currentRemoteHost: Int64? { remote.currentMobile }

  // MARK: Sessions

  private func startMobile(
    _ start: RemoteHostStart, address: RCCtrlAddress?, port: UInt16?
  ) async throws(ChatError) -> ChatResponse {
    let key: RHKey
    var announces = false
    switch start {
    case .new: key = .new
    case .known(let id, let multicast): (key, announces) = (.id(remoteHostId: id), multicast)
    }
    return try await locked(.mobiles) { () async throws(ChatError) in
      if await state(of: key) != nil { throw .errorRemoteHost(rhKey: key, remoteHostError: .busy) }
      // One that is looked for is not by two sessions.
      await endMobileSession(key)
      let (pairing, stored) = try pairing(of: key)
      let wanted = address ?? stored?.address
      let session = try makeMobileSession(key, address: address)
      remote.mobiles.append(session)
      do throws(RemoteSessionError) {
        let started = try await session.driver.start(
          ControllerStart(pairing: pairing, announces: announces, port: port, reconnects: true),
          address: wanted.flatMap { LocalAddress($0) })
        return .response3(
          .remoteHostStarted(
            remoteHost_: stored.map { RemoteHostInfo($0, .connecting(invitation: started.invitation.text)) },
            invitation: started.invitation.text, ctrlPort: String(started.port),
            localAddrs: started.addresses.map { RCCtrlAddress($0) }))
      } catch {
        remote.mobiles.removeAll { $0.number == session.number }
        session.finish()
        throw ChatError(controllerSession: error, of: key)
      }
    }
  }

  /// The pairing with a mobile device, or a new one.
  private func pairing(of key: RHKey) throws(ChatError) -> (ControllerPairing, StoredRemoteHost?) {
    guard case .id(let id) = key else {
      do throws(CertificateError) { return (try ControllerPairing.new(), nil) } catch {
        throw .error(errorType: .internalError(message: "\(error)"))
      }
    }
    let stored = try store.read { try $0.remoteHost(id) }
    return (stored.pairing, stored)
  }

  private func makeMobileSession(_ key: RHKey, address: RCCtrlAddress?) throws(ChatError) -> MobileSession {
    guard let versions = AppVersions.supported else {
      throw .error(errorType: .internalError(message: "the version of this core is no version"))
    }
    remote.lastMobile += 1
    let number = remote.lastMobile
    let core: @Sendable () -> ChatController? = { [weak self] in self }
    // In one sequence, so that a new mobile device has its number before its first event.
    let (steps, continuation) = AsyncStream.makeStream(of: MobileStep.self)
    let (handled, handling) = AsyncStream.makeStream(of: Void.self)
    let driver = RemoteController(
      settings: ControllerSettings(versions: versions, deviceName: remote.deviceName, compresses: true),
      pairings: MobilePairings(core: core, address: address),
      discovery: options.remoteDiscovery ?? MulticastDiscovery(),
      temporaryFolder: try makeFolder(session.tempFolder ?? options.transfersFolder),
      onEvent: { continuation.yield(.session($0)) },
      // Decoded here, and not by the actor. The next one is asked for when it was handled.
      onRemoteEvent: { [weak self] event in
        guard let self else { return }
        continuation.yield(.event(self.decoded(event), size: event.size))
        for await _ in handled { break }
      })
    Task { [weak self] in
      for await step in steps {
        guard await self?.handle(step, ofMobile: number) == true else { break }
        if case .event = step { handling.yield() }
      }
      handling.finish()
    }
    return MobileSession(number: number, key: key, driver: driver, finish: { continuation.finish() })
  }

  private func state(of key: RHKey) async -> RemoteHostSessionState? {
    guard let session = remote.mobiles.first(where: { $0.key == key }) else { return nil }
    return await session.driver.state.map { RemoteHostSessionState($0) }
  }

  /// Handles what a session reports.
  /// - Returns: whether the session goes on.
  private func handle(_ step: MobileStep, ofMobile number: Int) -> Bool {
    guard let index = remote.mobiles.firstIndex(where: { $0.number == number }) else { return false }
    switch step {
    case .event(let event, let size):
      guard case .id(let id) = remote.mobiles[index].key else { return true }
      eventQueue.push(event, ofRemoteHost: id, size: size)
      if eventQueue.isOverfull {
        endOverfullSession(number)
        return false
      }
    case .session(.sessionCode(let pairing, let code)):
      remote.mobiles[index].code = code.description
      let state = RemoteHostSessionState.pendingConfirmation(sessionCode: code.description)
      emit(
        .remoteHostSessionCode(
          remoteHost_: pairing.flatMap { mobile($0, state) }, sessionCode: code.description))
    case .session(.newHost(let pairing)):
      guard let mobile = mobile(pairing, remote.mobiles[index].code.map { .confirmed(sessionCode: $0) }) else {
        return true
      }
      remote.mobiles[index].key = .id(remoteHostId: mobile.remoteHostId)
      emit(.newRemoteHost(remoteHost: mobile))
    case .session(.connected(let pairing, let isCompressing)):
      guard let mobile = mobile(pairing, remote.mobiles[index].code.map { .connected(sessionCode: $0) }) else {
        return true
      }
      if remote.mobiles[index].isSelected { remote.currentMobile = mobile.remoteHostId }
      emit(.remoteHostConnected(remoteHost: mobile, compression: isCompressing))
    case .session(.stopped(let state, let reason, let isReconnecting)):
      let key = remote.mobiles[index].key
      let id: Int64? = if case .id(let id) = key { id } else { nil }
      remote.mobiles[index].isSelected = id != nil && remote.currentMobile == id
      if remote.currentMobile == id { remote.currentMobile = nil }
      if !isReconnecting { remote.mobiles.remove(at: index) }
      emit(
        .remoteHostStopped(
          remoteHostId_: id, rhsState: RemoteHostSessionState(state),
          rhStopReason: RemoteHostStopReason(reason, of: key)))
      return isReconnecting
    }
    return true
  }

  /// Ends a session whose events nobody reads.
  private func endOverfullSession(_ number: Int) {
    guard let session = remote.mobiles.first(where: { $0.number == number }), case .id(let id) = session.key else {
      return
    }
    let error = RemoteHostError.disconnected(reason: "too many of its events wait to be read")
    emit(.errorRemoteHost(rhKey: session.key, remoteHostError: error))
    emit(
      .remoteHostStopped(
        remoteHostId_: id, rhsState: .connected(sessionCode: session.code ?? ""), rhStopReason: .disconnected))
    Task { await endMobileSession(session.key) }
  }

  private func mobile(_ pairing: ControllerPairing, _ state: RemoteHostSessionState?) -> RemoteHostInfo? {
    guard let stored = try? store.read({ try $0.remoteHost(with: pairing.fingerprint) }) else { return nil }
    return RemoteHostInfo(stored, state)
  }

  /// Ends the session with a mobile device, of which nothing is reported; no-op where there is none.
  func endMobileSession(_ key: RHKey) async {
    guard let session = remote.mobiles.first(where: { $0.key == key }) else { return }
    remote.mobiles.removeAll { $0.number == session.number }
    if key == remote.currentMobile.map({ .id(remoteHostId: $0) }) { remote.currentMobile = nil }
    await session.driver.stop()
    session.finish()
  }

  /// Ends all sessions, of which nothing is reported.
  func endRemoteSessions() async {
    await endDesktopSession()
    while let key = remote.mobiles.first?.key { await endMobileSession(key) }
  }

  private func switchMobile(to id: Int64?) async throws(ChatError) -> RemoteHostInfo? {
    guard let id else {
      remote.currentMobile = nil
      for index in remote.mobiles.indices { remote.mobiles[index].isSelected = false }
      return nil
    }
    let stored = try store.read { try $0.remoteHost(id) }
    let key = RHKey.id(remoteHostId: id)
    guard let state = await state(of: key), case .connected = state else {
      throw .errorRemoteHost(rhKey: key, remoteHostError: .inactive)
    }
    remote.currentMobile = id
    return RemoteHostInfo(stored, state)
  }
}

/// What a session with a mobile device reports.
private enum MobileStep: Sendable {
  /// An event of the session.
  case session(ControllerEvent)
  /// An event of the mobile device's core, with its size in bytes of JSON.
  case event(APIResult<ChatEvent>, size: Int)
}
