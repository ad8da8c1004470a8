import AgentCore
import AgentEngine
import SMPProtocol
import SimplexCrypto
import Testing

/// A message that the application cannot store is kept until it can, and holds up no other.
@Suite struct MessagesAsideTests {
  private func dropped(_ agent: TestAgent) -> [AgentError.DroppedMessage] {
    agent.errors.compactMap { if case .peer(.duplicate(let dropped)) = $0 { dropped } else { nil } }
  }

  /// The application fails to store a message as often as that is tried.
  private func exhaust(_ pair: Pair) throws {
    let alice = pair.alice
    alice.acknowledges = false
    _ = try pair.bob.send("one", to: pair.b)
    _ = try pair.bob.send("two", to: pair.b)
    for _ in 0..<8 {
      #expect(dropped(alice).isEmpty)
      pair.world.now += 4 * 3_600_000
      try alice.restart()
    }
  }

  @Test func isKeptAndOthersPass() throws {
    let pair = try Pair()
    let alice = pair.alice
    try exhaust(pair)
    #expect(dropped(alice).map(\.attempts) == [8])
    // The relay has delivered the next one, so the first is acknowledged.
    #expect(alice.texts.last == "two")
    #expect(try alice.rows(of: "received_messages") == 2)
    alice.acknowledges = true
    alice.forgetEvents()
    try alice.restart()
    #expect(Set(alice.texts) == ["one", "two"])
    try alice.engine.storePostponed()
    #expect(try alice.rows(of: "received_messages") == 0)
    alice.forgetEvents()
    try alice.restart()
    #expect(alice.texts.isEmpty)
  }

  @Test func isDeliveredOnRequestAndActivation() throws {
    let pair = try Pair()
    let alice = pair.alice
    try exhaust(pair)
    alice.forgetEvents()
    try alice.run { engine, now in try engine.deliverMessagesAside(now: now) }
    #expect(alice.texts == ["one"])
    try alice.run { engine, now in try engine.suspend(timeout: 0, now: now) }
    alice.acknowledges = true
    alice.forgetEvents()
    try alice.run { engine, now in try engine.activate(now: now) }
    #expect(alice.texts.contains("one"))
    alice.forgetEvents()
    try alice.run { engine, now in try engine.deliverMessagesAside(now: now) }
    #expect(alice.texts.isEmpty)
  }
}
