import ChatAPI
import Foundation
import SimpleXChat
import Testing

@Suite struct ArchiveTests {
  /// What was exported is there again after importing it, in the same place or another, encrypted or not.
  @Test(arguments: ["", "secret"]) func comesBack(key: String) async throws {
    try await TestWorld.with { world in
      let archive = world.folder.appending(path: "archive.zip").path
      let alice = try await world.profile("alice", key: key)
      let files = world.folder.appending(path: "files").path
      _ = try await alice.run(
        #"/set file paths {"appFilesFolder":"\#(files)","appTempFolder":"\#(world.folder.path)/t","appAssetsFolder":"\#(world.folder.path)/a"}"#
      )
      try Data("a picture".utf8).write(to: URL(filePath: files).appending(path: "picture.jpg"))
      _ = try await alice.run("/_create *1 text before the export")
      let export = #"/_db export {"archivePath":"\#(archive)"}"#
      #expect(try await alice.answer(export)["errorType"]?["type"]?.stringValue == "chatNotStopped")
      _ = try await alice.run("/_stop")
      #expect(try await alice.answer(export).jsonText().contains(#""archiveErrors":[]"#))

      // The databases are open again, and can be used.
      _ = try await alice.run("/_start")
      _ = try await alice.run("/_create *1 text after the export")
      _ = try await alice.run("/_stop")
      try FileManager.default.removeItem(atPath: files + "/picture.jpg")
      let missing = try await alice.answer(#"/_db import {"archivePath":"\#(archive)s"}"#)
      #expect(missing["errorType"]?["type"]?.stringValue == "exception")
      _ = try await alice.run("/_start")
      #expect(try await alice.run("/_get chat *1 count=9").jsonText().contains("after the export"))
      _ = try await alice.run("/_stop")
      let answer = try await alice.answer(#"/_db import {"archivePath":"\#(archive)"}"#)
      #expect(answer["type"]?.stringValue == "archiveImported")
      #expect(try Data(contentsOf: URL(filePath: files + "/picture.jpg")) == Data("a picture".utf8))
      await alice.controller.finish()
      let again = TestCore("alice", try await ChatController.open(world.options("alice", key: key)))
      _ = try await again.run("/_start")
      let chat = try await again.run("/_get chat *1 count=9").jsonText()
      #expect(chat.contains("before the export") && !chat.contains("after the export"))
      await again.controller.finish()
    }
  }

  @Test func deletedStorageIsGone() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/_stop")
      _ = try await alice.run("/_db delete")
      #expect(!FileManager.default.fileExists(atPath: world.options("alice").chatDatabase))
      #expect(!FileManager.default.fileExists(atPath: world.options("alice").agentDatabase))
      #expect(try await alice.answer("/_start")["errorType"]?["type"]?.stringValue == "chatStoreChanged")
    }
  }

  /// An archive with names that lead elsewhere, or without a database, changes nothing.
  @Test func hostileArchivesChangeNothing() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/_stop")
      let archive = world.folder.appending(path: "hostile.zip").path
      let program = """
        import sys, zipfile
        with zipfile.ZipFile(sys.argv[1], "w") as new:
          new.writestr("simplex_v1_chat.db", b"no database")
          new.writestr("simplex_v1_files/../../escaped", b"hostile")
        """
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["python3", "-c", program, archive]
      try process.run()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
      let answer = try await alice.answer(#"/_db import {"archivePath":"\#(archive)"}"#)
      #expect(answer["errorType"]?["type"]?.stringValue == "exception")
      #expect(!FileManager.default.fileExists(atPath: world.folder.deletingLastPathComponent().path + "/escaped"))
      _ = try await alice.run("/_start")
      #expect(try await alice.run("/u")["user"]?["localDisplayName"]?.stringValue == "alice")
    }
  }

  /// A key is tried without giving up the databases, and a wrong one changes nothing.
  @Test func keysAreTried() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice", key: "secret")
      _ = try await alice.run("/_stop")
      _ = try await alice.run("/db test key secret")
      #expect(try await alice.answer("/db test key wrong")["type"]?.stringValue == "errorDatabase")
      let changes = [
        (#"{"currentKey":"wrong","newKey":"new"}"#, "errorExport"),
        (#"{"currentKey":"","newKey":"new"}"#, "errorEncrypted"),
      ]
      for (change, error) in changes {
        let answer = try await alice.answer("/_db encryption \(change)")
        #expect(["errorOpen", error].contains(answer["databaseError"]?["type"]?.stringValue))
      }
      _ = try await alice.run("/_start")
      #expect(try await alice.run("/u")["user"]?["localDisplayName"]?.stringValue == "alice")
    }
  }
}
