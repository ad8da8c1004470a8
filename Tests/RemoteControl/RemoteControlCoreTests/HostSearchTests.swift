import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing

@Suite("Searches of the host for known controllers")
struct HostSearchTests {
  private let acquaintance: Acquaintance
  private var phone = Phone(seed: 1)
  private var desk: Desk
  private var controller: CertificateFingerprint { acquaintance.desk.fingerprint }

  init() throws {
    acquaintance = try Acquaintance()
    desk = Desk(seed: 2, pairing: acquaintance.desk)
  }

  @Test mutating func findsAndConnects() throws {
    let (_, datagrams) = desk.invite(announces: true)
    #expect(datagrams.count == 1)
    #expect(phone.handle(.find([acquaintance.phone])).names == ["listen", "find: searching"])
    #expect(phone.session.state == .searching)
    #expect(phone.handle(.datagram(datagrams[0], from: desktop)).names == ["found"])
    // Announcements are repeated.
    #expect(phone.handle(.datagram(datagrams[0], from: desktop)).isEmpty)
    let again = desk.wait().datagrams
    #expect(again.count == 1 && again != datagrams)
    #expect(phone.handle(.datagram(again[0], from: desktop)).isEmpty)
    let other = CertificateFingerprint(ofCertificate: [1])
    #expect(phone.handle(.confirm(other)).names == ["confirm: badController"])
    #expect(
      phone.handle(.confirm(controller)).names
        == ["stopListening", "confirm: connecting known 7.0.0.6", "connect 1"])
    let hello = phone.connect(to: &desk)
    #expect(hello.names == ["store pending", "send 1"])
    let accepted = desk.handle(.block(ConnectionNumber(1), hello.block))
    #expect(accepted.names == ["store pending", "stopListening 1", "send 1", "attach 1"])
    #expect(
      phone.handle(.block(ConnectionNumber(1), accepted.block)).names
        == ["store", "serve 1", "verify: connected compressing"])
  }

  @Test mutating func nothingIsFound() {
    _ = phone.handle(.find([acquaintance.phone]))
    #expect(phone.session.deadline == 30_000)
    #expect(phone.handle(.confirm(controller)).names == ["confirm: badState"])
    #expect(
      phone.wait().names == [
        "stopListening",
        "stopped searching: discoveryFailed(RemoteControlCore.RemoteSessionError.control("
          + "RemoteControlProtocol.RemoteControlError.notDiscovered))",
      ])
    #expect(phone.session.state == nil)
  }

  @Test mutating func whatWasFoundCanBeConfirmedLater() {
    let (_, datagrams) = desk.invite(announces: true)
    _ = phone.handle(.find([acquaintance.phone]))
    _ = phone.handle(.datagram(datagrams[0], from: desktop))
    #expect(phone.wait().names == ["stopListening"])
    #expect(phone.session.state == .searching)
    #expect(phone.session.deadline == nil)
    phone.now += 60_000
    #expect(phone.handle(.confirm(controller)).names == ["confirm: connecting known 7.0.0.6", "connect 1"])
    // There is no time left for another search.
    #expect(phone.wait().names.last?.hasPrefix("stopped connecting: connectionFailed") == true)
  }

  @Test mutating func foreignAnnouncementsAreIgnored() throws {
    let (_, datagrams) = desk.invite(announces: true)
    var stranger = Desk(seed: 3, pairing: try Acquaintance(seed: 50).desk)
    let (_, strange) = stranger.invite(announces: true)
    _ = phone.handle(.find([acquaintance.phone]))
    #expect(phone.handle(.datagram(strange[0], from: desktop)).isEmpty)
    // From another address than the invitation's.
    #expect(phone.handle(.datagram(datagrams[0], from: address("192.168.1.3"))).isEmpty)
    #expect(phone.handle(.datagram(Array(datagrams[0].dropLast()), from: desktop)).isEmpty)
    #expect(phone.handle(.datagram([], from: desktop)).isEmpty)
    // From somebody who has stolen the certificate authority's name, but not its identity key.
    var random = InsecureSeededRandom(seed: 4)
    var forged = acquaintance.desk
    forged = ControllerPairing(
      credentials: forged.credentials, identityKey: Ed25519.PrivateKey(using: &random), host: forged.host, port: nil)
    var forger = Desk(seed: 5, pairing: forged)
    let (_, forgery) = forger.invite(announces: true)
    #expect(phone.handle(.datagram(forgery[0], from: desktop)).isEmpty)
    #expect(phone.handle(.datagram(datagrams[0], from: desktop)).names == ["found"])
  }

  @Test mutating func incompatibleAndMalformedApplicationsAreFound() {
    desk.session.settings.versions = versions("8", "9")
    let (_, datagrams) = desk.invite(announces: true)
    _ = phone.handle(.find([acquaintance.phone]))
    #expect(phone.handle(.datagram(datagrams[0], from: desktop)).names == ["found incompatible"])
    #expect(
      phone.handle(.confirm(controller)).names == [
        "stopListening", "confirm: badVersion(9)",
        "stopped starting: connectionFailed(RemoteControlCore.RemoteSessionError.badVersion(9))",
      ])
  }

  /// Whoever repeats an old announcement costs an attempt each, and does not end the search.
  @Test mutating func repeatedOldAnnouncementsDoNotEndTheSearch() {
    var recorded: [[UInt8]] = []
    for seed in 10..<13 {
      var former = Desk(seed: UInt64(seed), pairing: acquaintance.desk)
      recorded += former.invite(announces: true).1
    }
    desk.advance(by: 100_000)
    let (_, datagrams) = desk.invite(announces: true)
    _ = phone.handle(.find([acquaintance.phone]))
    for (index, datagram) in recorded.enumerated() {
      #expect(phone.handle(.datagram(datagram, from: desktop)).names == ["found"])
      _ = phone.handle(.confirm(controller))
      phone.now += 1_000
      let number = ConnectionNumber(UInt64(index) + 1)
      let effects = phone.handle(.closed(number, .failed("refused")))
      #expect(effects.names.prefix(2) == ["close \(number.value)", "listen"])
      #expect(effects.names.last?.hasPrefix("attempt failed") == true)
      #expect(phone.session.state == .searching)
      #expect(phone.handle(.datagram(datagram, from: desktop)).isEmpty)
    }
    #expect(phone.handle(.datagram(datagrams[0], from: desktop)).names == ["found"])
    // An older one does not replace it.
    var late = Desk(seed: 14, pairing: acquaintance.desk)
    let (_, older) = late.invite(announces: true)
    #expect(phone.handle(.datagram(older[0], from: desktop)).isEmpty)
    #expect(phone.handle(.confirm(controller)).names.first == "stopListening")
    #expect(phone.connect(to: &desk, number: 4).names == ["store pending", "send 4"])
  }

  @Test mutating func aSearchInWhichConnectionsFailedReportsTheLastError() {
    let (_, datagrams) = desk.invite(announces: true)
    _ = phone.handle(.find([acquaintance.phone]))
    _ = phone.handle(.datagram(datagrams[0], from: desktop))
    _ = phone.handle(.confirm(controller))
    _ = phone.handle(.closed(ConnectionNumber(1), .failed("refused")))
    #expect(
      phone.wait().names.last
        == "stopped searching: discoveryFailed(RemoteControlCore.RemoteSessionError.control("
        + "RemoteControlProtocol.RemoteControlError.exception(\"refused\")))")
  }

  @Test mutating func twoControllersAnnounceAtOnce() throws {
    let second = try Acquaintance(seed: 70)
    var other = Desk(seed: 6, pairing: second.desk)
    _ = phone.handle(.find([acquaintance.phone, second.phone]))
    let (_, datagrams) = desk.invite(announces: true)
    let (_, others) = other.invite(announces: true)
    #expect(phone.handle(.datagram(datagrams[0], from: desktop)).names == ["found"])
    #expect(phone.handle(.datagram(others[0], from: desktop)).names == ["found"])
    let effects = phone.handle(.confirm(second.desk.fingerprint))
    guard case .connect(_, let invitation, _) = effects.last else {
      Issue.record("\(effects.names)")
      return
    }
    #expect(invitation.controller == second.desk.fingerprint)
  }

  /// 10,000 datagrams in a second cost a bounded number of key agreements, and do not hide another source.
  @Test mutating func floods() {
    let (_, datagrams) = desk.invite(announces: true)
    _ = phone.handle(.find([acquaintance.phone]))
    var noise = datagrams[0]
    noise[500] ^= 1
    for _ in 0..<10_000 { #expect(phone.handle(.datagram(noise, from: address("192.168.1.66"))).isEmpty) }
    #expect(phone.handle(.datagram(datagrams[0], from: desktop)).names == ["found"])
  }

  @Test mutating func stopped() {
    _ = phone.handle(.find([acquaintance.phone]))
    #expect(phone.handle(.stop).names == ["stopListening", "stop: stopped"])
    #expect(phone.handle(.datagram([UInt8](repeating: 0, count: 985), from: desktop)).isEmpty)
  }
}
