import Foundation
import SimplexJSON
import SimplexTesting
import Testing

#if os(Linux)
  /// A profile on a disk that has no space left, and gets some again.
  ///
  /// The disk is a file system of 40 MB in memory, which only an administrator may mount; skipped for others.
  @Suite(.enabled(if: SmallDisk.isPermitted, "a file system cannot be mounted here")) struct FullDiskTests {
    /// Messages that arrive while nothing can be stored stay at the relay, and commands answer errors; once there is
    /// space, all messages arrive once and in order without a restart.
    @Test(arguments: [0, 150_000]) func nothingIsLostOnAFullDisk(free: Int) async throws {
      try await ProgramWorld.with { world in
        let disk = try SmallDisk(world.folder.appending(path: "small"))
        do {
          let alice = try await world.profile("alice", in: disk.folder)
          let bob = try await world.profile("bob")
          let link = try await alice.answer("/_connect 1", is: "invitation")["connLinkInvitation"]?["connShortLink"]
          _ = try await bob.answer("/connect \(link?.stringValue ?? "")", is: "sentConfirmation")
          _ = try await bob.events.first("contactConnected")
          let contact = try await alice.events.first("contactConnected")["contact"]?["contactId"]?.integerValue
          let chat = "@\(try #require(contact))"
          _ = try await alice.answer("@bob before", is: "newChatItems")
          _ = try await bob.events.first("newChatItems") { UnreadMessagesTests.texts($0) == ["before"] }

          try disk.fill(leaving: free)
          let sent = (0..<40).map { "\($0) " + String(repeating: "z", count: 9_000) }
          for text in sent { _ = try await bob.answer("@alice \(text)", is: "newChatItems") }
          var refused = 0
          for number in 0..<30 {
            let answer = try await alice.answer("@bob \(number)" + String(repeating: "q", count: 9_000))
            guard answer["type"]?.stringValue == "newChatItems" else {
              #expect(answer["type"]?.stringValue == "errorStore", "\(answer.jsonText())")
              refused += 1
              break
            }
          }
          #expect(refused == 1)
          // What is stored can be read.
          let page = try await alice.answer("/_get chat \(chat) count=5", is: "apiChat")
          #expect(page["chat"]?["chatItems"]?.arrayValue?.isEmpty == false)

          try disk.empty()
          var arrived: [String] = []
          while arrived.count < sent.count {
            let event = try await alice.events.first("newChatItems", within: .seconds(90))
            arrived += UnreadMessagesTests.texts(event)
          }
          #expect(arrived == sent)
          _ = try await alice.answer("@bob after", is: "newChatItems")
          _ = try await bob.events.first("newChatItems") { UnreadMessagesTests.texts($0) == ["after"] }
          await world.leave("alice")
        } catch {
          await world.leave("alice")
          disk.remove()
          throw error
        }
        disk.remove()
      }
    }
  }

  /// A small file system in memory.
  struct SmallDisk {
    let folder: URL
    private var filler: URL { folder.appending(path: "filler") }

    /// Whether file systems may be mounted here.
    static let isPermitted: Bool = {
      let folder = FileManager.default.temporaryDirectory.appending(path: "mount-\(UUID().uuidString)")
      guard let disk = try? SmallDisk(folder) else { return false }
      disk.remove()
      return true
    }()

    /// Mounts a file system of 40 MB in a new folder.
    init(_ folder: URL) throws {
      self.folder = folder
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let status = Self.run(["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", folder.path])
      guard status == 0 else {
        try? FileManager.default.removeItem(at: folder)
        throw Unexpected(description: "mount ended with \(status)")
      }
    }

    /// Writes a file until the file system is full, and shortens it by this many bytes.
    func fill(leaving bytes: Int) throws {
      let file = open(filler.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw Unexpected(description: "the filler cannot be opened: \(errno)") }
      defer { close(file) }
      let page = [UInt8](repeating: 0, count: 4_096)
      var size = 0
      while true {
        let written = write(file, page, page.count)
        guard written > 0 else { break }
        size += written
      }
      guard ftruncate(file, off_t(max(0, size - bytes))) == 0 else {
        throw Unexpected(description: "the filler cannot be shortened: \(errno)")
      }
    }

    /// Removes the file again.
    func empty() throws { try FileManager.default.removeItem(at: filler) }

    /// Unmounts the file system, with all that is in it.
    func remove() {
      _ = Self.run(["umount", "-l", folder.path])
      try? FileManager.default.removeItem(at: folder)
    }

    private static func run(_ arguments: [String]) -> Int32 {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = arguments
      process.standardError = FileHandle.nullDevice
      do { try process.run() } catch { return -1 }
      process.waitUntilExit()
      return process.terminationStatus
    }
  }
#endif
