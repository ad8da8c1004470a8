import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto

// From the start to a TLS connection: the listener, announcements, and connections that wait.

extension ControllerSession {
  mutating func start(_ start: ControllerStart) -> [ControllerEffect] {
    // Looking for a lost host is no session for users.
    let isFree = if case .idle = phase { true } else { isReconnecting && state == nil }
    guard isFree else { return [.answer(.start, .failure(.busy))] }
    let ended = end()
    if start.announces, start.pairing.host == nil {
      return ended + refuseStart(.control(.newController))
    }
    return ended + listen(start, isReconnecting: false)
  }

  private func refuseStart(_ error: RemoteSessionError) -> [ControllerEffect] {
    [
      .answer(.start, .failure(error)),
      .report(.stopped(.starting, .connectionFailed(error), isReconnecting: false)),
    ]
  }

  /// Starts a listener, on the port that the user chose or, to find a host again, on that of the last session.
  mutating func listen(_ start: ControllerStart, isReconnecting: Bool) -> [ControllerEffect] {
    let number = nextNumber()
    let port = start.port ?? start.pairing.port ?? start.lastPort
    phase = .starting(start, listener: number, isReconnecting: isReconnecting, isLastPort: port != nil)
    return [.listen(number, port: port, start.pairing.credentials)]
  }

  mutating func listening(
    _ number: ConnectionNumber, host: TransportHost, port: UInt16, at now: ClockReading,
    random: inout some RandomSource
  ) -> [ControllerEffect] {
    guard case .starting(let start, number, let isReconnecting, _) = phase else { return [.stopListening(number)] }
    let listening = ControllerListening(
      start, listener: number, isReconnecting: isReconnecting, host: host, port: port, settings: settings, at: now,
      random: &random)
    phase = .listening(listening)
    let answer: [ControllerEffect] =
      isReconnecting ? [] : [.answer(.start, .success(.started(listening.invitation)))]
    return answer + time(listening, at: now, random: &random)
  }

  mutating func listenFailed(
    _ number: ConnectionNumber, _ error: RemoteControlError, at now: ClockReading
  ) -> [ControllerEffect] {
    guard case .starting(let start, number, let isReconnecting, let isLastPort) = phase else { return [] }
    // Another program may have taken the port. One that the user chose is not replaced by another.
    if isLastPort, error == .tlsStartFailed, start.port == nil || isReconnecting {
      let next = nextNumber()
      phase = .starting(start, listener: next, isReconnecting: isReconnecting, isLastPort: false)
      return [.listen(next, port: nil, start.pairing.credentials)]
    }
    if isReconnecting {
      var schedule = AnnouncementSchedule(at: now.milliseconds, repeats: true)
      schedule.beginPause(at: now.milliseconds)
      phase = .pausing(start, schedule)
      return []
    }
    phase = .idle
    return refuseStart(.control(error))
  }

  mutating func addressChanged(_ host: TransportHost, at now: ClockReading) -> [ControllerEffect] {
    guard case .listening(var listening) = phase, listening.host != host else { return [] }
    listening.host = host
    listening.invite(settings: settings, at: now)
    phase = .listening(listening)
    return []
  }

  mutating func connected(
    _ number: ConnectionNumber, _ session: SessionID, host: CertificateFingerprint, at now: ClockReading
  ) -> [ControllerEffect] {
    guard accepts(host), case .listening(var listening) = phase else { return [.close(number)] }
    listening.waiting.append(
      ControllerListening.Waiting(
        connection: number, session: session, host: host, deadline: now.milliseconds + Times.hello))
    phase = .listening(listening)
    let known = listening.start.pairing.host == nil ? nil : listening.start.pairing
    return [.report(.sessionCode(known, SessionCode(session)))]
  }

  /// A connection ended before its HELLO. That of a known host ends the session, except one that is looked for; that of
  /// anybody else only when there was time for the right one.
  mutating func lostWaiting(
    _ number: ConnectionNumber, _ error: RemoteSessionError, at now: ClockReading
  ) -> [ControllerEffect] {
    guard case .listening(var listening) = phase,
      let index = listening.waiting.firstIndex(where: { $0.connection == number })
    else { return [] }
    let isLast = listening.waiting.count == 1
    let isHost = listening.start.pairing.host != nil && !listening.isReconnecting
    let isLate = listening.deadline.map { $0 <= now.milliseconds } ?? false
    if isLast, isHost || isLate { return fail(.crashed(error)) }
    listening.waiting.remove(at: index)
    phase = .listening(listening)
    return [.close(number)]
  }

  /// Does what is due: announcements, and the ends of waits.
  mutating func time(
    _ listening: ControllerListening, at now: ClockReading, random: inout some RandomSource
  ) -> [ControllerEffect] {
    let late = listening.waiting.filter { $0.deadline <= now.milliseconds }
    var effects: [ControllerEffect] = []
    for waiting in late { effects += lostWaiting(waiting.connection, .timeout, at: now) }
    guard case .listening(var listening) = phase else { return effects }
    if listening.waiting.isEmpty, let deadline = listening.deadline, deadline <= now.milliseconds {
      return effects + fail(.crashed(.timeout))
    }
    guard listening.nextAnnouncement != nil, let step = listening.schedule?.step(at: now.milliseconds) else {
      return effects
    }
    if step == .announceAnew { listening.renew(settings: settings, at: now, random: &random) }
    phase = .listening(listening)
    return effects + listening.datagrams(random: &random).map { .announce($0) }
  }
}
