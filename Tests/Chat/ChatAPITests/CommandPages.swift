import ChatAPI
import Foundation

/// The documentation pages of the commands, one per section, made from the declarations.
enum CommandPages {
  static let folder = "Sources/Chat/ChatAPI/ChatAPI.docc"

  /// The pages by file name.
  static func all() throws -> [(file: String, text: String)] {
    let commands = try DocumentedCommand.files.flatMap(DocumentedCommand.all)
    let sections = commands.map(\.section).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let examples = try Dictionary(
      (CommandLines("commands.tsv").all + CommandLines("terminal-commands.tsv").all).map { ($0.name, $0.text) },
      uniquingKeysWith: { first, _ in first })
    let specification = try Specification().commands
    let responses = Dictionary(uniqueKeysWithValues: specification.map { ($0.name, $0.responses) })
    return sections.map { section in
      let entries = commands.filter { $0.section == section }
        .map { entry($0, responses: responses[$0.name] ?? [], example: examples[$0.name]) }
      let text = "# \(section)\n\nCommands of this category.\n\n## Overview\n\n" + introduction + entries.joined()
      return (name(of: section) + ".md", text)
    }
  }

  /// The list of pages in the main page.
  static func topics() throws -> String {
    try all().map { "- <doc:\($0.file.dropLast(3))>" }.joined(separator: "\n")
  }

  private static let introduction = """
    Angle brackets name arguments, square brackets what may be missing. Every command can also fail with a
    ``ChatError``.

    """

  private static func name(of section: String) -> String {
    section.split(separator: " ").map(\.capitalized).joined() + "Commands"
  }

  private static func entry(_ command: DocumentedCommand, responses: [String], example: String?) -> String {
    let usages = ChatCommand.syntaxes.filter { $0.name == command.name }.map { "`\($0.usage)`" }
    var text = "\n### \(command.name)\n\n\(command.summary).\n\n- Syntax: \(usages.joined(separator: " or "))\n"
    if !responses.isEmpty {
      text += "- Responses: " + responses.map { "`\($0)`" }.joined(separator: ", ") + "\n"
    }
    if let example { text += "- Example: `\(example)`\n" }
    return text
  }
}
