import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@testable import DoubleRatchet

/// Random conversations over a network that loses, reorders, repeats and damages messages, with both sides switching
/// post-quantum encryption on and off.
@Suite struct PropertyTests {
  @Test(arguments: Beginning.all, propertySeeds(4))
  func randomConversation(_ beginning: Beginning, seed: UInt64) throws {
    var simulation = try Simulation(beginning, seed: seed)
    for step in 0..<120 {
      try simulation.step()
      try simulation.checkStoredForms("\(beginning), seed \(seed), step \(step)")
    }
    // Everything that was not lost still arrives.
    try simulation.deliverAll()
    #expect(simulation.received > 20, "\(beginning), seed \(seed)")
  }
}

private struct Simulation {
  struct Message {
    let bytes: [UInt8]
    let text: String
  }

  var parties: [Party]
  /// Messages in flight to each party, and those it has received.
  var transit: [[Message]] = [[], []]
  var delivered: [[Message]] = [[], []]
  var sent = 0
  var received = 0
  var random: SeededGenerator
  let context: String

  init(_ beginning: Beginning, seed: UInt64) throws {
    let (alice, bob) = try beginning.connect(seed: seed)
    parties = [alice, bob]
    random = SeededGenerator(seed: seed)
    context = "\(beginning), seed \(seed)"
  }

  mutating func step() throws {
    let party = Int.random(in: 0...1, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case ..<45: try send(from: party)
    case ..<75: try deliver(to: party, at: 0)
    case ..<88: try deliver(to: party, at: Int.random(in: 0...max(0, transit[party].count - 1), using: &random))
    case ..<92: if !transit[party].isEmpty { transit[party].removeFirst() }
    case ..<96: if let message = delivered[party].randomElement(using: &random) { refuse(message.bytes, by: party) }
    default: damage(to: party)
    }
  }

  mutating func deliverAll() throws {
    for party in 0...1 {
      while !transit[party].isEmpty { try deliver(to: party, at: transit[party].count - 1) }
    }
  }

  private mutating func send(from party: Int) throws {
    guard parties[party].ratchet.sending != nil else {
      #expect(throws: RatchetError.cannotSendYet) { try parties[party].encrypt("too early") }
      return
    }
    // A party that only supports version 2 has no such switch.
    let canSwitch = parties[party].supportedVersion >= E2EVersion.postQuantum
    let pq: Bool? =
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where canSwitch: false
      case 1 where canSwitch, 2 where canSwitch: true
      default: nil
      }
    let text = "message \(sent) \(String(repeating: "x", count: Int.random(in: 0...60, using: &random)))"
    sent += 1
    let bytes = try parties[party].encrypt(text, pq: pq)
    transit[1 - party].append(Message(bytes: bytes, text: text))
  }

  private mutating func deliver(to party: Int, at index: Int) throws {
    guard index < transit[party].count else { return }
    let message = transit[party].remove(at: index)
    var mirror = parties[party].skipped
    let result = try parties[party].open(message.bytes)
    #expect(result.body == Array(message.text.utf8), "\(context)")
    mirror.apply(result.skippedChange)
    #expect(mirror == parties[party].skipped, "\(context): the change says something else")
    delivered[party].append(message)
    received += 1
  }

  private mutating func damage(to party: Int) {
    guard var message = transit[party].randomElement(using: &random)?.bytes else { return }
    let index = message.indices.randomElement(using: &random) ?? 0
    message[index] ^= UInt8.random(in: 1...255, using: &random)
    if Int.random(in: 0...3, using: &random) == 0 {
      message.removeLast(Int.random(in: 1...message.count, using: &random))
    }
    refuse(message, by: party)
  }

  private mutating func refuse(_ message: [UInt8], by party: Int) {
    let before = parties[party]
    #expect(throws: RatchetError.self, "\(context)") { try parties[party].decrypt(message) }
    #expect(parties[party].ratchet == before.ratchet, "\(context): the ratchet changed")
    #expect(parties[party].skipped == before.skipped, "\(context): the skipped keys changed")
  }

  /// Both sides continue from their stored forms.
  mutating func checkStoredForms(_ context: String) throws {
    for index in parties.indices {
      let storedRatchet = try parties[index].ratchet.encoded()
      let storedKeys = try parties[index].skipped.encoded()
      let ratchet = try Ratchet(decoding: storedRatchet.bytes)
      let skipped = try SkippedKeys(decoding: storedKeys.bytes)
      #expect(ratchet == parties[index].ratchet, "\(context)")
      #expect(skipped == parties[index].skipped, "\(context)")
      parties[index].ratchet = ratchet
      parties[index].skipped = skipped
    }
  }
}
