import ChatAPI
import Foundation
import SimplexTesting

/// The reference for authors of bots in `docs/api`, made from the declarations of commands and types.
struct APIReference {
  static let folder = "docs/api"

  private let commands = Result { try DocumentedCommand.all(in: DocumentedCommand.files[0]) }
  private let table = TypeTable.shared
  private let types: DocumentedTypes
  private let examples: [String: String]
  private let responses: [String: [String]]
  /// The state of each command in `docs/commands.md`: `works`, `partly` or `not yet`.
  private let states: [String: String]
  private let events: [String: (own: [String], others: [String])]

  init() throws {
    types = try DocumentedTypes()
    examples = Dictionary(try CommandLines("commands.tsv").all, uniquingKeysWith: { first, _ in first })
    responses = Dictionary(uniqueKeysWithValues: try Specification().commands.map { ($0.name, $0.responses) })
    let table = try String(contentsOf: Repository.folder.appending(path: "docs/commands.md"), encoding: .utf8)
    states = Dictionary(
      uniqueKeysWithValues: table.matches(of: /(?m)^\| `(\w+)` \| ([a-z ]+) \|$/).map {
        (String($0.output.1), String($0.output.2))
      })
    let text = try String(contentsOf: Vectors.folder.appending(path: "command-events.tsv"), encoding: .utf8)
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { $0.split(separator: " ").map(String.init) }
    }
    events = Dictionary(uniqueKeysWithValues: lines.map { ($0[0][0], ($0[1], $0[2])) })
  }

  /// The pages by file name.
  func pages() throws -> [(file: String, text: String)] {
    let commands = try commands.get()
    let sections = commands.map(\.section).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let pages = sections.map { section in
      let entries = commands.filter { $0.section == section }.map(entry)
      return (file: file(of: section), text: "# \(section)\n\n" + entries.joined(separator: "\n"))
    }
    let parts = (0...3).map { "ChatResponse\($0)" }
    return [("README.md", introduction(sections))] + pages + [
      ("responses.md", "# Responses\n\n" + parts.map(variants).joined(separator: "\n")),
      ("events.md", "# Events\n\n" + variants(of: "ChatEvent")),
      ("types.md", "# Types\n\n" + typePages()),
    ]
  }

  /// The commands of which `docs/commands.md` does not say whether they work.
  var commandsWithoutState: [String] {
    get throws { try commands.get().map(\.name).filter { states[$0] == nil } }
  }

  /// The events named in `command-events.tsv` that no event is called.
  var unknownEvents: Set<String> {
    let known = Set((table.rowsByType["ChatEvent"] ?? []).map(\.variant))
    return Set(events.values.flatMap { $0.own + $0.others }).subtracting(known)
  }

  // MARK: Pages

  private func introduction(_ sections: [String]) -> String {
    """
    # API for bots

    Made by `UPDATE_DOCS=1 swift test --filter CoverageTests` from the declarations in `Sources/Chat/ChatAPI`.
    [bots.md](../bots.md) says how a program sends commands and receives events.
    All commands of the API are listed, with a line where one is not implemented yet.

    A command is a text. In its syntax, angle brackets name arguments and square brackets what may be missing; `json`
    stands for a JSON value of a [type](types.md), which runs to the end of the command. A command returns one of its
    [responses](responses.md), or an error: `{"type":"chatCmdError","chatError":…}` with a
    [ChatError](types.md#chaterror). [Events](events.md) arrive at any time.

    Objects of responses, events and variants of types have the name of the variant as `type`. Members with `?` may be
    absent. Dates are ISO 8601 texts in UTC.

    Commands:

    \(sections.map { "- [\($0)](\(file(of: $0)))" }.joined(separator: "\n"))

    """
  }

  private func file(of section: String) -> String {
    section.lowercased().split(separator: " ").joined(separator: "-") + ".md"
  }

  private func entry(_ command: DocumentedCommand) -> String {
    let usages = ChatCommand.syntaxes.filter { $0.name == command.name }.map { "`\($0.usage)`" }
    var text = "## \(command.name)\n\n\(command.summary).\n\n- Text: \(usages.joined(separator: " or "))\n"
    switch states[command.name] {
    case "works": break
    case "partly": text += "- Works, except for channels.\n"
    default:
      text += "- Not implemented yet: the answer is always the error `commandError`.\n"
    }
    if let example = examples[command.name] { text += "- Example: `\(example)`\n" }
    text += list("Response", responses[command.name] ?? [], in: "responses.md")
    text += list("Events", events[command.name]?.own ?? [], in: "events.md")
    text += list("Events of contacts and members", events[command.name]?.others ?? [], in: "events.md")
    return text
  }

  private func list(_ title: String, _ tags: [String], in page: String) -> String {
    guard !tags.isEmpty else { return "" }
    return "- \(title): " + tags.map { "[`\($0)`](\(page)#\($0.lowercased()))" }.joined(separator: ", ") + "\n"
  }

  private func variants(of type: String) -> String {
    (table.rowsByType[type] ?? []).map { row in
      let text = types.text(of: row.variant, in: type)
      let members = row.members.map { "- `\($0.key)`: \(link($0.type, from: "types.md"))\n" }.joined()
      return "## \(row.variant)\n\n" + (text.isEmpty ? "" : "\(text)\n\n") + (members.isEmpty ? "" : "\(members)\n")
    }.joined()
  }

  private func typePages() -> String {
    let results = Set((0...3).map { "ChatResponse\($0)" } + ["ChatEvent"])
    let names = table.rowsByType.keys.filter { !results.contains($0) }.sorted()
    return names.map { name in
      let rows = table.rowsByType[name] ?? []
      let text = types.text(of: name)
      return "## \(name)\n\n" + (text.isEmpty ? "" : "\(text)\n\n") + rows.map { body($0) }.joined() + "\n"
    }.joined()
  }

  private func body(_ row: TypeTable.Row) -> String {
    switch row.kind {
    case .enum:
      return "One of " + row.variant.split(separator: " ").map { "`\($0)`" }.joined(separator: ", ") + ".\n"
    case .pair: return "A list: " + row.members.map { link($0.type) }.joined(separator: ", ") + ".\n"
    case .record:
      return row.members.map { member in
        let text = types.text(of: member.key, in: row.type)
        return "- `\(member.key)`: \(link(member.type))" + (text.isEmpty ? "" : ". \(text)") + "\n"
      }.joined()
    case .sum, .payload:
      let members = row.members.map { "`\($0.key)`: \(link($0.type))" }.joined(separator: ", ")
      let text = types.text(of: row.variant, in: row.type)
      return "- `\(row.variant)`" + (members.isEmpty ? "" : " with \(members)") + (text.isEmpty ? "" : ". \(text)")
        + "\n"
    }
  }

  /// A type with a link to its place in the list of types.
  private func link(_ type: String, from page: String = "") -> String {
    let name = type.filter { $0.isLetter || $0.isNumber || $0 == "_" }
    for name in [name, name.hasPrefix("String") ? String(name.dropFirst(6)) : name]
    where table.rowsByType[name] != nil {
      return type.replacingOccurrences(of: name, with: "[\(name)](\(page)#\(name.lowercased()))")
    }
    return type
  }
}
