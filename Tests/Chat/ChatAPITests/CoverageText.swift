import ChatAPI
import SimplexJSON

/// `docs/coverage.md`: each name of the specification beside what the code makes of it.
struct CoverageText {
  /// One line of the table.
  private struct Row {
    let item: Specification.Item
    /// What shows that the code has it; nil: it does not.
    let proof: String?
  }

  private let rows: [Row]
  /// Names that a current core uses and the code does not have.
  var missing: [String] { rows.filter { $0.proof == nil && Self.reason($0.item) == nil }.map(\.item.name) }

  init(_ specification: Specification) throws {
    let evidence = try CoverageEvidence()
    rows = specification.items.map { Row(item: $0, proof: evidence.proof(of: $0)) }
  }

  /// Why a name is missing on purpose, as said in `docs/compat.md`.
  private static func reason(_ item: Specification.Item) -> String? {
    switch (item.askedBy, item.kind, item.name) {
    case ("6.4", _, _): "ended with version 6.4"
    case ("iOS only", _, _): "only in the iOS code; no core sends it"
    case (_, .type, "ClientInfo"): "kept as JSON: diagnostics for developers"
    default: nil
    }
  }

  /// The whole document.
  func text() -> String {
    var text = """
      # Coverage of the specification

      Made by `UPDATE_DOCS=1 swift test --filter CoverageTests`; the test fails when this file is not what it makes. What
      is asked comes from `Tests/Vectors/specification.tsv`, what we have from the code.

      | proof | meaning |
      |---|---|
      | N lines | so many lines of `commands.tsv` and `terminal-commands.tsv` are read as this command, printed and read again |
      | read | the reader knows the tag |
      | samples | samples made from the table of all types are read and written without a difference |
      | SDK | the same samples are what the official Python SDK 7.0.2 declares (where it can be installed) |
      | as T | the table of types has it under the name T |
      | plain T | a wrapper of a simple value: members hold it as T; no check of its own |


      """
    text += "| | asked | have | missing on purpose | missing |\n|---|---|---|---|---|\n"
    for (kind, title) in Self.titles {
      let all = rows.filter { $0.item.kind == kind }
      let absent = all.filter { $0.proof == nil }
      let onPurpose = absent.filter { Self.reason($0.item) != nil }.count
      text += "| \(title) | \(all.count) | \(all.count - absent.count) | \(onPurpose) | \(absent.count - onPurpose) |\n"
    }
    let specified = rows.filter { $0.item.kind == .command && $0.item.askedBy == "specification" }
    text += "\nCommands of the API specification: \(specified.filter { $0.proof != nil }.count)/\(specified.count).\n"
    for (kind, title) in Self.titles {
      text += "\n## \(title)\n\n| group | name | asked by | have | proof |\n|---|---|---|---|---|\n"
      text += rows.filter { $0.item.kind == kind }.map(Self.line).joined()
    }
    return text
  }

  private static let titles: [(Specification.Kind, String)] = [
    (.command, "Commands"), (.response, "Responses"), (.event, "Events"), (.error, "Errors"), (.type, "Types"),
  ]

  private static func line(_ row: Row) -> String {
    let have = row.proof != nil ? "yes" : reason(row.item) != nil ? "on purpose not" : "**no**"
    let proof = row.proof ?? reason(row.item) ?? ""
    return "| \(row.item.group) | \(row.item.name) | \(row.item.askedBy) | \(have) | \(proof) |\n"
  }
}

/// What the code knows, asked of its parsers and readers.
struct CoverageEvidence {
  private let lines: [String: Int]
  private let declared = Set(ChatCommand.syntaxes.map(\.name))
  private let plain: [String: String]

  init() throws {
    lines = try (CommandLines("commands.tsv").all + CommandLines("terminal-commands.tsv").all)
      .reduce(into: [:]) { count, line in
        guard let command = try? ChatCommand(parsing: line.text), command.cmdType == line.name,
          (try? ChatCommand(parsing: command.cmdString)) == command
        else { return }
        count[line.name, default: 0] += 1
      }
    plain = Dictionary(
      uniqueKeysWithValues: SpecificationNames.plain.flatMap { plain in plain.value.map { ($0, plain.key) } })
  }

  /// How the code shows that it has this; nil if it does not.
  func proof(of item: Specification.Item) -> String? {
    switch item.kind {
    case .command: commandProof(item.name)
    case .response:
      variantProof(of: item, in: ["ChatResponse0", "ChatResponse1", "ChatResponse2", "ChatResponse3"])
    case .event: variantProof(of: item, in: ["ChatEvent"])
    case .error: variantProof(of: item, in: [SpecificationNames.renamed[item.group] ?? item.group])
    case .type: typeProof(item)
    }
  }

  private func commandProof(_ name: String) -> String? {
    if name == "string" { return ChatCommand.string("/any text").cmdString == "/any text" ? "the text itself" : nil }
    guard declared.contains(name), let count = lines[name] else { return nil }
    return count == 1 ? "1 line" : "\(count) lines"
  }

  private func variantProof(of item: Specification.Item, in types: [String]) -> String? {
    let tag = item.name
    guard let name = types.first(where: { apiTypes[$0].map { Self.reads(tag, $0) } ?? false }) else { return nil }
    let row = TypeTable.shared.rowsByType[name]?.first { $0.variant.split(separator: " ").contains { $0 == tag } }
    return row.map { Self.proof(item, $0) } ?? "read"
  }

  private func typeProof(_ item: Specification.Item) -> String? {
    let name = item.name
    let known = SpecificationNames.renamed[name] ?? name
    if apiTypes[known] != nil, let row = TypeTable.shared.rowsByType[known]?.first {
      return Self.proof(item, row) + (known == name ? "" : ", as `\(known)`")
    }
    return plain[name].map { "plain \($0)" }
  }

  private static func proof(_ item: Specification.Item, _ row: TypeTable.Row) -> String {
    item.isInSDK && !row.sdkName.isEmpty ? "samples, SDK" : "samples"
  }

  /// Whether a type knows a tag: what it says of a value with nothing but the tag is anything but "unknown".
  private static func reads<T: APIType>(_ tag: String, _: T.Type) -> Bool {
    [JSONValue.object([.init("type", .string(tag))]), .string(tag)].contains { value in
      do throws(JSONError) {
        _ = try T(jsonBytes: value.jsonBytes())
        return true
      } catch {
        if case .wrongType = error.reason, error.path.isEmpty { return false }
        if case .unknownCase = error.reason, error.path.isEmpty { return false }
        return true
      }
    }
  }
}
