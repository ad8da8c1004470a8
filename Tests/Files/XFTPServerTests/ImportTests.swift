import ChunkStore
import FileAccess
import Foundation
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec
import XFTPProtocol

@testable import XFTPServer

/// A store log as the reference server writes it, with the files of its chunks.
@Suite struct ImportTests {
  let folder: TemporaryFolder
  let folders: FileServerFolders

  init() throws {
    folder = try TemporaryFolder()
    folders = FileServerFolders(configuration: folder.path, data: folder.path)
    try FileManager.default.createDirectory(atPath: folder.path + "/files", withIntermediateDirectories: true)
  }

  private var files: String { folder.path + "/files" }

  private static func id(_ number: UInt8) -> EntityID { EntityID([UInt8](repeating: number, count: 16)) }
  private static func text(_ id: EntityID) -> String { Base64URL.string(id.bytes) }
  private static func text(_ key: AuthorizationKey) throws -> String { try AuthorizationKey.textCodec.text(key) }

  private func creation(_ chunk: TestChunk, _ number: UInt8, _ status: String = "") throws -> String {
    let info = chunk.request.chunk
    return try "FNEW \(Self.text(Self.id(number))) \(Self.text(info.senderKey)) \(info.size) "
      + "\(Base64URL.string(info.digest)) 1700000000\(status)"
  }

  private func recipients(_ chunk: TestChunk, _ number: UInt8, _ ids: [UInt8]) throws -> String {
    let key = try Self.text(chunk.recipientKeys[0].publicKey)
    return "FADD \(Self.text(Self.id(number))) \(ids.map { "\(Self.text(Self.id($0))):\(key)" }.joined(separator: ","))"
  }

  private func upload(_ chunk: TestChunk, _ number: UInt8, in place: String) throws -> String {
    let path = "\(place)/\(Self.text(Self.id(number)))"
    try Data(chunk.bytes).write(to: URL(filePath: path))
    return "FPUT \(Self.text(Self.id(number))) \(Base64URL.string(Array(path.utf8)))"
  }

