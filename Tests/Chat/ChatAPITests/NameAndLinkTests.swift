import ChatAPI
import SimplexTesting
import Testing

@Suite struct NameTests {
  @Test func goldenNames() throws {
    for item in try Vectors.load("chat-text.json").elements("validNames") {
      let input = try item.string("input")
      #expect(DisplayName.valid(input) == (try item.string("valid")), "\(input)")
      #expect(DisplayName.quoted(input) == (try item.string("viewName")), "\(input)")
    }
  }

  @Test(arguments: propertySeeds(20))
  func aValidNameStaysAsItIs(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let scalars = (0..<80).compactMap { _ in Unicode.Scalar(UInt32.random(in: 1...0x2FFF, using: &generator)) }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      let name = DisplayName.valid(String(text))
      #expect(DisplayName.valid(name) == name, "\(seed)")
      #expect(name.unicodeScalars.count <= DisplayName.maximumLength, "\(seed)")
    }
  }

  @Test(arguments: [("こんにちは！", 18), ("a\"\\\n", 7), ("\u{1}", 6), ("", 0)])
  func jsonLength(_ text: String, _ length: Int) { #expect(JSONText.length(text) == length) }
}

@Suite struct ProfilePasswordTests {
  @Test func hashIsThatOfPasswordAndSalt() {
    let expected = "MKbQg3rPvz03V-1S0-_jlDdn0B0IiGGxl7kZMimdo1IHHWN6DtzxJMCchsX5U1lrRY7apW_oopOgERexYda1nA=="
    #expect(ProfilePassword.hash("secret", salt: "AQIDBA==") == expected)
    #expect(ProfilePassword.hash("secret", salt: "not base64") == nil)
  }
}

@Suite struct LinkTests {
  @Test func goldenServers() throws {
    for item in try Vectors.load("chat-text.json").elements("servers") {
      let input = try item.string("input")
      guard let server = item["server"] else {
        #expect(throws: (any Error).self, "\(input)") { try ServerAddress(parsing: input) }
        continue
      }
      let address = try ServerAddress(parsing: input)
      #expect(address.serverProtocol.rawValue == (try item.string("protocol")))
      #expect(address.hostnames == (try server.elements("hosts").map { try $0.string() }))
      #expect(address.port == (try server.string("port")))
      #expect(address.basicAuth == (try item["basicAuth"]?.string() ?? ""))
      // The reference writes IPv6 addresses without brackets also before a port, and then reads another address.
      let isAmbiguous = !address.port.isEmpty && address.hostnames.contains { $0.contains(":") }
      #expect(address.uri == (isAmbiguous ? input : try item.string("str")))
      #expect(try ServerAddress(parsing: address.uri) == address)
    }
  }

