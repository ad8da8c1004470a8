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

  /// `docs/commands.md` says which commands do something.
  @Test func tableSaysWhatWorks() async throws {
    let root = Vectors.folder.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
    let table = try String(contentsOf: root.appending(path: "docs/commands.md"), encoding: .utf8)
    var documented: [String: Bool] = [:]
    for line in table.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
      documented[cells[0]] = cells[1] != "not yet"
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "chat-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let controller = try await ChatController.open(ChatOptions(databasePrefix: folder.appending(path: "test").path))
    var works: [String: Bool] = [:]
    let lines = try String(contentsOf: Vectors.folder.appending(path: "commands.tsv"), encoding: .utf8)
    for line in lines.split(separator: "\n") {
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
      }
    }
    await controller.finish()
    #expect(works.filter { documented[$0.key] != $0.value }.isEmpty)
    #expect(documented.keys.filter { works[$0] == nil }.isEmpty)
  }
}
