import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting

/// A phone that looks for its desktop again and again, and a desktop that looks for a phone that it lost, in simulated
/// time. Connections are lost, with or without a notice; programs are killed after any effect and started again.
struct LivingWorld {
  /// What is done wrong, to see that it is found.
  enum Mutant {
    /// A key of the phone is stored when the session is complete, and the desktop keeps only the last one.
    case keyStoredAfterHello
  }

  private enum Event {
    case toPhone(HostInput, life: Int)
    case toDesk(ControllerInput, life: Int)
    case find(life: Int)
    case poll(ConnectionNumber, life: Int)
    /// The phone answers a poll.
    case answer(ConnectionNumber, life: Int)
    case startDesk(life: Int)
    case startPhone
    case disturb
  }

  /// A connection, with its numbers at both sides.
  private struct Link {
    let phone: ConnectionNumber
    let desk: ConnectionNumber
    let phoneLife: Int
    let deskLife: Int
    /// Whether nothing arrives any more.
    var isCut = false
  }

  private let mutant: Mutant?
  private var generator: SeededGenerator
  private var random: InsecureSeededRandom
  private(set) var now: Int64 = 0
  private var events: [(time: Int64, number: Int, event: Event)] = []
  private var lastEvent = 0
  private var lastDeskNumber: UInt64 = 0

  private var phone = HostSession(settings: hostSettings)
  private var desk = ControllerSession(settings: controllerSettings)
  /// The numbers of the present programs, which a restart changes.
  private var (phoneLife, deskLife) = (1, 1)
  /// The effects until a program is killed; nil for never.
  private var (phoneEffects, deskEffects): (Int?, Int?) = (nil, nil)
  private var links: [Link] = []
  private var isPhoneListening = false
  private var isDeskListening = false
  private var disturbances: Int
  private var phoneRecords: [CertificateFingerprint: HostPairing] = [:]
  private var deskRecord: ControllerPairing?
  /// The sessions that became complete at the desktop.
  private(set) var sessions = 0

  init(seed: UInt64, disturbances: Int, mutant: Mutant? = nil) {
    generator = SeededGenerator(seed: seed)
    random = InsecureSeededRandom(seed: seed)
    self.disturbances = disturbances
    self.mutant = mutant
    schedule(.startDesk(life: 1), in: 0)
    schedule(.disturb, in: 20_000)
  }

  /// Whether both have the same session.
  var isConnected: Bool {
    guard case .connected(let code)? = phone.state, case .connected(code)? = desk.state else { return false }
    return links.contains { !$0.isCut && $0.phoneLife == phoneLife && $0.deskLife == deskLife }
  }

  /// Whether the desktop has ever stored the phone.
  var isPaired: Bool { deskRecord?.host != nil }

  /// Runs for a time after the last disturbance.
  mutating func run(quiet: Int64) {
    var end: Int64?
    while true {
      if disturbances == 0, end == nil { end = now + quiet }
      let deadlines = [phone.deadline, desk.deadline, events.first?.time].compactMap { $0 }
      guard let next = deadlines.min(), next <= end ?? .max else { return }
      now = max(now, next)
      if let event = events.first, event.time <= now {
        events.removeFirst()
        handle(event.event)
      } else if let deadline = phone.deadline, deadline <= now {
        handle(.toPhone(.time, life: phoneLife))
      } else {
        handle(.toDesk(.time, life: deskLife))
      }
    }
  }

  private mutating func schedule(_ event: Event, in time: Int64) {
    lastEvent += 1
    let entry = (time: now + time, number: lastEvent, event: event)
    let index = events.firstIndex { $0.time > entry.time } ?? events.count
    events.insert(entry, at: index)
  }

