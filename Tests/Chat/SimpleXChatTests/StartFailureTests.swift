import Foundation
import SimplexJSON
import SimplexTesting
import Testing

@testable import SimpleXChat

/// Starts where the agent's database cannot be used, or is another one than before.
@Suite(.timeLimit(.minutes(1))) struct StartFailureTests {
  /// A start fails if the agent cannot store the relays of its options: it would use those of before, or none.
  @Test func relaysThatCannotBeStored() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/_stop")
      _ = try await alice.run("/sql agent DELETE FROM user_servers")
      try await alice.fillDisk(at: "INSERT ON user_servers", of: "agent")
      let answer = try await alice.answer("/_start")
      #expect(answer["agentError"]?["type"]?.stringValue == "CRITICAL", "\(answer.jsonText())")
      _ = try await alice.run("/sql agent DROP TRIGGER fill")
      _ = try await alice.run("/_start")
      _ = try await alice.run("/_connect 1")
    }
  }

  /// A stop that cannot open the agent's database again does not keep the chat from starting later, or from being
  /// activated before.
  @Test(arguments: ["/_start", "/_app activate"], ["", "secret"])
  func theAgentsDatabaseCannotBeOpened(command: String, key: String) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let alice = try await world.profile("alice", key: key)
      let (file, away) = (alice.controller.options.agentDatabase, world.folder.appending(path: "away").path)
      let agent = try #require(await alice.controller.agent)
      // Its files are closed by the stop; then a folder has the name.
      await agent.close()
      try FileManager.default.moveItem(atPath: file, toPath: away)
      try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
      _ = try await alice.run("/_stop")
      _ = try await alice.event("errorDatabase")
      #expect(try await alice.answer(command)["type"] == "errorDatabase")
      // Nobody else may open what is open here.
      let controller = alice.controller
      let (isHeld, isOpen) = (await controller.life.holdsLease, controller.store.isOpen)
      #expect(isHeld || !isOpen)
      try FileManager.default.removeItem(atPath: file)
      try FileManager.default.moveItem(atPath: away, toPath: file)
      _ = try await alice.run(command)
      if !key.isEmpty { _ = try await alice.run("/db test key \(key)") }
      _ = try await alice.run("/_start")
      _ = try await alice.run("/_connect 1")
    }
  }

  /// Commands that cannot be read, although no disk is at fault, are not read again and again.
  @Test func commandsThatCannotBeRead() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/_stop")
      _ = try await alice.run("/sql chat ALTER TABLE packets RENAME TO hidden")
      _ = await alice.controller.sendText("/_start")
      _ = try await alice.event("errorStore")
      for _ in 0..<200 where await alice.controller.outbox.task != nil { try await Task.sleep(for: .milliseconds(10)) }
      #expect(await alice.controller.outbox.task == nil)
      _ = try await alice.run("/sql chat ALTER TABLE hidden RENAME TO packets")
    }
  }

  /// The files of other users are sent although the agent does not have one of the users.
  @Test func filesOfOtherUsers() async throws {
    try await TestWorld.with(files: true) { world in
      var alice = try await world.profile("alice")
      _ = try await alice.run("/create user second")
      _ = try await alice.run("/_user 1")
      try await alice.waitUntilIdle()
      _ = try await alice.run("/sql agent UPDATE users SET is_deleted = 2 WHERE number = 1")
      _ = try await alice.run("/_user 2")
      alice = try await world.restart("alice")
      let path = world.folder.appending(path: "note.txt")
      try "note".write(to: path, atomically: true, encoding: .utf8)
      _ = try await alice.run("/_upload 2 \(path.path)")
      _ = try await alice.event("sndStandaloneFileComplete")
    }
  }
}
