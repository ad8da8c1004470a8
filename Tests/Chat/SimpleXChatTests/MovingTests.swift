import ChatAPI
import Foundation
import SimpleXChat
import SimplexCrypto
import SimplexJSON
import Testing

/// A profile moves to another device as apps do it: its archive is uploaded as a file outside of chats, and the other
/// device downloads and imports it.
@Suite struct MovingTests {
  private static func setFolders(_ core: TestCore, _ world: TestWorld, _ device: String) async throws {
    let place = "\(world.folder.path)/\(device)"
    _ = try await core.run(
      #"/set file paths {"appFilesFolder":"\#(place)/files","appTempFolder":"\#(place)/temp","#
        + #""appAssetsFolder":"\#(place)/assets"}"#)
  }

  /// The content of the file of an item.
  private static func content(_ item: JSONValue?, _ world: TestWorld, _ device: String) throws -> [UInt8] {
    let source = item?["file"]?["fileSource"]
    var encryption: LocalFile.Encryption?
    if let args = source?["cryptoArgs"], let key = args["fileKey"]?.stringValue {
      encryption = try LocalFile.Encryption(fileKey: key, fileNonce: args["fileNonce"]?.stringValue ?? "")
    }
    let path = source?["filePath"]?.stringValue ?? ""
    #expect(!path.hasPrefix("/"))
    return try LocalFile(path: "\(world.folder.path)/\(device)/files/\(path)", encryption: encryption).contents()
  }

  /// Uploads a file with the program of one device, and downloads it with that of another.
  private static func transfer(_ file: String, to destination: String, _ world: TestWorld) async throws {
    let (sender, receiver) = (try await world.profile("sender"), try await world.profile("receiver"))
    try await setFolders(sender, world, "old-upload")
    try await setFolders(receiver, world, "new-download")
    _ = try await sender.run("/_upload 1 \(file)")
    let uploaded = try await sender.event("sndStandaloneFileComplete")
    let link = try #require(uploaded["rcvURIs"]?[0]?.stringValue)
    _ = try await receiver.run("/_download 1 \(link) \(destination)")
    let downloaded = try await receiver.event("rcvStandaloneFileComplete")
    #expect(downloaded["targetPath"]?.stringValue == destination)
    // Nobody else is to get it.
    _ = try await sender.run("/fcancel \(uploaded["fileTransferMeta"]?["fileId"]?.integerValue ?? 0)")
    await world.leave("sender")
    await world.leave("receiver")
  }

  @Test func filesMoveToo() async throws {
    try await TestWorld.with(files: true) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await Self.setFolders(alice, world, "old")
      try await Self.setFolders(bob, world, "bob")
      _ = try await alice.run("/_files_encrypt on")
      let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      for place in ["old", "bob"] {
        try Data(content).write(to: URL(filePath: "\(world.folder.path)/\(place)/files/photo.bin"))
      }
      let friend = try await alice.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue ?? 0
      #expect(try await bob.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue == friend)
      let message = #"json [{"fileSource":{"filePath":"photo.bin"},"msgContent":{"type":"file","text":""}}]"#
      _ = try await alice.run("/_send @\(friend) \(message)")
      _ = try await alice.event("sndFileCompleteXFTP")
      _ = try await bob.run("/_send @\(friend) \(message)")
      let offered = try await alice.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["file"] != nil
      }
      let id = offered["chatItems"]?[0]?["chatItem"]?["file"]?["fileId"]?.integerValue ?? 0
      _ = try await alice.run("/freceive \(id)")
      _ = try await alice.event("rcvFileComplete")
      _ = try await alice.run("/_stop")
      let (exported, imported) = (world.folder.path + "/exported.zip", world.folder.path + "/imported.zip")
      _ = try await alice.run(#"/_db export {"archivePath":"\#(exported)"}"#)
      try await Self.transfer(exported, to: imported, world)
      await world.leave("alice")

      // The other device.
      let options = world.options("moved")
      let fresh = TestCore("moved", try await ChatController.open(options))
      try await Self.setFolders(fresh, world, "new")
      let answer = try await fresh.run(#"/_db import {"archivePath":"\#(imported)"}"#)
      #expect(answer["importedArchiveErrors"]?.arrayValue ?? answer["archiveErrors"]?.arrayValue ?? [] == [])
      await fresh.controller.finish()
      let moved = TestCore("moved", try await ChatController.open(options))
      try await Self.setFolders(moved, world, "new")
      _ = try await moved.run("/_start")
      let items = try await moved.run("/_get chat @\(friend) count=10")["chat"]?["chatItems"]?.arrayValue ?? []
      let files = items.filter { $0["file"] != nil }
      #expect(files.count == 2)
      for item in files { #expect(try Self.content(item, world, "new") == content) }
      // It is the same profile, which sends its files on.
      let sent = try await moved.run("/_send @\(friend) \(message)")
      #expect(sent["type"]?.stringValue == "newChatItems")
      _ = try await moved.event("sndFileCompleteXFTP")
      await moved.controller.finish()
    }
  }
}
