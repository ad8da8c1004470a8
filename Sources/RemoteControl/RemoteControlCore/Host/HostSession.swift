import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto

/// The session of the host, the device whose profile is used from a controller: at most one at a time.
///
/// **Governs** the states, the answers and events for the user, the choice among announcements, the handshake, and when
/// records are stored. **Does not govern** TLS, HTTP/2, multicast and the commands of the controller. Times are in
/// milliseconds of a clock that never goes back.
///
/// **Invariants.** Each command is answered once, and in the same step except `verify`. A HELLO is sent only with a key
/// that the same step stores. A session is answered as connected in the step that stores the completed record. Inputs
/// about connections that ended are ignored. After `stop` nothing is reported.
public struct HostSession: Sendable {
  /// The times of a session in milliseconds. Source: the reference's constants, except `silence`.
  public enum Times {
    /// From connecting to the end of the TLS handshake.
    public static let connecting: Int64 = 15_000
    /// From the end of the TLS handshake to the session code: the controller's refusal of the certificate arrives only
    /// after it.
    public static let refusal: Int64 = 100
    /// From HELLO to the controller's answer.
    public static let handshake: Int64 = 15_000
    /// A search in which nothing is found.
    public static let search: Int64 = 30_000
    /// From the last request to the end of a session: a controller polls every 10 seconds.
    public static let silence: Int64 = 35_000
  }

  enum Phase: Sendable {
    case idle
    case searching(HostSearch, isListening: Bool)
    /// Until the TLS handshake is complete.
    case connecting(HostAttempt, deadline: Int64)
    /// Until the controller has accepted the host's certificate.
    case awaitingRefusal(HostAttempt, SessionID, deadline: Int64)
    case awaitingUser(HostAttempt, SessionID)
    case awaitingHello(HostAttempt, SessionID, HostHandshake, deadline: Int64)
    case connected(HostPairing, ConnectionNumber, SessionCode, deadline: Int64)
  }

  /// The settings of the device, used by the next session.
  public var settings: HostSettings
  var phase = Phase.idle
  private var lastNumber: UInt64 = 0

  /// A machine without a session.
  public init(settings: HostSettings) { self.settings = settings }

  /// The state that users see; nil if there is no session.
  public var state: HostSessionState? {
    switch phase {
    case .idle: nil
    case .searching: .searching
    case .connecting, .awaitingRefusal: .connecting
    case .awaitingUser(_, let session), .awaitingHello(_, let session, _, _):
      .pendingConfirmation(SessionCode(session))
    case .connected(_, _, let code, _): .connected(code)
    }
  }

  /// The controller of the session, if it is known; nil while searching.
  public var controller: CertificateFingerprint? {
    switch phase {
    case .idle, .searching: nil
    case .connecting(let attempt, _), .awaitingRefusal(let attempt, _, _), .awaitingUser(let attempt, _),
      .awaitingHello(let attempt, _, _, _):
      attempt.pairing.isComplete ? attempt.pairing.controller : nil
    case .connected(let pairing, _, _, _): pairing.controller
    }
  }

  /// Checks that records may be deleted, which they may not during any session.
  /// - Throws: `busy`.
  public func requireNoSession() throws(RemoteSessionError) {
    guard state == nil else { throw .busy }
  }

  /// The time at which ``HostInput/time`` is due; nil for never.
  public var deadline: Int64? {
    switch phase {
    case .idle, .awaitingUser, .searching(_, isListening: false): nil
    case .searching(let search, _): search.deadline
    case .connecting(_, let deadline), .awaitingRefusal(_, _, let deadline), .awaitingHello(_, _, _, let deadline),
      .connected(_, _, _, let deadline):
      deadline
    }
  }

  /// Handles an input at a time, and returns the effects. `random` is the source of keys and nonces.
  public mutating func handle(
    _ input: HostInput, at now: Int64, random: inout some RandomSource
  ) -> [HostEffect] {
    switch input {
    case .connect(let invitation, let known, let credentials):
      connect(invitation, known: known, credentials: credentials, at: now)
    case .find(let pairings): find(pairings, at: now)
    case .confirm(let controller): confirm(controller, at: now)
    case .verify(let text): verify(text, at: now, random: &random)
    case .stop: stop()
    case .datagram(let bytes, let source): receive(bytes, from: source, at: now)
    case .connected(let number, let session, let controller):
      connected(number, session, controller: controller, at: now)
    case .block(let number, let block): receive(block, on: number, at: now)
    case .request(let number): request(on: number, at: now)
    case .closed(let number, let failure): closed(number, failure, at: now)
    case .time: time(now)
    }
  }

  mutating func nextNumber() -> ConnectionNumber {
    lastNumber += 1
    return ConnectionNumber(lastNumber)
  }

  private mutating func stop() -> [HostEffect] {
    end(because: .inactive) + [.answer(.stop, .success(.stopped))]
  }

  private mutating func request(on number: ConnectionNumber, at now: Int64) -> [HostEffect] {
    if case .connected(let pairing, number, let code, _) = phase {
      phase = .connected(pairing, number, code, deadline: now + Times.silence)
    }
    return []
  }

  private mutating func time(_ now: Int64) -> [HostEffect] {
    guard let deadline, deadline <= now else { return [] }
    switch phase {
    case .idle, .awaitingUser: return []
    case .searching(let search, _): return searchEnded(search)
    case .connecting(let attempt, _): return attemptFailed(attempt, .timeout, at: now)
    case .awaitingRefusal(let attempt, let session, _): return notRefused(attempt, session)
    case .awaitingHello: return fail(.setupFailed(.timeout))
    case .connected: return fail(.disconnected)
    }
  }

  // MARK: Ends

  /// Ends the session without a report: closes what is open, and answers a `verify` that waits.
  mutating func end(because error: RemoteSessionError) -> [HostEffect] {
    let ended = phase
    phase = .idle
    switch ended {
    case .idle: return []
    case .searching(_, let isListening): return isListening ? [.stopListening] : []
    case .connecting(let attempt, _), .awaitingRefusal(let attempt, _, _), .awaitingUser(let attempt, _):
      return [.close(attempt.connection)]
    case .awaitingHello(let attempt, _, _, _):
      return [.close(attempt.connection), .answer(.verify, .failure(error))]
    case .connected(_, let connection, _, _): return [.close(connection)]
    }
  }

  /// Ends the session, and reports why.
  mutating func fail(_ reason: HostStopReason) -> [HostEffect] {
    guard let state else { return [] }
    return end(because: reason.error) + [.report(.stopped(state, reason))]
  }
}

extension HostStopReason {
  /// The error of a command that waits for the session.
  var error: RemoteSessionError {
    switch self {
    case .discoveryFailed(let error), .connectionFailed(let error), .setupFailed(let error): error
    case .disconnected: .inactive
    }
  }
}