  private mutating func handle(_ event: Event) {
    switch event {
    case .toPhone(let input, phoneLife):
      for effect in phone.handle(input, at: now, random: &random) {
        if phoneEffects == 0 { return killPhone() }
        phoneEffects = phoneEffects.map { $0 - 1 }
        execute(effect)
      }
    case .toDesk(let input, deskLife):
      let reading = ClockReading(milliseconds: now, unixSeconds: now / 1_000)
      for effect in desk.handle(input, at: reading, random: &random) {
        if deskEffects == 0 { return killDesk() }
        deskEffects = deskEffects.map { $0 - 1 }
        execute(effect)
      }
    case .find(phoneLife): handle(.toPhone(.find(Array(phoneRecords.values)), life: phoneLife))
    case .poll(let number, deskLife): poll(number)
    case .answer(let number, deskLife):
      guard link(ofDesk: number) != nil else { return }
      handle(.toDesk(.answered(number), life: deskLife))
      schedule(.poll(number, life: deskLife), in: 1)
    case .startDesk(deskLife):
      let pairing = deskRecord ?? ControllerPairing(using: &random)
      let start = ControllerStart(pairing: pairing, announces: pairing.host != nil, reconnects: true)
      handle(.toDesk(.start(start), life: deskLife))
    case .startPhone: handle(.find(life: phoneLife))
    case .disturb: disturb()
    case .toPhone, .toDesk, .find, .poll, .answer, .startDesk: break
    }
  }

  // MARK: Disturbances

