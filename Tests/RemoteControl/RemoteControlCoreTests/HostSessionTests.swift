import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

private let first = ConnectionNumber(1)

@Suite("Sessions of the host that begin with a link")
struct HostSessionTests {
  private var phone = Phone(seed: 1)
  private var desk = Desk(seed: 2)

  /// The controller's authority.
  private var controller: CertificateFingerprint { desk.pairing.fingerprint }

  /// A link whose invitation was changed before it was signed.
  private func link(_ change: (inout RemoteInvitation) -> Void) throws -> SignedInvitation {
    var random = InsecureSeededRandom(seed: 9)
    let session = Ed25519.PrivateKey(using: &random)
    var invitation = RemoteInvitation(
      controller: controller, host: .ipv4(desktop), port: 5, app: "{}", timestamp: 0, sessionKey: session.publicKey,
      identityKey: desk.pairing.identityKey.publicKey, dhKey: X25519.PrivateKey(using: &random).publicKey)
    invitation.setApp(ControllerAppInfo(versions: versions(), deviceName: "d", compresses: false))
    change(&invitation)
    return invitation.signed(sessionKey: session, identityKey: desk.pairing.identityKey)
  }

  @Test mutating func wholeSession() throws {
    let (invitation, _) = desk.invite()
    #expect(phone.session.state == nil)
    #expect(try phone.open(invitation).names == ["connect: connecting 7.0.0.6", "connect 1"])
    #expect(phone.session.state == .connecting)
    #expect(phone.session.deadline == 15_000)
    let host = try #require(phone.session.attempted).1
    phone.now = 500
    #expect(phone.handle(.connected(first, sessionID(7), controller: controller)).isEmpty)
    #expect(phone.session.state == .connecting)
    #expect(phone.session.deadline == 600)
    #expect(phone.wait().names == ["code"])
    #expect(phone.session.state == .pendingConfirmation(SessionCode(sessionID(7))))
    #expect(phone.session.deadline == nil)
    #expect(desk.handle(.connected(first, sessionID(7), host: host)).names == ["code"])
    let hello = phone.handle(.verify(code(7).filter { $0 != " " }))
    #expect(hello.names == ["store pending", "send 1"])
    #expect(phone.session.deadline == 15_600)
    let accepted = desk.handle(.block(first, hello.block))
    #expect(accepted.names == ["store pending", "stopListening 1", "send 1", "new host", "attach 1"])
    let complete = phone.handle(.block(first, accepted.block))
    #expect(complete.names == ["store", "serve 1", "verify: connected compressing"])
    #expect(phone.session.state == .connected(SessionCode(sessionID(7))))
    #expect(complete.stored?.controllerName == "desktop")
    #expect(complete.stored?.isComplete == true)
    #expect(phone.handle(.closed(first, .ended)).names == ["close 1", "stopped connected: disconnected"])
    #expect(phone.session.state == nil)
  }

