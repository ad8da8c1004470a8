import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto

/// The session of the controller with one host; a controller has one machine for each host.
///
/// **Governs** the states, the answers and events for the user, invitations and announcements, which connection is the
/// host's, the handshake, when the record is stored, and looking for a host that was lost. **Does not govern** TLS,
/// HTTP/2, multicast, and the requests. Times are in milliseconds of a clock that never goes back.
///
/// **Invariants.** Each command is answered once. At most ``waitingLimit`` connections wait for HELLO; those that are
/// not the host's never end the wait for it. The answer to HELLO is sent in the step that stores the host's key. Inputs
/// about connections and listeners that ended are ignored. After `stop` nothing is reported.
public struct ControllerSession: Sendable {
  /// The times of a session in milliseconds. Source: the reference's constants, except `answer`.
  public enum Times {
    /// From the start of the listener to the first TLS connection.
    public static let connection: Int64 = 60_000
    /// From the TLS connection to HELLO: users compare codes.
    public static let hello: Int64 = 60_000
    /// From a request for events, which waits for 10 seconds, to its answer.
    public static let answer: Int64 = 15_000
  }

  /// The maximum number of connections that wait for HELLO.
  public static let waitingLimit = 8

  /// A connection whose HELLO was accepted.
  struct Open: Sendable {
    var start: ControllerStart
    var connection: ConnectionNumber
    var code: SessionCode
    var isCompressing: Bool
    var port: UInt16
  }

  enum Phase: Sendable {
    case idle
    /// Until the listener has a port. `isLastPort` is whether it tries a certain port.
    case starting(ControllerStart, listener: ConnectionNumber, isReconnecting: Bool, isLastPort: Bool)
    /// Until the next attempt to start a listener for a host that was lost.
    case pausing(ControllerStart, AnnouncementSchedule)
    case listening(ControllerListening)
    /// Until HTTP/2 runs.
    case confirmed(Open)
    /// The deadline is that of an answer.
    case connected(Open, deadline: Int64?)
  }

  /// The settings of the device, used by the next invitation.
  public var settings: ControllerSettings
  var phase = Phase.idle
  private var lastNumber: UInt64 = 0

  /// A machine without a session.
  public init(settings: ControllerSettings) { self.settings = settings }

  /// The state that users see; nil if there is no session, or a lost host has not connected again.
  public var state: ControllerSessionState? {
    switch phase {
    case .idle, .pausing, .starting(_, _, isReconnecting: true, _): nil
    case .starting: .starting
    case .listening(let listening):
      if let newest = listening.waiting.last {
        .pendingConfirmation(SessionCode(newest.session))
      } else {
        listening.isReconnecting ? nil : .connecting(listening.invitation)
      }
    case .confirmed(let open): .confirmed(open.code)
    case .connected(let open, _): .connected(open.code)
    }
  }

  /// Whether a lost host is looked for.
  public var isReconnecting: Bool {
    switch phase {
    case .pausing, .starting(_, _, isReconnecting: true, _): true
    case .listening(let listening): listening.isReconnecting
    default: false
    }
  }

  /// Checks that a command can be passed to the host.
  /// - Throws: `missing` if there is no session, `badState` if it is not complete.
  public func requireConnected() throws(RemoteSessionError) {
    guard let state else { throw .missing }
    guard case .connected = state else { throw .badState }
  }

  /// Whether a TLS handshake with a host of this authority may be completed. Otherwise it is refused within the
  /// handshake, with the alert `unknown_ca`.
  public func accepts(_ host: CertificateFingerprint) -> Bool {
    guard case .listening(let listening) = phase, listening.waiting.count < Self.waitingLimit else { return false }
    return listening.start.pairing.host.map { $0.fingerprint == host } ?? true
  }

  /// The time at which ``ControllerInput/time`` is due; nil for never.
  public var deadline: Int64? {
    switch phase {
    case .idle, .starting, .confirmed: nil
    case .pausing(_, let schedule): schedule.next
    case .connected(_, let deadline): deadline
    case .listening(let listening): listening.nextDeadline
    }
  }

  /// Handles an input at a time, and returns the effects. `random` is the source of keys and nonces.
  public mutating func handle(
    _ input: ControllerInput, at now: ClockReading, random: inout some RandomSource
  ) -> [ControllerEffect] {
    switch input {
    case .start(let start): self.start(start)
    case .stop: end() + [.answer(.stop, .success(.stopped))]
    case .listening(let number, let host, let port):
      listening(number, host: host, port: port, at: now, random: &random)
    case .listenFailed(let number, let error): listenFailed(number, error, at: now)
    case .addressChanged(let host): addressChanged(host, at: now)
    case .connected(let number, let session, let host): connected(number, session, host: host, at: now)
    case .block(let number, let block): receive(block, on: number, at: now, random: &random)
    case .attached(let number): attached(number)
    case .polled(let number): polled(number, at: now)
    case .answered(let number): answered(number)
    case .closed(let number, let failure): closed(number, failure, at: now)
    case .time: time(now, random: &random)
    }
  }

  mutating func nextNumber() -> ConnectionNumber {
    lastNumber += 1
    return ConnectionNumber(lastNumber)
  }

  private mutating func time(_ now: ClockReading, random: inout some RandomSource) -> [ControllerEffect] {
    guard let deadline, deadline <= now.milliseconds else { return [] }
    switch phase {
    case .idle, .starting, .confirmed: return []
    case .pausing(let start, _): return listen(start, isReconnecting: true)
    case .listening(let listening): return time(listening, at: now, random: &random)
    case .connected: return lost(.disconnected)
    }
  }

  // MARK: Ends

  /// Ends the session without a report, and closes what is open.
  mutating func end() -> [ControllerEffect] {
    let ended = phase
    phase = .idle
    switch ended {
    case .idle, .pausing: return []
    case .starting(_, let listener, let isReconnecting, _):
      return [.stopListening(listener)]
        + (isReconnecting ? [] : [.answer(.start, .failure(.inactive))])
    case .listening(let listening):
      return [.stopListening(listening.listener)] + listening.waiting.map { .close($0.connection) }
    case .confirmed(let open), .connected(let open, _): return [.close(open.connection)]
    }
  }

  /// Ends the session, and reports why.
  mutating func fail(_ reason: ControllerStopReason) -> [ControllerEffect] {
    let state = state
    let effects = end()
    guard let state else { return effects }
    return effects + [.report(.stopped(state, reason, isReconnecting: false))]
  }
}
