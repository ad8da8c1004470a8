import Foundation
import Testing

/// `Examples/EchoBot` where it cannot run.
@Suite struct EchoBotTests {
  /// Errors are one sentence, not a value of Swift.
  @Test(arguments: [
    (["bot", "foo"], "not addresses of servers: foo"), (["missing/bot"], "No such file or directory"),
  ])
  func errorsAreExplained(arguments: [String], reason: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "echo-bot-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let prefix = folder.appending(path: arguments[0]).path
    let result = try Program.run("echo-bot", [prefix] + arguments.dropFirst(), in: folder)
    #expect(result.status == 1 && result.output.isEmpty, "\(result)")
    #expect(result.errors.hasPrefix("echo-bot: ") && result.errors.contains(reason), "\(result)")
    #expect(result.errors.split(separator: "\n").count == 1, "\(result)")
  }
}
