import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexTesting
import Testing

private func number(_ value: UInt64) -> ConnectionNumber { ConnectionNumber(value) }

@Suite("A controller looks for the host that it lost")
struct ReconnectingTests {
  private let acquaintance: Acquaintance
  private var desk: Desk
  private var phone = Phone(seed: 2)
  private var pairing: HostPairing

  /// A session that was just lost.
  init() throws {
    acquaintance = try Acquaintance()
    pairing = acquaintance.phone
    desk = Desk(seed: 3, pairing: acquaintance.desk)
    let (invitation, _) = desk.invite(reconnects: true)
    _ = try phone.open(invitation, known: pairing)
    let hello = phone.connect(to: &desk)
    pairing = try HostPairing(of: phone.handle(.block(number(1), desk.handle(.block(number(1), hello.block)).block)))
    _ = desk.handle(.attached(number(1)))
    _ = phone.handle(.closed(number(1), .ended))
    #expect(
      desk.handle(.closed(number(1), .ended)).names
        == ["close 1", "stopped connected: disconnected", "listen 2 on 5000"])
  }

  @Test mutating func announcesWithNewKeysOnTheSamePort() throws {
    #expect(desk.session.state == nil)
    #expect(desk.session.isReconnecting)
    // Both keys: the host was lost before it answered.
    let effects = desk.listening(2)
    #expect(effects.names == ["announce", "announce"])
    _ = phone.handle(.find([pairing]))
    let found = effects.datagrams.filter { !phone.handle(.datagram($0, from: desktop)).isEmpty }
    #expect(found.count == 1)
    #expect(phone.handle(.confirm(acquaintance.desk.fingerprint)).names.last == "connect 2")
    let hello = phone.connect(to: &desk, number: 2, id: 2)
    #expect(desk.session.state == .pendingConfirmation(SessionCode(sessionID(2))))
    let accepted = desk.handle(.block(number(2), hello.block))
    #expect(accepted.names == ["store pending", "stopListening 2", "send 2", "attach 2"])
    #expect(phone.handle(.block(number(2), accepted.block)).names.last == "verify: connected compressing")
    #expect(desk.handle(.attached(number(2))).names == ["connected compressing"])
    #expect(!desk.session.isReconnecting)
  }

  /// The host was killed behind its HELLO: nobody has to start again.
  @Test func aHostLostBeforeTheFirstRequestIsLookedFor() throws {
    var desk = Desk(seed: 5, pairing: acquaintance.desk)
    var phone = Phone(seed: 6)
    let (invitation, _) = desk.invite(reconnects: true)
    _ = try phone.open(invitation, known: acquaintance.phone)
    let hello = phone.connect(to: &desk)
    _ = desk.handle(.block(number(1), hello.block))
    let names = desk.handle(.closed(number(1), .ended)).names
    #expect(names.first == "close 1" && names.last == "listen 2 on 5000")
    #expect(names.dropFirst().first?.hasPrefix("stopped confirmed: crashed") == true)
    #expect(desk.session.isReconnecting)
  }

  @Test mutating func burstsNeverEnd() {
    var datagrams = desk.listening(2).datagrams
    var times: [Int64] = []
    let start = desk.now.milliseconds
    while desk.now.milliseconds - start < 3_599_000 {
      let next = desk.wait().datagrams
      #expect(next.count == 2)
      // Each burst has keys of its own.
      if next[0].prefix(45) != datagrams[0].prefix(45) { times.append((desk.now.milliseconds - start) / 1_000) }
      datagrams = next
    }
    #expect(times == [70, 150, 250, 390, 610, 990, 1_650, 2_310, 2_970, 3_630])
  }

  @Test mutating func aHostThatFailsIsWaitedForAgain() {
    _ = desk.listening(2)
    let host = acquaintance.phone.credentials.fingerprint
    #expect(desk.handle(.connected(number(2), sessionID(2), host: host)).names == ["code known"])
    #expect(desk.handle(.closed(number(2), .ended)).names == ["close 2"])
    #expect(desk.session.isReconnecting && desk.session.state == nil)
    _ = desk.handle(.connected(number(3), sessionID(3), host: host))
    #expect(desk.handle(.block(number(3), [])).names == ["close 3"])
    #expect(desk.session.isReconnecting)
  }

  @Test mutating func aTakenPortIsReplacedOrTriedAgain() {
    #expect(desk.handle(.listenFailed(number(2), .tlsStartFailed)).names == ["listen 3"])
    #expect(desk.handle(.listenFailed(number(3), .tlsStartFailed)).isEmpty)
    #expect(desk.session.isReconnecting)
    let before = desk.now.milliseconds
    #expect(desk.wait().names == ["listen 4 on 5000"])
    #expect(desk.now.milliseconds == before + 11_000)
    #expect(desk.handle(.listenFailed(number(4), .noLocalAddress)).isEmpty)
    #expect(desk.wait().names == ["listen 5 on 5000"])
  }

  @Test mutating func theUserStartsOrStops() {
    #expect(desk.start().names == ["stopListening 2", "listen 3"])
    #expect(desk.session.state == .starting)
    #expect(desk.handle(.stop).names == ["stopListening 3", "start: inactive", "stop: stopped"])
    #expect(!desk.session.isReconnecting)
  }

  @Test mutating func stoppingEndsTheSearch() {
    _ = desk.listening(2)
    #expect(desk.handle(.stop).names == ["stopListening 2", "stop: stopped"])
    #expect(!desk.session.isReconnecting && desk.session.deadline == nil)
  }
}
