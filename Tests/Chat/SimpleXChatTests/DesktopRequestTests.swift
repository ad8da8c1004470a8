import ChatAPI
import Foundation
import RemoteControl
import RemoteControlProtocol
import SimplexCrypto
import Synchronization
import Testing

@testable import SimpleXChat

/// What a desktop that controls this device may do.
@Suite struct DesktopRequestTests {
  /// A profile with folders for files and temporary files, and the requests of a desktop.
  private struct Device {
    let world: TestWorld
    let core: TestCore
    let requests: DesktopRequests
    let files: String
    let temporary: String

    func send(_ text: String) async -> String {
      let reply = await requests.reply(to: .send(command: text, retryNumber: 0), file: nil)
      guard case .chatResponse(.result(let json)) = reply.response else {
        if case .chatResponse(.error(let json)) = reply.response { return "error " + json }
        return "\(reply.response)"
      }
      return json
    }

    func store(_ name: String, _ content: String) async throws -> RemoteResponse {
      let path = temporary + "/received-\(UUID().uuidString)"
      try Data(content.utf8).write(to: URL(filePath: path))
      let digest = try #require(FileDigest(HashFunction.sha512.digest(of: Array(content.utf8))))
      let size = UInt32(content.utf8.count)
      return await requests.reply(to: .storeFile(name: name, size: size, digest: digest), file: path).response
    }
  }

  private static func withDevice(
    files: Bool = true, options: @escaping (inout ChatOptions) -> Void = { _ in },
    _ body: @escaping (Device) async throws -> Void
  ) async throws {
    try await TestWorld.with(options: options) { world in
      let core = try await world.profile("alice")
      let folder = world.folder.path
      let (files, temporary) = (files ? folder + "/files" : nil, folder + "/temporary")
      if let files { _ = try await core.run("/_files_folder \(files)") }
      _ = try await core.run("/_temp_folder \(temporary)")
      let requests = DesktopRequests(
        core: { [weak controller = core.controller] in controller }, events: DesktopEventQueue {},
        uploads: DesktopUploads())
      try await body(
        Device(world: world, core: core, requests: requests, files: files ?? "", temporary: temporary))
    }
  }

  @Test func commandsAreAnswered() async throws {
    try await Self.withDevice { device in
      #expect(await device.send("/u").hasPrefix("{\"type\":\"activeUser\""))
      #expect(await device.send("/_get chats 99 pcc=off").contains("differentActiveUser"))
      #expect(await device.send("/nonsense").contains("unknown command"))
    }
  }

  /// The reference executes them.
  @Test(arguments: [
    "/_db export {\"archivePath\":\"/tmp/stolen.zip\"}", "/sql chat SELECT * FROM users", "/_stop", "/_db delete",
    "/set file paths {\"appFilesFolder\":\"/\",\"appTempFolder\":\"/\",\"appAssetsFolder\":\"/\"}",
    "/db test key guess", "/_files_folder /", "/network socks=on", "/connect remote ctrl xrcp:/", "/db encrypt key",
  ])
  func commandsForTheDeviceAreRefused(_ text: String) async throws {
    try await Self.withDevice { device in
      #expect(await device.send(text).contains("not permitted from a desktop"))
    }
  }

