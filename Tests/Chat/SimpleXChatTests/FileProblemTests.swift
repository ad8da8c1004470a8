import Foundation
import SimplexJSON
import Testing

/// Files that relays cannot take or do not have, and recipients that cannot be told.
@Suite(.timeLimit(.minutes(2))) struct FileProblemTests {
  private static let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) })

  /// A file of alice's.
  private static func file(_ world: TestWorld, _ name: String = "a.bin") throws -> String {
    let path = "\(world.folder.path)/\(name)"
    try content.write(to: URL(filePath: path))
    return path
  }

  /// The first contact of a profile, a database id.
  private static func contact(of core: TestCore) async throws -> Int64 {
    try await core.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue ?? 0
  }

  /// Sends the file to the first contact, who has the message then; returns its item there.
  private static func send(_ path: String, from alice: TestCore, to bob: TestCore) async throws -> (
    file: Int64, item: Int64
  ) {
    _ = try await alice.run(
      #"/_send @\#(try await contact(of: alice)) json [{"fileSource":{"filePath":"\#(path)"},"#
        + #""msgContent":{"type":"file","text":""}}]"#)
    let item = try await bob.event("newChatItems") { $0["chatItems"]?[0]?["chatItem"]?["file"] != nil }
    let shown = item["chatItems"]?[0]?["chatItem"]
    return (
      try #require(shown?["file"]?["fileId"]?.integerValue), try #require(shown?["meta"]?["itemId"]?.integerValue)
    )
  }

  private static func status(_ event: JSONValue) -> JSONValue? {
    event["chatItem_"]?["chatItem"]?["file"]?["fileStatus"]
  }

  /// What keeps an item of the first contact from being forwarded.
  private static func problem(of core: TestCore, _ item: Int64) async throws -> JSONValue? {
    try await core.run("/_forward plan @\(try await contact(of: core)) \(item)")["forwardConfirmation"]
  }

  /// A relay that cannot be reached in the way of the settings delays a file, on both sides, and both are told.
  @Test func relaysThatCannotBeReachedDelayFiles() async throws {
    try await TestWorld.with(files: true) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      await world.stopFileRelay()
      let path = world.folder.path + "/received.bin"
      let (file, item) = try await Self.send(try Self.file(world), from: alice, to: bob)
      try await alice.setNetwork(onlyOnion: true)
      let sending = try await alice.event("sndFileWarning")
      #expect(Self.status(sending)?["type"]?.stringValue == "sndWarning")
      #expect(sending["errorMessage"]?.stringValue?.isEmpty == false)
      _ = try await bob.run("/freceive \(file) \(path)")
      #expect(try await Self.problem(of: bob, item)?["type"]?.stringValue == "filesInProgress")
      try await world.startFileRelay()
      try await alice.setNetwork()
      _ = try await alice.event("sndFileCompleteXFTP")
      _ = try await bob.event("rcvFileComplete")
      #expect(try Data(contentsOf: URL(filePath: path)) == Self.content)
      #expect(try await Self.problem(of: bob, item) == nil)
      try FileManager.default.removeItem(atPath: path)
      #expect(try await Self.problem(of: bob, item)?["type"]?.stringValue == "filesMissing")

      let (next, nextItem) = try await Self.send(try Self.file(world, "b.bin"), from: alice, to: bob)
      _ = try await bob.event("rcvFileDescrReady") { $0["rcvFileTransfer"]?["fileId"]?.integerValue == next }
      try await bob.setNetwork(onlyOnion: true)
      _ = try await bob.run("/freceive \(next) \(path)")
      let receiving = try await bob.event("rcvFileWarning")
      #expect(Self.status(receiving)?["type"]?.stringValue == "rcvWarning")
      #expect(receiving["agentError"]?["type"]?.stringValue == "BROKER")
      #expect(try await Self.problem(of: bob, nextItem)?["type"]?.stringValue == "filesFailed")
      try await bob.setNetwork()
      _ = try await bob.event("rcvFileComplete")
      #expect(try Data(contentsOf: URL(filePath: path)) == Self.content)
    }
  }

  /// What a relay does not have any more is not received, and leaves nothing.
  @Test func forgottenFilesFail() async throws {
    try await TestWorld.with(files: true) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let (file, item) = try await Self.send(try Self.file(world), from: alice, to: bob)
      _ = try await bob.event("rcvFileDescrReady")
      try await world.forgetChunks()
      let path = world.folder.path + "/received.bin"
      _ = try await bob.run("/freceive \(file) \(path)")
      let failed = try await bob.event("rcvFileError")
      #expect(Self.status(failed)?["rcvFileError"]?["type"]?.stringValue == "auth")
      #expect(failed["agentError"]?["type"]?.stringValue == "XFTP")
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(try await Self.problem(of: bob, item)?["type"]?.stringValue == "filesFailed")
    }
  }

  /// A relay without room takes no file.
  @Test func fullRelaysRefuseFiles() async throws {
    try await TestWorld.with(files: true, fileQuota: 1) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await Self.send(try Self.file(world), from: alice, to: bob)
      let failed = try await alice.event("sndFileError")
      #expect(Self.status(failed)?["type"]?.stringValue == "sndError")
      #expect(failed["errorMessage"]?.stringValue?.contains("The server is full") == true)
    }
  }

  /// A description that cannot be sent to a contact is an error of the file.
  @Test func descriptionsThatCannotBeSentFail() async throws {
    try await TestWorld.with(files: true) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      await world.stopFileRelay()
      _ = try await Self.send(try Self.file(world), from: alice, to: bob)
      _ = try await bob.run("/_delete @\(try await Self.contact(of: bob)) full notify=off")
      while try await !bob.isIdle() { try await Task.sleep(for: .milliseconds(10)) }
      try await world.startFileRelay()
      let failed = try await alice.event("sndFileError")
      #expect(Self.status(failed)?["type"]?.stringValue == "sndError")
      // Nobody can receive it.
      while world.storedChunks > 0 { try await Task.sleep(for: .milliseconds(10)) }
    }
  }

  /// A file outside of chats whose description cannot be uploaded is not sent, and leaves nothing.
  @Test func redirectsThatCannotBeUploaded() async throws {
    // Room for the two chunks of the file, and not for another one.
    try await TestWorld.with(files: true, fileQuota: (2 << 18) + 40_000) { world in
      let alice = try await world.profile("alice")
      let large = world.folder.appending(path: "large.bin")
      try Data(count: 500_000).write(to: large)
      let sent = try await alice.run("/_upload 1 \(large.path)")["fileTransferMeta"]?["fileId"]?.integerValue
      _ = try await alice.event("sndFileRedirectStartXFTP")
      let id = try #require(sent)
      let failed = try await alice.event("sndFileError") {
        $0["fileTransferMeta"]?["fileId"]?.integerValue == id
      }
      #expect(failed["errorMessage"]?.stringValue?.contains("The server is full") == true)
      #expect(try await alice.rows("SELECT count(*) FROM files WHERE cancelled = 0") == ["0"])
      while world.storedChunks > 0 { try await Task.sleep(for: .milliseconds(10)) }
    }
  }

  /// A file outside of chats that is not received, or cancelled, leaves what its place has.
  @Test(arguments: [true, false]) func placesOfOtherFilesAreLeft(isCancelled: Bool) async throws {
    try await TestWorld.with(files: true) { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/_upload 1 \(try Self.file(world))")
      let link = try await alice.event("sndStandaloneFileComplete")["rcvURIs"]?[0]?.stringValue ?? ""
      let place = world.folder.appending(path: "mine.txt")
      try Data("mine".utf8).write(to: place)
      if isCancelled { await world.stopFileRelay() } else { try await world.forgetChunks() }
      let id = try await alice.run("/_download 1 \(link) \(place.path)")["rcvFileTransfer"]?["fileId"]?.integerValue
      if isCancelled {
        _ = try await alice.run("/fcancel \(try #require(id))")
        while try await alice.rows("SELECT 1 FROM received_files", of: "agent") != [] {
          try await Task.sleep(for: .milliseconds(10))
        }
      } else {
        let failed = try await alice.event("rcvFileError")
        #expect(failed["chatItem_"] == nil && failed["rcvFileTransfer"]?["fileId"]?.integerValue == id)
      }
      #expect(try Data(contentsOf: place) == Data("mine".utf8))
    }
  }
}
