import ChatAPI
import Foundation
import Testing

/// The documentation of a command shows how it is typed; that is what its declaration says.
@Suite struct CommandDocumentationTests {
  @Test(arguments: ["ChatCommand.swift", "Terminal/TerminalCommand.swift"])
  func documentedSyntaxIsDeclared(_ file: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let source = folder.appendingPathComponent("../../Sources/ChatAPI/Commands/\(file)").standardized
    let usages = Dictionary(grouping: ChatCommand.syntaxes, by: \.name).mapValues { $0.map(\.usage) }
    var documentation = ""
    var checked = 0
    for line in try String(contentsOf: source, encoding: .utf8).split(separator: "\n") {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("///") {
        documentation += line.dropFirst(3)
        continue
      }
      defer { documentation = "" }
      let words = line.split { !$0.isLetter && !$0.isNumber }.prefix(3).filter { $0 != "indirect" }
      guard words.first == "case", let name = words.dropFirst().first.map(String.init), let declared = usages[name]
      else { continue }
      checked += 1
      let isShown = declared.contains { documentation.contains("`\($0)`") }
      #expect(isShown, "\(name): \(declared)")
    }
    #expect(checked > 100)
  }
}