  @Test func goldenLinksAreRecognised() throws {
    let golden = try Vectors.load("chat-text.json")
    for item in try golden.elements("links") {
      let text = try item.string("str")
      let link = try #require(SimplexLink(text), "\(text)")
      #expect(link.isShort)
      #expect(link.hosts == (try item.member("canonical").member("server").elements("hosts").map { try $0.string() }))
      #expect(SimplexLink(link.uri)?.uri == link.uri)
      if text.hasPrefix("simplex:") { #expect(link.uri == text) }
    }
    for item in try golden.elements("fullLinks") {
      let text = try item.string()
      let link = try #require(SimplexLink(text), "\(text)")
      #expect(!link.isShort)
      #expect(SimplexLink(link.uri)?.uri == link.uri)
      let isOldContact = text.hasPrefix("simplex:/contact#/?v=1&")
      if text.hasPrefix("simplex:") { #expect(link.uri == text || isOldContact) }
    }
  }

  /// Links of groups are those with the identifier of one, with the type that older programs write or without.
  @Test func linksOfGroups() throws {
    let golden = try Vectors.load("chat-text.json")
    let links = try golden.elements("fullLinks").map { try $0.string() }
    let link = try #require(links.first { $0.contains("/contact") && !$0.contains("&data=") })
    for data in ["%22groupLinkId%22%3A%22MTIz%22", "%22type%22%3A%22group%22%2C%22groupLinkId%22%3A%22MTIz%22"] {
      #expect(SimplexLink(link + "&data=%7B\(data)%7D")?.linkType == .group)
    }
    #expect(SimplexLink(link + "&data=%7B%22other%22%3A1%7D")?.linkType == .contact)
    #expect(SimplexLink(link)?.linkType == .contact)
  }

  @Test(arguments: [
    "simplex:/contact#/?v=2", "simplex:/bad", "https://smp.example.com/a#", "simplex:/a#abc", "simplex:/i#abc",
    "simplex:/a#abc?h=x&p=99999", "http://smp.example.com/a#abc", "simplex:/a#abc?h=", "simplex:/x#abc?h=a.b",
    "https://simplex.chat/invitation#/?v=2&smp=smp://aa@b/c%23/", "",
  ])
  func otherTextsAreNoSimplexLinks(_ text: String) {
    #expect(SimplexLink(text) == nil)
    #expect(!SimplexLink.occursIgnoringSpaces(in: text))
  }

  @Test func linksWithSpacesInThemAreFound() throws {
    let golden = try Vectors.load("chat-text.json")
    let links =
      try golden.elements("links").map { try $0.string("str") }
      + golden.elements("fullLinks").map { try $0.string() }
    for link in links {
      let spaced = link.map(String.init).joined(separator: " ")
      let lines = link.map(String.init).joined(separator: "\u{2003}\n")
      for text in [
        link, spaced, lines, "see https://example.com and \(spaced)", "<\(lines)>, please", "\(spaced).",
        "here: \(lines)! Come.", "(\(spaced)) a.b.c.d",
      ] {
        #expect(SimplexLink.occursIgnoringSpaces(in: text), "\(text)")
      }
    }
    for text in ["", "s h", "https://example.com/contact, simplex:/", String(repeating: "https://", count: 2_000)] {
      #expect(!SimplexLink.occursIgnoringSpaces(in: text))
    }
  }

  /// Parameters that stay and go: eagerly, and with `safe`; nil where nothing is removed.
  @Test(arguments: [
    ("https://example.com/page?ref=1", "https://example.com/page", "https://example.com/page"),
    ("https://example.com/page?name=a&ref=1", "https://example.com/page?name=a", "https://example.com/page?name=a"),
    (
      "https://www.youtube.com/watch?ref=4&v=a&t=1", "https://www.youtube.com/watch?v=a&t=1",
      "https://www.youtube.com/watch?v=a&t=1"
    ),
    ("https://youtu.be/a123?si=4&t=7#x", "https://youtu.be/a123?t=7#x", "https://youtu.be/a123?t=7#x"),
    ("https://example.com/p/a1?source=b", "https://example.com/p/a1", nil),
    ("https://example.com/p/a1?name=b", "https://example.com/p/a1", nil),
    ("https://example.com/page?search=b", nil, nil),
    ("https://example.com/page", nil, nil),
  ])
  func sanitizing(_ text: String, _ eager: String?, _ safe: String?) throws {
    let address = try WebAddress(parsing: text)
    #expect(address.sanitized(safe: false) == eager)
    #expect(address.sanitized(safe: true) == safe)
  }

  @Test(arguments: [
    ("ftp://a.b", WebAddress.ParseError.unsupportedScheme("ftp")), ("https://", .noHost), ("a.b", .invalidURI),
    ("https://x", .invalidHost("x")), ("https://a.b/\u{e9}", .invalidURI), ("https://a.b/%zz", .invalidURI),
    ("https://a.b:x/", .invalidURI),
  ])
  func textsThatAreNoWebAddresses(_ text: String, _ error: WebAddress.ParseError) {
    #expect(throws: error) { try WebAddress(parsing: text) }
  }
}
