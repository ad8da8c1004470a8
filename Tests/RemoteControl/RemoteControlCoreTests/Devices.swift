import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto

/// A host's machine with its clock and randomness.
struct Phone {
  var session = HostSession(settings: hostSettings)
  var random: InsecureSeededRandom
  var now: Int64 = 0

  init(seed: UInt64) { random = InsecureSeededRandom(seed: seed) }

  mutating func handle(_ input: HostInput) -> [HostEffect] { session.handle(input, at: now, random: &random) }

  /// Passes to the next deadline.
  mutating func wait() -> [HostEffect] {
    guard let deadline = session.deadline else { return [] }
    now = deadline
    return handle(.time)
  }

  /// Opens a link.
  mutating func open(_ link: SignedInvitation, known: HostPairing? = nil) throws -> [HostEffect] {
    let received = try ReceivedInvitation.codec.decode(text: link.text)
    return handle(.connect(received, known: known, credentials: RemoteCredentials(using: &random)))
  }
}

/// A controller's machine with its clock and randomness.
struct Desk {
  var session = ControllerSession(settings: controllerSettings)
  var random: InsecureSeededRandom
  var now = ClockReading(milliseconds: 0, unixSeconds: 1_700_000_000)
  var pairing: ControllerPairing

  init(seed: UInt64, pairing: ControllerPairing? = nil) {
    random = InsecureSeededRandom(seed: seed)
    self.pairing = pairing ?? ControllerPairing(using: &random)
  }

  mutating func handle(_ input: ControllerInput) -> [ControllerEffect] {
    session.handle(input, at: now, random: &random)
  }

  /// Passes to the next deadline.
  mutating func wait() -> [ControllerEffect] {
    guard let deadline = session.deadline else { return [] }
    advance(by: deadline - now.milliseconds)
    return handle(.time)
  }

  mutating func advance(by milliseconds: Int64) {
    now.milliseconds += milliseconds
    now.unixSeconds += milliseconds / 1_000
  }

  mutating func start(announces: Bool = false, reconnects: Bool = false, port: UInt16? = nil) -> [ControllerEffect] {
    handle(
      .start(ControllerStart(pairing: pairing, announces: announces, port: port, reconnects: reconnects)))
  }

  /// Reports that the last listener has a port.
  mutating func listening(_ number: UInt64 = 1, port: UInt16 = 5_000) -> [ControllerEffect] {
    handle(.listening(ConnectionNumber(number), host: .ipv4(desktop), port: port))
  }

  /// The invitation of a session that is started now.
  mutating func invite(announces: Bool = false, reconnects: Bool = false) -> (SignedInvitation, [[UInt8]]) {
    _ = start(announces: announces, reconnects: reconnects)
    let effects = listening()
    return (effects.invitation, effects.datagrams)
  }
}

extension [ControllerEffect] {
  /// The invitation in the answer to a start.
  var invitation: SignedInvitation {
    for case .answer(.start, .success(.started(let invitation))) in self { return invitation }
    preconditionFailure("no invitation: \(names)")
  }

  /// The datagrams to send.
  var datagrams: [[UInt8]] {
    compactMap { if case .announce(let datagram) = $0 { datagram } else { nil } }
  }

  /// The block to send.
  var block: [UInt8] {
    for case .send(_, let block) in self { return block }
    preconditionFailure("no block: \(names)")
  }

  /// The last record to store.
  var stored: ControllerPairing? {
    for case .store(let pairing) in reversed() { return pairing }
    return nil
  }
}

extension [HostEffect] {
  /// The block to send.
  var block: [UInt8] {
    for case .send(_, let block) in self { return block }
    preconditionFailure("no block: \(names)")
  }

  /// The last record to store.
  var stored: HostPairing? {
    for case .store(let pairing) in reversed() { return pairing }
    return nil
  }
}

/// A session identifier of 32 equal bytes.
func sessionID(_ byte: UInt8) -> SessionID { SessionID([UInt8](repeating: byte, count: 32)) }

/// The text of its code.
func code(_ byte: UInt8) -> String { SessionCode(sessionID(byte)).description }

/// Both devices after a complete first session, with their records; the session has ended.
struct Acquaintance {
  var phone: HostPairing
  var desk: ControllerPairing

  init(seed: UInt64 = 1) throws {
    var desk = Desk(seed: seed)
    var phone = Phone(seed: seed + 1_000)
    let (invitation, _) = desk.invite()
    _ = try phone.open(invitation)
    var hostEffects = phone.connect(to: &desk)
    self.phone = try HostPairing(of: hostEffects)
    let accepted = desk.handle(.block(ConnectionNumber(1), hostEffects.block))
    self.desk = try ControllerPairing(of: accepted)
    hostEffects = phone.handle(.block(ConnectionNumber(1), accepted.block))
    self.phone = try HostPairing(of: hostEffects)
    _ = desk.handle(.attached(ConnectionNumber(1)))
    self.desk = try ControllerPairing(of: desk.handle(.answered(ConnectionNumber(1))))
  }
}

extension Phone {
  /// Connects the first connection of both devices, and verifies the code; returns the effects with HELLO.
  mutating func connect(to desk: inout Desk, number: UInt64 = 1, id: UInt8 = 1) -> [HostEffect] {
    guard let controller = session.attempted else { preconditionFailure("no attempt") }
    let connection = ConnectionNumber(number)
    _ = handle(.connected(connection, sessionID(id), controller: controller.0))
    _ = desk.handle(.connected(connection, sessionID(id), host: controller.1))
    _ = wait()
    return handle(.verify(code(id)))
  }
}

extension HostPairing {
  struct NotStored: Error {}

  init(of effects: [HostEffect]) throws {
    guard let stored = effects.stored else { throw NotStored() }
    self = stored
  }
}

extension ControllerPairing {
  init(of effects: [ControllerEffect]) throws {
    guard let stored = effects.stored else { throw HostPairing.NotStored() }
    self = stored
  }
}
