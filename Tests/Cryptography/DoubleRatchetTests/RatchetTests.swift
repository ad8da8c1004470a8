import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@testable import DoubleRatchet

/// Limits and errors.
@Suite struct RatchetTests {
  @Test(arguments: [(512, true), (513, false)])
  func skipLimit(_ lost: Int, _ isAccepted: Bool) throws {
    var (alice, bob) = try Beginning.withoutPQ.connect(seed: 1)
    _ = try alice.decrypt(bob.encrypt("first"))
    for _ in 0..<lost { _ = try bob.ratchet.makeSealer() }
    let before = alice
    let late = try bob.encrypt("late")
    if isAccepted {
      #expect(try alice.decrypt(late) == "late")
      #expect(alice.skipped.count == lost)
    } else {
      #expect(throws: RatchetError.tooManySkipped(514)) { try alice.decrypt(late) }
      #expect(alice.ratchet == before.ratchet && alice.skipped == before.skipped)
    }
  }

  @Test func skipLimitInTheChainBefore() throws {
    for (lost, isAccepted) in [(512, true), (513, false)] {
      var (alice, bob) = try Beginning.withoutPQ.connect(seed: 2)
      _ = try alice.decrypt(bob.encrypt("first"))
      for _ in 0..<lost { _ = try bob.ratchet.makeSealer() }
      _ = try bob.decrypt(alice.encrypt("answer"))
      let next = try bob.encrypt("in the next chain")
      if isAccepted {
        #expect(try alice.decrypt(next) == "in the next chain")
        #expect(alice.skipped.count == lost)
      } else {
        #expect(throws: RatchetError.tooManySkipped(514)) { try alice.decrypt(next) }
        #expect(alice.skipped.count == 0)
      }
    }
  }

  @Test func repeatedMessages() throws {
    var (alice, bob) = try Beginning.withoutPQ.connect(seed: 3)
    let messages = try (0..<4).map { try bob.encrypt("\($0)") }
    #expect(try alice.decrypt(messages[3]) == "3")
    #expect(try alice.decrypt(messages[1]) == "1")
    #expect(throws: RatchetError.duplicateMessage) { try alice.decrypt(messages[3]) }
    #expect(throws: RatchetError.earlierMessage(2)) { try alice.decrypt(messages[1]) }
    #expect(try alice.decrypt(messages[0]) == "0")
    #expect(try alice.decrypt(messages[2]) == "2")
    #expect(alice.skipped == SkippedKeys())
    // Two chains later nothing is left that opens the header.
    _ = try bob.decrypt(alice.encrypt("answer"))
    _ = try alice.decrypt(bob.encrypt("next"))
    #expect(throws: RatchetError.unknownHeader) { try alice.decrypt(messages[0]) }
  }

  @Test(arguments: [Beginning.version2, .withoutPQ, .accepted])
  func everyByteCounts(_ beginning: Beginning) throws {
    var (alice, bob) = try beginning.connect(seed: 4)
    let first = try bob.encrypt("first")
    let second = try bob.encrypt("second")
    #expect(try alice.decrypt(second) == "second")
    let before = alice
    // Of a skipped message, of the next one, and of one that begins a chain.
    let third = try bob.encrypt("third")
    for message in [first, third] {
      for index in message.indices {
        var damaged = message
        damaged[index] ^= 1
        #expect(throws: RatchetError.self) { try alice.decrypt(damaged) }
      }
      for count in message.indices {
        #expect(throws: RatchetError.self) { try alice.decrypt(Array(message.prefix(count))) }
      }
    }
    #expect(alice.ratchet == before.ratchet && alice.skipped == before.skipped)
    #expect(try alice.decrypt(first) == "first")
    #expect(try alice.decrypt(third) == "third")

    let answer = try alice.encrypt("answer")
    let bobBefore = bob
    var damaged = answer
    damaged[damaged.count - 1] ^= 1
    #expect(throws: RatchetError.bodyNotAuthentic) { try bob.decrypt(damaged) }
    #expect(bob.ratchet == bobBefore.ratchet)
    #expect(try bob.decrypt(answer) == "answer")
  }

  @Test func refusedSends() throws {
    var (alice, bob) = try Beginning.withoutPQ.connect(seed: 5)
    let before = bob.ratchet
    #expect(throws: RatchetError.cannotSendYet) { try alice.encrypt("too early") }
    #expect(throws: RatchetError.messageTooLong(limit: 98)) { try bob.encrypt(String(repeating: "x", count: 99)) }
    #expect(throws: RatchetError.messageTooLong(limit: -1)) { try bob.encrypt("", paddedTo: 1) }
    #expect(throws: RatchetError.messageTooLong(limit: -5)) { try bob.encrypt("", paddedTo: -3) }
    #expect(bob.ratchet == before)
    #expect(try alice.decrypt(bob.encrypt(String(repeating: "x", count: 98))).count == 98)
    #expect(try alice.decrypt(bob.encrypt("", paddedTo: 2)) == "")

    bob.ratchet.sentCount = .max
    #expect(throws: RatchetError.chainExhausted) { try bob.encrypt("no number left") }
    alice.ratchet.receivedCount = .max
    let last = try alice.encrypt("the other chain goes on")
    #expect(try bob.decrypt(last) == "the other chain goes on")
  }

  @Test func uselessKeysOfThePeer() throws {
    var keys = FreshKeys(InsecureSeededRandom(seed: 6))
    let own = E2EPrivateKeys(version: 3, kem: nil, keys: &keys)
    var peer = E2EPrivateKeys(version: 3, kem: nil, keys: &keys).parameters(version: 3)
    peer.key2 = try X448.PublicKey(rawBytes: [UInt8](repeating: 0, count: 56))
    let versions = RatchetVersions(current: 3)
    #expect(throws: RatchetError.crypto(.lowOrderPoint)) {
      try Ratchet(joining: peer, keys: own, ratchetKey: keys.makeRatchetKey(), versions: versions)
    }
    #expect(throws: RatchetError.crypto(.lowOrderPoint)) {
      try Ratchet(accepting: peer, keys: own, versions: versions, wantsPQ: false)
    }
  }

  /// A queued message yields the same bytes later, also behind other bytes.
  @Test func sealersCanWait() throws {
    var (alice, bob) = try Beginning.withoutPQ.connect(seed: 7)
    var direct = bob
    let sealer = try bob.ratchet.makeSealer()
    let bytes = try sealer.encoded()
    let stored = try MessageSealer(decoding: bytes.bytes)
    let body = Array("later".utf8)
    var output: [UInt8] = [1, 2, 3]
    try stored.seal(body.span.bytes, paddedTo: 100, appendingTo: &output)
    #expect(output.count == 3 + sealer.encryptedCount(paddedTo: 100))
    #expect(try Array(output.dropFirst(3)) == direct.encrypt("later"))
    #expect(throws: RatchetError.messageTooLong(limit: 2)) {
      try stored.seal(body.span.bytes, paddedTo: 4, appendingTo: &output)
    }
    #expect(output.count == 3 + sealer.encryptedCount(paddedTo: 100))
    #expect(try alice.decrypt(Array(output.dropFirst(3))) == "later")
  }
}
