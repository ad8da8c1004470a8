import ChatAPI
import ChatStore
import Testing

@testable import SimpleXChat

/// The commands for the agent that are kept in memory.
@Suite struct ChatOutboxTests {
  /// Commands with bodies of this size, as a turn stores them.
  private func addCommands(
    _ count: Int, bytes: Int, for connection: String = "AAAA", to store: ChatDatabase
  ) throws -> [StoredAgentCommand] {
    try store.transaction { rows in
      try (0..<count).map { number in
        let body = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes)
        let (kind, payload) = try AgentCommand.send(notify: false, pq: false, receiptsFirst: false).stored()
        let packet = try rows.addPacket(body)
        let id = try rows.addCommand(agentConnId: connection, kind: kind, payload: payload, packet: packet)
        return StoredAgentCommand(
          id: id, agentConnId: connection, kind: kind, isFollowUp: false, payload: payload, body: body)
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

  /// A command that failed waits with those about its connection that follow; others do not wait. All are retried in
  /// order.
  @Test func failedCommandsWait() throws {
    let database = try ChatDatabase(path: ":memory:")
    let first = try addCommands(2, bytes: 10, to: database)
    let other = try addCommands(1, bytes: 10, for: "BBBB", to: database)
    var outbox = Outbox()
    outbox.open(lastFollowUp: 0)
    #expect(outbox.pauseBeforeRetry() == nil)
    #expect(try outbox.next(from: database) == first + other)
    let error = ChatError.errorStore(storeError: .uniqueID)
    outbox.hold(first[0], after: error)
    #expect(outbox.isHeld(first[1]) && !outbox.isHeld(other[0]))
    let late = try addCommands(100, bytes: 10, to: database) + addCommands(1, bytes: 10, for: "BBBB", to: database)
    outbox.add(late)
    #expect(try outbox.next(from: database) == [late[100]])
    #expect(try outbox.next(from: database).isEmpty)
    try database.transaction { try $0.removeCommands([other[0].id, late[100].id]) }
    let pauses = [outbox.pauseBeforeRetry(), outbox.pauseBeforeRetry()].compactMap(\.self)
    #expect(pauses.count == 2 && pauses[0] < pauses[1])
    // Reported once; another error, and one of another command, is reported too.
    #expect(outbox.wasReported(error, of: first) && !outbox.wasReported(error, of: other))
    #expect(!outbox.wasReported(.errorStore(storeError: .dBBusyError(message: "")), of: first))
    outbox.hold(first[0], after: error)
    let pause = outbox.pauseBeforeRetry() ?? .zero
    #expect(pause > pauses[1])
    // The pauses of one that fails for ever grow up to half an hour, and begin anew with another one.
    for _ in 0..<20 { outbox.hold(first[0], after: error); _ = outbox.pauseBeforeRetry() }
    #expect(outbox.pauseBeforeRetry() == .seconds(1_800))
    outbox.hold(late[0], after: error)
    #expect(outbox.pauseBeforeRetry() == pauses[0])
    outbox.carriedOut([late[0]])
    #expect(!outbox.wasReported(error, of: [late[0]]))
    outbox.release()
    var retried: [StoredAgentCommand] = []
    while case let batch = try outbox.next(from: database), !batch.isEmpty { retried += batch }
    #expect(retried == first + late.dropLast())
    #expect(outbox.pauseBeforeRetry() == nil)
  }

  /// What a turn removed is not given to the agent any more, unless it is being given to it.
  @Test func removedCommandsAreNotReturned() throws {
    let database = try ChatDatabase(path: ":memory:")
    let commands = try addCommands(66, bytes: 10, to: database)
    var outbox = Outbox()
    outbox.open(lastFollowUp: 0)
    _ = try outbox.next(from: database)
    #expect(outbox.inFlight == Set(commands.prefix(64).map(\.id)))
    try database.transaction { try $0.removeCommands([commands[64].id]) }
    outbox.remove([commands[64].id])
    #expect(try outbox.next(from: database) == [commands[65]])
    outbox.finish()
    #expect(outbox.inFlight.isEmpty)
  }

  /// An error that is no outage of a database drops nothing: messages whose outcome could not be stored are retried
  /// while the program runs.
  @Test(.timeLimit(.minutes(1))) func unusualErrorsAreRetried() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await alice.waitUntilIdle()
      _ = try await alice.run(
        "/sql chat CREATE TRIGGER keep BEFORE DELETE ON agent_commands BEGIN SELECT RAISE(ABORT, 'unusual'); END")
      for text in ["one", "two"] { _ = try await alice.run("@bob \(text)") }
      _ = try await alice.event("errorStore")
      _ = try await alice.run("/sql chat DROP TRIGGER keep")
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM agent_commands)")
      #expect(try await bob.message() == "one")
      #expect(try await bob.message() == "two")
      #expect(try await bob.rows("SELECT text FROM items WHERE text IN ('one', 'two')") == ["one", "two"])
    }
  }
}
