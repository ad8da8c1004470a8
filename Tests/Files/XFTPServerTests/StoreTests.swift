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

  private func create(_ chunk: TestChunk, id: UInt8, in store: DiskChunkStore, at time: Int64 = 1000) async throws {
    try await store.create(
      NewChunk(
        senderID: EntityID([id]), info: chunk.request.chunk, createdAt: time,
        recipients: [ChunkRecipient(id: EntityID([id, 1]), key: chunk.recipientKeys[0].publicKey)]))
  }

  @Test func whatIsFinishedSurvivesAndTheRestDoesNot() async throws {
    let chunks = [TestChunk(), TestChunk(), TestChunk()]
    var store = try open()
    for (index, chunk) in chunks.enumerated() { try await create(chunk, id: UInt8(index + 1), in: store) }
    let first = try #require(try await store.chunk(ofSender: EntityID([1]))).chunk
    let upload = try store.beginUpload(of: first)
    try upload.write(chunks[0].bytes)
    try await upload.finish()
    // As a crash leaves them: bytes without a name, and with a name that the database does not know of.
    let second = try #require(try await store.chunk(ofSender: EntityID([2]))).chunk
    let begun = try store.beginUpload(of: second)
    try begun.write(Array(chunks[1].bytes.prefix(1000)))
    #expect(store.usage.reserved == 65536)
    await store.close()
    try Data(chunks[2].bytes).write(to: URL(filePath: folder.path + "/files/Aw=="))
    try Data([1]).write(to: URL(filePath: folder.path + "/files/AQIDBA=="))
    try Data([1]).write(to: URL(filePath: folder.path + "/files/Ag==.77.part"))
    store = try open()
    try await store.removeStrayFiles()
    #expect(folder.files("files") == ["AQ=="])
    #expect(store.usage.chunks == 1 && store.usage.bytes == 65536)
    let again = try #require(try await store.chunk(ofRecipient: EntityID([1, 1])))
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
    var record = try #require(try await store.chunk(ofSender: EntityID([1]))).chunk
    let upload = try store.beginUpload(of: record)
    try upload.write(chunk.bytes)
    try await upload.finish()
    record = try #require(try await store.chunk(ofSender: EntityID([1]))).chunk
    let reader = try #require(try store.open(record))
    #expect(try reader.read(10) == Array(chunk.bytes.prefix(10)))
    #expect(try await store.delete(record.number))
    #expect(try await !store.delete(record.number))
    #expect(try reader.read(100_000) == Array(chunk.bytes.dropFirst(10)))
    #expect(try await store.chunk(ofRecipient: EntityID([1, 1])) == nil)
    await #expect(throws: ChunkStoreError.missing) { try await store.add([], to: record.number) }
    await store.close()
    await #expect(throws: ChunkStoreError.closed) { try await store.chunk(ofSender: EntityID([1])) }
  }

  @Test func anUploadOfAChunkThatIsDeletedMeanwhileIsRefused() async throws {
    let chunk = TestChunk()
    let store = try open()
    try await create(chunk, id: 1, in: store)
    let record = try #require(try await store.chunk(ofSender: EntityID([1]))).chunk
    let upload = try store.beginUpload(of: record)
    try upload.write(chunk.bytes)
    _ = try await store.delete(record.number)
    await #expect(throws: ChunkStoreError.missing) { try await upload.finish() }
    upload.abort()
    #expect(store.usage == ChunkUsage() && folder.files("files").isEmpty)
    await store.close()
  }

  @Test func identifiersAreUniqueAndOldChunksExpireInBatches() async throws {
    let store = try open()
    for id in UInt8(1)...10 { try await create(TestChunk(), id: id, in: store, at: Int64(id)) }
    await #expect(throws: ChunkStoreError.duplicate) { try await create(TestChunk(), id: 1, in: store) }
    #expect(try await store.deleteChunks(createdBefore: 6, limit: 3) == 3)
    #expect(try await store.deleteChunks(createdBefore: 6, limit: 3) == 2)
    #expect(try await store.deleteChunks(createdBefore: 6, limit: 3) == 0)
    #expect(try await store.chunk(ofSender: EntityID([5])) == nil)
    #expect(try await store.chunk(ofSender: EntityID([6])) != nil)
    await store.close()
  }

  @Test func onlyOneProcessUsesIt() async throws {
    let store = try open()
    #expect(throws: ChunkStoreError.inUse) { _ = try open() }
    await store.close()
    await (try open()).close()
  }
}
