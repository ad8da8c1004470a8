import SimplexCrypto
import Testing

@testable import DoubleRatchet

/// When post-quantum encryption is used: proposed, accepted, refused, switched on and off.
@Suite struct PostQuantumTests {
  /// One message each way, and what both sides used for it: whether the sending key depends on the KEM.
  private func roundTrip(_ alice: inout Party, _ bob: inout Party) throws -> (bob: Bool, alice: Bool) {
    let request = try bob.encrypt("?")
    let bobUses = bob.ratchet.sendsPQ
    #expect(try alice.decrypt(request) == "?")
    #expect(alice.ratchet.receivesPQ == bobUses)
    let answer = try alice.encrypt("!")
    let aliceUses = alice.ratchet.sendsPQ
    #expect(try bob.decrypt(answer) == "!")
    #expect(bob.ratchet.receivesPQ == aliceUses)
    return (bobUses, aliceUses)
  }

  @Test func acceptedFromTheFirstMessage() throws {
    var (alice, bob) = try Beginning.accepted.connect(seed: 1)
    for _ in 0..<3 { #expect(try roundTrip(&alice, &bob) == (true, true)) }
  }

  @Test func proposedInTheReplyFromTheAnswer() throws {
    var (alice, bob) = try Beginning.proposedInReply.connect(seed: 2)
    #expect(try roundTrip(&alice, &bob) == (false, true))
    #expect(try roundTrip(&alice, &bob) == (true, true))
  }

  @Test func refusedByWhoDoesNotWantIt() throws {
    let beginning = Beginning(description: "refused", joinerWantsPQ: true)
    var (alice, bob) = try beginning.connect(seed: 3)
    #expect(bob.ratchet.enablesPQ && bob.ratchet.supportsPQ)
    for _ in 0..<3 { #expect(try roundTrip(&alice, &bob) == (false, false)) }
    #expect(!bob.ratchet.enablesPQ && bob.ratchet.kem == nil)
    #expect(bob.ratchet.supportsPQ, "large headers stay")
  }

  @Test func proposalInTheInvitationNotAccepted() throws {
    let beginning = Beginning(description: "not accepted", proposesPQ: true, inviterWantsPQ: true)
    var (alice, bob) = try beginning.connect(seed: 4)
    // Alice proposes again in her first message; Bob, who does not want it, answers without.
    for _ in 0..<4 { #expect(try roundTrip(&alice, &bob) == (false, false)) }
  }

  @Test func switchedOnLaterAndOffAgain() throws {
    var (alice, bob) = try Beginning.withoutPQ.connect(seed: 5)
    #expect(try roundTrip(&alice, &bob) == (false, false))
    // Both switch it on; the keys are exchanged with the third message, and the fourth is the first to use them.
    _ = try alice.decrypt(bob.encrypt("on", pq: true))
    _ = try bob.decrypt(alice.encrypt("on", pq: true))
    #expect(try roundTrip(&alice, &bob) == (false, true))
    #expect(try roundTrip(&alice, &bob) == (true, true))

    // The current chain still uses it, and so does the reply; then nothing does.
    _ = try alice.decrypt(bob.encrypt("off", pq: false))
    _ = try bob.decrypt(alice.encrypt("still on"))
    #expect(alice.ratchet.sendsPQ && !bob.ratchet.sendsPQ)
    _ = try alice.decrypt(bob.encrypt("off", pq: false))
    _ = try bob.decrypt(alice.encrypt("off"))
    for _ in 0..<3 { #expect(try roundTrip(&alice, &bob) == (false, false)) }
    #expect(!alice.ratchet.enablesPQ && !bob.ratchet.enablesPQ)
    #expect(alice.ratchet.supportsPQ && bob.ratchet.supportsPQ, "large headers stay")
  }

  /// The first message of a chain may arrive last: every header of the chain carries what its keys depend on.
  @Test func switchedOffInAChainThatArrivesReversed() throws {
    var (alice, bob) = try Beginning.accepted.connect(seed: 11)
    let messages = [try bob.encrypt("1"), try bob.encrypt("2", pq: false), try bob.encrypt("3")]
    for (index, message) in messages.enumerated().reversed() {
      #expect(try alice.decrypt(message) == "\(index + 1)")
    }
  }

  @Test func messageSizes() throws {
    var (_, bob) = try Beginning.version2.connect(seed: 6)
    #expect(try bob.encrypt("", paddedTo: 300).count == 440)
    (_, bob) = try Beginning.withoutPQ.connect(seed: 6)
    #expect(try bob.encrypt("", paddedTo: 300).count == 442)
    #expect(try bob.encrypt("", pq: true, paddedTo: 300).count == 2664)
    #expect(try bob.encrypt("", pq: false, paddedTo: 300).count == 2664)
    (_, bob) = try Beginning.accepted.connect(seed: 6)
    #expect(try bob.encrypt("", paddedTo: 300).count == 2664)
  }

  @Test func versionRisesWhenTheOtherSideSpeaksIt() throws {
    var (alice, bob) = try Beginning.upgrade.connect(seed: 7)
    _ = try alice.decrypt(bob.encrypt("1"))
    #expect(alice.ratchet.versions.current == 3)
    _ = try bob.decrypt(alice.encrypt("2"))
    #expect(bob.ratchet.versions.current == 3)

    (alice, bob) = try Beginning.mixed.connect(seed: 7)
    _ = try alice.decrypt(bob.encrypt("1"))
    _ = try bob.decrypt(alice.encrypt("2"))
    #expect(alice.ratchet.versions.current == 2 && bob.ratchet.versions.current == 2)
  }

  @Test func acceptanceOfWhatWasNotProposed() throws {
    var keys = FreshKeys(InsecureSeededRandom(seed: 8))
    let invitation = E2EPrivateKeys(version: 3, kem: .propose, keys: &keys).parameters(version: 3)
    let reply = E2EPrivateKeys(version: 3, kem: KEMUse.reply(to: invitation, wantsPQ: true), keys: &keys)
    let withoutPQ = E2EPrivateKeys(version: 3, kem: nil, keys: &keys)
    let versions = RatchetVersions(current: 3)
    #expect(throws: RatchetError.unexpectedKEM) {
      try Ratchet(accepting: reply.parameters(version: 3), keys: withoutPQ, versions: versions, wantsPQ: true)
    }
    #expect(throws: RatchetError.unexpectedKEM) {
      try Ratchet(
        joining: withoutPQ.parameters(version: 3), keys: reply, ratchetKey: keys.makeRatchetKey(), versions: versions)
    }
  }

  /// Keys made ahead of time are used first; then only the encapsulation draws on randomness.
  @Test func keysMadeAhead() throws {
    var (alice, bob) = try Beginning.accepted.connect(seed: 9)
    var stock = FreshKeys(CountingRandom())
    stock.prepare(ratchetKeys: 1, kemKeys: 1)
    let made = stock.random.count
    stock.prepare(ratchetKeys: 1, kemKeys: 1)
    #expect(stock.random.count == made, "a full stock needs no more")
    let request = try bob.encrypt("?")
    _ = try alice.ratchet.decrypt(request, skipped: &alice.skipped, keys: &stock)
    let drawn = stock.random.count - made
    _ = stock.encapsulate(to: try #require(alice.ratchet.kem).secretKey.publicKey)
    #expect(stock.random.count - made == 2 * drawn)
    #expect(try bob.decrypt(alice.encrypt("!")) == "!")
  }
}

/// Randomness that counts how much of it was used.
private struct CountingRandom: RandomSource {
  var source = InsecureSeededRandom(seed: 10)
  var count = 0

  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    count += buffer.count
    source.fill(buffer)
  }
}
