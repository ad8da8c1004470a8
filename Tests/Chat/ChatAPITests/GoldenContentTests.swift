import ChatAPI
import Foundation
import SimplexJSON
import Testing

/// Contents, profiles and preferences as the reference core reads and writes them.
@Suite("Golden contents")
struct GoldenContentTests {
  @Test(arguments: Golden.values)
  func sameAsTheReference(golden: Golden) throws {
    let type = try #require(apiTypes[golden.type])
    for sums in [JSONSums.tagged, .singleField] {
      let written = try rewritten(type, golden.input, sums)
      #expect(try JSONValue(jsonText: written) == golden.withText)
    }
  }

  private func rewritten<T: APIType>(_: T.Type, _ input: JSONValue, _ sums: JSONSums) throws -> String {
    try T(jsonText: input.jsonText()).jsonText(sums: sums)
  }

  @Test func thereAreValues() {
    #expect(Golden.values.count > 40)
  }

  struct Golden: Sendable, CustomTestStringConvertible {
    let type: String
    let input: JSONValue
    let encoded: JSONValue

    /// The value as this core writes it: with a text, also where the reference leaves content of an unknown type
    /// without one.
    var withText: JSONValue {
      guard type == "MsgContent", encoded["text"] == nil, case .object(let members) = encoded else { return encoded }
      return .object(members + [JSONValue.Member("text", .string(MsgContent.textOfUnknown))])
    }

    var testDescription: String { "\(type) \(input.jsonText().prefix(60))" }

    static let values: [Golden] = {
      let url = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Vectors/chat-content.json").standardized
      guard let data = try? Data(contentsOf: url), let root = try? JSONValue(jsonBytes: Array(data)) else { return [] }
      return (root["values"]?.arrayValue ?? []).compactMap { value in
        guard let type = value["type"]?.stringValue, let input = value["input"], let encoded = value["encoded"] else {
          return nil
        }
        return Golden(type: type, input: input, encoded: encoded)
      }
    }()
  }
}
