import Foundation
import SimplexJSON
import Testing

/// The largest files, made of holes. What is accepted is cancelled before all of it is encrypted.
@Suite struct FileLimitTests {
  private static func sparse(_ world: TestWorld, size: Int64) throws -> String {
    let path = "\(world.folder.path)/large.bin"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.truncate(atOffset: UInt64(size))
    try file.close()
    return path
  }

  /// Waits until nothing is left of a cancelled upload, here and at the relay.
  private func settle(_ alice: TestCore, _ world: TestWorld) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while try await alice.run("/sql agent SELECT count(*) FROM sent_files").jsonText().contains(#"["1"]"#)
      || world.storedChunks > 0
    {
      guard ContinuousClock.now < deadline else {
        Issue.record("something is left: \(try await alice.run("/sql agent SELECT * FROM sent_files").jsonText())")
        return
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// 1 GB in chats.
  @Test(arguments: [(-1, true), (0, true), (1, false)]) func filesInChats(_ more: Int64, _ isSent: Bool) async throws {
    try await TestWorld.with(files: true) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let size = Int64(1 << 30) + more
      let path = try Self.sparse(world, size: size)
      let contact = try await alice.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue ?? 0
      let command =
        #"/_send @\#(contact) json [{"fileSource":{"filePath":"\#(path)"},"msgContent":{"type":"file","text":""}}]"#
      guard isSent else {
        #expect(try await alice.answer(command)["errorType"]?["type"]?.stringValue == "fileSize")
        return
      }
      let item = try await alice.run(command)["chatItems"]?[0]?["chatItem"]?["file"]
      #expect(item?["fileSize"]?.integerValue == size)
      _ = try await bob.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["file"]?["fileSize"]?.integerValue == size
      }
      _ = try await alice.run("/fcancel \(item?["fileId"]?.integerValue ?? 0)")
      _ = try await bob.event("rcvFileSndCancelled")
      try await settle(alice, world)
    }
  }

  /// 5 GB outside of chats.
  @Test(arguments: [(-1, true), (0, true), (1, false)]) func filesOutsideOfChats(
    _ more: Int64, _ isSent: Bool
  ) async throws {
    try await TestWorld.with(files: true) { world in
      let alice = try await world.profile("alice")
      let size = Int64(5 << 30) + more
      let path = try Self.sparse(world, size: size)
      guard isSent else {
        #expect(try await alice.answer("/_upload 1 \(path)")["errorType"]?["type"]?.stringValue == "fileSize")
        return
      }
      let meta = try await alice.run("/_upload 1 \(path)")["fileTransferMeta"]
      #expect(meta?["fileSize"]?.integerValue == size)
      _ = try await alice.run("/fcancel \(meta?["fileId"]?.integerValue ?? 0)")
      try await settle(alice, world)
    }
  }
}
