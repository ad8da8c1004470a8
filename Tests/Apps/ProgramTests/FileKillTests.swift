import Foundation
import SMPProtocol
import SQLiteKit
import SimplexJSON
import SimplexTesting
import Testing
import XFTPProtocol

/// Files of one and several chunks between two people while their programs and the file relay are killed.
///
/// `SIMPLEX_SOAK=1` for 200 files instead of 16; `SIMPLEX_SEED=n` repeats sizes and victims, but not the moments.
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
      "--auto-accept-files", "100000000", "--files-folder", world.folder.appending(path: "\(name)-files").path,
      "--temp-folder",
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

  /// The size of a file: most have one chunk, some several.
  private static func size(_ generator: inout SeededGenerator) -> Int {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<6: Int.random(in: 1...700_000, using: &generator)
    case 6..<9: Int.random(in: 700_000...3_000_000, using: &generator)
    default: Int.random(in: 3_000_000...9_000_000, using: &generator)
    }
  }

  /// Content that is another one for each file and in each part of 64 KB.
  private static func content(_ number: Int, size: Int) -> Data {
    var content = Data(capacity: size)
    var part = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) })
    while content.count < size {
      withUnsafeBytes(of: content.count) { part.replaceSubrange(0..<8, with: $0) }
      content += part.prefix(size - content.count)
    }
    return content
  }

  /// Sends files while programs are killed at random moments, and compares what is there in the end.
  @Test(.timeLimit(.minutes(30))) func allFilesArrive() async throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["SIMPLEX_SOAK"] == nil ? 16 : 200
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
      func killSomebody(after limit: Int) async throws {
        let victims = Int.random(in: 0..<8, using: &generator)
        try await Task.sleep(for: .milliseconds(Int.random(in: 0..<limit)))
        if [0, 1, 6].contains(victims) { alice = try await world.kill("alice", aliceArguments) }
        if [2, 3, 6].contains(victims) { bob = try await world.kill("bob", bobArguments) }
        if [4, 5].contains(victims) { try world.killFileRelay() }
      }
      for number in 0..<count {
        let name = "file-\(number).bin"
        try Self.content(number, size: Self.size(&generator)).write(to: sources.appending(path: name))
        let sent = try await alice.answer(
          #"/_send @\#(friend) json [{"fileSource":{"filePath":"\#(name)"},"msgContent":{"type":"file","text":""}}]"#)
        #expect(sent["type"]?.stringValue == "newChatItems", "\(sent.jsonText())")
        try await killSomebody(after: 300)
      }
      // Most of the larger ones are still on their way.
      for _ in 0..<count / 4 { try await killSomebody(after: 500) }

      let deadline = ContinuousClock.now + .seconds(120 + count * 3)
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
      await world.stopPrograms()
      try Self.checkRows(world.folder, count: count, seed: seed)
    }
  }

  /// Compares rows of the stopped programs with each other and with the files of the relay: no work is left, and the
  /// relay has exactly the chunks that the sender's descriptions name.
  private static func checkRows(_ folder: URL, count: Int, seed: UInt64) throws {
    func rows(_ file: String, _ sql: String) throws -> [String] {
      try SQLiteConnection(path: folder.appending(path: file).path, access: .readWrite).rows(of: sql, limit: 10_000)
    }
    let repetition: Comment = "SIMPLEX_SEED=\(seed)"
    #expect(try rows("alice_agent.db", "SELECT id FROM sent_files WHERE status < 3 OR status = 5") == [], repetition)
    #expect(
      try rows("bob_agent.db", "SELECT id FROM received_files WHERE status < 2 OR status = 4") == [], repetition)
    for name in ["alice", "bob"] {
      for table in ["sent_chunks", "received_chunks", "chunk_deletions"] {
        #expect(try rows("\(name)_agent.db", "SELECT * FROM \(table)") == [], repetition)
      }
      #expect(try rows("\(name)_chat.db", "SELECT * FROM early_descriptions") == [], repetition)
      #expect(try rows("\(name)_chat.db", "SELECT file_id FROM files").count == count, repetition)
      #expect(try rows("\(name)_chat.db", "SELECT file_id FROM files WHERE removed = 1") == [], repetition)
    }
    let named = try rows("alice_chat.db", "SELECT text FROM file_descriptions WHERE kind = 3").flatMap { text in
      try FileDescription(text: text, party: .sender).chunks.flatMap(\.replicas).map { "\($0.id)" }
    }
    let stored = try rows(
      "file-data/file-server.db", "SELECT hex(sender_id) FROM chunks WHERE is_uploaded = 1"
    ).map { "\(EntityID(Self.bytes(hex: $0)))" }
    #expect(named.sorted() == stored.sorted(), repetition)
    #expect(stored.sorted() == names(folder.appending(path: "chunks")), repetition)
    #expect(Set(named).count > count)
  }

  private static func bytes(hex: String) -> [UInt8] {
    stride(from: 0, to: hex.count - 1, by: 2).compactMap { offset in
      UInt8(hex.dropFirst(offset).prefix(2), radix: 16)
    }
  }
}
