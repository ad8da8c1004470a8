import SimplexFFI
import Testing

@Suite struct TextFunctionTests {
  @Test(arguments: [
    ("hello", "{}"),
    ("*hello*", #"{"formattedText":[{"format":{"type":"bold"},"text":"hello"}]}"#),
  ])
  func markdown(_ text: String, _ json: String) throws {
    #expect(try taken(chatParseMarkdown(text)) == json)
  }

  @Test func servers() throws {
    let hash = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI="
    #expect(
      try taken(chatParseServer("smp://\(hash)@smp1.example.org,abc.onion:5223"))
        == #"{"serverAddress":{"serverProtocol":"smp","hostnames":["smp1.example.org","abc.onion"],"port":"5223","keyHash":"\#(hash)","basicAuth":""},"parseError":""}"#
    )
    let wrong = try taken(chatParseServer("https://example.org"))
    #expect(wrong.hasPrefix(#"{"parseError":"#) && !wrong.hasPrefix(#"{"parseError":"""#))
  }

  @Test(arguments: [
    (
      "https://example.com/page?name=a&utm_source=b", 1,
      #"{"uriInfo":{"scheme":"https","sanitized":"https://example.com/page?name=a"},"parseError":""}"#
    ),
    ("https://example.com/page", 0, #"{"uriInfo":{"scheme":"https"},"parseError":""}"#),
    ("ftp://example.com", 0, #"{"parseError":"Unsupported URI scheme: ftp"}"#),
  ])
  func links(_ text: String, _ safe: CInt, _ json: String) throws {
    #expect(try taken(chatParseURI(text, safe)) == json)
  }

  @Test func namesHashesAndLengths() throws {
    #expect(try taken(chatValidName(" @'Джон'  Доу   👍 ")) == "Джон Доу 👍")
    #expect(chatJSONLength("こんにちは！") == 18)
    #expect(chatJSONLength("Hello!") == 6)
    #expect(
      try taken(chatPasswordHash("secret", "AQIDBA=="))
        == "MKbQg3rPvz03V-1S0-_jlDdn0B0IiGGxl7kZMimdo1IHHWN6DtzxJMCchsX5U1lrRY7apW_oopOgERexYda1nA==")
    #expect(try taken(chatPasswordHash("secret", "not base64")) == "")
  }

  @Test func nullTextsAreEmptyTexts() throws {
    #expect(try taken(chatParseMarkdown(nil)) == "{}")
    #expect(try taken(chatParseServer(nil)).hasPrefix(#"{"parseError":"#))
    #expect(try taken(chatParseURI(nil, 0)) == #"{"parseError":"Invalid URI"}"#)
    #expect(try taken(chatValidName(nil)) == "")
    #expect(chatJSONLength(nil) == 0)
    #expect(try taken(chatPasswordHash(nil, nil)) == "")
  }

  @Test func badgesAreNotSupported() throws {
    #expect(try taken(chatBadgeKeygen()) == #"{"error":"badges are not supported"}"#)
    #expect(try taken(chatBadgeIssue("{}")) == #"{"error":"badges are not supported"}"#)
  }
}
