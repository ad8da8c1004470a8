import Foundation
import Testing

/// The commands `backup` and `restore` of `simplex-chat`, and `/db export`, as a user gives them.
@Suite(.timeLimit(.minutes(2))) struct ProfileBackupTests {
  /// A folder that is removed with the test.
  private final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "backup-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
  }

  private let folder: Folder

  init() throws { folder = try Folder() }

  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  private func run(
    _ arguments: String..., input: String? = nil
  ) throws -> (status: Int32, output: String, errors: String) {
    try Program.run("simplex-chat", arguments, in: folder.url, input: input)
  }

  /// Makes a profile with a note, and a file in its folder.
  private func makeProfile(key: String = "") throws {
    let made = try run(
      "-d", path("alice"), "-k", key, "--display-name", "alice", "--no-preset-contacts", "-e", "/* remember this")
    try #require(made.status == 0, "\(made.errors)\(made.output)")
    try FileManager.default.createDirectory(atPath: path("files"), withIntermediateDirectories: true)
    try Data("a picture".utf8).write(to: URL(filePath: path("files/picture.jpg")))
  }

  @Test func aProfileComesBackWithItsFiles() throws {
    try makeProfile()
    let backup = try run("backup", path("copy.zip"), "-d", path("alice"), "--files-folder", path("files"))
    #expect(backup.status == 0, "\(backup.errors)")
    #expect(backup.output.contains("Backup: \(path("copy.zip"))") && backup.output.contains("not encrypted"))
    #expect(backup.output.contains("Only one copy of a profile may be used"))
    let restored = try run("restore", path("copy.zip"), "-d", path("new"), "--files-folder", path("new-files"))
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(restored.output.contains("Restored to \(path("new_chat.db"))"))
    #expect(try Data(contentsOf: URL(filePath: path("new-files/picture.jpg"))) == Data("a picture".utf8))
    #expect(try run("-d", path("new"), "-e", "/tail *").output.contains("remember this"))
    // Nothing else is left, and the original can still be used.
    #expect(!exists("new.restoring") && !exists("copy.zip.unfinished"))
    #expect(try run("-d", path("alice"), "-e", "/tail *").output.contains("remember this"))
  }

  @Test func nothingIsReplaced() throws {
    try makeProfile()
    #expect(try run("backup", path("copy.zip"), "-d", path("alice")).output.contains("It contains no files"))
    let again = try run("backup", path("copy.zip"), "-d", path("alice"))
    #expect(again.status != 0 && again.errors.contains("copy.zip exists; a backup replaces nothing"))
    let over = try run("restore", path("copy.zip"), "-d", path("alice"))
    #expect(over.status != 0 && over.errors.contains("alice_chat.db exists"))
    let files = try run("restore", path("copy.zip"), "-d", path("new"), "--files-folder", path("files"))
    #expect(files.status != 0 && files.errors.contains("\(path("files")) has files"))
    let none = try run("backup", path("none.zip"), "-d", path("nobody"))
    #expect(none.status != 0 && none.errors.contains("There is no profile at") && !exists("nobody_chat.db"))
    try Data("no archive".utf8).write(to: URL(filePath: path("text.zip")))
    let text = try run("restore", path("text.zip"), "-d", path("new"))
    #expect(text.status != 0 && text.errors.contains("text.zip cannot be read") && !exists("new_chat.db"))
  }

  /// A passphrase is not needed as an argument.
  @Test func aPassphraseIsReadFromTheInput() throws {
    try makeProfile(key: "a long secret")
    let wrong = try run("backup", path("copy.zip"), "-d", path("alice"), input: "another\n")
    #expect(wrong.status != 0 && wrong.errors.contains("The database key is wrong") && !exists("copy.zip"))
    let backup = try run("backup", path("copy.zip"), "-d", path("alice"), input: "a long secret\n")
    #expect(backup.status == 0, "\(backup.errors)")
    #expect(backup.output.contains("encrypted with the passphrase of the profile"))
    let refused = try run("restore", path("copy.zip"), "-d", path("new"), input: "another\n")
    #expect(refused.status != 0 && !exists("new_chat.db") && !exists("new_agent.db"), "\(refused.output)")
    let restored = try run("restore", path("copy.zip"), "-d", path("new"), input: "a long secret\n")
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try run("-d", path("new"), "-k", "a long secret", "-e", "/tail *").output.contains("remember this"))
  }

  /// What a restoration with a wrong passphrase has made is not in the way of the next one.
  @Test func aWrongPassphraseCanBeCorrected() throws {
    try makeProfile(key: "a long secret")
    let backup = try run(
      "backup", path("copy.zip"), "-d", path("alice"), "-k", "a long secret", "--files-folder", path("files"))
    try #require(backup.status == 0, "\(backup.errors)")
    let restore = ["restore", path("copy.zip"), "-d", path("new"), "--files-folder", path("new-files"), "-k"]
    let refused = try Program.run("simplex-chat", restore + ["another"], in: folder.url)
    #expect(refused.status != 0 && !exists("new_chat.db") && !exists("new-files"), "\(refused.output)")
    let restored = try Program.run("simplex-chat", restore + ["a long secret"], in: folder.url)
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(exists("new-files/picture.jpg"))
  }

  /// Ctrl-C at the question for a passphrase leaves a terminal that shows what is typed.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")))
  func anInterruptedQuestionLeavesTheTerminalAsItWas() throws {
    try makeProfile(key: "a long secret")
    let script = """
      import os, pty, sys, termios
      child, terminal = pty.fork()
      if child == 0:
          os.execv(sys.argv[1], sys.argv[1:])
      shown = b""
      while b"key (Ctrl-C to exit):" not in shown:
          shown += os.read(terminal, 1024)
      while termios.tcgetattr(terminal)[3] & termios.ECHO:
          pass
      os.write(terminal, b"\\x03")
      os.waitpid(child, 0)
      sys.exit(0 if termios.tcgetattr(terminal)[3] & termios.ECHO else 3)
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    let program = Program.folder.appending(path: "simplex-chat").path
    process.arguments = ["-c", script, program, "backup", path("copy.zip"), "-d", path("alice")]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  /// `/db export` says where the archive is.
  @Test func theArchiveOfAnExportIsNamed() throws {
    try makeProfile()
    let exported = try run("-d", path("alice"), "-m", "-e", "/db export")
    #expect(exported.status == 0, "\(exported.errors)")
    let archive = try #require(exported.output.firstMatch(of: /archive: (\/\S+\.zip)/)).1
    #expect(FileManager.default.fileExists(atPath: String(archive)), "\(exported.output)")
    try? FileManager.default.removeItem(atPath: String(archive))
  }
}
