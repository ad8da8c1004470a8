import Foundation
import SimplexJSON

/// What a line of a scenario expects of an answer or an event: its tag, and members that have a value or are kept.
struct ScenarioExpectation {
  private enum Condition {
    case equal([String], String)
    case keep([String], String)
  }

  let tag: String
  private let conditions: [Condition]

  /// Reads `tag | path = value | path -> name`. The value `absent` means that what has the member is there, but not the
  /// member.
  init(_ text: String) throws {
    let parts = text.components(separatedBy: " | ")
    tag = parts[0]
    conditions = try parts.dropFirst()
      .map { part -> Condition in
        if let range = part.range(of: " -> ") {
          return .keep(Self.path(part[..<range.lowerBound]), String(part[range.upperBound...]))
        }
        guard let range = part.range(of: " = ") else {
          throw Unexpected(description: "not understood: \(part)")
        }
        return .equal(Self.path(part[..<range.lowerBound]), String(part[range.upperBound...]))
      }
  }

  /// Whether the tag is the expected one, and all members are.
  func isMet(by json: JSONValue) -> Bool { json["type"]?.stringValue == tag && hasMembers(json) }

  /// Whether all members are as expected.
  func hasMembers(_ json: JSONValue) -> Bool { conditions.allSatisfy { Self.holds($0, json) } }

  /// The members that are not as expected, with what they are.
  func differences(from json: JSONValue) -> [String] {
    conditions.filter { !Self.holds($0, json) }
      .map { condition in
        switch condition {
        case .equal(let path, _), .keep(let path, _):
          "\(path.joined(separator: ".")) is \(Self.value(path, json) ?? "absent")"
        }
      }
  }

  /// The members that are kept, by the names they are kept by.
  func kept(of json: JSONValue) -> [String: String] {
    var kept: [String: String] = [:]
    for case .keep(let path, let name) in conditions { kept[name] = Self.value(path, json) }
    return kept
  }

  private static func path(_ text: Substring) -> [String] { text.split(separator: ".").map(String.init) }

  /// The member at a path; nil where it is absent or null.
  private static func member(_ path: some Sequence<String>, _ json: JSONValue) -> JSONValue? {
    var json: JSONValue? = json
    for name in path {
      json = Int(name).flatMap { json?[$0] } ?? json?[name]
    }
    return json == .null ? nil : json
  }

  private static func value(_ path: [String], _ json: JSONValue) -> String? {
    member(path, json).map { $0.stringValue ?? $0.jsonText() }
  }

  private static func holds(_ condition: Condition, _ json: JSONValue) -> Bool {
    switch condition {
    case .equal(let path, "absent"): member(path, json) == nil && member(path.dropLast(), json) != nil
    case .equal(let path, let expected): value(path, json) == expected
    case .keep(let path, _): value(path, json) != nil
    }
  }
}
