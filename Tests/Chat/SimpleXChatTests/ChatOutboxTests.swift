import ChatStore
import Testing

@testable import SimpleXChat

/// The commands for the agent that are kept in memory.
@Suite struct ChatOutboxTests {
  /// Commands with bodies of this size, as a turn stores them.
  private func addCommands(_ count: Int, bytes: Int, to store: ChatDatabase) throws -> [StoredAgentCommand] {
    try store.transaction { rows in
      try (0..<count).map { number in
        let body = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes)
        let (kind, payload) = try AgentCommand.send(notify: false, pq: false, receiptsFirst: false).stored()
        let packet = try rows.addPacket(body)
        let id = try rows.addCommand(agentConnId: "AAAA", kind: kind, payload: payload, packet: packet)
        return StoredAgentCommand(
          id: id, agentConnId: "AAAA", kind: kind, isFollowUp: false, payload: payload, body: body)
      }
    }
  }

  /// All commands are returned in order, and bodies in memory keep to the limit, whether commands were stored before or
  /// are added.
  @Test(arguments: [10, 15_000]) func memoryIsBounded(bytes: Int) throws {
    let database = try ChatDatabase(path: ":memory:")
    var stored = try addCommands(300, bytes: bytes, to: database)
    var outbox = Outbox()
    outbox.open(lastFollowUp: 0)
    var taken: [StoredAgentCommand] = []
    while taken.count < 600 {
      let batch = try outbox.next(from: database)
      taken += batch
      #expect(outbox.size <= Outbox.sizeLimit)
      if batch.isEmpty || taken.count == 64, stored.count < 600 {
        for _ in 0..<30 {
          let new = try addCommands(10, bytes: bytes, to: database)
          stored += new
          outbox.add(new)
          #expect(outbox.size <= Outbox.sizeLimit)
        }
      }
      guard !batch.isEmpty || taken.count < stored.count else { break }
    }
    #expect(taken == stored)
    #expect(try outbox.next(from: database).isEmpty && !outbox.hasWaiting)
  }
}
