import AgentCore
import SMPProtocol
import Testing

@testable import SimplexSimulation

/// The look at keys that every simulation has: that it sees them, and that it would notice.
@Suite struct KeyWatchTests {
  private func pair() throws -> (world: World, alice: Person, conversation: Conversation) {
    let world = World(seed: 1, weather: .calm)
    let relay = world.addRelay()
    let alice = try Person("alice", relays: [relay], world: world)
    let bob = try Person("bob", relays: [relay], world: world)
    let way = Friendship.Way(isAddress: false, isShort: false, isAsync: false, isPostQuantum: true)
    let friendship = Friendship("f", inviter: alice, joiner: bob, way: way, world: world)
    world.run(limit: 600_000) { friendship.isConnected }
    return (world, alice, try #require(friendship.inviterConversation))
  }

  @Test func keysAreSeen() throws {
    let (world, alice, conversation) = try pair()
    let before = alice.agent.watchedKeys
    alice.send(3, in: conversation)
    world.run(limit: 60_000)
    #expect(alice.agent.watchedKeys.messages == before.messages + 3)
    #expect(before.chains >= 1)
    #expect(world.violations == [])
  }

  @Test func aKeyForTwoMessagesIsFound() throws {
    let (world, alice, conversation) = try pair()
    alice.send(2, in: conversation)
    try alice.agent.database.execute("UPDATE tasks SET payload = (SELECT payload FROM tasks WHERE kind = 5 LIMIT 1)")
    let watch = KeyWatch("alice", world: world)
    watch.look(at: alice.agent.database)
    #expect(world.violations.count == 1)
    #expect(world.violations.first?.contains("uses the key of message") == true)
  }

  @Test func aChainInTwoConnectionsIsFound() throws {
    let (world, alice, _) = try pair()
    try alice.agent.database.execute(
      """
      INSERT INTO ratchets SELECT 99, last_id, last_sent, last_sent_hash, last_received, last_received_hash,
      received_count, skipped_count, last_key, state FROM ratchets
      """)
    let watch = KeyWatch("alice", world: world)
    watch.look(at: alice.agent.database)
    #expect(world.violations.count == 1)
    #expect(world.violations.first?.contains("the same chain") == true)
  }
}
