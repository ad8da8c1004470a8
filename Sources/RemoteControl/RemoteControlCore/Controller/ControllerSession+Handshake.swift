import RemoteControlProtocol
import SMPProtocol
import SNTRUP761
import SimplexCrypto
import SimplexJSON

// From HELLO to the complete session, and its end.

extension ControllerSession {
  mutating func receive(
    _ block: [UInt8], on number: ConnectionNumber, at now: ClockReading, random: inout some RandomSource
  ) -> [ControllerEffect] {
    guard case .listening(let listening) = phase,
      let waiting = listening.waiting.first(where: { $0.connection == number })
    else { return [] }
    let opened: (hello: HostHello, sealed: SealedHostHello, key: BoxKey)
    do throws(RemoteControlError) {
      opened = try open(block, listening.keys)
    } catch {
      // It may be anybody's.
      return lostWaiting(number, .control(error), at: now)
    }
    do throws(RemoteSessionError) {
      let info = try check(opened.hello, of: waiting)
      return try accept(opened.hello, opened.sealed.hostKey, info: info, key: opened.key, on: waiting, random: &random)
    } catch {
      return refuse(number, error, key: opened.key, random: &random)
    }
  }

  private func open(
    _ block: [UInt8], _ keys: ControllerKeys
  ) throws(RemoteControlError) -> (HostHello, SealedHostHello, BoxKey) {
    let sealed = try HandshakeBlock.decode(block, SealedHostHello.codec)
    guard let key = try? keys.dh.boxKey(with: sealed.hostKey) else { throw .decrypt }
    return (try sealed.open(with: key), sealed, key)
  }

  private func check(
    _ hello: HostHello, of waiting: ControllerListening.Waiting
  ) throws(RemoteSessionError) -> HostAppInfo {
    guard hello.fingerprint == waiting.host else { throw .control(.identity) }
    guard RemoteInvitation.supportedVersions.contains(hello.version) else { throw .control(.version) }
    let info: HostAppInfo
    do throws(JSONError) {
      info = try HostAppInfo(jsonText: hello.app)
    } catch {
      throw .protocolError(.invalidJSON(error.description))
    }
    guard settings.versions.contains(info.version) else { throw .badVersion(info.version) }
    return info
  }

  /// Accepts a HELLO: its connection is the host's, all others are closed.
  private mutating func accept(
    _ hello: HostHello, _ hostKey: X25519.PublicKey, info: HostAppInfo, key: BoxKey,
    on waiting: ControllerListening.Waiting, random: inout some RandomSource
  ) throws(RemoteSessionError) -> [ControllerEffect] {
    guard case .listening(let listening) = phase else { return [] }
    let (ciphertext, secret) = hello.kemKey.encapsulate(using: &random)
    let hybrid = BoxKey(hybridOf: key.secret, secret.secret)
    var (fromController, fromHost) = BoxKeyChain.pair(salt: RawSpan(), secret: hybrid.secret.bytes)
    let block: [UInt8]
    do {
      let answer = try ControllerHello.accepting(ciphertext, chain: &fromController)
      block = try HandshakeBlock.encode(answer, ControllerHello.codec)
    } catch {
      throw .control(.blockSize)
    }
    var start = listening.start
    let isNew = start.pairing.host == nil
    start.pairing.accept(hostKey, fingerprint: waiting.host, name: info.deviceName)
    if let port = start.port { start.pairing.port = port }
    start.lastPort = listening.port
    let cipher = FrameCipher(
      session: waiting.session,
      side: .controller(sessionKey: listening.keys.session, identityKey: start.pairing.identityKey),
      keys: FrameKeys(sending: fromController, receiving: fromHost),
      isCompressing: settings.compresses && info.compresses)
    phase = .confirmed(
      Open(
        start: start, connection: waiting.connection, code: SessionCode(waiting.session),
        isCompressing: cipher.isCompressing, port: listening.port))
    var effects: [ControllerEffect] = [.store(start.pairing), .stopListening(listening.listener)]
    for other in listening.waiting where other.connection != waiting.connection {
      effects.append(.close(other.connection))
    }
    effects.append(.send(waiting.connection, block))
    if isNew { effects.append(.report(.newHost(start.pairing))) }
    return effects + [.attach(waiting.connection, cipher, info)]
  }

  /// Refuses a HELLO that was made for this session, and tells the host why.
  private mutating func refuse(
    _ number: ConnectionNumber, _ error: RemoteSessionError, key: BoxKey, random: inout some RandomSource
  ) -> [ControllerEffect] {
    var effects: [ControllerEffect] = []
    if let answer = try? ControllerHello.refusing(error.text, key: key, nonce: BoxNonce(using: &random)),
      let block = try? HandshakeBlock.encode(answer, ControllerHello.codec)
    {
      effects.append(.send(number, block))
    }
    return effects + fail(.crashed(error))
  }

  mutating func attached(_ number: ConnectionNumber) -> [ControllerEffect] {
    guard case .confirmed(let open) = phase, open.connection == number else { return [] }
    phase = .connected(open, deadline: nil)
    return [.report(.connected(open.start.pairing, isCompressing: open.isCompressing))]
  }

  mutating func polled(_ number: ConnectionNumber, at now: ClockReading) -> [ControllerEffect] {
    guard case .connected(let open, _) = phase, open.connection == number else { return [] }
    phase = .connected(open, deadline: now.milliseconds + Times.answer)
    return []
  }

  /// The host has answered, so it has stored its key.
  mutating func answered(_ number: ConnectionNumber) -> [ControllerEffect] {
    guard case .connected(var open, _) = phase, open.connection == number else { return [] }
    let isChanged = open.start.pairing.confirmKey()
    phase = .connected(open, deadline: nil)
    return isChanged ? [.store(open.start.pairing)] : []
  }

  mutating func closed(
    _ number: ConnectionNumber, _ failure: ConnectionFailure, at now: ClockReading
  ) -> [ControllerEffect] {
    switch phase {
    case .listening: lostWaiting(number, failure.error, at: now)
    case .confirmed(let open) where open.connection == number: lost(.crashed(failure.error))
    case .connected(let open, _) where open.connection == number: lost(.disconnected)
    default: []
    }
  }

  /// The host, which has sent its HELLO, is gone. It is looked for, on the same port and with the same authority.
  mutating func lost(_ reason: ControllerStopReason) -> [ControllerEffect] {
    let open: Open
    switch phase {
    case .confirmed(let confirmed): open = confirmed
    case .connected(let connected, _): open = connected
    default: return []
    }
    guard open.start.reconnects, let state else { return fail(reason) }
    return end() + [.report(.stopped(state, reason, isReconnecting: true))] + listen(open.start, isReconnecting: true)
  }
}

extension RemoteSessionError {
  /// A text for the peer.
  var text: String {
    switch self {
    case .badVersion(let version): "unsupported app version \(version)"
    case .control(.identity): "identity"
    case .control(.version): "unsupported version"
    case .protocolError(.invalidJSON(let text)): "invalid app info: \(text)"
    default: "\(self)"
    }
  }
}
