import ChatAPI
import Foundation
import Testing

/// Commands as the functions of the official Python SDK write them.
@Suite("Commands of the Python SDK")
struct SDKCommandTests {
  @Test func everyCommandTheSDKWritesParses() throws {
    let package = "simplex-chat==7.0.2"
    guard let lines = try Self.lines(package) else {
      print("SKIPPED: \(package) could not be installed (no network?)")
      return
    }
    var names: Set<String> = []
    for line in lines {
      let parts = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String])
      let (name, text) = (parts[0], parts[1])
      names.insert(name)
      // Only whole chats can be deleted; the SDK's type allows a part of one.
      if name == "APIDeleteChat", text.contains("(_support") {
        #expect(throws: ChatError.self) { try ChatCommand(parsing: text) }
        continue
      }
      do throws(ChatError) {
        let command = try ChatCommand(parsing: text)
        #expect(try ChatCommand(parsing: command.cmdString) == command, "\(text)")
        // Without a link, connecting is the command that makes an invitation.
        if !name.hasSuffix("Connect") || text.contains("#") {
          #expect(command.cmdType.lowercased() == name.lowercased(), "\(text)")
        }
      } catch {
        Issue.record("\(name): \(text): \(error)")
      }
    }
    #expect(names.count == 52)
    print("commands of the SDK that parse: \(names.count) functions, \(lines.count) texts")
  }

  /// What the script writes, or nil where the package cannot be installed.
  private static func lines(_ package: String) throws -> [Substring]? {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let environment = folder.appendingPathComponent("../../scripts/python-env").standardized
    let python = try output(environment.path, [package])
    guard let python, !python.isEmpty else { return nil }
    let script = folder.appendingPathComponent("sdk_commands.py").path
    let path = python.trimmingCharacters(in: .whitespacesAndNewlines)
    return try #require(try output(path, [script])).split(separator: "\n")
  }

  /// The output of a program; nil where it fails.
  private static func output(_ program: String, _ arguments: [String]) throws -> String? {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
  }
}
