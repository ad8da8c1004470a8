import ChatAPI
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

@testable import SimpleXChat

/// Commands about more items than one turn handles, where something fails, changes or ends between turns.
@Suite struct InterruptedPartsTests {
  /// With one item for each turn.
  private func play(_ body: (TestWorld, _ alice: TestCore) async throws -> Void) async throws {
    try await TestWorld.with(options: { $0.itemsPerTurn = 1 }) { world in
      try await body(world, try await world.profile("alice"))
    }
  }

  /// Alice and bob, who is her first contact, and a command that sends him messages `m1` to `m200`.
  private func playSending(
    _ body: (TestWorld, _ alice: TestCore, _ bob: TestCore, _ command: String) async throws -> Void
  ) async throws {
    try await play { world, alice in
      let bob = try await world.profile("bob")
      try await world.connect(alice, bob)
      let contact = try await alice.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue ?? 0
      try await body(world, alice, bob, "/_send @\(contact) json \(Self.messages(200))")
    }
  }

  private static func messages(_ count: Int, file: String? = nil) -> String {
    let messages = (1...count).map {
      let source = file.map { #""fileSource":{"filePath":"\#($0)"},"# } ?? ""
      return #"{\#(source)"msgContent":{"type":"\#(file == nil ? "text" : "file")","text":"m\#($0)"}}"#
    }
    return "[\(messages.joined(separator: ","))]"
  }

  private func ids(_ answer: JSONValue) -> String {
    let ids = (answer["chatItems"]?.arrayValue ?? []).compactMap { $0["chatItem"]?["meta"]?["itemId"]?.integerValue }
    return ids.map { "\($0)" }.joined(separator: ",")
  }

  /// The texts that bob receives, until the last one comes.
  private func received(_ bob: TestCore) async throws -> [String] {
    var texts: [String] = []
    while texts.last != "last" { texts.append(try await bob.message()) }
    return texts.dropLast()
  }

  // MARK: Forwarding

  /// A folder of files with `note.txt`.
  private func files(_ world: TestWorld, _ alice: TestCore, size: Int) async throws -> String {
    let folder = world.folder.appending(path: "files")
    _ = try await alice.run("/_files_folder \(folder.path)")
    try Data(count: size).write(to: folder.appending(path: "note.txt"))
    return folder.path
  }

  /// A turn may also fail when it is committed, as on a full disk. Then nothing is left of the copies.
  @Test func copiesOfWhatIsNotForwardedAreRemoved() async throws {
    try await play { world, alice in
      let folder = try await files(world, alice, size: 10)
      let item = ids(try await alice.run("/_create *1 json \(Self.messages(1, file: "note.txt"))"))
      for sql in [
        "CREATE TABLE present (id INTEGER PRIMARY KEY)",
        "CREATE TABLE refused (id INTEGER REFERENCES present (id) DEFERRABLE INITIALLY DEFERRED)",
        "CREATE TRIGGER refuse AFTER INSERT ON items BEGIN INSERT INTO refused VALUES (1); END",
      ] { _ = try await alice.run("/sql chat \(sql)") }
      let answer = try await alice.answer("/_forward *1 *1 \(item)")
      #expect(answer["type"]?.stringValue == "errorStore")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["note.txt"])
    }
  }

  /// A device suspends the app, and activates it again, while the command looks for files or copies them.
  @Test(arguments: [2, 5, 10]) func messagesAreForwardedWithTheirFiles(pause: Int) async throws {
    try await play { world, alice in
      let folder = try await files(world, alice, size: 10)
      try Data(count: 40_000_000).write(to: URL(filePath: "\(folder)/large.bin"))
      // To copy the first one takes longer than the break.
      let large = ids(try await alice.run("/_create *1 json \(Self.messages(1, file: "large.bin"))"))
      let small = ids(try await alice.run("/_create *1 json \(Self.messages(200, file: "note.txt"))"))
      let items = "\(large),\(small)"
      _ = try await alice.run("/_files_encrypt on")
      let controller = alice.controller
      async let answer = controller.sendText("/_forward *1 *1 \(items)")
      try await Task.sleep(for: .milliseconds(pause))
      _ = try await alice.run("/_app suspend 0")
      _ = try await alice.run("/_app activate")
      let forwarded = try JSONValue(jsonBytes: await answer.jsonBytes())["result"]?["chatItems"]?.arrayValue ?? []
      #expect(forwarded.allSatisfy { $0["chatItem"]?["file"] != nil })
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2 + forwarded.count)
    }
  }

  /// A profile that is changed while messages are forwarded to a group reaches its members: no turn sends an earlier
  /// one in its place.
  @Test func profilesChangedMeanwhileAreSent() async throws {
    try await play { world, alice in
      let bob = try await world.profile("bob")
      _ = try await alice.run("/g team")
      let link = try await alice.run("/create link #team")["groupLink"]?["connLinkContact"]?["connFullLink"]
      _ = try await bob.run("/c \(try #require(link?.stringValue))")
      _ = try await bob.event("userJoinedGroup")
      _ = try await alice.event("joinedGroupMember")
      let items = ids(try await alice.run("/_create *1 json \(Self.messages(200))"))
      _ = try await alice.run(#"/_profile 1 {"displayName":"alice","fullName":"first"}"#)
      let controller = alice.controller
      async let forwarded = controller.sendText("/_forward #1 *1 \(items)")
      try await Task.sleep(for: .milliseconds(10))
      _ = try await alice.run(#"/_profile 1 {"displayName":"alice","fullName":"second"}"#)
      _ = await forwarded
      _ = try await alice.run("#team last")
      _ = try await received(bob)
      let members = try await bob.run("/_members #1")["group"]?["members"]?.arrayValue ?? []
      #expect(members.map { $0["memberProfile"]?["fullName"]?.stringValue } == ["second"])
    }
  }

  // MARK: Sending

  /// What was answered is what is received, once and in order, also where another process has the databases meanwhile.
  @Test(arguments: [(20, 0), (20, 1_000_000)]) func suspendedSending(pause: Int, timeout: Int) async throws {
    try await playSending { world, alice, bob, command in
      let controller = alice.controller
      async let answer = controller.sendText(command)
      try await Task.sleep(for: .milliseconds(pause))
      _ = try await alice.run("/_app suspend \(timeout)")
      if timeout > 0 { _ = try await alice.event("chatSuspended") }
      let other = TestCore("another", try await ChatController.open(world.options("alice")))
      _ = try await other.run("/_start main=off")
      _ = try await other.run("@bob of another")
      await other.controller.finish()
      _ = try await alice.run("/_app activate")
      let sent = (try JSONValue(jsonBytes: await answer.jsonBytes())["result"]?["chatItems"]?.arrayValue ?? [])
        .compactMap { $0["chatItem"]?["meta"]?["itemText"]?.stringValue }
      _ = try await alice.run("@bob last")
      #expect(try await received(bob) == sent + ["of another"])
    }
  }

  /// What is stored when the program ends is what is received.
  @Test func killedSending() async throws {
    try await playSending { world, alice, bob, command in
      let controller = alice.controller
      async let answer = controller.sendText(command)
      try await Task.sleep(for: .milliseconds(20))
      let alice = try await world.kill("alice")
      _ = await answer
      let stored = try await alice.rows("SELECT text FROM items WHERE text GLOB 'm[0-9]*' ORDER BY item_id")
      _ = try await alice.run("@bob last")
      #expect(try await received(bob) == stored)
    }
  }
}
