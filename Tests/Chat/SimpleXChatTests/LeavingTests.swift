import Foundation
import ProfileImport
import SimpleXChat
import SimplexJSON
import Testing
import ZipArchive

/// A profile that was used is exported for the reference app and comes back, and its conversations go on.
@Suite struct LeavingTests {
  private static func content(_ text: String) -> String {
    #"json [{"fileSource":{"filePath":"photo.bin"},"msgContent":{"type":"file","text":"\#(text)"}}]"#
  }

  /// Everything that an export takes: contacts, a group, the address, an open invitation, notes, files, a message
  /// that waits.
  private static func fill(_ alice: TestCore, _ bob: TestCore, _ world: TestWorld) async throws -> String {
    for (core, place) in [(alice, "alice"), (bob, "bob")] {
      let folder = "\(world.folder.path)/\(place)-files"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data([UInt8](repeating: 7, count: 20_000)).write(to: URL(filePath: folder + "/photo.bin"))
      _ = try await core.run("/_files_folder \(folder)")
    }
    _ = try await alice.run("@bob hello")
    #expect(try await bob.message() == "hello")
    _ = try await bob.run(">@alice (hello) hi")
    #expect(try await alice.message() == "hi")
    _ = try await bob.run("+1 @alice hello")
    _ = try await alice.event("chatItemReaction")
    let friend = try await alice.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue ?? 0
    _ = try await alice.run("/_send @\(friend) \(content("a photo"))")
    _ = try await alice.event("sndFileCompleteXFTP")
    let offered = try await bob.event("newChatItems") { $0["chatItems"]?[0]?["chatItem"]?["file"] != nil }
    _ = try await bob.run("/freceive \(offered["chatItems"]?[0]?["chatItem"]?["file"]?["fileId"]?.integerValue ?? 0)")
    _ = try await bob.event("rcvFileComplete")
    _ = try await alice.run("/g team")
    _ = try await alice.run("/a team bob admin")
    _ = try await bob.event("receivedGroupInvitation")
    _ = try await bob.run("/j team")
    _ = try await alice.event("joinedGroupMember")
    _ = try await bob.event("userJoinedGroup")
    _ = try await alice.run("#team welcome")
    #expect(try await bob.message() == "welcome")
    _ = try await bob.run("#team thanks")
    #expect(try await alice.message() == "thanks")
    _ = try await alice.run("/ad")
    _ = try await alice.run("/auto_accept on")
    _ = try await alice.run("/* a note")
    let invitation = try await alice.run("/connect")["connLinkInvitation"]
    return invitation?["connFullLink"]?.stringValue ?? ""
  }

  /// Exports the profile, which is closed. What has just ended in the chat core may still have to be finished: then it
  /// is opened once more.
  private static func export(_ world: TestWorld) async throws {
    var export = ProfileExport(
      from: world.options("alice").databasePrefix, to: "\(world.folder.path)/archive.zip", time: 1_795_000_000)
    export.folders = [("\(world.folder.path)/alice-files", ProfileExport.filesFolder)]
    for _ in 0..<20 {
      do throws(ProfileImportError) {
        let report = try export.run()
        // A message of the agent may wait as well.
        #expect(report.taken[.outgoingMessages] ?? 0 >= 1)
        #expect(report.taken[.files] == 1)
        return
      } catch {
        guard case .wouldLose = error else { throw error }
      }
      let alice = try await world.open("alice")
      try await Task.sleep(for: .milliseconds(300))
      await alice.controller.finish()
    }
    _ = try export.run()
  }

  /// What a profile shows of its chats, without what changes with time.
  private static func chats(_ core: TestCore) async throws -> [String] {
    var lines: [String] = []
    for chat in try await core.run("/_get chats 1 pcc=on")["chats"]?.arrayValue ?? [] {
      let info = chat["chatInfo"]
      let name = info?["contact"]?["localDisplayName"] ?? info?["groupInfo"]?["localDisplayName"]
      lines.append(
        "\(info?["type"]?.stringValue ?? "") \(name?.stringValue ?? "") \(chat["chatStats"]?.jsonText() ?? "")")
    }
    for name in ["@bob", "#team", "*"] {
      for item in try await core.run("/tail \(name) 50")["chatItems"]?.arrayValue ?? [] {
        let item = item["chatItem"]
        // Of a message that waits, the outcome comes any time.
        let text = item?["meta"]?["itemText"]?.stringValue ?? ""
        lines.append(
          "\(name) \(text) \(item?["content"]?.jsonText() ?? "") \(item?["file"]?["fileName"]?.stringValue ?? "") "
            + "\(item?["quotedItem"]?.jsonText() ?? "") \(item?["reactions"]?.jsonText() ?? "")")
      }
    }
    return lines.sorted()
  }

  @Test func conversationsGoOnAfterwards() async throws {
    try await TestWorld.with(files: true) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let invitation = try await Self.fill(alice, bob, world)
      await world.stopRelay()
      _ = try await alice.run("@bob this waits")
      let before = try await Self.chats(alice)
      await alice.controller.finish()
      try await Self.export(world)
      // It cannot be used any more.
      await #expect(throws: ChatOpeningError.self) { try await ChatController.open(world.options("alice")) }

      let place = "\(world.folder.path)/back"
      try FileManager.default.createDirectory(
        atPath: "\(place)/\(ProfileExport.filesFolder)", withIntermediateDirectories: true)
      let zip = try ZipReader(path: "\(world.folder.path)/archive.zip")
      for entry in zip.entries { try zip.extract(entry, to: "\(place)/\(entry.name)") }
      #expect(zip.entries.map(\.name).contains("\(ProfileExport.filesFolder)/photo.bin"))
      let report = try ProfileImport(from: "\(place)/simplex_v1", to: world.options("again").databasePrefix).run()
      #expect(report.losses.isEmpty)

      try await world.startRelay()
      let again = try await world.open("again")
      #expect(try await Self.chats(again) == before)
      #expect(try await bob.message() == "this waits")
      _ = try await bob.run("@alice you are back")
      #expect(try await again.message() == "you are back")
      _ = try await again.run("@bob i am")
      #expect(try await bob.message() == "i am")
      _ = try await again.run("#team and here")
      #expect(try await bob.message() == "and here")
      _ = try await bob.run("#team good")
      #expect(try await again.message() == "good")
      // The invitation that nobody had joined, and the address.
      let carol = try await world.profile("carol")
      _ = try await carol.run("/connect \(invitation)")
      _ = try await again.event("contactConnected")
      _ = try await carol.event("contactConnected")
      let dan = try await world.profile("dan")
      let address = try await again.run("/show_address")["contactLink"]?["connLinkContact"]?["connFullLink"]
      _ = try await dan.run("/connect \(address?.stringValue ?? "")")
      _ = try await again.event("contactConnected")
      _ = try await dan.event("contactConnected")
    }
  }
}
