import Foundation
import SimplexJSON
import SimplexTesting

/// The table of all types and their members, taken from the catalog of the reference core and not from our sources:
/// the samples made from it show whether the two agree.
struct TypeTable {
  /// One record, one variant of a sum, or one enumeration.
  struct Row {
    enum Kind: String { case record, sum, payload, pair, `enum` }

    let type: String
    let kind: Kind
    /// The name in the official SDK, `responses` or `events`, or empty.
    let sdkName: String
    /// The tag of the variant, or the values of the enumeration.
    let variant: String
    let members: [(key: String, type: String)]
  }

  let rows: [Row]
  let rowsByType: [String: [Row]]

  /// The table in `Tests/Vectors`.
  static let shared: TypeTable = {
    let url = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Vectors/chat-api-types.tsv").standardized
    let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    return TypeTable(text)
  }()

  init(_ text: String) {
    rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard columns.count == 5, let kind = Row.Kind(rawValue: columns[1]) else { return nil }
      let members = columns[4].components(separatedBy: "; ").compactMap { member -> (String, String)? in
        let parts = member.components(separatedBy: ": ")
        guard parts.count >= 2 else { return nil }
        return (parts[0], parts.dropFirst().joined(separator: ": "))
      }
      return Row(type: columns[0], kind: kind, sdkName: columns[2], variant: columns[3], members: members)
    }
    rowsByType = Dictionary(grouping: rows, by: \.type)
  }
}

/// Makes JSON values of any type of the table, sums spelt with `type`.
struct Sampler {
  /// Which optional members a sample has.
  enum Optionals: CaseIterable { case none, all, some }

  let table: TypeTable
  var random: SeededGenerator
  let optionals: Optionals
  /// How deep optional members and list elements are made; below it samples are as small as they can be.
  private var depth = 0

  init(table: TypeTable, random: SeededGenerator, optionals: Optionals) {
    self.table = table
    self.random = random
    self.optionals = optionals
  }

  /// A value of the row's type and variant.
  mutating func sample(_ row: TypeTable.Row) -> JSONValue {
    depth += 1
    defer { depth -= 1 }
    switch row.kind {
    case .enum: return .string(row.variant.split(separator: " ").map(String.init).randomElement(using: &random) ?? "")
    case .pair: return .array(row.members.map { sample($0.type) })
    case .record: return .object(members(of: row))
    case .sum, .payload: return .object([.init("type", .string(row.variant))] + members(of: row))
    }
  }

  private mutating func members(of row: TypeTable.Row) -> [JSONValue.Member] {
    var result: [JSONValue.Member] = []
    for (key, type) in row.members {
      if !type.hasSuffix("?") {
        result.append(.init(key, sample(type)))
      } else if wantsOptional() {
        result.append(.init(key, sample(String(type.dropLast()))))
      }
    }
    return result
  }

  private mutating func wantsOptional() -> Bool {
    guard depth <= 4 else { return false }
    switch optionals {
    case .none: return false
    case .all: return true
    case .some: return Bool.random(using: &random)
    }
  }

  private mutating func sample(_ type: String) -> JSONValue {
    if type.hasPrefix("[String: ") {
      let element = String(type.dropFirst(9).dropLast())
      return .object(count(of: element).map { .init("key \($0)", sample(element)) })
    }
    if type.hasPrefix("[") {
      let element = String(type.dropFirst().dropLast())
      return .array(count(of: element).map { _ in sample(element) })
    }
    if let rows = table.rowsByType[type] { return sample(variant(of: rows)) }
    return scalar(type)
  }

  private mutating func count(of element: String) -> Range<Int> {
    0..<(optionals == .none || depth > 4 ? 0 : Int.random(in: 1...2, using: &random))
  }

  /// Deep inside, the variant with the fewest members, so that recursive types end.
  private mutating func variant(of rows: [TypeTable.Row]) -> TypeTable.Row {
    let smallest = rows.min { $0.members.count < $1.members.count } ?? rows[0]
    return depth > 4 ? smallest : rows.randomElement(using: &random) ?? smallest
  }

  private mutating func scalar(_ type: String) -> JSONValue {
    switch type {
    case "Bool": .bool(Bool.random(using: &random))
    case "Int", "Int64": .integer(Int64.random(in: 0...1_000_000_000_000, using: &random))
    case "UInt16", "UInt32": .integer(Int64.random(in: 0...65_535, using: &random))
    case "Double": .number(["0.5", "1.25", "100.0"].randomElement(using: &random) ?? "0.5")
    case "Date": .string("2024-05-06T07:08:\(Int.random(in: 10...59, using: &random)).123456Z")
    case "Image": .string("data:image/png;base64,AAAA")
    case "JSONValue": ["number": 1.text, "list": [1, .null, true]]
    default: .string(["", "alice", "two words", "\"é😀\\\n"].randomElement(using: &random) ?? "")
    }
  }
}

extension Int {
  fileprivate var text: JSONValue { .string(String(self)) }
}
