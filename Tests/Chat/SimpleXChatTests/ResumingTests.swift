import Foundation
import SQLiteKit
import SimplexJSON
import SimplexTesting
import Testing

@testable import SimpleXChat

/// Activations that fail and are repeated, and what must not happen in a suspended program.
@Suite(.timeLimit(.minutes(2))) struct ResumingTests {
  /// Databases that cannot be opened are tried again, also where no other process had them.
  @Test func resumesWhenTheDatabasesCanBeOpenedAgain() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let prefix = world.options("alice").databasePrefix
      _ = try await alice.run("/_app suspend 0")
      // As on a disk that fails: a folder in the place of a database.
      let (file, away) = (prefix + "_agent.db", prefix + "_away")
      try FileManager.default.moveItem(atPath: file, toPath: away)
      try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
      #expect(try await alice.answer("/_app activate")["type"]?.stringValue == "errorDatabase")
      try FileManager.default.removeItem(atPath: file)
      try FileManager.default.moveItem(atPath: away, toPath: file)
      _ = try await bob.run("@alice still there?")
      #expect(try await alice.message() == "still there?")
    }
  }

  /// An activation that fails after the databases are open is completed: by itself, or by the next one. Contacts of
  /// before are received then.
  @Test(arguments: [false, true]) func resumesCompletely(again: Bool) async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      // A connection that only the agent has is deleted by a start, which cannot store that.
      _ = try await alice.run("/connect")
      _ = try await alice.run("/sql chat DELETE FROM connections WHERE contact_id IS NULL")
      _ = try await alice.run(
        "/sql chat CREATE TRIGGER refuse BEFORE INSERT ON agent_commands BEGIN SELECT RAISE(ABORT, 'refused'); END")
      _ = try await alice.run("/_app suspend 0")
      #expect(try await alice.answer("/_app activate")["type"]?.stringValue == "errorStore")
      if again { #expect(try await alice.answer("/_app activate")["type"]?.stringValue == "errorStore") }
      _ = try await alice.run("/sql chat DROP TRIGGER refuse")
      if again { _ = try await alice.run("/_app activate") }
      _ = try await bob.run("@alice still there?")
      #expect(try await alice.message() == "still there?")
    }
  }

  /// The end of a suspension that was cancelled does not end the next one, in which something is in flight.
  @Test func anEarlierSuspensionEndsNothing() async throws {
    let network = try MemoryNetwork()
    try await TestWorld.with(network: network) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      network.setUnanswered("alice", true)
      _ = try await alice.run("@bob kept")
      while try await alice.rows("SELECT 1 FROM tasks", of: "agent")?.isEmpty != false { await Task.yield() }
      _ = try await alice.run("/_app suspend 60000000")
      await alice.controller.agentIsIdle()
      // Nothing can be waited for here: it would end within milliseconds.
      let end = try? await alice.event("chatSuspended", within: .milliseconds(300))
      #expect(end == nil)
      network.setUnanswered("alice", false)
      network.breakLinks()
      _ = try await alice.run("/_app activate")
      #expect(try await bob.message() == "kept")
    }
  }

  /// If another process deleted the user, there is none.
  @Test func aUserWhoIsGone() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/_app suspend 0")
      let share = TestCore("share", try await ChatController.open(world.options("alice")))
      _ = try await share.run("/_start main=off")
      _ = try await share.run("/_delete user 1 del_smp=off")
      await share.controller.finish()
      _ = try await alice.answer("/_app activate")
      #expect(try await alice.answer("/u")["errorType"]?["type"]?.stringValue == "noActiveUser")
    }
  }

  /// A suspended program removes no files: what its databases say may not be so any more.
  @Test func aSuspendedProgramRemovesNoFiles() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let folder = world.folder.appending(path: "files").path
      _ = try await alice.run("/_files_folder \(folder)")
      try Data(count: 10).write(to: URL(filePath: "\(folder)/note.txt"))
      _ = try await alice.run(
        #"/_create *1 json [{"fileSource":{"filePath":"note.txt"},"msgContent":{"type":"file","text":"a"}}]"#)
      _ = try await alice.run("/sql chat UPDATE files SET removed = 1")
      _ = try await alice.run("/_app suspend 0")
      await #expect(throws: (any Error).self) { try await alice.controller.removeFiles() }
      #expect(FileManager.default.fileExists(atPath: "\(folder)/note.txt"))
      _ = try await alice.run("/_app activate")
      try await alice.wait(until: "NOT EXISTS (SELECT 1 FROM files)")
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/note.txt"))
    }
  }

  /// The first command may close the databases for good, although opening them stored something.
  @Test func deletedByTheFirstCommand() async throws {
    try await TestWorld.with { world in
      let options = world.options("alice")
      let alice = TestCore("alice", try await ChatController.open(options))
      _ = try await alice.run("/_db delete")
      #expect(!FileManager.default.fileExists(atPath: options.databasePrefix + "_chat.db"))
    }
  }

  /// Databases that are deleted stay deleted, although an activation of before is tried again.
  @Test func deletedDatabasesAreNotMadeAgain() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let prefix = world.options("alice").databasePrefix
      _ = try await alice.run("/_stop")
      _ = try await alice.run("/_app suspend 0")
      // As on a disk that is full: a folder in the place of a database.
      let file = prefix + "_agent.db"
      try FileManager.default.removeItem(atPath: file)
      try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
      #expect(try await alice.answer("/_app activate")["type"]?.stringValue == "errorDatabase")
      _ = try await alice.run("/_db delete")
      try FileManager.default.removeItem(atPath: file)
      // Nothing can be waited for here: an attempt would follow within half a second.
      try await Task.sleep(for: .seconds(1))
      #expect(!FileManager.default.fileExists(atPath: prefix + "_chat.db"))
      // Nobody holds the lease.
      let next = try await ChatController.open(world.options("alice", key: "secret"))
      await next.finish()
    }
  }

  /// A step of a file that does not end, such as reading a file of another system, delays neither an activation nor the
  /// next suspension.
  @Test(.timeLimit(.minutes(1))) func aStepThatDoesNotEndDelaysNothing() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await alice.run("/_app suspend 0")
      let (steps, end) = AsyncStream<Void>.makeStream()
      await alice.controller.setEndingFiles(Task { for await _ in steps {} })
      _ = try await alice.run("/_app activate")
      _ = try await bob.run("@alice hello")
      #expect(try await alice.message() == "hello")
      _ = try await alice.run("/_app suspend 0")
      _ = try await alice.run("/_app activate")
      end.finish()
    }
  }
}

extension ChatController {
  fileprivate func setEndingFiles(_ task: Task<Void, Never>) { life.endingFiles = task }
}
