import RemoteControlProtocol
import SMPProtocol

// From a link or an announcement to a TLS connection.

/// An attempt to connect to a controller.
struct HostAttempt: Sendable {
  var connection: ConnectionNumber
  var invitation: RemoteInvitation
  var pairing: HostPairing
  var appInfo: ControllerAppInfo
  /// The version of the protocol.
  var version: UInt16
  /// The version of the application.
  var appVersion: AppVersion
  /// The search that led to it, which goes on if the controller is not reached.
  var search: HostSearch?

  /// The record to show to the user.
  var shownPairing: HostPairing? { pairing.isComplete ? pairing : nil }
}

extension HostSession {
  mutating func connect(
    _ received: ReceivedInvitation, known: HostPairing?, credentials: RemoteCredentials, at now: Int64
  ) -> [HostEffect] {
    guard let invitation = received.verified()?.invitation else {
      return [.answer(.connect, .failure(.badInvitation))]
    }
    guard case .idle = phase else { return [.answer(.connect, .failure(.busy))] }
    let pairing = known.flatMap { $0.controller == invitation.controller ? $0 : nil }
    return start(invitation, pairing, credentials: credentials, search: nil, command: .connect, at: now)
  }

  mutating func find(_ pairings: [HostPairing], at now: Int64) -> [HostEffect] {
    guard !pairings.isEmpty else { return [.answer(.find, .failure(.noKnownControllers))] }
    guard case .idle = phase else { return [.answer(.find, .failure(.busy))] }
    phase = .searching(HostSearch(pairings, deadline: now + Times.search), isListening: true)
    return [.listen, .answer(.find, .success(.searching))]
  }

  mutating func receive(_ datagram: [UInt8], from source: IPv4Address, at now: Int64) -> [HostEffect] {
    guard case .searching(var search, isListening: true) = phase else { return [] }
    let found = search.announcement(in: datagram, from: source, at: now)
    phase = .searching(search, isListening: true)
    guard let found else { return [] }
    let info = try? found.invitation.appInfo()
    let isCompatible = info.flatMap { settings.versions.agreed(with: $0.versions) } != nil
    return [.report(.found(found.pairing, info, isCompatible: isCompatible))]
  }

  mutating func confirm(_ controller: CertificateFingerprint, at now: Int64) -> [HostEffect] {
    guard case .searching(let search, let isListening) = phase, !search.found.isEmpty else {
      return [.answer(.confirm, .failure(.badState))]
    }
    guard let found = search.found[controller] else { return [.answer(.confirm, .failure(.badController))] }
    return (isListening ? [.stopListening] : [])
      + start(
        found.invitation, found.pairing, credentials: found.pairing.credentials, search: search, command: .confirm,
        at: now)
  }

  /// The search has lasted long enough. What was found can still be confirmed.
  mutating func searchEnded(_ search: HostSearch) -> [HostEffect] {
    guard search.found.isEmpty else {
      phase = .searching(search, isListening: false)
      return [.stopListening]
    }
    return fail(.discoveryFailed(search.lastError ?? .control(.notDiscovered)))
  }

  /// Begins to connect, or answers why not.
  private mutating func start(
    _ invitation: RemoteInvitation, _ known: HostPairing?, credentials: RemoteCredentials, search: HostSearch?,
    command: HostCommand, at now: Int64
  ) -> [HostEffect] {
    do throws(RemoteSessionError) {
      let attempt = try attempt(invitation, known, credentials: credentials, search: search)
      phase = .connecting(attempt, deadline: now + Times.connecting)
      let answer = HostAnswer.connecting(attempt.shownPairing, attempt.appInfo, attempt.appVersion)
      return [
        .answer(command, .success(answer)), .connect(attempt.connection, invitation, attempt.pairing.credentials),
      ]
    } catch {
      phase = .idle
      return [.answer(command, .failure(error)), .report(.stopped(.starting, .connectionFailed(error)))]
    }
  }

  private mutating func attempt(
    _ invitation: RemoteInvitation, _ known: HostPairing?, credentials: RemoteCredentials, search: HostSearch?
  ) throws(RemoteSessionError) -> HostAttempt {
    guard let info = try? invitation.appInfo() else { throw .badInvitation }
    guard let appVersion = settings.versions.agreed(with: info.versions) else {
      throw .badVersion(info.versions.highest)
    }
    if let known, known.identityKey != invitation.identityKey {
      throw .protocolError(.remoteControl(.identity))
    }
    guard let version = RemoteInvitation.supportedVersions.intersection(invitation.versions)?.highest else {
      throw .control(.version)
    }
    let pairing =
      known ?? HostPairing(credentials: credentials, invitation: invitation, controllerName: info.deviceName)
    return HostAttempt(
      connection: nextNumber(), invitation: invitation, pairing: pairing, appInfo: info, version: version,
      appVersion: appVersion, search: search)
  }

  /// The controller was not reached. A search goes on while it has time: whoever repeats an old announcement cannot end
  /// it.
  mutating func attemptFailed(
    _ attempt: HostAttempt, _ error: RemoteSessionError, at now: Int64
  ) -> [HostEffect] {
    guard var search = attempt.search, now < search.deadline else { return fail(.connectionFailed(error)) }
    search.discard(attempt.pairing.controller)
    search.lastError = error
    phase = .searching(search, isListening: true)
    return [.close(attempt.connection), .listen, .report(.attemptFailed(attempt.pairing, error))]
  }
}
