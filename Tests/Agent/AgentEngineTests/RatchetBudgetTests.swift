import AgentCore
import AgentStore
import Testing

@testable import AgentEngine

/// A peer can have a connection renegotiate its ratchet a number of times a day: each time is answered with a message.
@Suite struct RatchetBudgetTests {
  @Test func renegotiationsAreLimited() throws {
    let pair = try Pair(alice: { $0.ratchetKeysPerDay = 3 })
    let (alice, bob, world) = (pair.alice, pair.bob, pair.world)
    alice.forgetEvents()
    for _ in 0..<8 {
      try bob.run { engine, now in try engine.synchronizeRatchet(pair.b, pq: true, force: true, now: now) }
      world.pass(1_000, alice, bob)
    }
    func agreements() -> Int {
      alice.events.count { if case .ratchetSync(.agreed, _, _) = $0.kind { true } else { false } }
    }
    func refusals() -> Int {
      alice.events.count { if case .failed(.peer(.prohibited)) = $0.kind { true } else { false } }
    }
    #expect(agreements() == 3 && refusals() == 1)
    #expect(try alice.rows(of: "ratchet_key_hashes") ?? 0 <= 4)
    // The next day counts anew, and the connection works again.
    world.pass(86_400_000, alice, bob)
    try bob.run { engine, now in try engine.synchronizeRatchet(pair.b, pq: true, force: true, now: now) }
    world.pass(1_000, alice, bob)
    #expect(agreements() == 4)
    _ = try bob.send("after it", to: pair.b)
    world.pass(1_000, alice, bob)
    #expect(alice.texts.contains("after it"))
  }
}
