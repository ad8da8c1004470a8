import Foundation
import SimplexTesting
import Testing

private let terminalEmulator = "pyte==0.8.2"

/// The programs at an emulated terminal (the Python package pyte), with a script in the place of a person.
@Suite(.enabled(if: Python.environment(with: terminalEmulator) != nil, "the package pyte cannot be installed"))
struct TerminalTests {
  private func play(_ scenario: String, _ program: String, _ arguments: [String] = []) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "terminal-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "terminal.py")
    let result = try Python.run(
      script: String(contentsOf: file, encoding: .utf8),
      arguments: [scenario, folder.path, Program.folder.appending(path: program).path] + arguments,
      package: terminalEmulator)
    #expect(result.status == 0, "\(result.output) \(result.errors)")
  }

  @Test(arguments: ["echo", "interrupted", "terminated"]) func theDemonstration(_ scenario: String) throws {
    try play(scenario, "simplex-demo")
  }

  /// What people do every day, each scenario a function of `everyday.py`.
  @Test(arguments: [
    "recipient", "profiles", "copies", "live", "undelivered", "groups", "files", "commands", "narrower", "stopped",
    "secrets",
    "passphrase", "silent", "unread", "bots", "links",
  ])
  func everyday(_ scenario: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "everyday-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "everyday.py")
    let result = try Python.run(
      script: "import runpy, sys; sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')",
      arguments: [file.path, scenario, folder.path, Program.folder.appending(path: "simplex-chat").path],
      package: terminalEmulator)
    #expect(result.status == 0, "\(result.output) \(result.errors)")
  }

  @Test func theFirstStart() throws { try play("first_start", "simplex-chat", ["--no-preset-contacts"]) }
}
