import AgentCore
import ChunkStore
import Foundation
import SMPProtocol
import Synchronization
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
    let held = Mutex<HeldStore?>(nil)
    let relay = try await LoopbackFileRelay.start(store: { chunks in
      let store = HeldStore(chunks)
      held.withLock { $0 = store }
      return store
    })
    let store = try #require(held.withLock { $0 })
    let alice = try await FileAgent([relay.userServer()])
    let file = newFileID()
    try await alice.agent.sendFile(
      file, user: alice.user, source: try alice.write(randomBytes(100)), name: "a", recipients: 1)
    let chunk = await store.created()
    if deletesUser {
      try await alice.agent.deleteUser(alice.user, deletingQueues: false)
    } else {
      try await alice.agent.deleteSentFiles([file])
    }
    #expect(try await relay.chunks.chunk(ofSender: chunk) != nil)
    store.release()
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

/// A store that has created a chunk some time before it says so.
private final class HeldStore: ChunkStore {
  private let store: DiskChunkStore
  private let ids: AsyncStream<EntityID>
  private let idsInput: AsyncStream<EntityID>.Continuation
  private let gate: AsyncStream<Void>
  private let gateInput: AsyncStream<Void>.Continuation

  init(_ store: DiskChunkStore) {
    self.store = store
    (ids, idsInput) = AsyncStream.makeStream()
    (gate, gateInput) = AsyncStream.makeStream()
  }

  /// The sender's identifier of the first chunk.
  func created() async -> EntityID {
    for await id in ids { return id }
    return .none
  }

  /// Lets all answers out.
  func release() { gateInput.finish() }

  func create(_ chunk: NewChunk) async throws(ChunkStoreError) {
    try await store.create(chunk)
    idsInput.yield(chunk.senderID)
    for await _ in gate {}
  }

  func add(_ recipients: [ChunkRecipient], to chunk: ChunkNumber) async throws(ChunkStoreError) {
    try await store.add(recipients, to: chunk)
  }
  func chunk(ofSender id: EntityID) async throws(ChunkStoreError) -> (chunk: ChunkRecord, key: AuthorizationKey)? {
    try await store.chunk(ofSender: id)
  }
  func chunk(ofRecipient id: EntityID) async throws(ChunkStoreError) -> (chunk: ChunkRecord, key: AuthorizationKey)? {
    try await store.chunk(ofRecipient: id)
  }
  func beginUpload(of chunk: ChunkRecord) throws(ChunkStoreError) -> any ChunkUpload {
    try store.beginUpload(of: chunk)
  }
  func open(_ chunk: ChunkRecord) throws(ChunkStoreError) -> (any ChunkReader)? { try store.open(chunk) }
  func removeRecipient(_ id: EntityID) async throws(ChunkStoreError) { try await store.removeRecipient(id) }
  func delete(_ chunk: ChunkNumber) async throws(ChunkStoreError) -> Bool { try await store.delete(chunk) }
  func block(_ chunk: ChunkNumber, _ info: BlockingInfo) async throws(ChunkStoreError) -> Bool {
    try await store.block(chunk, info)
  }
  func deleteChunks(createdBefore time: Int64, limit: Int) async throws(ChunkStoreError) -> Int {
    try await store.deleteChunks(createdBefore: time, limit: limit)
  }
  var usage: ChunkUsage { store.usage }
  func close() async { await store.close() }
}
