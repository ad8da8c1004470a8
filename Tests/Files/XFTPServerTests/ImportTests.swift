import ChunkStore
import Foundation
import SMPProtocol
import SimplexCrypto
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
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: folders.referenceLog))
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
    #expect(report.chunks == 5 && report.uploaded == 2 && report.missing == 1 && report.problems == 6)
    #expect(report.bytes == Int64(chunks[0].bytes.count + chunks[1].bytes.count))
    #expect(!FileManager.default.fileExists(atPath: folders.referenceLog))

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
    try Data().write(to: URL(filePath: folders.referenceLog + ".start"))
    #expect(throws: (any Error).self) { try ReferenceFileImport(folders, filesFolder: files).run() }
    try FileManager.default.removeItem(atPath: folders.referenceLog + ".start")
    // The files of an interrupted import do not matter.
    try Data([1]).write(to: URL(filePath: folders.databaseFile + "-import"))
    #expect(try ReferenceFileImport(folders, filesFolder: files).run().uploaded == 1)
    try log([try creation(chunk, 1)])
    #expect(throws: (any Error).self) { try ReferenceFileImport(folders, filesFolder: files).run() }
  }
}