  private mutating func disturb() {
    disturbances -= 1
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: killPhone()
    case 1: killDesk()
    // In the midst of what comes next, such as a handshake.
    case 2: phoneEffects = Int.random(in: 0..<14, using: &generator)
    case 3: deskEffects = Int.random(in: 0..<14, using: &generator)
    default: break
    }
    cutAll()
    if disturbances > 0 { schedule(.disturb, in: Int64.random(in: 1_000...90_000, using: &generator)) }
  }

  private mutating func cutAll() {
    for index in links.indices where !links[index].isCut { cut(index) }
    links.removeAll { $0.isCut }
  }

  /// Cuts a connection; either side may learn of it, or only by its own times.
  private mutating func cut(_ index: Int) {
    links[index].isCut = true
    let link = links[index]
    if Bool.random(using: &generator) { schedule(.toPhone(.closed(link.phone, .ended), life: link.phoneLife), in: 2) }
    if Bool.random(using: &generator) { schedule(.toDesk(.closed(link.desk, .ended), life: link.deskLife), in: 2) }
  }

  private mutating func killPhone() {
    phoneLife += 1
    phoneEffects = nil
    isPhoneListening = false
    phone = HostSession(settings: hostSettings)
    cutAll()
    schedule(.startPhone, in: Int64.random(in: 0...60_000, using: &generator))
  }

  private mutating func killDesk() {
    deskLife += 1
    deskEffects = nil
    isDeskListening = false
    desk = ControllerSession(settings: controllerSettings)
    cutAll()
    schedule(.startDesk(life: deskLife), in: Int64.random(in: 0...60_000, using: &generator))
  }

  // MARK: The phone

  private mutating func execute(_ effect: HostEffect) {
    switch effect {
    case .listen: isPhoneListening = true
    case .stopListening: isPhoneListening = false
    case .connect(let number, _, let credentials): connect(number, credentials)
    case .store(let pairing):
      if mutant == nil || pairing.pendingKey == nil { phoneRecords[pairing.controller] = pairing }
    case .send(let number, let block):
      if let link = link(ofPhone: number) { schedule(.toDesk(.block(link.desk, block), life: link.deskLife), in: 2) }
    case .serve: break
    case .close(let number): close(links.firstIndex { $0.phone == number && $0.phoneLife == phoneLife && !$0.isCut })
    case .answer(.find, .failure): schedule(.find(life: phoneLife), in: 5_000)
    case .answer: break
    case .report(.found(let pairing, _, _)): schedule(.toPhone(.confirm(pairing.controller), life: phoneLife), in: 1)
    case .report(.sessionCode(_, let code)):
      schedule(.toPhone(.verify(code.description), life: phoneLife), in: 1)
    case .report(.attemptFailed): break
    case .report(.stopped): schedule(.find(life: phoneLife), in: 1_000)
    }
  }

  private mutating func connect(_ number: ConnectionNumber, _ credentials: RemoteCredentials) {
    guard isDeskListening, desk.accepts(credentials.fingerprint), let authority = desk.authority(or: deskRecord) else {
      let failure: ConnectionFailure = isDeskListening ? .unknownAuthority : .failed("refused")
      return schedule(.toPhone(.closed(number, failure), life: phoneLife), in: 2)
    }
    lastDeskNumber += 1
    let link = Link(
      phone: number, desk: ConnectionNumber(lastDeskNumber), phoneLife: phoneLife, deskLife: deskLife)
    links.append(link)
    let session = SessionID(random.bytes(32))
    schedule(.toDesk(.connected(link.desk, session, host: credentials.fingerprint), life: deskLife), in: 2)
    schedule(.toPhone(.connected(number, session, controller: authority), life: phoneLife), in: 2)
  }

  private func link(ofPhone number: ConnectionNumber) -> Link? {
    links.first { $0.phone == number && $0.phoneLife == phoneLife && !$0.isCut }
  }

  private func link(ofDesk number: ConnectionNumber) -> Link? {
    links.first { $0.desk == number && $0.deskLife == deskLife && !$0.isCut }
  }

  private mutating func close(_ index: Int?) {
    guard let index else { return }
    let link = links.remove(at: index)
    schedule(.toPhone(.closed(link.phone, .ended), life: link.phoneLife), in: 2)
    schedule(.toDesk(.closed(link.desk, .ended), life: link.deskLife), in: 2)
  }

  // MARK: The desktop

  private mutating func execute(_ effect: ControllerEffect) {
    switch effect {
    case .listen(let number, _, _):
      isDeskListening = true
      schedule(.toDesk(.listening(number, host: .ipv4(desktop), port: 5_000), life: deskLife), in: 1)
    case .stopListening: isDeskListening = false
    case .announce(let datagram):
      guard isPhoneListening, Int.random(in: 0..<4, using: &generator) > 0 else { return }
      schedule(.toPhone(.datagram(datagram, from: desktop), life: phoneLife), in: 1)
    case .store(var pairing):
      if mutant == .keyStoredAfterHello, var host = pairing.host, let pending = host.pendingKey {
        host = ControllerPairing.Host(fingerprint: host.fingerprint, name: host.name, key: pending, pendingKey: nil)
        pairing = ControllerPairing(
          credentials: pairing.credentials, identityKey: pairing.identityKey, host: host, port: pairing.port)
      }
      deskRecord = pairing
    case .send(let number, let block):
      if let link = link(ofDesk: number) { schedule(.toPhone(.block(link.phone, block), life: link.phoneLife), in: 2) }
    case .attach(let number, _, _): schedule(.toDesk(.attached(number), life: deskLife), in: 1)
    case .close(let number): close(links.firstIndex { $0.desk == number && $0.deskLife == deskLife && !$0.isCut })
    case .answer(.start, .success(.started(let link))): offer(link)
    case .answer: break
    case .report(.connected):
      sessions += 1
      if let link = links.last(where: { $0.deskLife == deskLife }) { schedule(.poll(link.desk, life: deskLife), in: 1) }
    case .report(.stopped(_, _, isReconnecting: false)): schedule(.startDesk(life: deskLife), in: 3_000)
    case .report: break
    }
  }

  /// Gives the link to a phone that does not know the desktop.
  private mutating func offer(_ link: SignedInvitation) {
    guard deskRecord == nil, let received = try? ReceivedInvitation.codec.decode(text: link.text) else { return }
    schedule(.toPhone(.stop, life: phoneLife), in: 1)
    let credentials = RemoteCredentials(using: &random)
    schedule(.toPhone(.connect(received, known: nil, credentials: credentials), life: phoneLife), in: 2)
  }

  /// A request for events, which the phone answers after 10 seconds.
  private mutating func poll(_ number: ConnectionNumber) {
    handle(.toDesk(.polled(number), life: deskLife))
    // Into a connection that is dead, from which nothing comes back.
    guard let link = link(ofDesk: number) else { return }
    schedule(.toPhone(.request(link.phone), life: link.phoneLife), in: 2)
    schedule(.answer(number, life: deskLife), in: 10_000)
  }
}

extension ControllerSession {
  /// The authority of the listener.
  fileprivate func authority(or record: ControllerPairing?) -> CertificateFingerprint? {
    guard case .connecting(let invitation)? = state else { return record?.fingerprint }
    return invitation.invitation.controller
  }
}
