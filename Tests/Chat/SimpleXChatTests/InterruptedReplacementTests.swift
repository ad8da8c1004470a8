import ChatAPI
import Foundation
import SQLiteKit
import SimpleXChat
import SimplexCrypto
import Testing

/// What happens to databases that were being replaced when the disk failed, while their controller is still there.
@Suite struct InterruptedReplacementTests {
  /// Gives closed databases with the key "one" the key "two", and stops after one of the two files.
  private func interrupt(_ options: ChatOptions) throws {
    let replacement = DatabaseReplacement(
      of: [options.chatDatabase, options.agentDatabase], marker: options.databasePrefix + ".replace")
    for file in replacement.files {
      let new = DatabaseReplacement.new(file)
      let key = try DatabaseKey(passphrase: SecretBytes(Array("two".utf8)), forFile: new)
      try SQLiteConnection(path: file, passphrase: SecretBytes(Array("one".utf8))).export(to: new, key: key)
    }
    #expect(throws: SQLiteKit.SQLiteError.self) {
      try replacement.commit(.remove()) { (step) throws(SQLiteKit.SQLiteError) in
        if step == "rename to \(options.agentDatabase)" { throw SQLiteKit.SQLiteError(.inputOutput, step) }
      }
    }
    #expect(replacement.isCommitted)
  }

  /// A controller whose databases were closed and are between two keys.
  private func interrupted(_ world: TestWorld) async throws -> TestCore {
    let alice = try await world.profile("alice")
    _ = try await alice.run("/_create *1 text a note")
    _ = try await alice.run("/_stop")
    _ = try await alice.run("/db encrypt one")
    try interrupt(world.options("alice"))
    return alice
  }

  private func expectProfile(_ world: TestWorld, key: String) async throws {
    let again = TestCore("alice", try await ChatController.open(world.options("alice", key: key)))
    _ = try await again.run("/_start")
    #expect(try await again.run("/_get chat *1 count=9").jsonText().contains("a note"))
    await again.controller.finish()
  }

  /// It is finished before the next change of the key begins.
  @Test func anotherKey() async throws {
    try await TestWorld.with { world in
      let alice = try await interrupted(world)
      _ = try await alice.answer(#"/_db encryption {"currentKey":"two","newKey":"three"}"#)
      try await expectProfile(world, key: "three")
    }
  }

  /// It is finished before an archive is extracted, so that one that is refused changes nothing.
  @Test func anArchiveThatIsRefused() async throws {
    try await TestWorld.with { world in
      let alice = try await interrupted(world)
      let path = world.folder.appending(path: "archive.zip").path
      let program = """
        import sys, zipfile
        with zipfile.ZipFile(sys.argv[1], "w") as new:
          for name in ["simplex_v1_chat.db", "simplex_v1_agent.db"]: new.writestr(name, b"x" * 8192)
        """
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["python3", "-c", program, path]
      try process.run()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
      let refused = try await alice.answer(#"/_db import {"archivePath":"\#(path)"}"#)
      #expect(refused["databaseError"]?["type"]?.stringValue == "errorOpen", "\(refused.jsonText())")
      try await expectProfile(world, key: "two")
    }
  }

  /// Deleting the storage deletes the new files too: nothing comes back.
  @Test func deletedStorage() async throws {
    try await TestWorld.with { world in
      let alice = try await interrupted(world)
      _ = try await alice.run("/_db delete")
      let left = try FileManager.default.contentsOfDirectory(atPath: world.folder.path)
      #expect(left.filter { $0.hasPrefix("alice") } == [])
    }
  }
}
