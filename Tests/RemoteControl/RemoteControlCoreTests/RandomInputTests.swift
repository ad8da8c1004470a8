import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing

/// Any inputs in any order, with contents of other sessions, repeated and damaged ones.
@Suite struct RandomInputTests {
  /// Real blocks, datagrams and links, of this session and of others.
  private struct Material {
    var blocks: [[UInt8]] = [[], [UInt8](repeating: 0, count: 16_384)]
    var datagrams: [[UInt8]] = [[], [UInt8](repeating: 0, count: 985)]
    var links: [ReceivedInvitation] = []
    var hosts: [HostPairing] = []
    var controllers: [ControllerPairing] = []

    init(seed: UInt64) throws {
      for offset: UInt64 in [1, 100] {
        let acquaintance = try Acquaintance(seed: seed &+ offset)
        hosts.append(acquaintance.phone)
        controllers.append(acquaintance.desk)
        var desk = Desk(seed: seed &+ offset &+ 1, pairing: acquaintance.desk)
        var phone = Phone(seed: seed &+ offset &+ 2)
        let (link, sent) = desk.invite(announces: true)
        datagrams += sent
        links.append(try ReceivedInvitation.codec.decode(text: link.text))
        _ = try phone.open(link, known: acquaintance.phone)
        let hello = phone.connect(to: &desk)
        blocks.append(hello.block)
        blocks.append(desk.handle(.block(ConnectionNumber(1), hello.block)).block)
      }
    }

    func block(_ generator: inout SeededGenerator) -> [UInt8] { damaged(blocks, &generator) }

    func datagram(_ generator: inout SeededGenerator) -> [UInt8] { damaged(datagrams, &generator) }

    private func damaged(_ choices: [[UInt8]], _ generator: inout SeededGenerator) -> [UInt8] {
      var bytes = choices.randomElement(using: &generator) ?? []
      if Int.random(in: 0..<3, using: &generator) == 0, let index = bytes.indices.randomElement(using: &generator) {
        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
      return bytes
    }
  }

  private func number(_ generator: inout SeededGenerator) -> ConnectionNumber {
    ConnectionNumber(UInt64.random(in: 1...12, using: &generator))
  }

  private let failures: [ConnectionFailure] = [.ended, .unknownAuthority, .failed("x")]

