import ChatAPI
import SimplexTesting
import Testing

@Suite struct MarkdownTests {
  @Test func goldenTextsHaveTheirPieces() throws {
    for item in try Vectors.load("chat-text.json").elements("markdown") {
      let text = try item.string("text")
      let expected = try item["formatted"]?.elements().map(Self.piece)
      #expect(Markdown.parse(text) == expected, "\(text)")
    }
  }

  private static func piece(_ golden: Golden) throws -> FormattedText {
    FormattedText(text: try golden.string("text"), format: try golden["format"].map(format))
  }

  private static func format(_ golden: Golden) throws -> Format {
    let type = try golden.string("type")
    return switch type {
    case "bold": .bold
    case "italic": .italic
    case "strikeThrough": .strikeThrough
    case "snippet": .snippet
    case "secret": .secret
    case "small": .small
    case "colored": .colored(color: try #require(FormatColor(rawValue: golden.string("color"))))
    case "uri": .uri
    case "hyperLink": .hyperLink(showText: try golden["showText"]?.string(), linkUri: try golden.string("linkUri"))
    case "simplexLink":
      .simplexLink(
        showText: try golden["showText"]?.string(),
        linkType: try #require(SimplexLinkType(rawValue: golden.string("linkType"))),
        simplexUri: try golden.string("simplexUri"), smpHosts: try golden.elements("smpHosts").map { try $0.string() })
    case "command": .command(commandStr: try golden.string("commandStr"))
    case "mention": .mention(memberName: try golden.string("memberName"))
    case "email": .email
    case "phone": .phone
    default: try #require(nil as Format?, "unknown format \(type)")
    }
  }

  @Test(arguments: [
    ("see ##more### now", [FormattedText(text: "see "), .init(text: "#more##", format: .secret), .init(text: " now")]),
    ("!- tiny! x", [.init(text: "tiny", format: .small), .init(text: " x")]),
    (
      "ring +1 (202) 555.01.99 ok",
      [.init(text: "ring "), .init(text: "+1 (202) 555.01.99", format: .phone), .init(text: " ok")]
    ),
    (
      "hi @'Ann B.'!",
      [.init(text: "hi "), .init(text: "@'Ann B.'", format: .mention(memberName: "Ann B.")), .init(text: "!")]
    ),
    (
      "do /'filter 1'.",
      [.init(text: "do "), .init(text: "/'filter 1'", format: .command(commandStr: "filter 1")), .init(text: ".")]
    ),
    ("*a**b*", [.init(text: "ab", format: .bold)]),
    ("*a*\nx\ny\n", [.init(text: "a", format: .bold), .init(text: "\nx\ny")]),
    (
      "[a.b/c](https://a.b/c)",
      [.init(text: "[a.b/c](https://a.b/c)", format: .hyperLink(showText: "a.b/c", linkUri: "https://a.b/c"))]
    ),
    ("https://a.org/x_(y)...", [.init(text: "https://a.org/x_(y)", format: .uri), .init(text: "...")]),
  ])
  func textsHaveTheirPieces(_ text: String, _ pieces: [FormattedText]) {
    #expect(Markdown.parse(text) == pieces)
  }

  @Test(arguments: [
    "call 07777  777  777", "a @'open name", "a /he?lp x", "www.www.example.com", "www.example1.com", ".com",
    "[see a.com](https://b.com)", "[t](https://a.com )", "!1  red!", "2*3*4", "", "\n\n",
  ])
  func textsWithoutFormats(_ text: String) { #expect(Markdown.parse(text) == nil) }

  @Test(arguments: propertySeeds(40))
  func anyTextIsReadAndNothingIsLost(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let alphabet = Array("*_~`#!@/[]()+ 12ab.:'-\n\té👍\u{A0}1redhttps://a.bc")
    for _ in 0..<200 {
      let length = Int.random(in: 0...40, using: &generator)
      let text = String((0..<length).map { _ in alphabet.randomElement(using: &generator) ?? " " })
      guard let pieces = Markdown.parse(text) else { continue }
      #expect(pieces.contains { $0.format != nil } && pieces.allSatisfy { !$0.text.isEmpty }, "\(seed): \(text)")
      let hasMarks = pieces.contains { Markdown.text(of: $0) != $0.text }
      if !hasMarks {
        let all = pieces.map(\.text).joined()
        #expect(all == text || all + "\n" == text, "\(seed): \(text)")
      }
    }
  }

  @Test func formattedPiecesAreWrittenAsTheyAreRead() throws {
    let text = "a *b* _c_ ~d~ `e` #f# !- g! !1 h! !6 i!"
    #expect(try #require(Markdown.parse(text)).map(Markdown.text(of:)).joined() == text)
  }
}

/// Names as version 7.0 of the reference recognises them.
@Suite struct SimplexNameTests {
  @Test(arguments: [
    ("#news", SimplexNameType.publicGroup, SimplexTLD.simplex, "news", [String]()),
    ("#news.simplex", .publicGroup, .simplex, "news", []),
    ("#2-go.simplex", .publicGroup, .simplex, "2-go", []),
    ("#c.b.a.simplex", .publicGroup, .simplex, "a", ["b", "c"]),
    ("#b.a.testing", .publicGroup, .testing, "a", ["b"]),
    ("#sub.a.org", .publicGroup, .web, "sub.a.org", []),
    ("#новости", .publicGroup, .simplex, "новости", []),
    ("@bob.simplex", .contact, .simplex, "bob", []),
    ("@bob.a.org", .contact, .web, "bob.a.org", []),
  ])
  func names(_ text: String, _ type: SimplexNameType, _ top: SimplexTLD, _ domain: String, _ sub: [String]) throws {
    let info = SimplexNameInfo(
      nameType: type, nameDomain: SimplexDomain(nameTLD: top, domain: domain, subDomain: sub))
    #expect(Markdown.parse(text) == [.init(text: text, format: .simplexName(nameInfo: info))])
    #expect(
      Markdown.parse("see \(text)! *b*") == [
        .init(text: "see "), .init(text: text, format: .simplexName(nameInfo: info)), .init(text: "! "),
        .init(text: "b", format: .bold),
      ])
    let full = try #require(SimplexNameInfo(reference: String(text.prefix(1)) + info.nameDomain.fullName))
    #expect(full == info)
  }

  @Test(arguments: ["#", "##", "#a--b", "#-a", "#a..simplex", "#.simplex", "#é", "#a_b", "# a", "#a/b", "#a\tb"])
  func noNames(_ text: String) { #expect(Markdown.parse(text) == nil) }

  @Test func textAfterAnUnclosedMarkIsReadOn() {
    #expect(Markdown.parse("#a_b *c*") == [.init(text: "#a_b "), .init(text: "c", format: .bold)])
    #expect(Markdown.parse("#a b#") == [.init(text: "a b", format: .secret)])
    #expect(Markdown.parse("@bob") == [.init(text: "@bob", format: .mention(memberName: "bob"))])
  }
}

@Suite struct ShownTextTests {
  @Test(arguments: [
    ("example.com", "example.com", "https://example.com"),
    ("http://a.org/x", "http://a.org/x", "http://a.org/x"),
    ("[see](https://a.org)", "see", "https://a.org"),
    ("simplex:/a#abc?h=smp.a.org", "SimpleX contact address (via smp.a.org)", "simplex:/a#abc?h=smp.a.org"),
    ("[join](https://smp.a.org/g#abc)", "join: SimpleX group link (via smp.a.org)", "simplex:/g#abc?h=smp.a.org"),
    ("me@a.org", "me@a.org", "mailto:me@a.org"),
    ("+1 202 555 0199", "+1 202 555 0199", "tel:+12025550199"),
    ("@ann", "@ann", nil),
  ])
  func linksAreShownSafely(_ text: String, _ shown: String, _ link: String?) throws {
    let piece = try #require(Markdown.parse(text)?.first)
    #expect(piece.shownText == shown)
    #expect(piece.linkToOpen == link)
  }
}
