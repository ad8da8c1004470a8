import RemoteControlProtocol
import SMPProtocol
import SNTRUP761
import SimplexCrypto

// From the TLS connection to the complete session, and its end.

/// The secrets of a HELLO whose answer is awaited.
struct HostHandshake: Sendable {
  /// The key between the host's key of the session and that of the invitation.
  var dhKey: BoxKey
  /// The key that opens the controller's encapsulated secret.
  var kemKey: KEMSecretKey
}

extension HostSession {
  mutating func connected(
    _ number: ConnectionNumber, _ session: SessionID, controller: CertificateFingerprint, at now: Int64
  ) -> [HostEffect] {
    guard case .connecting(let attempt, _) = phase, attempt.connection == number else { return [.close(number)] }
    guard controller == attempt.invitation.controller else {
      return attemptFailed(attempt, .control(.identity), at: now)
    }
    phase = .awaitingRefusal(attempt, session, deadline: now + Times.refusal)
    return []
  }

  /// The controller has accepted the certificate: it would have refused it by now.
  mutating func notRefused(_ attempt: HostAttempt, _ session: SessionID) -> [HostEffect] {
    phase = .awaitingUser(attempt, session)
    return [.report(.sessionCode(attempt.shownPairing, SessionCode(session)))]
  }

  mutating func verify(_ text: String, at now: Int64, random: inout some RandomSource) -> [HostEffect] {
    if case .idle = phase { return [.answer(.verify, .failure(.inactive))] }
    guard case .awaitingUser(var attempt, let session) = phase else {
      return [.answer(.verify, .failure(.badState))]
    }
    guard SessionCode(session).matches(text) else { return failVerifying(.protocolError(.sessionCode)) }
    do throws(RemoteControlError) {
      let (block, handshake) = try hello(for: &attempt, random: &random)
      phase = .awaitingHello(attempt, session, handshake, deadline: now + Times.handshake)
      return [.store(attempt.pairing), .send(attempt.connection, block)]
    } catch {
      return failVerifying(.control(error))
    }
  }

  private mutating func failVerifying(_ error: RemoteSessionError) -> [HostEffect] {
    [.answer(.verify, .failure(error))] + fail(.setupFailed(error))
  }

  /// The block with HELLO, for which the attempt's record has to be stored.
  private func hello(
    for attempt: inout HostAttempt, random: inout some RandomSource
  ) throws(RemoteControlError) -> (block: [UInt8], handshake: HostHandshake) {
    let key = attempt.pairing.offerKey(using: &random)
    let dhKey: BoxKey
    do {
      dhKey = try key.boxKey(with: attempt.invitation.dhKey)
    } catch {
      throw .encrypt
    }
    let kem = KEMKeyPair(using: &random)
    let info = HostAppInfo(
      version: attempt.appVersion, deviceName: settings.deviceName, encoding: settings.encoding,
      encryptsFiles: settings.encryptsFiles, compresses: settings.compresses)
    let hello = HostHello(
      version: attempt.version, fingerprint: attempt.pairing.credentials.fingerprint, app: info.jsonText(),
      kemKey: kem.publicKey)
    let sealed = try SealedHostHello(
      hello, hostKey: key.publicKey, key: dhKey, nonce: BoxNonce(using: &random))
    return (
      try HandshakeBlock.encode(sealed, SealedHostHello.codec), HostHandshake(dhKey: dhKey, kemKey: kem.secretKey)
    )
  }

  mutating func receive(_ block: [UInt8], on number: ConnectionNumber, at now: Int64) -> [HostEffect] {
    switch phase {
    case .awaitingHello(let attempt, let session, let handshake, _) where attempt.connection == number:
      do throws(RemoteControlError) {
        return complete(attempt, session, keys: try keys(in: block, handshake), at: now)
      } catch {
        return fail(.setupFailed(.control(error)))
      }
    case .awaitingRefusal(let attempt, _, _) where attempt.connection == number,
      .awaitingUser(let attempt, _) where attempt.connection == number:
      return fail(.setupFailed(.control(.syntax("a block before HELLO"))))
    default: return []
    }
  }

  /// The keys of the session, from the controller's HELLO.
  private func keys(in block: [UInt8], _ handshake: HostHandshake) throws(RemoteControlError) -> FrameKeys {
    switch try HandshakeBlock.decode(block, ControllerHello.codec) {
    case .error(let nonce, let box):
      throw .controllerError(try ControllerHello.reason(in: box, key: handshake.dhKey, nonce: nonce))
    case .hello(let ciphertext, let box):
      let secret = BoxKey(hybridOf: handshake.dhKey.secret, handshake.kemKey.decapsulate(ciphertext).secret)
      var (fromController, fromHost) = BoxKeyChain.pair(salt: RawSpan(), secret: secret.secret.bytes)
      try ControllerHello.open(box, chain: &fromController)
      return FrameKeys(sending: fromHost, receiving: fromController)
    }
  }

  private mutating func complete(
    _ attempt: HostAttempt, _ session: SessionID, keys: FrameKeys, at now: Int64
  ) -> [HostEffect] {
    var pairing = attempt.pairing
    pairing.complete()
    pairing.controllerName = attempt.appInfo.deviceName
    let cipher = FrameCipher(
      session: session,
      side: .host(sessionKey: attempt.invitation.sessionKey, identityKey: attempt.invitation.identityKey), keys: keys,
      isCompressing: settings.compresses && attempt.appInfo.compresses)
    phase = .connected(pairing, attempt.connection, SessionCode(session), deadline: now + Times.silence)
    return [
      .store(pairing), .serve(attempt.connection, cipher),
      .answer(.verify, .success(.connected(pairing, isCompressing: cipher.isCompressing))),
    ]
  }

  mutating func closed(
    _ number: ConnectionNumber, _ failure: ConnectionFailure, at now: Int64
  ) -> [HostEffect] {
    switch phase {
    case .connecting(let attempt, _) where attempt.connection == number:
      attemptFailed(attempt, failure.error, at: now)
    case .awaitingRefusal(let attempt, _, _) where attempt.connection == number:
      fail(.connectionFailed(failure.error))
    case .awaitingUser(let attempt, _) where attempt.connection == number:
      fail(failure == .unknownAuthority ? .connectionFailed(failure.error) : .disconnected)
    case .awaitingHello(let attempt, _, _, _) where attempt.connection == number:
      fail(.setupFailed(failure.error))
    case .connected(_, number, _, _): fail(.disconnected)
    default: []
    }
  }
}
