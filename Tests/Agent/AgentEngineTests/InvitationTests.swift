import AgentCore
import AgentEngine
import SMPProtocol
import Testing

@Suite struct InvitationTests {
  @Test(arguments: [true, false]) func connectsAndTalks(pq: Bool) throws {
    let pair = try Pair(pq: pq)
    let (alice, bob) = (pair.alice, pair.bob)
    for number in 1...20 {
      _ = try alice.send("a\(number)", to: pair.a)
      _ = try bob.send("b\(number)", to: pair.b)
    }
    #expect(bob.texts == (1...20).map { "a\($0)" })
    #expect(alice.texts == (1...20).map { "b\($0)" })
    #expect(alice.integrities.allSatisfy { $0 == .ok } && bob.integrities.allSatisfy { $0 == .ok })
    #expect(alice.errors.isEmpty && bob.errors.isEmpty)
    let usesPQ = alice.last { if case .message(let metadata, _, _) = $0 { metadata.pqEncryption } else { nil } }
    #expect(usesPQ == pq)
    #expect(
      try alice.engine.verificationCode(pair.a) == bob.engine.verificationCode(pair.b))
    #expect(!pair.world.first.log.contains("KEY") && !pair.world.second.log.contains("KEY"))
  }

  @Test func joinerMaySendBeforeItIsAllowed() throws {
    let world = TestWorld()
    let alice = try world.agent("alice", seed: 1, relays: [world.first])
    let bob = try world.agent("bob", seed: 2, relays: [world.second])
    let link = try alice.create()
    let joined = try bob.join(link.link.full)
    #expect(joined.isSecured)
    _ = try bob.send("early", to: joined.id)
    #expect(alice.texts == ["early"])
    let confirmation = try #require(alice.confirmation)
    try alice.run { engine, now in try engine.allow(link.id, confirmation.id, info: [], now: now) }
    _ = try alice.send("late", to: link.id)
    #expect(bob.texts == ["late"])
    #expect(bob.integrities == [.ok] && alice.integrities == [.ok])
    // Allowing once more changes nothing.
    try alice.run { engine, now in try engine.allow(link.id, confirmation.id, info: [], now: now) }
    #expect(bob.errors.isEmpty && alice.errors.isEmpty)
  }
}
