import SimplexJSON
import Testing

@testable import SimplexTesting

/// What lines of scenarios expect of JSON.
@Suite struct ScenarioExpectationTests {
  private let event: JSONValue

  init() throws {
    event = try JSONValue(jsonText: #"{"type":"seen","items":[{"text":"a","file":null}],"count":2}"#)
  }

  @Test(arguments: ["seen", "seen | count = 2 | items.0.text = a", "seen | items.0.text -> text"])
  func isMet(text: String) throws { #expect(try ScenarioExpectation(text).isMet(by: event)) }

  @Test(arguments: ["other", "seen | count = 3", "seen | items.1.text = a", "seen | items.0.file -> file"])
  func isNotMet(text: String) throws { #expect(try !ScenarioExpectation(text).isMet(by: event)) }

  /// A member is absent only where what would have it is there.
  @Test func absentMembersNeedTheirParent() throws {
    for path in ["link", "items.1", "items.0.file", "items.0.link"] {
      #expect(try ScenarioExpectation("seen | \(path) = absent").isMet(by: event), "\(path)")
    }
    for path in ["items.0.text", "items.1.file", "item.0.file", "items.0.file.name"] {
      #expect(try !ScenarioExpectation("seen | \(path) = absent").isMet(by: event), "\(path)")
    }
    #expect(event.lacks("link") && event["items"]?[0]?.lacks("file") == true && !event.lacks("count"))
    #expect(event["count"]?.lacks("link") == false)
  }
}