  @Test(arguments: propertySeeds(12))
  func host(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let material = try Material(seed: seed)
    var phone = Phone(seed: seed)
    var waiting = 0
    for _ in 0..<300 {
      let input = hostInput(material, phone, &generator)
      let effects = phone.handle(input)
      phone.now += Int64.random(in: 0...200, using: &generator)
      if case .time = input, let deadline = phone.session.deadline { phone.now = max(phone.now, deadline) }
      waiting += try checkAnswers(of: input, in: effects)
      #expect(waiting == 0 || waiting == 1)
      if case .stop = input {
        #expect(phone.session.state == nil && waiting == 0)
        #expect(!effects.names.contains { $0.hasPrefix("stopped") })
      }
      if phone.session.state == nil { #expect(phone.session.deadline == nil) }
      checkOrder(effects)
    }
  }

  /// The change of the number of `verify` commands that wait for their answer.
  private func checkAnswers(of input: HostInput, in effects: [HostEffect]) throws -> Int {
    var answers: [HostCommand] = []
    for case .answer(let command, _) in effects { answers.append(command) }
    let verified = answers.filter { $0 == .verify }.count
    let others = answers.filter { $0 != .verify }
    switch input {
    case .connect: #expect(others == [.connect])
    case .find: #expect(others == [.find])
    case .confirm: #expect(others == [.confirm])
    case .stop: #expect(others == [.stop])
    case .verify:
      #expect(others.isEmpty)
      return 1 - verified
    default: #expect(others.isEmpty)
    }
    return -verified
  }

  /// HELLO and the frames follow the record.
  private func checkOrder(_ effects: [HostEffect]) {
    for (index, effect) in effects.enumerated() {
      switch effect {
      case .send, .serve: #expect(effects.names[..<index].contains { $0.hasPrefix("store") })
      default: break
      }
    }
  }

  private func hostInput(_ material: Material, _ phone: Phone, _ generator: inout SeededGenerator) -> HostInput {
    let known = material.hosts.randomElement(using: &generator)
    let controllers = material.hosts.map(\.controller)
    let controller = controllers.randomElement(using: &generator) ?? CertificateFingerprint(ofCertificate: [])
    let session = sessionID(UInt8.random(in: 1...2, using: &generator))
    switch Int.random(in: 0..<12, using: &generator) {
    case 0:
      guard let link = material.links.randomElement(using: &generator), let known else { return .time }
      return .connect(link, known: Bool.random(using: &generator) ? known : nil, credentials: known.credentials)
    case 1: return .find(Bool.random(using: &generator) ? material.hosts : [])
    case 2: return .confirm(controller)
    case 3: return .verify(code(UInt8.random(in: 1...2, using: &generator)))
    case 4: return Int.random(in: 0..<5, using: &generator) == 0 ? .stop : .time
    case 5, 6: return .datagram(material.datagram(&generator), from: desktop)
    case 7: return .connected(number(&generator), session, controller: phone.session.attempted?.0 ?? controller)
    case 8: return .block(number(&generator), material.block(&generator))
    case 9: return .request(number(&generator))
    case 10: return .closed(number(&generator), failures.randomElement(using: &generator) ?? .ended)
    default: return .time
    }
  }

  @Test(arguments: propertySeeds(12))
  func controller(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let material = try Material(seed: seed)
    var desk = Desk(seed: seed)
    var waiting = 0
    var open: Set<ConnectionNumber> = []
    for _ in 0..<300 {
      let input = controllerInput(material, &generator)
      let effects = desk.handle(input)
      desk.advance(by: Int64.random(in: 0...2_000, using: &generator))
      if case .start = input { waiting += 1 }
      for effect in effects {
        switch effect {
        case .answer(.start, _): waiting -= 1
        case .close(let number): open.remove(number)
        default: break
        }
      }
      if case .connected(let number, _, _) = input, !effects.names.contains("close \(number.value)") {
        open.insert(number)
      }
      if case .closed(let number, _) = input { open.remove(number) }
      #expect(waiting == 0 || waiting == 1)
      #expect(open.count <= ControllerSession.waitingLimit)
      if case .stop = input { #expect(desk.session.state == nil && waiting == 0 && open.isEmpty) }
      for (index, effect) in effects.enumerated() {
        if case .attach = effect { #expect(effects.names[..<index].contains { $0.hasPrefix("store") }) }
      }
    }
  }

  private func controllerInput(_ material: Material, _ generator: inout SeededGenerator) -> ControllerInput {
    let pairing = material.controllers.randomElement(using: &generator)
    let hosts = material.hosts.map(\.credentials.fingerprint) + [CertificateFingerprint(ofCertificate: [1])]
    let host = hosts.randomElement(using: &generator) ?? hosts[0]
    switch Int.random(in: 0..<12, using: &generator) {
    case 0, 1:
      guard let pairing else { return .time }
      return .start(
        ControllerStart(
          pairing: pairing, announces: Bool.random(using: &generator), reconnects: Bool.random(using: &generator)))
    case 2: return Int.random(in: 0..<5, using: &generator) == 0 ? .stop : .time
    case 3, 4: return .listening(number(&generator), host: .ipv4(desktop), port: 5_000)
    case 5:
      return .listenFailed(number(&generator), Bool.random(using: &generator) ? .tlsStartFailed : .noLocalAddress)
    case 6: return .connected(number(&generator), sessionID(UInt8.random(in: 1...2, using: &generator)), host: host)
    case 7: return .block(number(&generator), material.block(&generator))
    case 8: return .attached(number(&generator))
    case 9: return Bool.random(using: &generator) ? .polled(number(&generator)) : .answered(number(&generator))
    case 10: return .closed(number(&generator), failures.randomElement(using: &generator) ?? .ended)
    default: return .time
    }
  }
}
