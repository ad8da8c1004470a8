import Foundation
import SimplexTesting

/// The names in `specification.tsv`: what a complete implementation of the API has.
struct Specification {
  enum Kind: String { case command, response, event, error, type }

  struct Item {
    let kind: Kind
    /// The category of a command or event, the family of an error, the encoding of a type.
    let group: String
    let name: String
    /// `specification`, `iOS`, `SDK` or `core`; `6.4` and `iOS only` are never sent by a current core.
    let askedBy: String
    /// The tags of what a command is answered with.
    let responses: [String]
    /// Whether the Python SDK declares it.
    let isInSDK: Bool
  }

  let items: [Item]
  var commands: [Item] { items.filter { $0.kind == .command } }

  init() throws {
    let url = Vectors.folder.appending(path: "specification.tsv")
    items = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      let columns = $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard columns.count == 6, let kind = Kind(rawValue: columns[0]) else { throw CocoaError(.fileReadCorruptFile) }
      return Item(
        kind: kind, group: columns[1], name: columns[2], askedBy: columns[3],
        responses: columns[4].split(separator: " ").map(String.init), isInSDK: columns[5] == "Y")
    }
  }
}
