import Foundation
import Testing

/// `simplex-chat -e COMMAND --json`: what scripts read.
@Suite struct JSONOutputTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "json-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// The values of the lines of the output, which are JSON and nothing else.
  private func run(_ arguments: String...) throws -> (status: Int32, values: [[String: Any]], errors: String) {
    let result = try Program.run(
      "simplex-chat", ["-d", folder.appending(path: "alice").path, "--no-preset-contacts"] + arguments + ["--json"],
      in: folder)
    let values = try result.output.split(separator: "\n").map { line in
      let value = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(value?["resp"] as? [String: Any], "\(line)")
    }
    return (result.status, values, result.errors)
  }

  @Test func theOutputIsLinesOfJSON() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let made = try run("--display-name", "alice", "-e", "/u")
    #expect(made.status == 0 && made.values.count == 1 && made.errors == "Current user: alice\n", "\(made)")
    let user = made.values[0]["user"] as? [String: Any]
    #expect(made.values[0]["type"] as? String == "activeUser" && user?["localDisplayName"] as? String == "alice")

    // The response has the note that was made, which needs no relay.
    let note = try run("-e", "/* remember this", "--execute-log", "all")
    #expect(note.status == 0 && note.values.first?["type"] as? String == "newChatItems", "\(note)")
    let items = note.values[0]["chatItems"] as? [[String: Any]]
    #expect("\(items ?? [])".contains("remember this"))
  }

  @Test(arguments: ["/_show 99", "@nobody hello", "/nonsense", "/help"])
  func failuresAreJSON(_ command: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try run("--display-name", "alice", "-e", "/u")
    let failed = try run("-e", command)
    #expect(failed.values.count == 1)
    if command != "/help" {
      #expect(failed.status != 0 && failed.values[0]["type"] as? String == "chatCmdError", "\(failed)")
    }
  }

  @Test func itNeedsACommand() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let failed = try run("--display-name", "alice")
    #expect(failed.status != 0 && failed.values.isEmpty && failed.errors.contains("--json needs --execute"))
  }
}
