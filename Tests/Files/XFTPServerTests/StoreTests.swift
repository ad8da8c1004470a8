import Dispatch
import FileAccess
import Foundation
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import Testing
import XFTPProtocol

@testable import ChunkStore

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
    #expect(try await store.removeStrayFiles() == 1)
    let left = ["\(Self.sender(1))", "\(Self.sender(3))", "AQIDBA==", "data", "movie.part", "unknown"]
    #expect(folder.files("files").sorted() == left.sorted())
    // What belongs to no chunk was not left by a crash: it may belong to a later state of the database.
    #expect(folder.files("files/unknown") == ["\(Self.sender(4))"])
    #expect(store.usage.chunks == 1 && store.usage.bytes == 65536)
    let again = try #require(try await store.chunk(ofRecipient: Self.recipient(1)))
    #expect(again.chunk.isUploaded && again.key == chunks[0].recipientKeys[0].publicKey)
    let reader = try #require(try store.open(again.chunk))
    #expect(try reader.read(100_000) == chunks[0].bytes)
    #expect(try store.open(second) == nil)
    await store.close()
    withExtendedLifetime(begun) {}
  }

  /// What only reads is answered, although a change in the same transaction cannot be stored: on a full disk nobody can
  /// upload, and everybody can download.
  @Test func readsDoNotFailWithChanges() async throws {
    let chunks = [TestChunk(), TestChunk()]
    let store = try open()
    try await create(chunks[0], id: 1, in: store)
    // No transaction that changes something is committed.
    try await store.perform { (database) throws(SQLiteError) in
      let connection = database.connection
      var changes = connection.totalChanges
      connection.gateCommits { [unowned connection] in
        defer { changes = connection.totalChanges }
        return connection.totalChanges == changes
      }
    }
    // Both arrive during the transaction before, and have one together.
    async let before: Void = store.perform { (_) throws(SQLiteError) in _ = usleep(300_000) }
    try await Task.sleep(for: .milliseconds(100))
    let change = Task { try await create(chunks[1], id: 2, in: store) }
    let read = Task { try await store.chunk(ofRecipient: Self.recipient(1)) }
    try await before
    let found = try await read.value
    #expect(found != nil)
    await #expect(throws: ChunkStoreError.self) { try await change.value }
    try await store.perform { (database) throws(SQLiteError) in database.connection.gateCommits(nil) }
    try await create(chunks[1], id: 2, in: store)
    #expect(try await store.chunk(ofRecipient: Self.recipient(2)) != nil)
    await store.close()
  }

  /// Bytes that the database cannot note are removed; those that were noted before stay.
  @Test func uploadsThatCannotBeNotedAreRemoved() async throws {
    let chunk = TestChunk()
    let trigger = "CREATE TRIGGER full BEFORE UPDATE ON chunks BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    var store = try open()
    try await create(chunk, id: 1, in: store)
    let record = try #require(try await store.chunk(ofSender: Self.sender(1))).chunk
    func upload() async throws {
      let upload = try store.beginUpload(of: record)
      try upload.write(chunk.bytes)
      defer { upload.abort() }
      try await upload.finish()
    }
    for isNoted in [false, true] {
      if isNoted { try await upload() }
      await store.close()
      try SQLiteConnection(path: folder.path + "/chunks.db").runScript(trigger)
      store = try open()
      await #expect(throws: ChunkStoreError.self) { try await upload() }
      #expect(folder.files("files") == (isNoted ? ["\(Self.sender(1))"] : []))
      #expect(store.usage.reserved == 0 && store.usage.bytes == (isNoted ? 65_536 : 0))
      await store.close()
      try SQLiteConnection(path: folder.path + "/chunks.db").runScript("DROP TRIGGER full")
      store = try open()
    }
    let stored = try #require(try await store.chunk(ofSender: Self.sender(1))).chunk
    #expect(try store.open(stored)?.read(100_000) == chunk.bytes)
    await store.close()
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

  /// Chunks without bytes have no part in the quota, and would fill the disk nevertheless. The oldest of them make
  /// room, so that whoever creates many keeps nobody else out.
  @Test func theOldestChunksWithoutBytesMakeRoom() async throws {
    let chunk = TestChunk()
    func new(_ number: UInt8) -> NewChunk {
      NewChunk(
        senderID: Self.sender(number), info: chunk.request.chunk, createdAt: 1000,
        recipients: [ChunkRecipient(id: Self.recipient(number), key: chunk.recipientKeys[0].publicKey)])
    }
    func open(limit: Int64) throws -> DiskChunkStore {
      try DiskChunkStore(
        databaseFile: folder.path + "/chunks.db", folder: folder.path + "/files", quota: nil,
        unfilledLimit: limit * Self.unfilledSize)
    }
    func unfilled(_ store: DiskChunkStore) async throws -> [UInt8] {
      var numbers: [UInt8] = []
      for number in UInt8(1)...50 {
        guard let found = try await store.chunk(ofSender: Self.sender(number))?.chunk else { continue }
        #expect(try await store.chunk(ofRecipient: Self.recipient(number)) != nil)
        if !found.isUploaded, found.blocked == nil { numbers.append(number) }
      }
      return numbers
    }
    var store = try open(limit: 5)
    for number in UInt8(1)...5 { try await store.create(new(number)) }
    // One gets its bytes, one is deleted, one blocked; none of them counts.
    let first = try #require(try await store.chunk(ofSender: Self.sender(1))).chunk
    let upload = try store.beginUpload(of: first)
    try upload.write(chunk.bytes)
    try await upload.finish()
    let second = try #require(try await store.chunk(ofSender: Self.sender(2))).chunk
    #expect(try await store.delete(second.number))
    let third = try #require(try await store.chunk(ofSender: Self.sender(3))).chunk
    #expect(try await store.block(third.number, BlockingInfo(reason: .spam)))
    for number in UInt8(6)...8 { try await store.create(new(number)) }
    #expect(try await unfilled(store) == [4, 5, 6, 7, 8])
    let sixth = try #require(try await store.chunk(ofSender: Self.sender(6))).chunk
    let late = try store.beginUpload(of: sixth)
    try late.write(chunk.bytes)
    for number in UInt8(9)...11 { try await store.create(new(number)) }
    #expect(try await unfilled(store) == [7, 8, 9, 10, 11])
    // An upload that took too long is refused, and its file is gone.
    await #expect(throws: ChunkStoreError.missing) { try await late.finish() }
    #expect(folder.files("files") == ["\(Self.sender(1))"])
    await store.close()
    // A smaller limit is reached by the next creation.
    store = try open(limit: 2)
    try await store.create(new(12))
    #expect(try await unfilled(store) == [11, 12])
    #expect(store.usage.chunks == 1)
    await store.close()
  }

  /// What a chunk with one recipient takes in the database.
  private static let unfilledSize = UnfilledChunks.chunkSize + UnfilledChunks.recipientSize

  /// An owner who creates many chunks without bytes loses the oldest of them, and other owners lose none. Recipients of
  /// such chunks are limited as well, and use nothing up of the quota.
  @Test func whoCreatesManyChunksKeepsNobodyOut() async throws {
    let chunk = TestChunk()
    let key = chunk.recipientKeys[0].publicKey
    let store = try DiskChunkStore(
      databaseFile: folder.path + "/chunks.db", folder: folder.path + "/files", quota: 65_536,
      unfilledLimit: 40 * Self.unfilledSize)
    func create(_ numbers: ClosedRange<UInt8>, by owner: UInt64) async throws {
      for number in numbers {
        var new = NewChunk(
          senderID: Self.sender(number), info: chunk.request.chunk, createdAt: 1000,
          recipients: [ChunkRecipient(id: Self.recipient(number), key: key)])
        new.owner = ChunkOwner(owner)
        try await store.create(new)
      }
    }
    func kept(_ numbers: ClosedRange<UInt8>) async throws -> [UInt8] {
      var kept: [UInt8] = []
      for number in numbers where try await store.chunk(ofSender: Self.sender(number)) != nil { kept.append(number) }
      return kept
    }
    try await create(1...5, by: 1)
    try await create(100...199, by: 2)
    #expect(try await kept(1...5) == [1, 2, 3, 4, 5])
    #expect(try await kept(100...199) == Array(190...199))
    // Many owners: those with the most make room.
    for owner in UInt8(3)...7 { try await create(owner * 6...owner * 6 + 5, by: UInt64(owner)) }
    #expect(try await kept(1...5) == [1, 2, 3, 4, 5])
    #expect(try await kept(100...199).count <= 6)
    let third = try #require(try await store.chunk(ofSender: Self.sender(3))).chunk
    await #expect(throws: ChunkStoreError.quota) {
      try await store.add((1...10).map { ChunkRecipient(id: EntityID([$0]), key: key) }, to: third.number)
    }
    let upload = try store.beginUpload(of: third)
    try upload.write(chunk.bytes)
    try await upload.finish()
    await store.close()
  }

  /// Operations that arrive while others wait for the disk are stored in one transaction, with one flush.
  @Test func operationsShareTransactions() async throws {
    let store = try open()
    let chunk = TestChunk()
    let log = folder.path + "/chunks.db-wal"
    try await create(chunk, id: 1, in: store)
    let before = try Self.commits(in: log)
    let gate = DispatchSemaphore(value: 0)
    async let first: Void = store.perform { _ in gate.wait() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in UInt8(2)...51 { group.addTask { try await create(chunk, id: id, in: store) } }
      // Those that come later are in later transactions.
      try await Task.sleep(for: .milliseconds(300))
      gate.signal()
      try await group.waitForAll()
    }
    try await first
    // One identifier twice: one of them fails alone.
    async let other: Void = create(chunk, id: 52, in: store)
    await #expect(throws: ChunkStoreError.duplicate) { try await create(chunk, id: 2, in: store) }
    try await other
    #expect(try Self.commits(in: log) - before < 25)
    for id in UInt8(1)...52 { #expect(try await store.chunk(ofSender: Self.sender(id)) != nil) }
    await store.close()
  }

  /// The number of commits in a write-ahead log: frames that say how many pages the database has then.
  private static func commits(in log: String) throws -> Int {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: log)))
    let page = bytes[8..<12].reduce(0) { $0 << 8 | Int($1) }
    return stride(from: 32, to: bytes.count - 24, by: 24 + page).count { bytes[($0 + 4)..<($0 + 8)] != [0, 0, 0, 0] }
  }

  /// What recipients take in the database counts, and is free again with them.
  @Test func recipientsArePartOfTheQuota() async throws {
    let chunk = TestChunk()
    var store = try open(quota: 65_536 + 128 * 10)
    try await create(chunk, id: 1, in: store)
    let record = try #require(try await store.chunk(ofSender: Self.sender(1))).chunk
    let upload = try store.beginUpload(of: record)
    try upload.write(chunk.bytes)
    try await upload.finish()
    func recipients(_ numbers: Range<UInt8>) -> [ChunkRecipient] {
      numbers.map { ChunkRecipient(id: Self.recipient($0), key: chunk.recipientKeys[0].publicKey) }
    }
    try await store.add(recipients(2..<11), to: record.number)
    await #expect(throws: ChunkStoreError.quota) { try await store.add(recipients(11..<12), to: record.number) }
    try await store.removeRecipient(Self.recipient(2))
    try await store.add(recipients(11..<12), to: record.number)
    await store.close()
    store = try open(quota: 65_536 + 128 * 10)
    await #expect(throws: ChunkStoreError.quota) { try await store.add(recipients(12..<13), to: record.number) }
    #expect(try await store.delete(record.number))
    try await create(chunk, id: 2, in: store)
    let next = try #require(try await store.chunk(ofSender: Self.sender(2))).chunk
    try await store.add(recipients(12..<21), to: next.number)
    try store.beginUpload(of: next).abort()
    #expect(try await store.deleteChunks(createdBefore: 2_000, limit: 10) == 1)
    try await create(chunk, id: 3, in: store)
    let last = try #require(try await store.chunk(ofSender: Self.sender(3))).chunk
    try await store.add(recipients(30..<39), to: last.number)
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

  /// The files of deleted and blocked chunks, where a crash came before they were removed, are removed and not kept.
  @Test func releasedFilesAreRemovedAtTheNextStart() async throws {
    var store = try open()
    let chunks = [TestChunk(), TestChunk(), TestChunk()]
    for (index, chunk) in chunks.enumerated() {
      try await create(chunk, id: UInt8(index + 1), in: store)
      let record = try #require(try await store.chunk(ofSender: Self.sender(UInt8(index + 1)))).chunk
      let upload = try store.beginUpload(of: record)
      try upload.write(chunk.bytes)
      try await upload.finish()
    }
    let numbers = [try await store.chunk(ofSender: Self.sender(1)), try await store.chunk(ofSender: Self.sender(2))]
      .compactMap { $0?.chunk.number }
    let names = [Self.sender(1), Self.sender(2)].map { "\(folder.path)/files/\($0)" }
    // Links, so that the files come back with their names as if they had not been removed.
    for name in names { try FileManager.default.linkItem(atPath: name, toPath: name + "-kept") }
    #expect(try await store.delete(numbers[0]))
    #expect(try await store.block(numbers[1], BlockingInfo(reason: .spam)))
    await store.close()
    for name in names { try FileManager.default.moveItem(atPath: name + "-kept", toPath: name) }
    try forgetNothing()
    store = try open()
    #expect(try await store.removeStrayFiles() == 0)
    #expect(folder.files("files") == ["\(Self.sender(3))"])
    await store.close()
    let database = try SQLiteConnection(path: folder.path + "/chunks.db")
    let noted = try database.first("SELECT count(*) FROM released_files") { (row) throws(SQLiteError) in
      try row.integer(0)
    }
    #expect(noted == 0)
  }

  /// Notes the deleted chunk again, as the database has it until its file is removed.
  private func forgetNothing() throws {
    try SQLiteConnection(path: folder.path + "/chunks.db").execute(
      "INSERT OR IGNORE INTO released_files VALUES (?)", Self.sender(1).bytes)
  }

  /// A second start, which is refused, changes nothing in the database, not even where it is of an earlier version.
  @Test func aRefusedStartChangesNothing() throws {
    let path = folder.path + "/chunks.db"
    do {
      let database = try SQLiteConnection(path: path)
      try database.useWriteAheadLog(synchronous: .full)
      try database.migrate(Array(ChunkDatabase.migrations.prefix(1)))
    }
    let before = try Data(contentsOf: URL(filePath: path))
    let lease = DatabaseLease(path: path + ".lock")
    try lease.take()
    #expect(throws: ChunkStoreError.inUse) { _ = try open() }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  @Test func aNewerDatabaseIsLeftAlone() async throws {
    await (try open()).close()
    let path = folder.path + "/chunks.db"
    do { try SQLiteConnection(path: path).setPragma("user_version", "99") }
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(throws: ChunkStoreError.self) { _ = try open() }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  /// Two stores with one folder would take each other's files for unknown ones.
  @Test func aFolderBelongsToOneStore() async throws {
    let store = try open()
    #expect(throws: ChunkStoreError.inUse) {
      _ = try DiskChunkStore(databaseFile: folder.path + "/other.db", folder: folder.path + "/files", quota: nil)
    }
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
