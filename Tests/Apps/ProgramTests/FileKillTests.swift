import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// Files between two people while their programs and the file relay are killed.
///
/// `SIMPLEX_SOAK=1` for 200 files instead of 20; `SIMPLEX_SEED=n` repeats sizes and victims, but not the moments.
@Suite struct FileKillTests {
  private struct Seen: CustomStringConvertible {
    var status: String
    var name: String
    var path: String
    var description: String { "\(name): \(status)" }
  }

  /// Arguments of a person's program.
  private static func arguments(_ name: String, _ world: ProgramWorld) -> [String] {
    [
      "-a", "--files-folder", world.folder.appending(path: "\(name)-files").path, "--temp-folder",
      world.folder.appending(path: "\(name)-temp").path,
    ]
  }

  /// The files in a chat, in the order of their messages.
  private static func files(_ person: ProgramProfile) async throws -> [Seen] {
    let chat = try await person.answer("/_get chat @\(try await contact(person)) count=1000")
    return (chat["chat"]?["chatItems"]?.arrayValue ?? []).compactMap { item in
      guard let file = item["file"] else { return nil }
      return Seen(
        status: file["fileStatus"]?["type"]?.stringValue ?? "", name: file["fileName"]?.stringValue ?? "",
        path: file["fileSource"]?["filePath"]?.stringValue ?? "")
    }
  }

  /// The number of the only contact.
  private static func contact(_ person: ProgramProfile) async throws -> Int64 {
    try await person.answer("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue ?? 0
  }

  private static func names(_ folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  private static func isEnded(_ seen: Seen) -> Bool {
    ["sndComplete", "sndError", "rcvComplete", "rcvError", "rcvCancelled", "rcvAborted"].contains(seen.status)
  }

  @Test(.timeLimit(.minutes(15))) func allFilesArrive() async throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["SIMPLEX_SOAK"] == nil ? 20 : 200
    let seed = environment["SIMPLEX_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
    var generator = SeededGenerator(seed: seed)
    try await ProgramWorld.with(files: true) { world in
      let (aliceArguments, bobArguments) = (Self.arguments("alice", world), Self.arguments("bob", world))
      var alice = try await world.profile("alice", aliceArguments)
      var bob = try await world.profile("bob", bobArguments)
      let invitation = try await alice.answer("/connect")
      let link = invitation["connLinkInvitation"]?["connShortLink"]?.stringValue ?? ""
      _ = try await bob.answer("/connect \(link)")
      _ = try await alice.events.first("contactConnected", within: .seconds(30)) { _ in true }
      _ = try await bob.events.first("contactConnected", within: .seconds(30)) { _ in true }

      let friend = try await Self.contact(alice)
      let sources = world.folder.appending(path: "alice-files")
      for number in 0..<count {
        let name = "file-\(number).bin"
        let content = Data(
          (0..<Int.random(in: 1...700_000, using: &generator)).map { UInt8(truncatingIfNeeded: $0 &+ number) })
        try content.write(to: sources.appending(path: name))
        let sent = try await alice.answer(
          #"/_send @\#(friend) json [{"fileSource":{"filePath":"\#(name)"},"msgContent":{"type":"file","text":""}}]"#)
        #expect(sent["type"]?.stringValue == "newChatItems", "\(sent.jsonText())")
        let victim = Int.random(in: 0..<4, using: &generator)
        try await Task.sleep(for: .milliseconds(Int.random(in: 0..<300)))
        switch victim {
        case 0: alice = try await world.kill("alice", aliceArguments)
        case 1: bob = try await world.kill("bob", bobArguments)
        case 2: try world.killFileRelay()
        default: break
        }
      }

      let deadline = ContinuousClock.now + .seconds(60 + count * 2)
      func settled(_ person: ProgramProfile) async throws -> [Seen] {
        while true {
          let files = try await Self.files(person)
          if files.count == count, files.allSatisfy(Self.isEnded) { return files }
          guard ContinuousClock.now < deadline else {
            throw Unexpected(description: "SIMPLEX_SEED=\(seed): not ended: \(files.filter { !Self.isEnded($0) })")
          }
          try await Task.sleep(for: .milliseconds(200))
        }
      }
      let (sent, received) = (try await settled(alice), try await settled(bob))
      let failed = (sent + received).filter { !$0.status.hasSuffix("Complete") }
      #expect(failed.map(\.description) == [], "SIMPLEX_SEED=\(seed)")
      let places = world.folder.appending(path: "bob-files")
      for file in received where file.status == "rcvComplete" {
        #expect(
          FileManager.default.contentsEqual(
            atPath: places.appending(path: file.path).path, andPath: sources.appending(path: file.name).path))
      }
      // Nothing else is left anywhere.
      let temporary = ["alice-temp", "bob-temp"].map { world.folder.appending(path: $0) }
      while temporary.contains(where: { !Self.names($0).isEmpty }), ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(20))
      }
      for folder in temporary { #expect(Self.names(folder) == [], "SIMPLEX_SEED=\(seed)") }
      #expect(Self.names(places) == received.map(\.path).filter { !$0.isEmpty }.sorted(), "SIMPLEX_SEED=\(seed)")
      #expect(Self.names(sources).count == count)
      try world.killFileRelay()
      let chunks = Self.names(world.folder.appending(path: "chunks"))
      #expect(!chunks.isEmpty && !chunks.contains { $0.hasSuffix(".part") })
    }
  }
}
