import ChatAPI
import Foundation
import SimpleXChat
import SimplexTesting
import Testing

// Databases for archives that are refused, as calls in Python; the numbers are those of chat and agent databases.
private let ours = "CREATE TABLE t (a INTEGER);"
private let chat = "make('PRAGMA application_id = 1400390504; \(ours)')"
private let agent = "make('PRAGMA application_id = 1400389991; \(ours)')"

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

  /// An archive in the folder of files has the others, and not itself.
  @Test(.timeLimit(.minutes(1)), arguments: [true, false]) func mayBeInTheFolderOfFiles(isNew: Bool) async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let files = world.folder.appending(path: "files")
      _ = try await alice.run("/_files_folder \(files.path)")
      for name in ["a.bin", "z.bin"] { try Data(name.utf8).write(to: files.appending(path: name)) }
      let archive = files.appending(path: "m.zip")
      if !isNew { try Data("an earlier one".utf8).write(to: archive) }
      _ = try await alice.run("/_stop")
      let config = #"{"archivePath":"\#(archive.path)","disableCompression":true}"#
      #expect(try await alice.answer("/_db export \(config)").jsonText().contains(#""archiveErrors":[]"#))
      let list = try await Task.detached {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-m", "zipfile", "-l", archive.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      }.value
      #expect(list.contains("a.bin") && list.contains("z.bin") && !list.contains("m.zip"), "\(list)")
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

  /// Names are bytes to the system: what follows a slash may be a mark, which to Swift makes it another character.
  @Test func namesThatBeginWithMarksStayInTheirFolder() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let files = world.folder.appending(path: "files").path
      _ = try await alice.run("/_files_folder \(files)")
      try Data("marked".utf8).write(to: URL(filePath: files).appending(path: "\u{301}marked"))
      _ = try await alice.run("/_stop")
      let exported = world.folder.appending(path: "archive.zip").path
      _ = try await alice.run(#"/_db export {"archivePath":"\#(exported)"}"#)
      try FileManager.default.removeItem(atPath: files + "/\u{301}marked")
      let path = try archive(
        world,
        """
        with zipfile.ZipFile("\(exported)") as old:
          for entry in old.namelist(): new.writestr(entry, old.read(entry))
        new.writestr("simplex_v1_files/../\\u0301escaped", b"hostile")
        """)
      let answer = try await alice.answer(#"/_db import {"archivePath":"\#(path)"}"#)
      #expect(answer["type"]?.stringValue == "archiveImported", "\(answer)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: files) == ["\u{301}marked"])
      #expect(!FileManager.default.fileExists(atPath: world.folder.path + "/\u{301}escaped"))
    }
  }

  /// Where files are beside the databases, these are no files: neither in an archive, nor of one.
  @Test func databasesAreNoFiles() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/_files_folder \(world.folder.path)")
      _ = try await alice.run("/_create *1 text a note")
      _ = try await alice.run("/_stop")
      let exported = world.folder.appending(path: "exported.zip").path
      _ = try await alice.run(#"/_db export {"archivePath":"\#(exported)"}"#)
      let path = try archive(
        world,
        """
        with zipfile.ZipFile("\(exported)") as old:
          for entry in old.namelist(): new.writestr(entry, old.read(entry))
          assert not any("/alice_" in entry for entry in old.namelist()), old.namelist()
        new.writestr("simplex_v1_files/alice_chat.db", b"no database")
        """)
      _ = try await alice.run(#"/_db import {"archivePath":"\#(path)"}"#)
      let again = TestCore("alice", try await ChatController.open(world.options("alice")))
      _ = try await again.run("/_start")
      #expect(try await again.run("/_get chat *1 count=9").jsonText().contains("a note"))
      await again.controller.finish()
    }
  }

  /// A key is tried without giving up the databases, also while the chat runs, and a wrong one changes nothing.
  @Test(arguments: [true, false]) func keysAreTried(isRunning: Bool) async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice", key: "secret")
      if !isRunning { _ = try await alice.run("/_stop") }
      _ = try await alice.run("/db test key secret")
      let wrong = try await alice.answer("/db test key wrong")
      #expect(wrong["databaseError"]?["type"]?.stringValue == "errorOpen")
      #expect(wrong.jsonText().contains("errorNotADatabase"))
      _ = try await alice.run("/_stop")
      let changes = [
        (#"{"currentKey":"wrong","newKey":"new"}"#, "errorExport"),
        (#"{"currentKey":"","newKey":"new"}"#, "errorEncrypted"),
      ]
      for (change, error) in changes {
        let answer = try await alice.answer("/_db encryption \(change)")
        #expect(answer["databaseError"]?["type"]?.stringValue == error)
        if error == "errorExport" {
          #expect(answer["databaseError"]?["sqliteError"]?["type"]?.stringValue == "errorNotADatabase")
        }
      }
      _ = try await alice.run("/_start")
      #expect(try await alice.run("/u")["user"]?["localDisplayName"]?.stringValue == "alice")
    }
  }

  /// Encrypting leaves nothing in the clear, neither a copy that it makes nor an older one.
  @Test func encryptingLeavesNoPlaintext() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/_create *1 text a remarkable note")
      _ = try await alice.run("/_stop")
      let options = world.options("alice")
      try FileManager.default.copyItem(atPath: options.chatDatabase, toPath: options.chatDatabase + ".bak")
      _ = try await alice.run(#"/_db encryption {"currentKey":"","newKey":"secret"}"#)
      let files = try FileManager.default.contentsOfDirectory(atPath: world.folder.path)
      // Transfers have a folder of their own, without databases.
      for name in files where name.hasPrefix("alice") && name != "alice_transfers" {
        let content = try Data(contentsOf: world.folder.appending(path: name))
        #expect(content.range(of: Data("SQLite format 3".utf8)) == nil, "\(name)")
        #expect(content.range(of: Data("remarkable".utf8)) == nil, "\(name)")
      }
      // The controller released the files, so the app can open them with the key.
      let again = TestCore("alice", try await ChatController.open(world.options("alice", key: "secret")))
      _ = try await again.run("/_start")
      #expect(try await again.run("/_get chat *1 count=9").jsonText().contains("remarkable"))
      await again.controller.finish()
    }
  }

  /// The key can be changed again before the app is restarted, with the right current key only.
  @Test func theKeyIsChangedAgain() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/_create *1 text a note")
      _ = try await alice.run("/_stop")
      _ = try await alice.run("/db encrypt one")
      for (change, error) in [
        (#"{"currentKey":"wrong","newKey":"two"}"#, "errorExport"),
        (#"{"currentKey":"","newKey":"two"}"#, "errorEncrypted"),
      ] {
        let answer = try await alice.answer("/_db encryption \(change)")
        #expect(answer["databaseError"]?["type"]?.stringValue == error)
      }
      _ = try await alice.run(#"/_db encryption {"currentKey":"one","newKey":"two"}"#)
      _ = try await alice.run("/db decrypt two")
      let plain = try await alice.answer("/db decrypt two")
      #expect(plain["databaseError"]?["type"]?.stringValue == "errorPlaintext")
      _ = try await alice.run("/db encrypt three")
      #expect(try await alice.answer("/_start").jsonText().contains("chatStoreChanged"))
      let again = TestCore("alice", try await ChatController.open(world.options("alice", key: "three")))
      _ = try await again.run("/_start")
      #expect(try await again.run("/_get chat *1 count=9").jsonText().contains("a note"))
      await again.controller.finish()
    }
  }

  // MARK: What is refused

  /// Writes an archive with Python; `program` has `new`, an open `ZipFile`, and `make(sql)`, the bytes of a database.
  private func archive(_ world: TestWorld, _ program: String) throws -> String {
    let path = world.folder.appending(path: "archive-\(UUID().uuidString).zip").path
    let start = """
      import os, sqlite3, sys, tempfile, zipfile
      def make(sql):
        file = tempfile.mktemp()
        database = sqlite3.connect(file)
        database.executescript(sql)
        database.close()
        with open(file, "rb") as content: bytes = content.read()
        os.remove(file)
        return bytes
      chat, agent = "simplex_v1_chat.db", "simplex_v1_agent.db"
      new = zipfile.ZipFile(sys.argv[1], "w")

      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", start + program + "\nnew.close()", path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return path
  }

  /// What is no profile of ours, or of a later version, or of another key, leaves the profile as it was, and says why.
  @Test(arguments: [
    ("new.writestr(chat, b'x' * 8192); new.writestr(agent, b'x' * 8192)", "errorNotADatabase"),
    (
      """
      reference = make("CREATE TABLE migrations (name TEXT); INSERT INTO migrations VALUES ('20220101_initial');")
      new.writestr(chat, reference); new.writestr(agent, reference)
      """, "20220101_initial"
    ),
    ("new.writestr(chat, make('CREATE TABLE t (a INTEGER)')); new.writestr(agent, \(agent))", "another program"),
    ("new.writestr(chat, \(chat)); new.writestr(agent, \(chat))", "another program"),
    (
      "new.writestr(chat, \(chat)); new.writestr(agent, \(agent).replace(b'CREATE TABLE t', b'CREATE TABLE (') )",
      "damaged"
    ),
    (
      "new.writestr(chat, make('PRAGMA application_id = 1400390504; PRAGMA user_version = 99; CREATE TABLE t (a)')); new.writestr(agent, \(agent))",
      "newer"
    ),
    (
      "new.writestr(chat, \(chat)); new.writestr(agent, make('PRAGMA application_id = 1400389991; PRAGMA user_version = 1; CREATE TABLE t (a)'))",
      "earlier build of this program"
    ),
    ("new.writestr(chat, b''); new.writestr(agent, \(agent))", "empty"),
  ]) func foreignArchivesLeaveTheProfile(program: String, reason: String) async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run("/_create *1 text kept")
      _ = try await alice.run("/_stop")
      let path = try archive(world, program)
      let answer = try await alice.answer(#"/_db import {"archivePath":"\#(path)"}"#)
      #expect(answer["type"]?.stringValue == "errorDatabase", "\(answer)")
      #expect(answer.jsonText().contains(reason), "\(answer.jsonText())")
      _ = try await alice.run("/_start")
      #expect(try await alice.run("/_get chat *1 count=9").jsonText().contains("kept"))
      let files = try FileManager.default.contentsOfDirectory(atPath: world.folder.path)
      #expect(!files.contains { $0.hasSuffix(".new") || $0.hasSuffix(".replace") }, "\(files)")
    }
  }

  /// An app that moves to this device deletes its storage, imports, and asks for the passphrase only then.
  @Test func anArchiveWithAnotherKeyReplacesNoProfile() async throws {
    try await TestWorld.with { world in
      let path = world.folder.appending(path: "archive.zip").path
      let alice = try await world.profile("alice", key: "secret")
      _ = try await alice.run("/_create *1 text moved")
      _ = try await alice.run("/_stop")
      _ = try await alice.run(#"/_db export {"archivePath":"\#(path)"}"#)
      let bob = try await world.profile("bob", key: "another")
      _ = try await bob.run("/_stop")
      let refused = try await bob.answer(#"/_db import {"archivePath":"\#(path)"}"#)
      #expect(refused.jsonText().contains("errorNotADatabase"))
      _ = try await bob.run("/_db delete")
      let imported = try await bob.answer(#"/_db import {"archivePath":"\#(path)"}"#)
      #expect(imported["type"]?.stringValue == "archiveImported", "\(imported)")
      let moved = TestCore("bob", try await ChatController.open(world.options("bob", key: "secret")))
      _ = try await moved.run("/_start")
      #expect(try await moved.run("/_get chat *1 count=9").jsonText().contains("moved"))
      await moved.controller.finish()
    }
  }

  /// An app of the reference that is replaced by one of ours brings its archive.
  @Test func anArchiveOfTheReferenceIsImportedWhereThereIsNoProfile() async throws {
    try await TestWorld.with { world in
      let golden = Vectors.folder.appending(path: "reference-profile").path
      let path = try archive(
        world,
        """
        new.writestr(chat, make(open("\(golden)/alice_chat.sql").read()))
        new.writestr(agent, make(open("\(golden)/alice_agent.sql").read()))
        """)
      let bob = try await world.profile("bob")
      _ = try await bob.run("/_stop")
      let refused = try await bob.answer(#"/_db import {"archivePath":"\#(path)"}"#)
      #expect(refused["type"]?.stringValue == "errorDatabase", "\(refused)")
      _ = try await bob.run("/_db delete")
      let imported = try await bob.answer(#"/_db import {"archivePath":"\#(path)"}"#)
      #expect(imported["type"]?.stringValue == "archiveImported", "\(imported)")
      let moved = TestCore("bob", try await ChatController.open(world.options("bob")))
      #expect(try await moved.run("/u").jsonText().contains("alice"))
      await moved.controller.finish()
    }
  }
}
