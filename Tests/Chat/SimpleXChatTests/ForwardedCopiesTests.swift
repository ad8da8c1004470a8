import Foundation
import SimpleXChat
import SimplexJSON
import SimplexTesting
import Testing

/// The copies of files that are made for messages that are forwarded, where no message gets them.
@Suite struct ForwardedCopiesTests {
  private static let size = 60_000_000

  /// A note of alice with a large file, and what is in the folder of files.
  private func play(_ body: (TestWorld, TestCore, _ item: String, _ folder: URL) async throws -> Void) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let alice = try await world.profile("alice")
      let folder = world.folder.appending(path: "files")
      _ = try await alice.run("/_files_folder \(folder.path)")
      _ = try await alice.run("/_files_encrypt on")
      for (name, size) in [("large.bin", Self.size), ("small.bin", 10)] {
        try Data(count: size).write(to: folder.appending(path: name))
      }
      let notes = ["large.bin", "small.bin"].map {
        #"{"fileSource":{"filePath":"\#($0)"},"msgContent":{"type":"file","text":"\#($0)"}}"#
      }
      let created = try await alice.run("/_create *1 json [\(notes.joined(separator: ","))]")
      let item = try #require(created["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
      try await body(world, alice, "\(item)", folder)
    }
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// Waits until a part of the file is copied.
  private func waitUntilCopying(_ folder: URL) async throws {
    for _ in 0..<10_000 {
      let copies = try names(folder).filter { !["large.bin", "small.bin"].contains($0) }
      for copy in copies {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder.appending(path: copy).path)
        if let size = attributes?[.size] as? Int, size > 0 {
          #expect(size < Self.size)
          return
        }
      }
      try await Task.sleep(for: .milliseconds(1))
    }
    Issue.record("nothing is copied")
  }

  @Test func copiesOfDeletedItemsAreRemoved() async throws {
    try await play { _, alice, item, folder in
      let controller = alice.controller
      async let answer = controller.sendText("/_forward *1 *1 \(item)")
      try await waitUntilCopying(folder)
      _ = try await alice.run("/_delete item *1 \(item) internal")
      let forwarded = try JSONValue(jsonBytes: await answer.jsonBytes())["result"]?["chatItems"]?.arrayValue
      #expect(forwarded?.isEmpty == true)
      #expect(try names(folder) == ["small.bin"])
      #expect(try await alice.rows("SELECT 1 FROM jobs") == [])
    }
  }

  /// The next start removes the copies, and leaves those that messages have.
  @Test func copiesAreRemovedAfterACrash() async throws {
    try await play { world, alice, item, folder in
      let controller = alice.controller
      async let answer = controller.sendText("/_forward *1 *1 \(item)")
      try await waitUntilCopying(folder)
      await controller.kill()
      let other = TestCore("alice", try await ChatController.open(world.options("alice")))
      #expect(try await other.rows("SELECT 1 FROM jobs") == ["1"])
      // Without the folder it is not known where they are.
      _ = try await other.run("/_start")
      #expect(try await other.rows("SELECT 1 FROM jobs") == ["1"])
      _ = try await other.run("/_stop")
      _ = try await other.run("/_files_folder \(folder.path)")
      _ = try await other.run("/_start")
      for _ in 0..<500 where try await other.rows("SELECT 1 FROM jobs") != [] {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(try names(folder) == ["large.bin", "small.bin"])
      _ = await answer
      await other.controller.finish()
    }
  }

  /// A crash after the messages are stored: their copies stay.
  @Test func copiesWithMessagesStay() async throws {
    try await play { world, alice, item, folder in
      _ = try await alice.run("/_forward *1 *1 \(item)")
      let places = try await alice.rows("SELECT path FROM files ORDER BY path")
      #expect(places == ["large.bin", "large_1.bin", "small.bin"])
      let payload = #"["large_1.bin","lost.bin"]"#
      _ = try await alice.run(
        "/sql chat INSERT INTO jobs (user_id, kind, payload, created_at) VALUES (1, 8, '\(payload)', 0)")
      try Data(count: 10).write(to: folder.appending(path: "lost.bin"))
      _ = try await alice.run("/_stop")
      _ = try await alice.run("/_start")
      for _ in 0..<500 where try await alice.rows("SELECT 1 FROM jobs") != [] {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(try names(folder) == ["large.bin", "large_1.bin", "small.bin"])
    }
  }

  /// Another process has the databases while a file is copied: it leaves the copy alone.
  @Test func copiesUnderWayAreLeftAloneByAnotherProcess() async throws {
    try await play { world, alice, _, folder in
      // To copy it takes longer than the other process lives.
      let huge = folder.appending(path: "huge.bin")
      _ = FileManager.default.createFile(atPath: huge.path, contents: nil)
      let handle = try FileHandle(forWritingTo: huge)
      try handle.truncate(atOffset: 500_000_000)
      try handle.close()
      let note = #"{"fileSource":{"filePath":"huge.bin"},"msgContent":{"type":"file","text":""}}"#
      let created = try await alice.run("/_create *1 json [\(note)]")
      let item = try #require(created["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
      let controller = alice.controller
      async let answer = controller.sendText("/_forward *1 *1 \(item)")
      for _ in 0..<2_000 where try !names(folder).contains("huge_1.bin") {
        try await Task.sleep(for: .milliseconds(1))
      }
      _ = try await alice.run("/_app suspend 0")
      let other = TestCore("another", try await ChatController.open(world.options("alice")))
      _ = try await other.run("/_files_folder \(folder.path)")
      _ = try await other.run("/_start main=off")
      try await Task.sleep(for: .milliseconds(200))
      #expect(try names(folder).contains("huge_1.bin"))
      await other.controller.finish()
      _ = try await alice.run("/_app activate")
      let json = try JSONValue(jsonBytes: await answer.jsonBytes())
      #expect(json["result"]?["chatItems"]?.arrayValue?.count == 1, "\(json.jsonText())")
      #expect(try names(folder).contains("huge_1.bin"))
    }
  }

  /// A file that an app puts into the folder while it is suspended is not taken for a copy that was removed before.
  @Test func filesThatComeLaterStay() async throws {
    try await play { _, alice, item, folder in
      let controller = alice.controller
      async let answer = controller.sendText("/_forward *1 *1 \(item)")
      try await waitUntilCopying(folder)
      _ = try await alice.run("/_app suspend 0")
      _ = await answer
      let isFree = try !names(folder).contains("large_1.bin")
      if isFree { try Data("a draft".utf8).write(to: folder.appending(path: "large_1.bin")) }
      _ = try await alice.run("/_app activate")
      for _ in 0..<500 where try await alice.rows("SELECT 1 FROM jobs") != [] {
        try await Task.sleep(for: .milliseconds(10))
      }
      let own = ["large.bin", "small.bin"]
      #expect(try names(folder) == (isFree ? ["large.bin", "large_1.bin", "small.bin"] : own))
    }
  }
}