  /// What was stored and is in no item after a day is removed; what is in one stays.
  @Test func unusedFilesAreRemovedAfterADay() async throws {
    let now = Mutex(Date())
    try await Self.withDevice(options: { $0.clock = { now.withLock { $0 } } }) { device in
      for name in ["unused", "used"] {
        guard case .fileStored(name) = try await device.store(name, "text") else {
          Issue.record("\(name) was not stored")
          return
        }
      }
      let note = "[{\"msgContent\":{\"type\":\"file\",\"text\":\"\"},\"fileSource\":{\"filePath\":\"used\"}}]"
      #expect(await device.send("/_create *1 json \(note)").hasPrefix("{\"type\":\"newChatItems\""))
      func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: device.files).sorted() }
      now.withLock { $0 += 86_000 }
      try await device.core.controller.removeUnusedUploads()
      #expect(try names() == ["unused", "used"])
      now.withLock { $0 += 1_000 }
      try await device.core.controller.removeUnusedUploads()
      #expect(try names() == ["used"])
      // It was in an item when it was looked at.
      now.withLock { $0 += 864_000 }
      try await device.core.controller.removeUnusedUploads()
      #expect(try names() == ["used"])
    }
  }

  @Test func pathsLieInTheFoldersOfTheDevice() async throws {
    try await Self.withDevice { device in
      func message(_ path: String) -> String {
        "/_create *1 json [{\"msgContent\":{\"type\":\"file\",\"text\":\"\"},\"fileSource\":{\"filePath\":\"\(path)\"}}]"
      }
      try Data("text".utf8).write(to: URL(filePath: device.files + "/inside"))
      let outside = device.world.folder.path + "/outside"
      try Data("secret".utf8).write(to: URL(filePath: outside))
      try FileManager.default.createSymbolicLink(
        atPath: device.files + "/link", withDestinationPath: outside)
      for path in [outside, "../outside", "link", "/etc/passwd", device.files + "/../outside"] {
        #expect(await device.send(message(path)).contains("not a file that desktops may use"), "\(path)")
      }
      for path in ["inside", device.files + "/inside", "missing"] {
        #expect(await !device.send(message(path)).contains("not a file that desktops may use"), "\(path)")
      }
      for text in [
        "/f @bob \(outside)", "/img @bob /etc/passwd", "/fd @bob /etc/passwd", "/fr 1 \(outside)",
        // Relative to the current folder, not to that of files.
        "/fr 1 somewhere/", "/fr 1 .ssh/authorized_keys", "/fr 1 inside",
      ] {
        #expect(await device.send(text).contains("not a file that desktops may use"), "\(text)")
      }
    }
  }

  @Test(arguments: [
    ("photo.jpg", "photo.jpg"), ("../../photo.jpg", "photo.jpg"), ("/etc/cron.d/job", "job"), ("..", "_"), ("", "_"),
  ])
  func filesAreStoredByTheirLastName(_ name: String, _ stored: String) async throws {
    try await Self.withDevice { device in
      #expect(try await device.store(name, "content") == .fileStored(path: stored))
      let content = try String(contentsOf: URL(filePath: device.files + "/" + stored), encoding: .utf8)
      #expect(content == "content")
      #expect(try FileManager.default.contentsOfDirectory(atPath: device.files) == [stored])
      #expect(try FileManager.default.contentsOfDirectory(atPath: device.temporary) == [])
    }
  }

  @Test func filesReplaceNoOther() async throws {
    try await Self.withDevice { device in
      #expect(try await device.store("a.txt", "one") == .fileStored(path: "a.txt"))
      #expect(try await device.store("a.txt", "two") == .fileStored(path: "a_1.txt"))
      #expect(try String(contentsOf: URL(filePath: device.files + "/a.txt"), encoding: .utf8) == "one")
      let digest = try #require(FileDigest([UInt8](repeating: 0, count: 64)))
      let reply = await device.requests.reply(to: .storeFile(name: "b", size: 1, digest: digest), file: nil)
      #expect(reply.response == .protocolError(.noFile))
    }
  }

  @Test func onlyTheExactFileIsFetched() async throws {
    try await Self.withDevice { device in
      try Data("text".utf8).write(to: URL(filePath: device.files + "/note"))
      let json = "[{\"msgContent\":{\"type\":\"file\",\"text\":\"\"},\"fileSource\":{\"filePath\":\"note\"}}]"
      let created = await device.send("/_create *1 json \(json)")
      #expect(created.contains("newChatItems"), "\(created)")
      func fetch(
        user: Int64 = 1, sent: Bool = true, path: String = "note", encryption: RemoteFileReference.Encryption? = nil
      ) async -> RemoteReply {
        await device.requests.reply(
          to: .getFile(
            RemoteFileReference(userID: user, fileID: 1, isSent: sent, path: path, encryption: encryption)),
          file: nil)
      }
      let found = await [fetch(sent: true), fetch(sent: false)].filter { $0.filePath != nil }
      let digest = try #require(FileDigest(HashFunction.sha512.digest(of: Array("text".utf8))))
      #expect(found.map(\.response) == [.file(size: 4, digest: digest)])
      #expect(found.first?.filePath == device.files + "/note")
      let key = RemoteFileReference.Encryption(fileKey: "a", fileNonce: "b")
      for reply in await [
        fetch(user: 2), fetch(path: "/etc/passwd"), fetch(path: "../note"), fetch(encryption: key),
      ] {
        guard case .chatResponse(.error) = reply.response, reply.filePath == nil else {
          Issue.record("\(reply.response)")
          continue
        }
      }
    }
  }

  /// As in the reference, whatever is asked.
  @Test func withoutUserNothingIsAnswered() async throws {
    try await TestWorld.with { world in
      let controller = try await ChatController.open(world.options("nobody"))
      let requests = DesktopRequests(
        core: { [weak controller] in controller }, events: DesktopEventQueue {}, uploads: DesktopUploads())
      for command in [RemoteCommand.send(command: "/version", retryNumber: 0), .recv(microseconds: 1_000_000)] {
        guard case .chatResponse(.error(let json)) = await requests.reply(to: command, file: nil).response else {
          Issue.record("\(command) is answered")
          continue
        }
        #expect(json.contains("noActiveUser"))
      }
      await controller.finish()
    }
  }
}
