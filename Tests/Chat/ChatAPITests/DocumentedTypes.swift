import Foundation
import SimplexTesting

/// The doc comments of the types in `Sources/Chat/ChatAPI` and of their members and cases.
struct DocumentedTypes {
  private var types: [String: String] = [:]
  private var members: [String: String] = [:]

  init() throws {
    for folder in ["Types", "Responses", "Events"] {
      let root = Repository.folder.appending(path: "Sources/Chat/ChatAPI/\(folder)")
      let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "swift" else { continue }
        read(try String(contentsOf: file, encoding: .utf8))
      }
    }
  }

  /// What a type is; empty if nothing is said.
  func text(of type: String) -> String { types[type] ?? "" }

  /// What a member of a record or a variant of a sum is; empty if nothing is said.
  func text(of member: String, in type: String) -> String { members["\(type).\(member)"] ?? "" }

  private mutating func read(_ source: String) {
    var type = ""
    var comment: [String] = []
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = line.trimmingCharacters(in: .whitespaces)
      if text.hasPrefix("///") {
        comment.append(text.dropFirst(3).trimmingCharacters(in: .whitespaces))
        continue
      }
      defer { comment = [] }
      let documentation = comment.joined(separator: " ").replacingOccurrences(of: "``", with: "`")
      let words = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.filter { $0 != "indirect" }.map(String.init)
      if line.hasPrefix("public "), words.count > 2, words[1] == "struct" || words[1] == "enum" {
        type = words[2]
        types[type] = documentation
      } else if line.hasPrefix("  case "), words.count > 1 {
        members["\(type).\(words[1])"] = documentation
      } else if line.hasPrefix("  public var "), words.count > 2 {
        // The key where it differs from the name.
        let key = text.components(separatedBy: "// json: ").dropFirst().first.flatMap { key in
          key.split { !$0.isLetter && !$0.isNumber }.last.map(String.init)
        }
        members["\(type).\(key ?? words[2])"] = documentation
      }
    }
  }
}
