import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing

private let session = "RemoteControlCore.RemoteSessionError."
private let control = "control(RemoteControlProtocol.RemoteControlError."

private func number(_ value: UInt64) -> ConnectionNumber { ConnectionNumber(value) }

private let stranger = CertificateFingerprint(ofCertificate: [1])

@Suite("Sessions of the controller")
struct ControllerSessionTests {
  private var desk = Desk(seed: 1)
  private var phone = Phone(seed: 2)

  @Test mutating func startAndStop() {
    #expect(desk.handle(.stop).names == ["stop: stopped"])
    #expect(desk.start().names == ["listen 1"])
    #expect(desk.session.state == .starting)
    #expect(desk.start().names == ["start: busy"])
    #expect(desk.listening().names == ["start: started"])
    #expect(desk.session.state?.name == "connecting")
    #expect(desk.session.deadline == 60_000)
    #expect(desk.start().names == ["start: busy"])
    #expect(desk.handle(.stop).names == ["stopListening 1", "stop: stopped"])
    #expect(desk.session.state == nil)
    #expect(desk.start().names == ["listen 2"])
    #expect(desk.handle(.stop).names == ["stopListening 2", "start: inactive", "stop: stopped"])
    // The listener is ready too late.
    #expect(desk.listening(2).names == ["stopListening 2"])
    #expect(desk.handle(.listenFailed(number(2), .tlsStartFailed)).isEmpty)
  }

