import SimplexJSON
import SimplexTesting
import Testing

/// Members who are mentioned in messages.
@Suite struct MentionTests {
  private static func mentions(_ answer: JSONValue) -> [String] {
    let item = (answer["chatItems"]?[0] ?? answer["chatItem"])?["chatItem"]
    guard case .object(let members)? = item?["mentions"] else { return [] }
    return members.map(\.key).sorted()
  }

  /// A client that declares a mention which the text does not have by the rules of names; the message is sent, and the
  /// name is text where it is not the member's.
  @Test(arguments: [
    ("@bob's", []), ("(@bob)", []), ("¿@bob?", []), ("mail@bob", []), ("`@bob`", []), ("hello", []), ("@bob", ["bob"]),
    ("@bob?", ["bob"]), ("@bob… and", ["bob"]), ("@'bob'", ["bob"]), ("@bob @bob", ["bob"]),
  ]) func whatIsNoMentionIsText(_ text: String, _ expected: [String]) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await world.makeTeam(alice, bob)
      let id = try await alice.rows("SELECT member_id FROM members WHERE local_display_name = 'bob'")?.first ?? ""
      let message = #"{"msgContent":{"type":"text","text":"\#(text)"},"mentions":{"bob":\#(id)}}"#
      let sent = try await alice.run("/_send #1 json [\(message)]")
      #expect(Self.mentions(sent) == expected)
      let received = try await bob.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == text
      }
      #expect(Self.mentions(received) == expected)
      let item = sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue ?? 0
      let other = message.replacing(text, with: "edited \(text)")
      let edited = try await alice.run("/_update item #1 \(item) json \(other)")
      #expect(Self.mentions(edited) == expected)
      // What is typed.
      #expect(Self.mentions(try await alice.run("#team typed \(text)")) == expected)
    }
  }

  /// A member whom another name of the client means too is mentioned once, and a name of nobody is text.
  @Test func namesOfOneMember() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await world.makeTeam(alice, bob)
      let id = try await alice.rows("SELECT member_id FROM members WHERE local_display_name = 'bob'")?.first ?? ""
      let sent = try await alice.run(
        #"/_send #1 json [{"msgContent":{"type":"text","text":"@robert @bob"},"mentions":{"bob":\#(id),"robert":\#(id)}}]"#
      )
      #expect(Self.mentions(sent) == ["robert"])
      let typed = try await alice.run("#team @a @b @c @d @bob @nobody's")
      #expect(Self.mentions(typed) == ["bob"])
    }
  }
}
