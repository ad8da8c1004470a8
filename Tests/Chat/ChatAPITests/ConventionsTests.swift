import ChatAPI
import SimplexJSON
import Testing

/// The conventions of the JSON: what is omitted, defaulted, kept as it is, and what never fails.
@Suite("JSON conventions")
struct ConventionsTests {
  @Test func alwaysTaggedTypesIgnoreTheSpelling() throws {
    let content = MsgContent.video(text: "a", image: "data:image/png;base64,AA==", duration: 5)
    let text = #"{"type":"video","text":"a","image":"data:image/png;base64,AA==","duration":5}"#
    #expect(content.jsonText(sums: .tagged) == text)
    #expect(content.jsonText(sums: .singleField) == text)
    #expect(MsgReaction.emoji(emoji: .heart).jsonText(sums: .singleField) == #"{"type":"emoji","emoji":"❤"}"#)
  }

  /// With a text, because programs may expect one.
  @Test(
    arguments: [
      (#"{"type":"newtype","text":"unknown","more":[1,{"x":1.50}]}"#, ""),
      (#"{"type":"newtype","more":1"#, #","text":"unknown message type"}"#),
    ])
  func unknownContentIsKept(start: String, rest: String) throws {
    let received = rest.isEmpty ? start : start + "}"
    #expect(try MsgContent(jsonText: received).jsonText(sums: .singleField) == start + rest)
    #expect(try MsgContent(jsonText: start + rest).jsonText(sums: .tagged) == start + rest)
  }

  @Test(arguments: [#"{"type":"emoji","emoji":"🦄"}"#, #"{"type":"sticker","id":7}"#])
  func unknownReactionsAreKept(text: String) throws {
    #expect(try MsgReaction(jsonText: text).jsonText() == text)
    #expect(try MsgReaction(jsonText: text).text == "?")
  }

  @Test func imagesAreDataURIs() throws {
    let text = #"{"displayName":"a","fullName":"","image":"https://example.com/a.png"}"#
    #expect(try Profile(jsonText: text).image == "")
  }

  @Test func unknownRolesAreBelowAllOthers() throws {
    let role = try GroupMemberRole(jsonText: #""wizard""#)
    #expect(role == .unknown(type: "wizard"))
    #expect(role.jsonText() == #""wizard""#)
    #expect(([role] + GroupMemberRole.allCases).shuffled().sorted() == [role] + GroupMemberRole.allCases)
    #expect(GroupMemberRole.observer < .member && .admin < .owner)
  }

  @Test func chatTypesHaveNamesInJSONAndPrefixesInCommands() throws {
    #expect(ChatType.allCases.map(\.rawValue) == ["@", "#", "*", "<@", ":"])
    #expect(ChatType.contactRequest.jsonText() == #""contactRequest""#)
    #expect(try ChatType(jsonText: #""local""#) == .local)
  }
}
