import AgentCore
import ChunkStore
import Foundation
import SMPProtocol
import Synchronization
import Testing
import XFTPProtocol

@testable import SimplexAgent

@Suite("Files over slow or faulty networks", .timeLimit(.minutes(2)))
struct SlowFileTests {
  /// The time counts from the last bytes that came, not for a whole chunk.
  @Test func slowDownloadsSucceed() async throws {
    let relay = try await LoopbackFileRelay.start(store: { store in
      EditedStore(store) { _, _ in Thread.sleep(forTimeInterval: 0.1) }
    })
    let alice = try await FileAgent([relay.userServer()]) {
      $0.network.requestTimeout = .seconds(2)
      $0.fileTimePerKB = .zero
    }
    // A chunk of 4 MB takes more than 6 seconds.
    let content = randomBytes(4_000_000)
    let (_, recipients) = try await alice.send(content)
    let file = newFileID()
    try await alice.agent.receiveFile(
      file, user: alice.user, recipients[0], to: alice.destination(), approvedRelays: true)
    _ = try await alice.received(file)
    #expect(relay.server.statistics.value(.fileDownloads) == Int64(recipients[0].chunks.count))
    await alice.agent.close()
    await relay.stop()
  }

  /// A transfer that the relay gives up does not end the others on its connection.
  @Test func resetTransfersAreAlone() async throws {
    let failures = Mutex(3)
    let relay = try await LoopbackFileRelay.start(store: { store in
      EditedStore(store) { (chunk, _) throws(ChunkStoreError) in
        guard chunk.size == 65_536 else { return Thread.sleep(forTimeInterval: 0.02) }
        let fails = failures.withLock { left in
          left -= 1
          return left >= 0
        }
        if fails { throw .failed("the disk") }
      }
    })
    let alice = try await FileAgent([relay.userServer()])
    let (_, large) = try await alice.send(randomBytes(4_000_000))
    let (_, small) = try await alice.send(randomBytes(1_000))
    let connections = relay.server.connectionCounts.accepted
    let files = [newFileID(), newFileID()]
    for (file, description) in zip(files, [large[0], small[0]]) {
      try await alice.agent.receiveFile(
        file, user: alice.user, description, to: alice.destination(file.text), approvedRelays: true)
    }
    for file in files { _ = try await alice.received(file) }
    #expect(failures.withLock { $0 } < 0)
    #expect(relay.server.connectionCounts.accepted == connections)
    await alice.agent.close()
    await relay.stop()
  }
}

/// A store that does something before each part of a chunk is read.
private final class EditedStore: ChunkStore {
  typealias Step = @Sendable (ChunkRecord, Int) throws(ChunkStoreError) -> Void
  private let store: DiskChunkStore
  private let step: Step

  init(_ store: DiskChunkStore, _ step: @escaping Step) {
    self.store = store
    self.step = step
  }

  private final class Reader: ChunkReader {
    let reader: any ChunkReader
    let before: @Sendable (Int) throws(ChunkStoreError) -> Void

    init(_ reader: any ChunkReader, before: @escaping @Sendable (Int) throws(ChunkStoreError) -> Void) {
      self.reader = reader
      self.before = before
    }

    func read(_ count: Int) throws(ChunkStoreError) -> [UInt8] {
      try before(count)
      return try reader.read(count)
    }
  }

  func open(_ chunk: ChunkRecord) throws(ChunkStoreError) -> (any ChunkReader)? {
    guard let reader = try store.open(chunk) else { return nil }
    let step = step
    return Reader(reader) { (count) throws(ChunkStoreError) in try step(chunk, count) }
  }

  func create(_ chunk: NewChunk) async throws(ChunkStoreError) { try await store.create(chunk) }
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
