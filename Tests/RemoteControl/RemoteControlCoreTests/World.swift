import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto

/// Two devices with their stored records in a network without delays. Each may be killed after any number of effects;
/// what it stored stays.
struct World {
  enum Event {
    case toPhone(HostInput)
    case toDesk(ControllerInput)
  }

  private var phone = HostSession(settings: hostSettings)
  private var desk = ControllerSession(settings: controllerSettings)
  private var random: InsecureSeededRandom
  private var milliseconds: Int64 = 0
  private var events: [Event] = []
  private var lastNumber: UInt64 = 0
  private var phoneCipher: FrameCipher?
  private var deskCipher: FrameCipher?

  /// The records that are stored.
  private(set) var phoneRecords: [CertificateFingerprint: HostPairing] = [:]
  private(set) var deskRecord: ControllerPairing?
  /// The number of effects after which the host is killed; nil for never.
  var phoneLife: Int?
  /// Whether the host is the reference's, which stores a key only when its session is complete.
  var isReference = false
  /// The number of effects after which the controller is killed; nil for never.
  var deskLife: Int?
  /// The events that users saw.
  private(set) var seen: [String] = []
  /// Whether both devices completed the last session and exchanged frames.
  private(set) var isComplete = false

  init(seed: UInt64) { random = InsecureSeededRandom(seed: seed) }

  /// Plays a session from its start until nothing happens any more, then ends both programs. The host finds the
  /// controller if it knows it, and is given the link otherwise.
  mutating func play() {
    phone = HostSession(settings: hostSettings)
    desk = ControllerSession(settings: controllerSettings)
    events = []
    seen = []
    isComplete = false
    let pairing = deskRecord ?? ControllerPairing(using: &random)
    let isKnown = pairing.host != nil
    if isKnown { events.append(.toPhone(.find(Array(phoneRecords.values)))) }
    events.append(.toDesk(.start(ControllerStart(pairing: pairing, announces: isKnown, reconnects: false))))
    run()
    phoneLife = nil
    deskLife = nil
  }

  private mutating func run() {
    while true {
      while !events.isEmpty {
        switch events.removeFirst() {
        case .toPhone(let input):
          guard phoneLife != 0 else { continue }
          for effect in phone.handle(input, at: milliseconds, random: &random) where live(\.phoneLife) {
            execute(effect)
          }
        case .toDesk(let input):
          guard deskLife != 0 else { continue }
          let now = ClockReading(milliseconds: milliseconds, unixSeconds: milliseconds / 1_000)
          for effect in desk.handle(input, at: now, random: &random) where live(\.deskLife) { execute(effect) }
        }
      }
      // Short waits only: sessions that fail in time end here.
      guard let deadline = phone.deadline, deadline <= milliseconds + 100, phoneLife != 0 else { return }
      milliseconds = deadline
      events.append(.toPhone(.time))
    }
  }

  private mutating func live(_ life: WritableKeyPath<World, Int?>) -> Bool {
    guard let left = self[keyPath: life] else { return true }
    guard left > 0 else { return false }
    self[keyPath: life] = left - 1
    return true
  }

  private mutating func execute(_ effect: HostEffect) {
    switch effect {
    case .listen, .stopListening: break
    case .connect(let number, let invitation, let credentials):
      guard deskLife != 0, desk.accepts(credentials.fingerprint) else {
        events.append(.toPhone(.closed(number, .unknownAuthority)))
        return
      }
      let session = SessionID(random.bytes(32))
      events.append(.toDesk(.connected(number, session, host: credentials.fingerprint)))
      events.append(.toPhone(.connected(number, session, controller: invitation.controller)))
    case .store(let pairing):
      if !isReference || pairing.pendingKey == nil { phoneRecords[pairing.controller] = pairing }
    case .send(let number, let block): events.append(.toDesk(.block(number, block)))
    case .serve(_, let cipher): phoneCipher = cipher
    case .close(let number): events.append(.toDesk(.closed(number, .ended)))
    case .answer(.verify, .success): seen.append("phone connected")
    case .answer: break
    case .report(.found(let pairing, _, _)): events.append(.toPhone(.confirm(pairing.controller)))
    case .report(.sessionCode(_, let code)): events.append(.toPhone(.verify(code.description)))
    case .report(let event): seen.append("phone \(event.name)")
    }
  }

  private mutating func execute(_ effect: ControllerEffect) {
    switch effect {
    case .listen(let number, _, _): events.append(.toDesk(.listening(number, host: .ipv4(desktop), port: 5_000)))
    case .stopListening: break
    case .announce(let datagram): events.append(.toPhone(.datagram(datagram, from: desktop)))
    case .store(let pairing): deskRecord = pairing
    case .send(let number, let block): events.append(.toPhone(.block(number, block)))
    case .attach(let number, let cipher, _):
      deskCipher = cipher
      events.append(.toDesk(.attached(number)))
    case .close(let number): events.append(.toPhone(.closed(number, .ended)))
    case .answer(.start, .success(.started(let link))): offer(link)
    case .answer: break
    case .report(.connected):
      seen.append("desk connected")
      exchangeFrames()
    case .report(.sessionCode), .report(.newHost): break
    case .report(.stopped(let state, let reason, _)): seen.append("desk stopped \(state.name): \(reason)")
    }
  }

  /// Gives the link to a host that does not know the controller.
  private mutating func offer(_ link: SignedInvitation) {
    guard deskRecord == nil, let received = try? ReceivedInvitation.codec.decode(text: link.text) else { return }
    events.append(.toPhone(.connect(received, known: nil, credentials: RemoteCredentials(using: &random))))
  }

  /// A request and its answer.
  private mutating func exchangeFrames() {
    guard phoneLife != 0, var host = phoneCipher, var controller = deskCipher else { return }
    var reader = host.reader
    guard let request = try? controller.seal([1]), let received = try? reader.append(request.bytes)?.frame,
      (try? host.open(received).json) == [1], let response = try? host.seal([2])
    else { return }
    reader = controller.reader
    guard let answer = try? reader.append(response.bytes)?.frame, (try? controller.open(answer).json) == [2] else {
      return
    }
    isComplete = true
    events.append(.toDesk(.answered(ConnectionNumber(1))))
  }
}