  @Test mutating func invitationsThatAreRefused() throws {
    let signed = try link { _ in }
    let forged = signed.text.replacing("&ts=0", with: "&ts=1")
    let received = try ReceivedInvitation.codec.decode(text: forged)
    let credentials = RemoteCredentials(using: &phone.random)
    #expect(
      phone.handle(.connect(received, known: nil, credentials: credentials)).names == ["connect: badInvitation"])
    let cases: [(String, (inout RemoteInvitation) -> Void)] = [
      ("badInvitation", { $0.app = "null" }),
      (
        "badVersion(7.0.0.7)",
        {
          $0.setApp(ControllerAppInfo(versions: versions("7.0.0.7", "7.0.0.7"), deviceName: "", compresses: true))
        }
      ),
      (
        "badVersion(6.5.0.11)",
        { $0.setApp(ControllerAppInfo(versions: versions("6.4", "6.5.0.11"), deviceName: "", compresses: true)) }
      ),
      (
        "control(RemoteControlProtocol.RemoteControlError.version)",
        { invitation in if let later = VersionRange(2, 3) { invitation.versions = later } }
      ),
    ]
    for (error, change) in cases {
      #expect(
        try phone.open(link(change)).names
          == ["connect: \(error)", "stopped starting: connectionFailed(RemoteControlCore.RemoteSessionError.\(error))"])
      #expect(phone.session.state == nil)
    }
  }

  @Test mutating func aKnownControllerHasItsIdentityKey() throws {
    let acquaintance = try Acquaintance()
    var random = InsecureSeededRandom(seed: 5)
    let pairing = ControllerPairing(
      credentials: acquaintance.desk.credentials, identityKey: Ed25519.PrivateKey(using: &random), host: nil, port: nil)
    desk = Desk(seed: 3, pairing: pairing)
    let (invitation, _) = desk.invite()
    let effects = try phone.open(invitation, known: acquaintance.phone)
    guard case .answer(.connect, .failure(.protocolError(.remoteControl(.identity)))) = effects[0] else {
      Issue.record("\(effects.names)")
      return
    }
    #expect(effects.count == 2)
  }

  @Test mutating func aKnownControllerKeepsItsRecord() throws {
    let acquaintance = try Acquaintance()
    desk = Desk(seed: 3, pairing: acquaintance.desk)
    let (invitation, _) = desk.invite()
    let effects = try phone.open(invitation, known: acquaintance.phone)
    #expect(effects.names == ["connect: connecting known 7.0.0.6", "connect 1"])
    guard case .connect(_, _, acquaintance.phone.credentials) = effects[1] else {
      Issue.record("other credentials")
      return
    }
    #expect(phone.session.controller == acquaintance.desk.fingerprint)
  }

  @Test mutating func commandsInTheWrongState() throws {
    let (invitation, _) = desk.invite()
    #expect(phone.handle(.verify("1")).names == ["verify: inactive"])
    #expect(phone.handle(.confirm(controller)).names == ["confirm: badState"])
    #expect(phone.handle(.stop).names == ["stop: stopped"])
    #expect(phone.handle(.find([])).names == ["find: noKnownControllers"])
    _ = try phone.open(invitation)
    #expect(try phone.open(invitation).names == ["connect: busy"])
    #expect(phone.handle(.find([try Acquaintance().phone])).names == ["find: busy"])
    #expect(phone.handle(.verify("1")).names == ["verify: badState"])
    #expect(phone.handle(.confirm(controller)).names == ["confirm: badState"])
    #expect(phone.handle(.stop).names == ["close 1", "stop: stopped"])
    #expect(phone.session.state == nil)
    #expect(try phone.open(invitation).names == ["connect: connecting 7.0.0.6", "connect 2"])
  }

  @Test mutating func timesAndFailuresOfTheConnection() throws {
    let (invitation, _) = desk.invite()
    let failed = "stopped connecting: connectionFailed(RemoteControlCore.RemoteSessionError."
    _ = try phone.open(invitation)
    #expect(phone.wait().names == ["close 1", failed + "timeout)"])
    _ = try phone.open(invitation)
    #expect(
      phone.handle(.closed(ConnectionNumber(2), .failed("no route"))).names
        == ["close 2", failed + "control(RemoteControlProtocol.RemoteControlError.exception(\"no route\")))"])
    // Another authority than the link names.
    _ = try phone.open(invitation)
    let identity = failed + "control(RemoteControlProtocol.RemoteControlError.identity))"
    let other = CertificateFingerprint(ofCertificate: [1])
    #expect(
      phone.handle(.connected(ConnectionNumber(3), sessionID(1), controller: other)).names == ["close 3", identity])
    // The controller knows another host.
    _ = try phone.open(invitation)
    _ = phone.handle(.connected(ConnectionNumber(4), sessionID(1), controller: controller))
    #expect(phone.handle(.closed(ConnectionNumber(4), .unknownAuthority)).names == ["close 4", identity])
  }

  @Test mutating func theWrongCodeEndsTheSession() throws {
    let (invitation, _) = desk.invite()
    _ = try phone.open(invitation)
    _ = phone.handle(.connected(first, sessionID(1), controller: controller))
    #expect(phone.handle(.verify(code(1))).names == ["verify: badState"])
    _ = phone.wait()
    let error = "protocolError(RemoteControlProtocol.FrameError.sessionCode)"
    #expect(
      phone.handle(.verify(code(2))).names
        == [
          "verify: \(error)", "close 1",
          "stopped pending: setupFailed(RemoteControlCore.RemoteSessionError.\(error))",
        ])
  }

  @Test mutating func failuresOfTheHandshake() throws {
    let (invitation, _) = desk.invite()
    func awaiting(_ number: UInt64) throws {
      _ = try phone.open(invitation)
      _ = phone.handle(.connected(ConnectionNumber(number), sessionID(1), controller: controller))
      _ = phone.wait()
      #expect(phone.handle(.verify(code(1))).names == ["store pending", "send \(number)"])
      #expect(phone.handle(.verify(code(1))).names == ["verify: badState"])
    }
    func ends(_ effects: [HostEffect], _ number: Int, _ error: String) {
      #expect(
        effects.names == [
          "close \(number)", "verify: \(error)",
          "stopped pending: setupFailed(RemoteControlCore.RemoteSessionError.\(error))",
        ])
    }
    let control = "control(RemoteControlProtocol.RemoteControlError."
    try awaiting(1)
    ends(phone.wait(), 1, "timeout")
    try awaiting(2)
    ends(phone.handle(.closed(ConnectionNumber(2), .ended)), 2, control + "exception(\"connection closed\"))")
    try awaiting(3)
    ends(phone.handle(.block(ConnectionNumber(3), [1])), 3, control + "blockSize)")
    try awaiting(4)
    let block = try HandshakeBlock.encode(Array("HELLO ".utf8), .tail)
    let effects = phone.handle(.block(ConnectionNumber(4), block))
    #expect(effects.names[1].hasPrefix("verify: " + control + "syntax("))
    try awaiting(5)
    #expect(phone.handle(.stop).names == ["close 5", "verify: inactive", "stop: stopped"])
    // A controller that speaks before it was asked.
    _ = try phone.open(invitation)
    _ = phone.handle(.connected(ConnectionNumber(6), sessionID(1), controller: controller))
    _ = phone.wait()
    #expect(phone.handle(.block(ConnectionNumber(6), block)).count == 2)
    // A controller that leaves while the user compares codes.
    _ = try phone.open(invitation)
    _ = phone.handle(.connected(ConnectionNumber(7), sessionID(1), controller: controller))
    _ = phone.wait()
    #expect(phone.handle(.closed(ConnectionNumber(7), .ended)).names == ["close 7", "stopped pending: disconnected"])
  }

  @Test mutating func theControllersErrorIsShown() throws {
    desk.session.settings.versions = versions("6.5.0.12", "7.0.0.9")
    let (invitation, _) = desk.invite()
    desk.session.settings.versions = versions("7.0.0.8", "7.0.0.9")
    _ = try phone.open(invitation)
    let hello = phone.connect(to: &desk)
    let refused = desk.handle(.block(first, hello.block))
    #expect(
      refused.names.dropFirst() == [
        "stopListening 1", "close 1",
        "stopped pending: crashed(RemoteControlCore.RemoteSessionError.badVersion(7.0.0.6))",
      ])
    let effects = phone.handle(.block(first, refused.block))
    #expect(
      effects.names[1]
        == "verify: control(RemoteControlProtocol.RemoteControlError.controllerError(\"unsupported app version 7.0.0.6\"))"
    )
  }

  @Test mutating func aSilentControllerIsGone() throws {
    let (invitation, _) = desk.invite()
    _ = try phone.open(invitation)
    let hello = phone.connect(to: &desk)
    _ = phone.handle(.block(first, desk.handle(.block(first, hello.block)).block))
    for _ in 0..<5 {
      phone.now += 10_000
      #expect(phone.handle(.request(first)).isEmpty)
      #expect(phone.session.deadline == phone.now + 35_000)
    }
    #expect(phone.handle(.request(ConnectionNumber(9))).isEmpty)
    #expect(phone.wait().names == ["close 1", "stopped connected: disconnected"])
  }

  @Test mutating func inputsAboutOtherConnectionsAreIgnored() throws {
    let (invitation, _) = desk.invite()
    _ = try phone.open(invitation)
    let other = ConnectionNumber(99)
    #expect(phone.handle(.connected(other, sessionID(1), controller: controller)).names == ["close 99"])
    #expect(phone.handle(.closed(other, .ended)).isEmpty)
    #expect(phone.handle(.block(other, [])).isEmpty)
    #expect(phone.handle(.time).isEmpty)
    #expect(phone.session.state == .connecting)
  }
}