  private func log(_ lines: [String]) throws {
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: folders.referenceLog.path))
  }

  /// Whatever a line says, reading it does not trap.
  @Test(arguments: propertySeeds(20)) func changedLinesDoNotTrap(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let chunk = TestChunk()
    let lines = [
      try creation(chunk, 1, " blocked,reason=spam"), try recipients(chunk, 1, [2, 3]), "FDEL \(Self.text(Self.id(1)))",
      try upload(chunk, 1, in: files), "FBLK \(Self.text(Self.id(1))) reason=spam", "FACK \(Self.text(Self.id(2)))",
    ]
    for line in lines { #expect(FileLogLine(line) != nil) }
    for _ in 0..<2_000 {
      var bytes = Array(lines.randomElement(using: &generator)?.utf8 ?? "".utf8)
      for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
        let place = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(Array(" :,=".utf8).randomElement(using: &generator) ?? 0, at: place)
        default: bytes = Array(bytes.prefix(place))
        }
      }
      _ = FileLogLine(String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test func everythingIsThere() async throws {
    let chunks = (0..<6).map { _ in TestChunk() }
    let elsewhere = folder.path + "/elsewhere"
    try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
    var lines: [String] = []
    // 1 is there, 2 in another folder, 3 without bytes, 4 deleted, 5 blocked, 6 lost its file.
    for (index, chunk) in chunks.enumerated() {
      lines.append(try creation(chunk, UInt8(index + 1), index == 0 ? " active" : ""))
      lines.append(try recipients(chunk, UInt8(index + 1), [UInt8(index * 2 + 101), UInt8(index * 2 + 102)]))
    }
    lines.append(try upload(chunks[0], 1, in: files))
    lines.append(try upload(chunks[1], 2, in: elsewhere))
    lines.append("FACK \(Self.text(Self.id(104)))")
    lines.append("FDEL \(Self.text(Self.id(4)))")
    lines.append("FBLK \(Self.text(Self.id(5))) reason=spam")
    lines.append(try upload(chunks[5], 6, in: files))
    try FileManager.default.removeItem(atPath: "\(files)/\(Self.text(Self.id(6)))")
    // What makes no sense.
    lines += ["FNEW", "FNEW AAAA", "FDEL \(Self.text(Self.id(77)))", try creation(chunks[0], 1), "NEWF x", ""]
    try log(lines)
    let report = try ReferenceFileImport(folders, filesFolder: files).run()
    #expect(report.chunks == 5 && report.uploaded == 2 && report.missing == 1 && report.problems.count == 6)
    #expect(report.bytes == Int64(chunks[0].bytes.count + chunks[1].bytes.count))
    #expect(!FileManager.default.fileExists(atPath: folders.referenceLog.path))

    let store = try DiskChunkStore(databaseFile: folders.databaseFile, folder: files, quota: nil)
    try await store.removeStrayFiles()
    #expect(store.usage.chunks == 2)
    for (chunk, ids) in [(chunks[0], [UInt8(101), 102]), (chunks[1], [103])] {
      for id in ids {
        let found = try #require(try await store.chunk(ofRecipient: Self.id(id)))
        #expect(found.key == chunk.recipientKeys[0].publicKey && found.chunk.createdAt == 1_700_000_000)
        #expect(try store.open(found.chunk)?.read(100_000) == chunk.bytes)
      }
    }
    #expect(try await store.chunk(ofRecipient: Self.id(104)) == nil)
    #expect(try await store.chunk(ofSender: Self.id(3))?.chunk.isUploaded == false)
    #expect(try await store.chunk(ofSender: Self.id(4)) == nil)
    #expect(try await store.chunk(ofSender: Self.id(5))?.chunk.blocked?.reason == .spam)
    #expect(try await store.chunk(ofSender: Self.id(6))?.chunk.isUploaded == false)
    await store.close()
  }

  @Test func nothingIsImportedTwiceOrOverSomethingElse() throws {
    #expect(throws: (any Error).self) { try ReferenceFileImport(folders, filesFolder: files).run() }
    let chunk = TestChunk()
    try log([try creation(chunk, 1), try upload(chunk, 1, in: files)])
    try Data().write(to: URL(filePath: folders.referenceLog.path + ".start"))
    #expect(throws: (any Error).self) { try ReferenceFileImport(folders, filesFolder: files).run() }
    try FileManager.default.removeItem(atPath: folders.referenceLog.path + ".start")
    // The files of an interrupted import do not matter.
    try Data([1]).write(to: URL(filePath: folders.databaseFile + "-import"))
    #expect(try ReferenceFileImport(folders, filesFolder: files).run().uploaded == 1)
    try log([try creation(chunk, 1)])
    #expect(throws: (any Error).self) { try ReferenceFileImport(folders, filesFolder: files).run() }
  }

  /// The log of an earlier database, whose main file the operator removed, is not applied to the imported one.
  @Test func theLogOfAnEarlierDatabaseIsRemoved() async throws {
    let (manager, log) = (FileManager.default, folders.databaseFile + "-wal")
    var store = try DiskChunkStore(databaseFile: folders.databaseFile, folder: files, quota: nil)
    try await store.create(
      NewChunk(senderID: Self.id(9), info: TestChunk().request.chunk, createdAt: 1, recipients: []))
    try manager.copyItem(atPath: log, toPath: log + "-copy")
    await store.close()
    try manager.removeItem(atPath: folders.databaseFile)
    try manager.moveItem(atPath: log + "-copy", toPath: log)
    let chunk = TestChunk()
    try self.log([try creation(chunk, 1), try recipients(chunk, 1, [101]), try upload(chunk, 1, in: files)])
    #expect(try ReferenceFileImport(folders, filesFolder: files).run().uploaded == 1)
    store = try DiskChunkStore(databaseFile: folders.databaseFile, folder: files, quota: nil)
    try await store.removeStrayFiles()
    #expect(try await store.chunk(ofSender: Self.id(9)) == nil)
    let found = try #require(try await store.chunk(ofRecipient: Self.id(101)))
    #expect(try store.open(found.chunk)?.read(100_000) == chunk.bytes)
    await store.close()
  }

  /// What nobody may use, and what the log does not tell of, keeps its bytes.
  @Test func bytesThatCannotBeServedAreKept() async throws {
    let chunks = (0..<3).map { _ in TestChunk() }
    var lines = [try creation(chunks[0], 1, " off"), try recipients(chunks[0], 1, [101])]
    // The reference server writes no path of this one when it starts again.
    _ = try upload(chunks[0], 1, in: files)
    lines += [
      try creation(chunks[1], 2).replacing(" 1700000000", with: " soon"), try recipients(chunks[1], 2, [102]),
      try upload(chunks[1], 2, in: files),
    ]
    lines += [try creation(chunks[2], 3), try recipients(chunks[2], 3, [103]), try upload(chunks[2], 3, in: files)]
    try log(lines)
    let operation = ReferenceFileImport(folders, filesFolder: files)
    let report = try operation.run()
    #expect(report.chunks == 2 && report.uploaded == 2 && report.problems.count == 3 && report.aside == 1)
    let store = try DiskChunkStore(databaseFile: folders.databaseFile, folder: files, quota: nil)
    try await store.removeStrayFiles()
    #expect(try await store.chunk(ofSender: Self.id(1)) == nil)
    #expect(try await store.chunk(ofRecipient: Self.id(101)) == nil)
    let (off, unknown) = (Self.text(Self.id(1)), Self.text(Self.id(2)))
    #expect(try Data(contentsOf: URL(filePath: "\(files)/\(off)")) == Data(chunks[0].bytes))
    #expect(try Data(contentsOf: URL(filePath: "\(operation.asideFolder)/\(unknown)")) == Data(chunks[1].bytes))
    #expect(try await store.chunk(ofRecipient: Self.id(103))?.chunk.isUploaded == true)
    // It expires as others do.
    #expect(try await store.deleteChunks(createdBefore: 1_700_000_001, limit: 10) == 2)
    #expect(folder.files("files") == ["not-imported"])
    await store.close()
  }

  /// Nothing is changed where the bytes would have to be copied.
  @Test(.enabled(if: !PathStatus.areTogether("/dev/shm", NSTemporaryDirectory()) && access("/dev/shm", W_OK) == 0))
  func filesOnAnotherFileSystemAreRefused() throws {
    let other = try TemporaryFolder(in: "/dev/shm")
    let chunks = [TestChunk(), TestChunk()]
    try log([
      try creation(chunks[0], 1), try upload(chunks[0], 1, in: folder.path), try creation(chunks[1], 2),
      try upload(chunks[1], 2, in: other.path),
    ])
    let operation = ReferenceFileImport(folders, filesFolder: files)
    #expect {
      try operation.run()
    } throws: { error in
      "\(error)".contains("another file system")
    }
    #expect(folder.files("files").isEmpty && PathStatus.exists(folders.referenceLog.path))
    #expect(!folder.files("").contains { $0.hasPrefix("file-server.db") })
    // As the error says.
    let name = Self.text(Self.id(2))
    try FileManager.default.copyItem(atPath: "\(other.path)/\(name)", toPath: "\(files)/\(name)")
    #expect(try operation.run().uploaded == 2)
    #expect(folder.files("files").count == 2)
  }

  /// What fails when the database has its name is no failure of the import.
  @Test func afterTheCommitNothingIsCalledAFailure() throws {
    let chunk = TestChunk()
    try log([try creation(chunk, 1), try upload(chunk, 1, in: files)])
    try FileManager.default.createDirectory(
      atPath: folders.referenceLog.path + ".bak/x", withIntermediateDirectories: true)
    let report = try ReferenceFileImport(folders, filesFolder: files).run()
    #expect(report.uploaded == 1 && report.warnings.count == 1)
    #expect(PathStatus.exists(folders.databaseFile))
  }
}
