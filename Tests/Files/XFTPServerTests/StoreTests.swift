import ChunkStore
import FileAccess
import Foundation
import SMPProtocol
import SimplexCrypto
import Testing
import XFTPProtocol

@Suite("The store of chunks")
struct StoreTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(quota: Int64? = nil) throws -> DiskChunkStore {
    try DiskChunkStore(databaseFile: folder.path + "/chunks.db", folder: folder.path + "/files", quota: quota)
  }

  /// Identifiers have 16 bytes.
  private static func sender(_ number: UInt8) -> EntityID { EntityID([UInt8](repeating: number, count: 16)) }
  private static func recipient(_ number: UInt8) -> EntityID {
    EntityID([UInt8](repeating: number, count: 15) + [1, 2])
  }

  private func create(_ chunk: TestChunk, id: UInt8, in store: DiskChunkStore, at time: Int64 = 1000) async throws {
    try await store.create(
      NewChunk(
        senderID: Self.sender(id), info: chunk.request.chunk, createdAt: time,
        recipients: [ChunkRecipient(id: Self.recipient(id), key: chunk.recipientKeys[0].publicKey)]))
  }

  @Test func whatIsFinishedSurvivesAndTheRestDoesNot() async throws {
    let chunks = [TestChunk(), TestChunk(), TestChunk()]
    var store = try open()
    for (index, chunk) in chunks.enumerated() { try await create(chunk, id: UInt8(index + 1), in: store) }
    let first = try #require(try await store.chunk(ofSender: Self.sender(1))).chunk
    let upload = try store.beginUpload(of: first)
    try upload.write(chunks[0].bytes)
    try await upload.finish()
    // As a crash leaves them: bytes without a name, and with a name that the database does not know of.
    let second = try #require(try await store.chunk(ofSender: Self.sender(2))).chunk
    let begun = try store.beginUpload(of: second)
    try begun.write(Array(chunks[1].bytes.prefix(1000)))
    #expect(store.usage.reserved == 65536)
    await store.close()
    try Data(chunks[2].bytes).write(to: URL(filePath: folder.path + "/files/\(Self.sender(3))"))
    try Data([1]).write(to: URL(filePath: folder.path + "/files/\(Self.sender(4))"))
    try Data([1]).write(to: URL(filePath: folder.path + "/files/\(Self.sender(2)).77.part"))
    // Files of others.
    for name in ["data", "AQIDBA==", "movie.part"] {
      try Data([1]).write(to: URL(filePath: folder.path + "/files/" + name))
    }
    store = try open()
    try await store.removeStrayFiles()
    #expect(folder.files("files").sorted() == ["\(Self.sender(1))", "AQIDBA==", "data", "movie.part"].sorted())
    #expect(store.usage.chunks == 1 && store.usage.bytes == 65536)
    let again = try #require(try await store.chunk(ofRecipient: Self.recipient(1)))
    #expect(again.chunk.isUploaded && again.key == chunks[0].recipientKeys[0].publicKey)
    let reader = try #require(try store.open(again.chunk))
    #expect(try reader.read(100_000) == chunks[0].bytes)
    #expect(try store.open(second) == nil)
    await store.close()
    withExtendedLifetime(begun) {}
  }

  @Test func aChunkDeletedWhileItIsReadIsReadToTheEnd() async throws {
    let chunk = TestChunk()
    let store = try open()
    try await create(chunk, id: 1, in: store)
    var record = try #require(try await store.chunk(ofSender: Self.sender(1))).chunk
    let upload = try store.beginUpload(of: record)
    try upload.write(chunk.bytes)
    try await upload.finish()
    record = try #require(try await store.chunk(ofSender: Self.sender(1))).chunk
    let reader = try #require(try store.open(record))
    #expect(try reader.read(10) == Array(chunk.bytes.prefix(10)))
    #expect(try await store.delete(record.number))
    #expect(try await !store.delete(record.number))
    #expect(try reader.read(100_000) == Array(chunk.bytes.dropFirst(10)))
    #expect(try await store.chunk(ofRecipient: Self.recipient(1)) == nil)
    await #expect(throws: ChunkStoreError.missing) { try await store.add([], to: record.number) }
    await store.close()
    await #expect(throws: ChunkStoreError.closed) { try await store.chunk(ofSender: Self.sender(1)) }
  }

  @Test func anUploadOfAChunkThatIsDeletedMeanwhileIsRefused() async throws {
    let chunk = TestChunk()
    let store = try open()
    try await create(chunk, id: 1, in: store)
    let record = try #require(try await store.chunk(ofSender: Self.sender(1))).chunk
    let upload = try store.beginUpload(of: record)
    try upload.write(chunk.bytes)
    _ = try await store.delete(record.number)
    // The next chunk is another one, also for what was begun before.
    try await create(TestChunk(), id: 2, in: store)
    await #expect(throws: ChunkStoreError.missing) { try await upload.finish() }
    upload.abort()
    #expect(try await store.chunk(ofSender: Self.sender(2))?.chunk.isUploaded == false)
    #expect(store.usage == ChunkUsage() && folder.files("files").isEmpty)
    await store.close()
  }

  /// Chunks without bytes have no part in the quota, and would fill the disk nevertheless.
  @Test func chunksWithoutBytesAreLimited() async throws {
    let chunk = TestChunk()
    func new(_ number: Int) -> NewChunk {
      let bytes = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
      return NewChunk(
        senderID: EntityID([UInt8](repeating: 1, count: 14) + bytes), info: chunk.request.chunk,
        createdAt: Int64(number),
        recipients: [])
    }
    var store = try open(quota: 70_000_000)
    let limit = 70_000_000 / 65_536
    for number in 0..<limit { try await store.create(new(number)) }
    await #expect(throws: ChunkStoreError.quota) { try await store.create(new(limit)) }
    await store.close()
    store = try open(quota: 70_000_000)
    await #expect(throws: ChunkStoreError.quota) { try await store.create(new(limit)) }
    // One gets its bytes, one is deleted, one blocked.
    let first = try #require(try await store.chunk(ofSender: new(0).senderID)).chunk
    let upload = try store.beginUpload(of: first)
    try upload.write(chunk.bytes)
    try await upload.finish()
    #expect(try await store.deleteChunks(createdBefore: 2, limit: 2) == 2)
    let third = try #require(try await store.chunk(ofSender: new(2).senderID)).chunk
    #expect(try await store.block(third.number, BlockingInfo(reason: .spam)))
    #expect(try await store.delete(third.number))
    for number in limit..<limit + 3 { try await store.create(new(number)) }
    await #expect(throws: ChunkStoreError.quota) { try await store.create(new(limit + 3)) }
    await store.close()
  }

  @Test func identifiersAreUniqueAndOldChunksExpireInBatches() async throws {
    let store = try open()
    for id in UInt8(1)...10 { try await create(TestChunk(), id: id, in: store, at: Int64(id)) }
    await #expect(throws: ChunkStoreError.duplicate) { try await create(TestChunk(), id: 1, in: store) }
    #expect(try await store.deleteChunks(createdBefore: 6, limit: 3) == 3)
    #expect(try await store.deleteChunks(createdBefore: 6, limit: 3) == 2)
    #expect(try await store.deleteChunks(createdBefore: 6, limit: 3) == 0)
    #expect(try await store.chunk(ofSender: Self.sender(5)) == nil)
    #expect(try await store.chunk(ofSender: Self.sender(6)) != nil)
    await store.close()
  }

  /// A start with another data folder must not take all chunks for what a crash left.
  @Test func chunksWithoutTheirDatabaseAreNotTouched() async throws {
    let store = try open()
    let chunk = TestChunk()
    try await create(chunk, id: 1, in: store)
    let record = try #require(try await store.chunk(ofSender: Self.sender(1))).chunk
    let upload = try store.beginUpload(of: record)
    try upload.write(chunk.bytes)
    try await upload.finish()
    await store.close()
    let elsewhere = folder.path + "/other.db"
    #expect(throws: ChunkStoreError.self) {
      _ = try DiskChunkStore(databaseFile: elsewhere, folder: folder.path + "/files", quota: nil)
    }
    #expect(!FileManager.default.fileExists(atPath: elsewhere))
    await (try open()).close()
  }

  @Test func onlyOneProcessUsesIt() async throws {
    let store = try open()
    #expect(throws: ChunkStoreError.inUse) { _ = try open() }
    await store.close()
    await (try open()).close()
  }
}
