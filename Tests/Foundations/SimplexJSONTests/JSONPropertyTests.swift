import SimplexJSON
import Testing

/// Laws on random values: words, sets of keys and the flat list of tokens must not be observable.
@Suite struct JSONPropertyTests {
  private var random = SeededRandom(seed: UInt64.random(in: .min ... .max))

  @Test mutating func textsSurviveWhereverTheirEscapesStand() throws {
    let special = ["\"", "\\", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "€", "😀", "/"]
    for _ in 0..<2_000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        text += Int.random(in: 0..<6, using: &random) == 0 ? special.randomElement(using: &random) ?? "" : "a"
      }
      let json = text.jsonText()
      #expect(json == "\"" + text.unicodeScalars.map(escaped).joined() + "\"")
      #expect(try String(jsonText: json) == text)
      #expect(try String(jsonText: spelledOut(text)) == text)
    }
  }

  private func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": "\\\""
    case "\\": "\\\\"
    case "\n": "\\n"
    case "\u{0}": "\\u0000"
    case "\u{1F}": "\\u001f"
    default: String(scalar)
    }
  }

  /// Every character as an escape.
  private func spelledOut(_ text: String) -> String {
    let units = text.utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "\"" + units.joined() + "\""
  }

  @Test mutating func valuesSurviveAnySpacing() throws {
    for _ in 0..<500 {
      let value = makeValue(depth: 5)
      #expect(try JSONValue(jsonText: value.jsonText()) == value)
      #expect(try JSONValue(jsonText: spaced(value)).jsonText() == value.jsonText())
    }
  }

  private mutating func makeValue(depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth == 0 ? 5 : 8), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2: return .integer(.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random))
    case 3: return .number("1.5e\(Int.random(in: 0...9, using: &random))")
    case 4: return .string(makeKey())
    case 5: return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in makeValue(depth: depth - 1) })
    default:
      let keys = Set((0..<Int.random(in: 0...5, using: &random)).map { _ in makeKey() })
      return .object(keys.sorted().map { .init($0, makeValue(depth: depth - 1)) })
    }
  }

  private mutating func makeKey() -> String {
    String((0..<Int.random(in: 0...12, using: &random)).map { _ in "abc\"é\\".randomElement(using: &random) ?? "a" })
  }

  private mutating func spaced(_ value: JSONValue) -> String {
    func space() -> String { [" ", "\n", "\t", "\r", ""].randomElement(using: &random) ?? "" }
    let text =
      switch value {
      case .array(let elements): "[" + elements.map { spaced($0) }.joined(separator: ",") + space() + "]"
      case .object(let members):
        "{" + members.map { space() + $0.key.jsonText() + space() + ":" + spaced($0.value) }.joined(separator: ",")
          + space() + "}"
      default: value.jsonText()
      }
    return space() + text + space()
  }

  @Test mutating func membersAreFoundAmongAnyOthers() throws {
    for _ in 0..<2_000 {
      var members: [(key: String, value: Int)] = []
      for value in 0..<Int.random(in: 0...90, using: &random) {
        let known = Members.keys.randomElement(using: &random) ?? ""
        let key = Bool.random(using: &random) ? known : makeKey() + "x"
        // Which of several members with one key is found is not specified.
        if !members.contains(where: { $0.key == key }) { members.append((key, value)) }
      }
      let texts = members.map { member in
        let key = Int.random(in: 0..<20, using: &random) == 0 ? spelledOut(member.key) : member.key.jsonText()
        return "\(key):\(Bool.random(using: &random) ? "\(member.value)" : "[{\"id\":-1}]")"
      }
      let object = "{" + texts.joined(separator: ",") + "}"
      let value = try JSONValue(jsonText: object)
      let found = try Members(jsonText: object).values
      #expect(found == Members.keys.map { value[$0]?.integerValue ?? (value[$0] == nil ? nil : -2) }, "\(object)")
    }
  }

  /// Some members, each of which may be absent or no number.
  private struct Members: JSONDecodable {
    static let keys = ["id", "name", "displayName", "contactGrpInvSent", "a", "itemTs", "itemText"]
    var values: [Int64?] = []

    private struct Number: JSONDecodable {
      let value: Int64
      init(json: JSONNode) throws(JSONError) { value = (try? json.integer()) ?? -2 }
    }

    init(json: JSONNode) throws(JSONError) {
      var fields = try json.fields()
      values.append(try fields.get("id", as: Number?.self)?.value)
      values.append(try fields.get("name", as: Number?.self)?.value)
      values.append(try fields.get("displayName", as: Number?.self)?.value)
      values.append(try fields.get("contactGrpInvSent", as: Number?.self)?.value)
      values.append(try fields.get("a", as: Number?.self)?.value)
      values.append(try fields.get("itemTs", as: Number?.self)?.value)
      values.append(try fields.get("itemText", as: Number?.self)?.value)
    }
  }
}
