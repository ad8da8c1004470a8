import AgentCore
import AgentEngine
import AgentProtocol
import AgentStore
import DoubleRatchet
import SMPClientCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import SimplexSimulation
import WireCodec

/// An agent to feed with anything: it has a connection that works, an invitation and an address. What happens to it is
/// undone after each input, so every input finds the same agent.
final class EngineSample {
  let database: SQLiteConnection
  let store: AgentDatabase
  let user: UserID
  /// The connection that works.
  let connection: StoredConnection
  let queue: ReceiveQueue
  /// Queues that wait for somebody.
  let invitation: (queue: ReceiveQueue, parameters: E2EParameters)
  let address: ReceiveQueue
  /// The other side of the connection.
  let peerRatchet: StoredRatchet
  /// A joiner of the invitation, who has not said anything.
  let joiner: (ratchet: Ratchet, parameters: E2EParameters)
  private let world: World

  static let now: Int64 = 1_800_000_000_000

  init() throws {
    let world = World(seed: 1, weather: .calm)
    self.world = world
    let relay = world.addRelay()
    let alice = try Person("alice", relays: [relay], world: world)
    let bob = try Person("bob", relays: [relay], world: world)
    let way = Friendship.Way(isAddress: false, isShort: false, isAsync: false, isPostQuantum: false)
    let friendship = Friendship("f", inviter: alice, joiner: bob, way: way, world: world)
    world.run(limit: 600_000) { friendship.isConnected }
    for mode in [ConnectionMode.invitation, .contact] {
      _ = alice.agent.run { (engine) throws(AgentError) in
        try engine.createConnection(alice.user, mode: mode, waiting: .event(nil), now: world.now)
      }
    }
    world.run(limit: 600_000)

    user = alice.user
    database = alice.agent.database
    let store = try AgentDatabase(alice.agent.database, synchronous: .off)
    self.store = store
    let all = try store.connections(of: alice.user, after: 0, limit: 100).map {
      (connection: $0, queue: try store.receiveQueues(of: $0.number))
    }
    let known = try Self.required(friendship.inviterConversation?.connection)
    connection = try Self.required(all.first { $0.connection.id == known }?.connection)
    queue = try Self.required(all.first { $0.connection.id == known }?.queue.first)
    let waiting = all.filter { $0.connection.id != known }
    let open = try Self.required(waiting.first { $0.connection.mode == .invitation })
    let parameters = try Self.required(try store.ratchetParameters(of: open.connection.number))
    invitation = (try Self.required(open.queue.first), parameters)
    address = try Self.required(waiting.first { $0.connection.mode == .contact }?.queue.first)

    let peerStore = try AgentDatabase(bob.agent.database, synchronous: .off)
    let peer = try Self.required(try peerStore.connections(of: bob.user, after: 0, limit: 1).first)
    peerRatchet = try Self.required(try peerStore.ratchet(of: peer.number))
    var keys = FreshKeys(InsecureSeededRandom(seed: 5))
    let own = E2EPrivateKeys(version: parameters.version, kem: nil, keys: &keys)
    joiner = (
      try Ratchet(
        joining: parameters, keys: own, ratchetKey: keys.makeRatchetKey(),
        versions: RatchetVersions(current: parameters.version)), own.parameters(version: parameters.version)
    )
  }

  private static func required<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw AgentError.internalError("the sample is incomplete") }
    return value
  }

  /// What a decision of the agent would change, for comparing before and after.
  func state() -> [[UInt8]] {
    let queries = [
      "SELECT state || last_id || ' ' || last_sent || ' ' || last_received || ' ' || skipped_count FROM ratchets",
      "SELECT id || agent_version || ratchet_sync || pq_support || deletion FROM connections",
      "SELECT sender_id || status || ifnull(shared_secret, '') || is_primary || ifnull(switch_status, '') "
        + "|| is_deleted || is_subscribed FROM receive_queues",
      "SELECT sender_id || status || shared_secret || ifnull(switch_status, '') FROM send_queues",
      "SELECT keys FROM ratchet_keys", "SELECT key FROM skipped_keys", "SELECT id || queues FROM confirmations",
      "SELECT id || request FROM invitations", "SELECT id || lane || kind FROM tasks",
      "SELECT body FROM received_messages",
    ]
    return queries.flatMap { query in
      (try? database.all(query) { (row) throws(SQLiteError) in try row.bytes(0) }) ?? [[0xFF]]
    }
  }

  /// Runs `body` with an engine on the sample, and undoes what it did.
  func run(_ body: (AgentMachine) -> Void) {
    database.gateCommits { false }
    let engine = AgentMachine(
      store: store, configuration: AgentConfiguration(), random: InsecureSeededRandom(seed: 3))
    // The commit fails, as it should.
    try? engine.group { body(engine) }
    database.gateCommits(nil)
  }
}
