import Foundation
import SQLiteKit
import SimplexCrypto
import SimplexTesting
import Testing

/// The commands `import` and `export` of `simplex-chat`, as a user gives them.
@Suite struct MovingTests {
  /// A folder that is removed with the test.
  private final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "moving-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
  }

  private let folder: Folder

  init() throws { folder = try Folder() }

  /// Puts a golden profile of the reference into the folder, and returns its prefix.
  private func makeProfile(
    _ name: String = "reference", chat: String = "", passphrase: String = ""
  ) throws -> String {
    let prefix = path(name)
    for (vectors, suffix) in [("alice_chat", "_chat.db"), ("alice_agent", "_agent.db")] {
      let script = try String(
        contentsOf: Vectors.folder.appending(path: "reference-profile/\(vectors).sql"), encoding: .utf8)
      let connection = try SQLiteConnection(path: prefix + suffix)
      try connection.runScript("BEGIN;\n" + script + "COMMIT;" + (suffix == "_chat.db" ? chat : ""))
      guard !passphrase.isEmpty else { continue }
      let copy = prefix + suffix + ".encrypted"
      try connection.export(
        to: copy, key: try DatabaseKey(passphrase: SecretBytes(Array(passphrase.utf8)), forFile: copy))
      try FileManager.default.removeItem(atPath: prefix + suffix)
      try FileManager.default.moveItem(atPath: copy, toPath: prefix + suffix)
    }
    return prefix
  }

  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  private func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
    try Program.run("simplex-chat", arguments, in: folder.url)
  }

  @Test func aReportChangesNothing() throws {
    let prefix = try makeProfile(chat: "UPDATE chat_items SET item_ts = 'soon' WHERE chat_item_id = 8;")
    let before = try Data(contentsOf: URL(filePath: prefix + "_chat.db"))
    let report = try run("import", "--from", prefix, "-d", path("ours"), "--report")
    #expect(report.status == 0)
    #expect(report.output.contains("Lost:\n  1 messages, events and files with a value that cannot be used"))
    #expect(report.output.contains("item_ts"))
    #expect(try Data(contentsOf: URL(filePath: prefix + "_chat.db")) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.hasPrefix("ours") && !$0.hasSuffix(".lock") }, "\(names)")
    #expect(!names.contains { $0.hasPrefix("reference_imported") })
  }

  @Test func lossesHaveToBeAccepted() throws {
    let prefix = try makeProfile(chat: "UPDATE chat_items SET item_ts = 'soon' WHERE chat_item_id = 8;")
    let target = path("ours")
    let refused = try run("import", "--from", prefix, "-d", target)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("nothing was imported: some things would be lost"))
    #expect(refused.errors.contains("--accept-losses"))
    #expect(!exists(target + "_chat.db") && exists(prefix + "_chat.db"))
    let accepted = try run("import", "--from", prefix, "-d", target, "--accept-losses")
    #expect(accepted.status == 0, "\(accepted.errors)")
    #expect(accepted.output.contains("  38 messages and events in chats"))
    #expect(accepted.errors.contains("100% of the messages"))
    #expect(exists(target + "_chat.db") && exists(prefix + "_chat.db.imported"))
  }

  /// The suffix that is named is the one that the files have.
  @Test func anEarlierBackupIsNotReplaced() throws {
    let prefix = try makeProfile()
    try Data("earlier".utf8).write(to: URL(filePath: prefix + "_agent.db.imported"))
    let imported = try run("import", "--from", prefix, "-d", prefix)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(imported.output.contains("stay as \(prefix)_*.db.imported2."))
    #expect(exists(prefix + "_agent.db.imported2") && exists(prefix + "_chat.db.imported2"))
  }

  @Test func bothPassphrasesAreUsed() throws {
    let prefix = try makeProfile(passphrase: "theirs")
    let target = path("ours")
    let wrong = try run("import", "--from", prefix, "-d", target, "-k", "ours")
    #expect(wrong.status == 1 && wrong.errors.contains("is encrypted with another key, or is not a database"))
    let imported = try run("import", "--from", prefix, "--from-key", "theirs", "-d", target, "-k", "ours")
    #expect(imported.status == 0, "\(imported.errors)")
    let contacts = try run("-d", target, "-k", "ours", "-e", "/contacts")
    #expect(contacts.status == 0 && contacts.output.contains("bob"), "\(contacts.errors)")
    // Without a passphrase of its own the new profile has the old one.
    let second = try makeProfile("second", chat: "UPDATE users SET active_order = 9;", passphrase: "theirs")
    let other = path("other")
    #expect(try run("import", "--from", second, "--from-key", "theirs", "-d", other).status == 0)
    #expect(try run("-d", other, "-k", "theirs", "-e", "/contacts").output.contains("bob"))
  }

  @Test func aProfileLeavesAndComesBack() throws {
    let prefix = try makeProfile()
    let (target, archive) = (path("ours"), path("archive.zip"))
    #expect(try run("import", "--from", prefix, "-d", target).status == 0)
    #expect(try run("export", "-d", target, "--to", archive).status != 0)
    let report = try run("export", "--for-reference", "-d", target, "--to", archive, "--report")
    #expect(report.status == 0 && report.output.contains("Nothing would be lost."), "\(report.errors)")
    #expect(!exists(archive))
    // Nobody can be asked here.
    let unconfirmed = try run("export", "--for-reference", "-d", target, "--to", archive)
    #expect(unconfirmed.status != 0 && unconfirmed.errors.contains("Add --yes"), "\(unconfirmed.errors)")
    #expect(!exists(archive))
    let exported = try run("export", "--for-reference", "-d", target, "--to", archive, "--to-key", "theirs", "--yes")
    #expect(exported.status == 0, "\(exported.errors)")
    #expect(exported.output.contains("The archive contains no files: --files-folder was not given."))
    #expect(exists(archive))
    let sealed = try run("-d", target, "-e", "/contacts")
    #expect(sealed.status != 0 && !sealed.output.contains("bob"))
    let again = try run("export", "--for-reference", "-d", target, "--to", archive, "--yes")
    #expect(again.status == 1 && again.errors.contains("was exported to \(archive)"))
  }

  /// A call that rings is answered by the program that the profile moved to, there and back.
  @Test func aCallRingsOn() throws {
    let state = #"{"invitationReceived":{"peerCallType":{"media":"audio","capabilities":{"encryption":false}}}}"#
    let prefix = try makeProfile(
      chat: """
        UPDATE chat_items SET item_content = '{"rcvCall":{"status":"pending","duration":0}}',
          item_content_tag = 'rcvCall', item_sent = 0, item_text = 'calling…' WHERE chat_item_id = 8;
        INSERT INTO calls (contact_id, shared_call_id, chat_item_id, call_state, call_ts, user_id, created_at,
          updated_at, call_uuid) SELECT 4, x'0102', 8, '\(state)', time, 1, time, time, 'uuid-of-call'
          FROM (SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 minutes') AS time);
        """)
    let (target, archive, returned) = (path("ours"), path("archive.zip"), path("returned"))
    #expect(try run("import", "--from", prefix, "-d", target).status == 0)
    let call = try run("-d", target, "-e", "/_call get", "--json")
    #expect(call.status == 0 && call.output.contains("uuid-of-call"), "\(call)")
    #expect(try run("export", "--for-reference", "-d", target, "--to", archive, "--yes").status == 0)
    let unpacked = try Process.run(
      URL(filePath: "/usr/bin/env"), arguments: ["python3", "-m", "zipfile", "-e", archive, returned])
    unpacked.waitUntilExit()
    #expect(unpacked.terminationStatus == 0)
    let again = path("again")
    #expect(try run("import", "--from", returned + "/simplex_v1", "-d", again).status == 0)
    #expect(try run("-d", again, "-e", "/_call get", "--json").output.contains("uuid-of-call"))
  }

  /// No file may become larger than 200 KB: writing fails as it does where the disk is full.
  @Test func aFullDiskChangesNothing() throws {
    let prefix = try makeProfile()
    let (target, archive) = (path("ours"), path("archive.zip"))
    func limited(_ arguments: String) throws -> (status: Int32, errors: String) {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = [
        "-c", "trap '' XFSZ; ulimit -f 400; exec \(Program.folder.path)/simplex-chat \(arguments)",
      ]
      let errors = Pipe()
      (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
      try process.run()
      let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return (process.terminationStatus, text)
    }
    let before = try Data(contentsOf: URL(filePath: prefix + "_agent.db"))
    let failed = try limited("import --from \(prefix) -d \(target)")
    #expect(failed.status == 1 && failed.errors.contains("nothing was imported"), "\(failed.errors)")
    #expect(try Data(contentsOf: URL(filePath: prefix + "_agent.db")) == before)
    #expect(!exists(target + "_chat.db") && !exists(target + "_chat.db.new"))
    #expect(try run("import", "--from", prefix, "-d", target).status == 0)
    let unexported = try limited("export --yes --for-reference -d \(target) --to \(archive)")
    #expect(unexported.status == 1 && unexported.errors.contains("nothing was exported"), "\(unexported.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.contains("archive") || $0.contains(".exported") }, "\(names)")
    #expect(try run("-d", target, "-e", "/contacts").output.contains("bob"))
  }

  /// An export that is killed at any moment is finished by the next one, and nothing but the archive is left.
  @Test(arguments: propertySeeds(1)) func aKilledExportIsFinished(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var duration = Duration.zero
    for round in 0..<9 {
      let prefix = try makeProfile("round\(round)")
      let (target, archive) = (prefix + "-ours", prefix + ".zip")
      try #require(try run("import", "--from", prefix, "-d", target).status == 0)
      let arguments = ["export", "--for-reference", "-d", target, "--to", archive, "--yes"]
      let begin = ContinuousClock.now
      let killed = try Program("simplex-chat", arguments, in: folder.url)
      if round == 0 {
        _ = try killed.line("The profile is sealed")
        duration = ContinuousClock.now - begin
      } else {
        Thread.sleep(forTimeInterval: duration / .seconds(1) * Double.random(in: 0...1.1, using: &generator))
      }
      killed.endAtOnce()
      let wasComplete = exists(archive)
      let finished = try Program.run("simplex-chat", arguments, in: folder.url)
      #expect(wasComplete || finished.status == 0, "seed \(seed), round \(round): \(finished.errors)")
      #expect(exists(archive))
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      #expect(!names.contains { $0.hasSuffix(".unfinished") || $0.contains(".exported") }, "\(names)")
      #expect(try run("-d", target, "-e", "/contacts").status != 0)
    }
  }
}
