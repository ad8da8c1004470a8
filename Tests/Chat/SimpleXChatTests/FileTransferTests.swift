import Foundation
import SimplexJSON
import Testing

/// Transfers beyond what scenarios can look at: what relays have, and what is left in databases and folders.
@Suite struct FileTransferTests {
  private static func file(_ world: TestWorld, _ name: String, _ count: Int) throws -> String {
    let path = "\(world.folder.path)/\(name)"
    try Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) }).write(to: URL(filePath: path))
    return path
  }

  /// Nothing stays at the relay of a file outside of chats that is cancelled while the description of it is uploaded,
  /// or afterwards.
  @Test func cancelledUploadsLeaveNothing() async throws {
    try await TestWorld.with(files: true) { world in
      let alice = try await world.profile("alice")
      let path = try Self.file(world, "large.bin", 600_000)
      for pause in [0, 2, 5, 10, 20, 50, 200] {
        _ = try await alice.run("/_upload 1 \(path)")
        let redirect = try await alice.event("sndFileRedirectStartXFTP")
        try await Task.sleep(for: .milliseconds(pause))
        let id = redirect["fileTransferMeta"]?["fileId"]?.integerValue ?? 0
        _ = try await alice.run("/fcancel \(id)")
        let deadline = ContinuousClock.now + .seconds(20)
        // Chunks may be on their way for a moment: the relay stays empty.
        var empty = 0
        while empty < 5 {
          empty = world.storedChunks == 0 ? empty + 1 : 0
          guard ContinuousClock.now < deadline else {
            Issue.record("\(world.storedChunks) chunks are left, cancelled after \(pause) ms")
            return
          }
          try await Task.sleep(for: .milliseconds(20))
        }
      }
    }
  }

  /// A file that was received and then deleted on the device is received again while its relay has it; one that is
  /// there is not.
  @Test(arguments: ["off", "on"]) func aDeletedFileIsReceivedAgain(encrypted: String) async throws {
    try await TestWorld.with(files: true) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      for name in ["first", "second"] {
        try FileManager.default.createDirectory(
          atPath: "\(world.folder.path)/\(name)", withIntermediateDirectories: true)
      }
      let path = try Self.file(world, "a.bin", 100_000)
      _ = try await alice.run("/f @bob \(path)")
      func id(_ event: JSONValue) -> Int64? {
        event["chatItems"]?[0]?["chatItem"]?["file"]?["fileId"]?.integerValue
      }
      let file = id(try await bob.event("newChatItems") { id($0) != nil }) ?? 0
      _ = try await bob.event("rcvFileDescrReady")
      func receive(_ folder: String) async throws -> String {
        _ = try await bob.run("/freceive \(file) encrypt=\(encrypted) \(world.folder.path)/\(folder)")
        let complete = try await bob.event("rcvFileComplete")
        return complete["chatItem"]?["chatItem"]?["file"]?["fileSource"]?["filePath"]?.stringValue ?? ""
      }
      let first = try await receive("first")
      let refused = try await bob.answer("/freceive \(file)")
      #expect(refused["errorType"]?["type"]?.stringValue == "fileAlreadyReceiving")
      try FileManager.default.removeItem(atPath: first)
      let second = try await receive("second")
      #expect(second.hasSuffix("second/a.bin") && FileManager.default.fileExists(atPath: second))
      if encrypted == "off" { #expect(FileManager.default.contentsEqual(atPath: second, andPath: path)) }
      // The relay does not have it any more.
      try FileManager.default.removeItem(atPath: second)
      try await world.forgetChunks()
      _ = try await bob.run("/freceive \(file)")
      _ = try await bob.event("rcvFileError")
    }
  }

  /// A file whose record is gone when it is uploaded is deleted at its relay.
  @Test(.timeLimit(.minutes(1))) func uploadsThatNobodyKnowsLeaveNothing() async throws {
    try await TestWorld.with(files: true) { world in
      let alice = try await world.profile("alice")
      await world.stopFileRelay()
      _ = try await alice.run("/_upload 1 \(try Self.file(world, "a.bin", 10_000))")
      _ = try await alice.run("/sql chat DELETE FROM files")
      try await world.startFileRelay()
      let work = "SELECT 1 FROM sent_files UNION ALL SELECT 1 FROM chunk_deletions UNION ALL SELECT 1 FROM events"
      while try await alice.rows(work, of: "agent") != [] { try await Task.sleep(for: .milliseconds(20)) }
      #expect(world.storedChunks == 0)
    }
  }

  /// Transfers outside of chats that have ended are forgotten when relays have forgotten them too; local files stay.
  @Test func endedTransfersAreForgotten() async throws {
    try await TestWorld.with(files: true) { world in
      var alice = try await world.profile("alice")
      let paths = [try Self.file(world, "small.bin", 10_000), try Self.file(world, "large.bin", 600_000)]
      var links: [String] = []
      for path in paths {
        _ = try await alice.run("/_upload 1 \(path)")
        links.append(try await alice.event("sndStandaloneFileComplete")["rcvURIs"]?[0]?.stringValue ?? "")
      }
      let received = world.folder.path + "/received.bin"
      _ = try await alice.run("/_download 1 \(links[1]) \(received)")
      _ = try await alice.event("rcvStandaloneFileComplete")
      _ = try await alice.run("/_download 1 \(links[0]) \(received)2")
      _ = try await alice.event("rcvStandaloneFileComplete")
      _ = try await alice.run("/sql chat UPDATE files SET updated_at = 0 WHERE path IS NULL OR path NOT LIKE '%2'")
      alice = try await world.restart("alice")
      let deadline = ContinuousClock.now + .seconds(20)
      while try await !alice.run("/sql chat SELECT count(*) FROM files").jsonText().contains(#"["1"]"#) {
        guard ContinuousClock.now < deadline else {
          Issue.record("\(try await alice.run("/sql chat SELECT * FROM files").jsonText())")
          return
        }
        try await Task.sleep(for: .milliseconds(20))
      }
      for path in paths + [received, received + "2"] { #expect(FileManager.default.fileExists(atPath: path)) }
    }
  }
}
