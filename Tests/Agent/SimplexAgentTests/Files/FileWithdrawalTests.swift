import AgentCore
import ChunkStore
import FileTesting
import Foundation
import SMPProtocol
import Testing
import XFTPProtocol

@testable import SimplexAgent

@Suite("Chunks that relays have and nobody needs", .timeLimit(.minutes(1)))
struct FileWithdrawalTests {
  /// Waits until nothing is left to delete, and returns how many chunks a relay has, which are gone then.
  private func chunksLeft(at relay: LoopbackFileRelay, by agent: FileAgent) async throws -> Int {
    while try await !agent.agent.rows(of: "SELECT number FROM chunk_deletions").isEmpty {
      try await Task.sleep(for: .milliseconds(5))
    }
    return try await relay.chunks.deleteChunks(createdBefore: .max, limit: 1_000)
  }

  /// The relay creates a chunk, and answers when the file was cancelled, or its user deleted.
  @Test(arguments: [true, false]) func areDeletedWhereTheyAreCreatedTooLate(deletesUser: Bool) async throws {
    let (ids, created) = AsyncStream<EntityID>.makeStream()
    let (gate, released) = AsyncStream<Void>.makeStream()
    let relay = try await LoopbackFileRelay.start(store: { chunks in
      WrappedStore(chunks) { hooks in
        hooks.created = { chunk in
          created.yield(chunk.senderID)
          for await _ in gate {}
        }
      }
    })
    let alice = try await FileAgent([relay.userServer()])
    let file = newFileID()
    try await alice.agent.sendFile(
      file, user: alice.user, source: try alice.write(randomBytes(100)), name: "a", recipients: 1)
    var creations = ids.makeAsyncIterator()
    let chunk = try #require(await creations.next())
    if deletesUser {
      try await alice.agent.deleteUser(alice.user, deletingQueues: false)
    } else {
      try await alice.agent.deleteSentFiles([file])
    }
    #expect(try await relay.chunks.chunk(ofSender: chunk) != nil)
    released.finish()
    while try await relay.chunks.chunk(ofSender: chunk) != nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try await chunksLeft(at: relay, by: alice) == 0)
    try await alice.settle()
    await alice.agent.close()
    await relay.stop()
  }

  /// A relay that creates chunks and has no space for their bytes keeps none when they are uploaded elsewhere.
  @Test func areDeletedWhereTheyWereSentElsewhere() async throws {
    let full = try await LoopbackFileRelay.start(quota: 1)
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([full.userServer(), relay.userServer()])
    let (sender, recipients) = try await alice.send(randomBytes(700_000))
    #expect(Set(sender.chunks.flatMap(\.replicas).map(\.server)) == [relay.address])
    #expect(try await alice.receive(recipients[0]).count == 700_000)
    #expect(try await chunksLeft(at: full, by: alice) == 0)
    #expect(try await chunksLeft(at: relay, by: alice) == sender.chunks.count)
    await alice.agent.close()
    await full.stop()
    await relay.stop()
  }

  /// What was uploaded of a file in progress goes with its user; what was sent stays for its recipients.
  @Test func areDeletedWithTheirUser() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()]) { $0.configuration.chunksPerRelay = 1 }
    let (sender, _) = try await alice.send(randomBytes(100))
    let file = newFileID()
    try await alice.agent.sendFile(
      file, user: alice.user, source: try alice.write(randomBytes(9_000_000)), name: "a", recipients: 1)
    _ = try await alice.next { if case .fileSendProgress(file, _, _) = $0 { true } else { nil } }
    try await alice.agent.deleteUser(alice.user, deletingQueues: false)
    try await alice.settle()
    while relay.server.usage.chunks > sender.chunks.count { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try await chunksLeft(at: relay, by: alice) == sender.chunks.count)
    await alice.agent.close()
    await relay.stop()
  }
}
