import AgentCore
import AgentStore
import Foundation
import SQLiteKit
import SimplexAgent
import Synchronization
import Testing

@Suite("An agent whose disk fails", .timeLimit(.minutes(1)))
struct DurabilityTests {
  /// Whether databases can be synchronized.
  private final class Disk: Sendable {
    let works = Mutex(true)
  }

  @Test func nothingIsDoneThatIsNotDurable() async throws {
    let relay = try await LoopbackRelay.start()
    let path = FileManager.default.temporaryDirectory.appending(path: "agent-\(UUID().uuidString).db").path
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
    let disk = Disk()
    let agent = try await Agent.open { () throws(SQLiteError) in
      let database = try SQLiteConnection(path: path)
      database.gateSynchronization { disk.works.withLock { $0 } }
      return try AgentDatabase(database, synchronous: .normal)
    }
    let user = try await agent.createUser(servers: [relay.userServer])
    disk.works.withLock { $0 = false }
    // Whether its network is asked or not, nothing is reported that may be lost.
    await #expect(throws: AgentError.self) { try await agent.createUser(servers: []) }
    await #expect(throws: AgentError.self) { try await agent.createConnection(user, mode: .invitation) }
    disk.works.withLock { $0 = true }
    // An engine that knows what is stored takes over.
    var connection: ConnectionID?
    while connection == nil {
      connection = try? await agent.createConnection(user, mode: .invitation).connection
      if connection == nil { try await Task.sleep(for: .milliseconds(50)) }
    }
    let created = try #require(connection)
    #expect(try await agent.connectionStats(created).receiveQueues.count == 1)
    for await event in agent.events {
      if case .failed(.store) = event.kind { break }
    }
    await agent.close()
    await #expect(throws: AgentError.inactive) { try await agent.createUser(servers: []) }
    await relay.stop()
  }
}
