import ChatAPI
import Foundation
import SQLiteKit
import SimpleXChat
import SimplexJSON
import Testing

/// What apps do when they go to the background and come back, and who has the databases then.
@Suite(.timeLimit(.minutes(2))) struct LifecycleTests {
  private func opening(_ options: ChatOptions) async -> DBMigrationResult {
    do throws(ChatOpeningError) {
      let controller = try await ChatController.open(options)
      await controller.finish()
      return .ok
    } catch {
      return error.result
    }
  }

  private func isInUse(_ result: DBMigrationResult) -> Bool {
    if case .errorSQL(_, let text) = result { text.contains("another process") } else { false }
  }

  /// The calls of the apps at each change between background and foreground, without `/_start`; messages come in both
  /// phases, encrypted or not.
  @Test(arguments: ["", "secret"]) func backgroundAndForeground(key: String) async throws {
    try await TestWorld.with { world in
      let bob = try await world.profile("bob")
      var options = world.options("alice", key: key)
      options.keepsKey = true
      let alice = TestCore("alice", try await ChatController.open(options))
      _ = try await alice.run("/create user alice")
      _ = try await alice.run("/_start")
      try await world.connect(alice, bob)
      for round in 1...3 {
        _ = try await alice.run("/_app suspend 5000000")
        _ = try await alice.event("chatSuspended")
        _ = try await bob.run("@alice while suspended \(round)")
        // Another process could use the files now.
        let other = DatabaseLease(path: options.databasePrefix + ".lock")
        try other.take()
        other.release()
        try await alice.controller.close()
        #expect(try await alice.answer("/_get chats 1")["type"]?.stringValue == "errorStore")
        try await alice.controller.reopen()
        #expect(try await alice.run("/_check running")["type"]?.stringValue == "chatRunning")
        _ = try await alice.run("/_app activate")
        #expect(try await alice.message() == "while suspended \(round)")
        _ = try await bob.run("@alice while active \(round)")
        #expect(try await alice.message() == "while active \(round)")
        _ = try await alice.run("@bob answer \(round)")
        #expect(try await bob.message() == "answer \(round)")
      }
      await alice.controller.finish()
    }
  }

  /// Closing and opening again is enough where the app was not suspended, and activating where it was not closed.
  @Test func eitherAloneIsEnough() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await alice.controller.close()
      try await alice.controller.reopen()
      _ = try await bob.run("@alice one")
      #expect(try await alice.message() == "one")
      _ = try await alice.run("/_app suspend 0")
      _ = try await alice.run("/_app activate")
      _ = try await bob.run("@alice two")
      #expect(try await alice.message() == "two")
      // Suspending ends by activating.
      _ = try await alice.run("/_app suspend 60000000")
      _ = try await alice.run("/_app activate")
      _ = try await bob.run("@alice three")
      #expect(try await alice.message() == "three")
    }
  }

  /// An app that comes back while it is being suspended goes on receiving, whenever that is.
  @Test func comingBackMeanwhileIsEnough() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      for round in 0..<60 {
        _ = try await alice.run("/_app suspend 60000000")
        // The suspension is at another point in each round.
        for _ in 0..<round % 20 { await Task.yield() }
        _ = try await alice.run("/_app activate")
        _ = try await bob.run("@alice \(round)")
        #expect(try await alice.message() == "\(round)")
      }
    }
  }

  /// While suspended reads answer, and what would store something fails and stores nothing.
  @Test func commandsWhileSuspended() async throws {
    try await TestWorld.with { world in
      let (alice, _) = try await world.connected("alice", "bob")
      _ = try await alice.run("/_app suspend 0")
      let chats = try await alice.run("/_get chats 1 pcc=on").jsonText()
      #expect(chats.contains("bob"))
      #expect(try await alice.answer("@bob hello")["agentError"]?["type"]?.stringValue == "INACTIVE")
      #expect(try await alice.answer("/_create *1 text a note")["agentError"]?["type"]?.stringValue == "INACTIVE")
      _ = try await alice.run("/_app activate")
      #expect(try await !alice.run("/_get chats 1 pcc=on").jsonText().contains("hello"))
      // It reports the end also if there is nothing to finish, but not with a timeout of 0.
      _ = try await alice.run("/_app suspend 0")
      _ = try await alice.run("/_app suspend 1000")
      _ = try await alice.event("chatSuspended")
    }
  }

  /// The time of a suspension holds although nothing that is in flight ends: the relay is gone.
  @Test func suspendedInTimeWithoutRelay() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      await world.stopRelay()
      _ = try await alice.run("@bob kept")
      _ = try await alice.run("/_app suspend 200000")
      _ = try await alice.event("chatSuspended", within: .seconds(10))
      #expect(await isInUse(opening(world.options("alice"))) == false)
      try await world.startRelay()
      _ = try await alice.run("/_app activate")
      #expect(try await bob.message() == "kept")
    }
  }

  /// A share extension opens while the app is suspending: it gets an error at once, and succeeds as soon as the app has
  /// released the databases. The app reopens them without a command when the extension is done.
  @Test func anExtensionBesideTheApp() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let options = world.options("alice")
      #expect(await isInUse(opening(options)))
      _ = try await alice.run("/_app suspend 5000000")
      _ = try await alice.event("chatSuspended")
      let share = TestCore("share", try await ChatController.open(options))
      _ = try await share.run("/_start main=off")
      _ = try await share.run("@bob shared")
      #expect(try await bob.message() == "shared")

      // The app gets the reason at once.
      let refused = try await alice.answer("/_app activate")
      #expect(refused["databaseError"]?["type"]?.stringValue == "errorOpen", "\(refused)")
      #expect(refused.jsonText().contains("another process"))
      #expect(try await alice.answer("/_get chats 1")["type"]?.stringValue == "errorDatabase")
      _ = try await bob.run("@alice for whoever is next")
      await share.controller.finish()
      #expect(try await alice.message() == "for whoever is next")
      let contact = try await alice.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue ?? 0
      #expect(try await alice.run("/_get chat @\(contact) count=9").jsonText().contains("shared"))
    }
  }

  /// Databases that cannot be opened when the other process releases them are tried again.
  @Test func resumesWhenTheDatabasesCanBeOpened() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let options = world.options("alice")
      _ = try await alice.run("/_app suspend 0")
      let share = try await ChatController.open(options)
      _ = try await alice.answer("/_app activate")
      // As on a disk that fails: a folder in the place of a database. The extension goes on with the open file.
      let (file, away) = (options.databasePrefix + "_agent.db", options.databasePrefix + "_away")
      try FileManager.default.moveItem(atPath: file, toPath: away)
      try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
      await share.finish()
      _ = try await alice.event("errorDatabase")
      try FileManager.default.removeItem(atPath: file)
      try FileManager.default.moveItem(atPath: away, toPath: file)
      _ = try await bob.run("@alice still there?")
      #expect(try await alice.message() == "still there?")
    }
  }

  /// If only one of the two databases can be used, both are closed and the lease is released, so that another process
  /// can use them.
  @Test func resumingThatFailsHalfwayReleasesTheFile() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let options = world.options("alice")
      _ = try await alice.run("/_app suspend 0")
      func rename(_ old: String, _ new: String) throws {
        let connection = try SQLiteConnection(path: options.databasePrefix + "_chat.db")
        try connection.runScript("ALTER TABLE \(old) RENAME TO \(new)")
      }
      try rename("agent_commands", "away")
      #expect(try await alice.answer("/_app activate")["type"]?.stringValue == "errorStore")
      // It is tried again, so another process may have to do that too.
      let other = DatabaseLease(path: options.databasePrefix + ".lock")
      while (try? other.take()) == nil { await Task.yield() }
      try rename("away", "agent_commands")
      #expect(try await alice.answer("/_create *1 text a note")["agentError"]?["type"]?.stringValue == "INACTIVE")
      other.release()
      _ = try await alice.run("/_app activate")
      _ = try await alice.run("/_create *1 text a note")
    }
  }

  /// A wish to activate ends with the next suspension.
  @Test func aSuspendedAppTakesNothingBack() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let options = world.options("alice")
      _ = try await alice.run("/_app suspend 0")
      let share = try await ChatController.open(options)
      _ = try await alice.answer("/_app activate")
      _ = try await alice.run("/_app suspend 0")
      await share.finish()
      try await Task.sleep(for: .milliseconds(100))
      #expect(await opening(options) == .ok)
    }
  }

  /// An app that moves to another device opens a second controller on other files.
  @Test func controllersOnOtherFiles() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let temporary = TestCore("temporary", try await ChatController.open(world.options("temporary")))
      _ = try await temporary.run("/create user temporary")
      _ = try await temporary.run("/_start")
      try await alice.controller.close()
      try await alice.controller.reopen()
      _ = try await bob.run("@alice hello")
      #expect(try await alice.message() == "hello")
      await temporary.controller.finish()
    }
  }

  /// A stopped chat is offline: nothing is received, sent or receipted until it is started again.
  @Test func aStoppedChatIsOffline() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await alice.run("/_stop")
      _ = try await bob.run("@alice while stopped")
      // Nothing can be waited for here: a receipt would come within milliseconds.
      let receipt = try? await bob.event("chatItemsStatusesUpdated", within: .milliseconds(500)) {
        $0.jsonText().contains(#""sndRcvd""#)
      }
      #expect(receipt == nil)
      #expect(try await alice.answer("@bob no")["errorType"]?["type"]?.stringValue == "chatNotStarted")
      while (try? await alice.event("subscriptionStatus", within: .milliseconds(10))) != nil {}
      _ = try await alice.run("/_start")
      _ = try await alice.event("subscriptionStatus") { $0["subscriptionStatus"]?["type"]?.stringValue == "active" }
      #expect(try await alice.message() == "while stopped")
      _ = try await bob.event("chatItemsStatusesUpdated") { $0.jsonText().contains(#""sndRcvd""#) }
    }
  }

  /// Files, archives and folders belong to their owner only.
  @Test func onlyTheOwnerMayRead() async throws {
    // Whatever the rights are that the system gives new files.
    let mask = umask(0)
    defer { umask(mask) }
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let path = world.folder.path
      _ = try await alice.run(
        #"/set file paths {"appFilesFolder":"\#(path)/made/files","appTempFolder":"\#(path)/made/t","appAssetsFolder":"\#(path)/made/a"}"#
      )
      func rights(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.posixPermissions] as? Int
      }
      for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasPrefix("alice") {
        #expect(try rights(name) == (name.hasSuffix("_transfers") ? 0o700 : 0o600), "\(name)")
      }
      for name in ["made", "made/files", "made/t", "made/a"] { #expect(try rights(name) == 0o700, "\(name)") }
      _ = try await alice.run("/_stop")
      _ = try await alice.run(#"/_db export {"archivePath":"\#(path)/archive.zip"}"#)
      #expect(try rights("archive.zip") == 0o600)
    }
  }
}
