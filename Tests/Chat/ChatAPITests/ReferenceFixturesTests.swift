import ChatAPI
import Foundation
import SimplexJSON
import Testing

/// The reference implementation's own literal texts. They are kept beside the checkout and not copied into it, so
/// these tests run only where they are.
@Suite("Reference fixtures", .enabled(if: ReferenceFixtures.file != nil))
struct ReferenceFixturesTests {
  @Test(arguments: ReferenceFixtures.all)
  func bothSpellings(fixture: ReferenceFixtures.Fixture) throws {
    for text in fixture.texts {
      for (sums, expected) in [(JSONSums.tagged, fixture.tagged), (.singleField, fixture.swift)] {
        let written = try fixture.readAndWrite(text, sums)
        #expect(try JSONValue(jsonText: written).withoutNewerMembers == JSONValue(jsonText: expected))
      }
    }
  }
}

enum ReferenceFixtures {
  struct Fixture: Sendable, CustomTestStringConvertible {
    let name: String
    let tagged: String
    let swift: String

    var texts: [String] { [tagged, swift] }
    var testDescription: String { name }

    func readAndWrite(_ text: String, _ sums: JSONSums) throws -> String {
      switch name {
      case "user": try User(jsonText: text).jsonText(sums: sums)
      case "parsedMarkdown": try ParsedMarkdown(jsonText: text).jsonText(sums: sums)
      case "connectionsDiff": try APIResult<ChatEvent>(jsonText: text).jsonText(sums: sums)
      default: try APIResult<ChatResponse0>(jsonText: text).jsonText(sums: sums)
      }
    }
  }

  /// The fixtures known here; another name would be a member without a type.
  static let all: [Fixture] = {
    guard let file, let value = try? JSONValue(jsonBytes: Array(Data(contentsOf: file))),
      let fixtures = value["apiFixtures"]?["fixtures"]?.arrayValue
    else { return [] }
    return fixtures.map { fixture in
      let both = fixture["both"]?.stringValue ?? ""
      return Fixture(
        name: fixture["name"]?.stringValue ?? "", tagged: fixture["tagged"]?.stringValue ?? both,
        swift: fixture["swift"]?.stringValue ?? both)
    }
  }()

  static let file: URL? = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let url = root.appending(path: "../shared/vectors/reference-fixtures.json").standardized
    return FileManager.default.fileExists(atPath: url.path) ? url : nil
  }()
}

extension JSONValue {
  /// Without the members of a user that are newer than the fixtures.
  fileprivate var withoutNewerMembers: JSONValue {
    switch self {
    case .object(let members):
      .object(members.filter { $0.key != "clientService" }.map { Member($0.key, $0.value.withoutNewerMembers) })
    case .array(let elements): .array(elements.map(\.withoutNewerMembers))
    default: self
    }
  }
}
