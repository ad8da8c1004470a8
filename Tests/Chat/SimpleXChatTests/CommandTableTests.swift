import ChatAPI
import Foundation
import SimpleXChat
import SimplexJSON
import SimplexTesting
import Testing

@Suite struct CommandTableTests {
  /// Commands that work without a user and change the machine.
  private static let unsafe: Set = [
    "createActiveUser", "apiSetAppFilePaths", "apiStorageEncryption", "testStorageEncryption", "apiExportArchive",
    "apiImportArchive", "apiDeleteStorage",
  ]

  /// Errors that are not an answer to what was asked: the command was not understood, or failed in an unforeseen way.
  private static let unspecific: Set = ["commandError", "internalError", "exception"]

  /// Commands whose examples cannot be answered otherwise here.
  private static let refused: Set<String> = []

  /// `docs/commands.md` says which commands do something. Those that do answer their examples with one of their
  /// responses, or with an error that says what is missing; that they succeed is shown by scenarios.
  @Test func tableSaysWhatWorks() async throws {
    let root = Vectors.folder.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
    let table = try String(contentsOf: root.appending(path: "docs/commands.md"), encoding: .utf8)
    var documented: [String: Bool] = [:]
    var counts: [String: Int] = [:]
    for line in table.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
      documented[cells[0]] = cells[1] != "not yet"
      counts[cells[1], default: 0] += 1
    }
    let (working, partly, missing) = (counts["works"] ?? 0, counts["partly"] ?? 0, counts["not yet"] ?? 0)
    let sum = "Of \(documented.count) commands \(working) work, \(partly) work partly and \(missing) do not work yet."
    #expect(table.contains("\n\(sum)\n"), "the sum below the table: \(sum)")
    let folder = FileManager.default.temporaryDirectory.appending(path: "chat-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let controller = try await ChatController.open(ChatOptions(databasePrefix: folder.appending(path: "test").path))
    _ = await controller.sendText("/create user alice")
    let responses = try Self.responses()
    var works: [String: Bool] = [:]
    var answered: Set<String> = []
    var unspecific: [String: String] = [:]
    // Of the terminal's commands only those of the table, which the SDKs have, too.
    let lines = try ["commands.tsv", "terminal-commands.tsv"].flatMap { file in
      try String(contentsOf: Vectors.folder.appending(path: file), encoding: .utf8).split(separator: "\n").filter {
        file == "commands.tsv" || documented[String($0.prefix { $0 != "\t" })] != nil
      }
    }
    for line in lines {
      let parts = line.split(separator: "\t", maxSplits: 1)
      let name = String(parts[0])
      guard !Self.unsafe.contains(name) else {
        works[name] = true
        continue
      }
      // Where the examples are about groups only, contacts are tried too.
      let text = String(parts[1])
      for text in [text, text.replacing(/#\d+(\([^)]*\))*/, with: "@1")] {
        guard let command = try? ChatCommand(parsing: text), command.cmdType == name else { continue }
        let answer = await controller.send(command)
        let isKnown = !answer.jsonText().contains("not implemented yet: \(name)")
        works[name] = isKnown || works[name] == true
        guard isKnown else { continue }
        let json = try JSONValue(jsonText: answer.jsonText())
        let problem = Self.problem(json["result"] ?? .null, json["error"] ?? .null, responses[name] ?? [])
        if let problem { unspecific[name] = problem } else { answered.insert(name) }
      }
    }
    await controller.finish()
    #expect(works.filter { documented[$0.key] != $0.value }.isEmpty)
    #expect(documented.keys.filter { works[$0] == nil }.isEmpty)
    let problems = unspecific.filter { documented[$0.key] == true && !answered.contains($0.key) }
    #expect(problems.filter { !Self.refused.contains($0.key) }.map { "\($0.key): \($0.value)" }.sorted() == [])
    #expect(Self.refused.subtracting(problems.keys) == [], "no exception is needed")
  }

  /// The tags of the responses of each command.
  private static func responses() throws -> [String: Set<String>] {
    let text = try String(contentsOf: Vectors.folder.appending(path: "specification.tsv"), encoding: .utf8)
    return text.split(separator: "\n").reduce(into: [:]) { responses, line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard columns.count > 4, columns[0] == "command" else { return }
      responses[String(columns[2])] = Set(columns[4].split(separator: " ").map(String.init))
    }
  }

  /// Why an answer does not belong to a command; nil if it does.
  private static func problem(_ result: JSONValue, _ error: JSONValue, _ responses: Set<String>) -> String? {
    if let tag = result["type"]?.stringValue {
      return responses.isEmpty || responses.contains(tag) ? nil : "response \(tag)"
    }
    let kind = error["errorType"]?["type"]?.stringValue ?? error["type"]?.stringValue ?? "no type"
    return unspecific.contains(kind) ? error.jsonText() : nil
  }
}