  @Test mutating func listenersThatDoNotStart() throws {
    for error in [RemoteControlError.noLocalAddress, .tlsStartFailed] {
      _ = desk.start()
      let effects = desk.handle(.listenFailed(number(error == .noLocalAddress ? 1 : 2), error))
      #expect(
        effects.names == [
          "start: \(control)\(error))", "stopped starting: connectionFailed(\(session)\(control)\(error)))",
        ])
    }
    // The port of the last session is taken.
    desk.pairing.port = 77
    #expect(desk.start().names == ["listen 3 on 77"])
    #expect(desk.handle(.listenFailed(number(3), .tlsStartFailed)).names == ["listen 4"])
    #expect(desk.handle(.listenFailed(number(4), .tlsStartFailed)).count == 2)
    // A port that the user chose is not replaced.
    #expect(desk.start(port: 78).names == ["listen 5 on 78"])
    #expect(desk.handle(.listenFailed(number(5), .tlsStartFailed)).count == 2)
    #expect(
      desk.start(announces: true).names == [
        "start: \(control)newController)", "stopped starting: connectionFailed(\(session)\(control)newController))",
      ])
    #expect(desk.session.state == nil)
  }

  @Test mutating func nobodyConnects() {
    _ = desk.invite()
    #expect(desk.wait().names == ["stopListening 1", "stopped connecting: crashed(\(session)timeout)"])
    #expect(desk.session.state == nil)
  }

  @Test mutating func theUserComparesTooLong() {
    _ = desk.invite()
    desk.advance(by: 50_000)
    #expect(desk.handle(.connected(number(1), sessionID(1), host: stranger)).names == ["code"])
    #expect(desk.session.deadline == 110_000)
    #expect(desk.wait().names == ["stopListening 1", "close 1", "stopped pending: crashed(\(session)timeout)"])
  }

  @Test mutating func wholeSession() throws {
    let (invitation, _) = desk.invite()
    _ = try phone.open(invitation)
    let hello = phone.connect(to: &desk, id: 4)
    #expect(desk.session.state == .pendingConfirmation(SessionCode(sessionID(4))))
    let accepted = desk.handle(.block(number(1), hello.block))
    #expect(accepted.names == ["store pending", "stopListening 1", "send 1", "new host", "attach 1"])
    #expect(desk.session.state == .confirmed(SessionCode(sessionID(4))))
    #expect(accepted.stored?.port == nil)
    #expect(accepted.stored?.host?.name == "phone")
    #expect(!desk.session.accepts(stranger))
    #expect(desk.handle(.attached(number(1))).names == ["connected compressing"])
    #expect(desk.session.state == .connected(SessionCode(sessionID(4))))
    #expect(desk.handle(.polled(number(1))).isEmpty)
    #expect(desk.session.deadline == desk.now.milliseconds + 15_000)
    #expect(desk.handle(.answered(number(1))).names == ["store"])
    #expect(desk.session.deadline == nil)
    #expect(desk.handle(.answered(number(1))).isEmpty)
    #expect(desk.handle(.closed(number(1), .ended)).names == ["close 1", "stopped connected: disconnected"])
    #expect(desk.session.state == nil)
  }

  @Test mutating func commandsNeedACompleteSession() throws {
    func refuses(_ error: RemoteSessionError) {
      #expect(throws: error) { try desk.session.requireConnected() }
    }
    refuses(.missing)
    let (invitation, _) = desk.invite()
    refuses(.badState)
    _ = try phone.open(invitation)
    let hello = phone.connect(to: &desk)
    refuses(.badState)
    _ = desk.handle(.block(number(1), hello.block))
    refuses(.badState)
    _ = desk.handle(.attached(number(1)))
    try desk.session.requireConnected()
    #expect(throws: RemoteSessionError.busy) { try phone.session.requireNoSession() }
    _ = phone.handle(.stop)
    try phone.session.requireNoSession()
  }

  @Test mutating func compressionNeedsBoth() throws {
    phone.session.settings.compresses = false
    let (invitation, _) = desk.invite()
    _ = try phone.open(invitation)
    let hello = phone.connect(to: &desk)
    let accepted = desk.handle(.block(number(1), hello.block))
    #expect(phone.handle(.block(number(1), accepted.block)).names.last == "verify: connected")
    #expect(desk.handle(.attached(number(1))).names == ["connected"])
  }

  @Test mutating func aHostThatDoesNotAnswerIsGone() throws {
    let (invitation, _) = desk.invite()
    _ = try phone.open(invitation)
    let hello = phone.connect(to: &desk)
    _ = desk.handle(.block(number(1), hello.block))
    _ = desk.handle(.attached(number(1)))
    _ = desk.handle(.polled(number(1)))
    #expect(desk.wait().names == ["close 1", "stopped connected: disconnected"])
  }

  @Test mutating func atMostEightWait() throws {
    let (invitation, _) = desk.invite()
    _ = try phone.open(invitation)
    for value in 1..<8 {
      #expect(desk.handle(.connected(number(UInt64(value)), sessionID(UInt8(value)), host: stranger)).names == ["code"])
      #expect(desk.session.state == .pendingConfirmation(SessionCode(sessionID(UInt8(value)))))
    }
    #expect(desk.session.accepts(stranger))
    let host = try #require(phone.session.attempted)
    _ = phone.handle(.connected(number(1), sessionID(50), controller: host.0))
    _ = phone.wait()
    #expect(desk.handle(.connected(number(50), sessionID(50), host: host.1)).names == ["code"])
    #expect(!desk.session.accepts(stranger))
    #expect(desk.handle(.connected(number(51), sessionID(51), host: stranger)).names == ["close 51"])
    // What strangers send, and that they leave, changes nothing for the right one.
    #expect(desk.handle(.block(number(3), [1, 2])).names == ["close 3"])
    let garbage = try HandshakeBlock.encode(Array("HELLO".utf8), .tail)
    #expect(desk.handle(.block(number(4), garbage)).names == ["close 4"])
    #expect(desk.handle(.closed(number(5), .ended)).names == ["close 5"])
    let hello = phone.handle(.verify(code(50)))
    #expect(
      desk.handle(.block(number(50), hello.block)).names == [
        "store pending", "stopListening 1", "close 1", "close 2", "close 6", "close 7", "send 50", "new host",
        "attach 50",
      ])
  }

  @Test mutating func strangersDoNotEndTheWait() {
    _ = desk.invite()
    _ = desk.handle(.connected(number(1), sessionID(1), host: stranger))
    #expect(desk.handle(.closed(number(1), .ended)).names == ["close 1"])
    #expect(desk.session.state?.name == "connecting")
    desk.advance(by: 30_000)
    _ = desk.handle(.connected(number(2), sessionID(2), host: stranger))
    desk.advance(by: 30_001)
    #expect(desk.handle(.time).isEmpty)
    // The time of the invitation is over.
    #expect(
      desk.handle(.closed(number(2), .ended)).names == [
        "stopListening 1", "close 2",
        "stopped pending: crashed(\(session)\(control)exception(\"connection closed\")))",
      ])
  }

  @Test mutating func onlyTheKnownHostIsAccepted() throws {
    let acquaintance = try Acquaintance()
    desk = Desk(seed: 3, pairing: acquaintance.desk)
    _ = desk.invite()
    #expect(!desk.session.accepts(stranger))
    #expect(desk.session.accepts(acquaintance.phone.credentials.fingerprint))
    #expect(desk.handle(.connected(number(1), sessionID(1), host: stranger)).names == ["close 1"])
    let host = acquaintance.phone.credentials.fingerprint
    #expect(desk.handle(.connected(number(2), sessionID(2), host: host)).names == ["code known"])
    #expect(
      desk.handle(.closed(number(2), .ended)).names == [
        "stopListening 1", "close 2",
        "stopped pending: crashed(\(session)\(control)exception(\"connection closed\")))",
      ])
  }

  @Test mutating func hellosThatAreRefused() throws {
    let (invitation, _) = desk.invite()
    _ = try phone.open(invitation)
    // From a connection of another authority than the HELLO names.
    let host = try #require(phone.session.attempted)
    _ = phone.handle(.connected(number(1), sessionID(1), controller: host.0))
    _ = phone.wait()
    _ = desk.handle(.connected(number(1), sessionID(1), host: stranger))
    let hello = phone.handle(.verify(code(1)))
    #expect(
      desk.handle(.block(number(1), hello.block)).names == [
        "send 1", "stopListening 1", "close 1", "stopped pending: crashed(\(session)\(control)identity))",
      ])
    #expect(desk.session.state == nil)
  }

  @Test mutating func announcementsOfASession() throws {
    let acquaintance = try Acquaintance()
    desk = Desk(seed: 3, pairing: acquaintance.desk)
    _ = desk.start(announces: true)
    #expect(desk.listening().names == ["start: started", "announce"])
    for second in 1..<60 {
      #expect(desk.session.deadline == Int64(second) * 1_000)
      #expect(desk.wait().names == ["announce"])
      // They go on until HELLO.
      if second == 10 {
        _ = desk.handle(.connected(number(1), sessionID(1), host: acquaintance.phone.credentials.fingerprint))
      }
    }
    #expect(desk.session.deadline == 70_000)
    #expect(desk.wait().names.last == "stopped pending: crashed(\(session)timeout)")
  }

  @Test mutating func announcesForBothKeysAfterAnUncertainSession() throws {
    var pairing = try Acquaintance().desk
    desk = Desk(seed: 3, pairing: pairing)
    #expect(desk.invite(announces: true).1.count == 1)
    let other = X25519.PrivateKey(using: &desk.random).publicKey
    pairing = ControllerPairing(
      credentials: pairing.credentials, identityKey: pairing.identityKey,
      host: pairing.host.map { .init(fingerprint: $0.fingerprint, name: "", key: $0.key, pendingKey: other) }, port: nil
    )
    desk = Desk(seed: 4, pairing: pairing)
    #expect(desk.invite(announces: true).1.count == 2)
  }

  @Test mutating func theAddressChanges() throws {
    let acquaintance = try Acquaintance()
    desk = Desk(seed: 3, pairing: acquaintance.desk)
    _ = desk.invite(announces: true)
    let next = address("10.1.1.1")
    #expect(desk.handle(.addressChanged(.ipv4(next))).isEmpty)
    _ = phone.handle(.find([acquaintance.phone]))
    let datagram = desk.wait().datagrams[0]
    #expect(phone.handle(.datagram(datagram, from: next)).names == ["found"])
  }
}
