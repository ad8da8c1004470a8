import ChatAPI
import Foundation
import SimplexTesting

/// What the sources say of a command: its section (`// MARK:`) and its documentation.
struct DocumentedCommand {
  let section: String
  let name: String
  let documentation: String

  /// What the command does, without how it is typed.
  var summary: String {
    documentation.components(separatedBy: ": `").first ?? documentation
  }

  /// The files that declare the cases.
  static let files = ["ChatCommand.swift", "Terminal/TerminalCommand.swift"]

  /// The cases of a file for which a syntax is declared, in order.
  static func all(in file: String) throws -> [DocumentedCommand] {
    let source = Repository.folder.appending(path: "Sources/Chat/ChatAPI/Commands/\(file)")
    let declared = Set(ChatCommand.syntaxes.map(\.name))
    var section = ""
    var documentation = ""
    var commands: [DocumentedCommand] = []
    for line in try String(contentsOf: source, encoding: .utf8).split(separator: "\n") {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("///") {
        documentation += line.dropFirst(3)
        continue
      }
      defer { documentation = "" }
      if line.hasPrefix("// MARK: ") { section = String(line.dropFirst(9)) }
      let words = line.split { !$0.isLetter && !$0.isNumber }.prefix(3).filter { $0 != "indirect" }
      guard words.first == "case", let name = words.dropFirst().first.map(String.init), declared.contains(name)
      else { continue }
      let text = documentation.trimmingCharacters(in: .whitespaces)
      commands.append(DocumentedCommand(section: section, name: name, documentation: text))
    }
    return commands
  }
}

/// The files of the project.
enum Repository {
  static let folder = Vectors.folder.resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent()
}
