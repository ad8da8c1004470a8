import ChatAPI
import Testing

/// Links and addresses of servers as people paste them.
@Suite struct PastedLinkTests {
  private static let key = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI"
  private static let short = "https://smp.example.org/a#\(key)"
  private static let invitation = "https://smp.example.org/i#AAECAwQFBgcICQoLDA0ODxAREhMUFRYX/\(key)"
  private static let server = "smp://\(key)=:pass-word@smp.example.org,abc.onion:5223"
  private static let secondServer = "smp://\(key)=@[::1]"

  /// What is put into the middle of a link, by the programs that show it.
  static let inside = [
    "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{FEFF}", "\u{AD}", "\u{A0}", "\u{202F}", "\u{200E}", "\u{2066}",
    "\u{FE0F}", "\n", "\r\n", "\n  ", "\t", "\u{2028}",
  ]
  /// What is put around it.
  static let around = [
    ("<", ">"), ("(", ")"), ("[", "]"), ("\u{201C}", "\u{201D}"), ("\"", "\""), ("\u{AB}", "\u{BB}"), ("", "."),
    ("", ","),
    ("", "!"), ("\u{FEFF}", ""), ("\u{A0}", "\u{A0}"), ("<", ">."), ("", "\u{2026}"), ("\u{200B}(", "\u{200B})."),
    ("`", "`"), ("*", "*"),
  ]

  private static var decorated: [(String) -> String] {
    inside.map { separator in { split($0, by: separator) } } + around.map { start, end in { start + $0 + end } }
  }

  private static func split(_ text: String, by separator: String) -> String {
    let middle = text.index(text.startIndex, offsetBy: text.count / 2)
    return String(text[..<middle]) + separator + text[middle...]
  }

  @Test(arguments: [short, invitation, server, secondServer, "simplex:/file#/?desc=abc%3D"])
  func whatIsNotOfItGoes(link: String) {
    #expect(PastedLink.cleaned(link) == link)
    for decorate in Self.decorated {
      #expect(PastedLink.cleaned(decorate(link)) == link, "\(decorate(link).debugDescription)")
    }
  }

  @Test(arguments: ["hello.", "<b>", "#team", "@bob.example.org", ""]) func otherTextsStay(text: String) {
    #expect(PastedLink.cleaned(text) == text)
  }

  @Test(arguments: [
    ("https://smp.example.org/a#\u{430}bc", "U+0430 CYRILLIC SMALL LETTER A"),
    ("https://smp.example.org/a#a\u{2013}bc", "U+2013 EN DASH"),
    ("https://smp.example.org/a#a|bc", "U+007C VERTICAL LINE"),
  ]) func foreignCharactersAreNamed(link: String, name: String) {
    #expect(PastedLink.foreignCharacter(in: link)?.contains(name) == true)
    #expect(PastedLink.foreignCharacter(in: Self.short) == nil)
  }

  /// A command with any number of words after what begins as a link is read in little time.
  @Test(.timeLimit(.minutes(1))) func manyWordsAreRead() throws {
    _ = try? ChatCommand(parsing: "/c https://smp.example.org/" + String(repeating: " a", count: 200_000))
  }

  /// The commands in which links are typed.
  @Test(arguments: ["/c ", "/connect i ", "/_connect plan 1 ", "/_connect 1 incognito=on "])
  func inCommands(command: String) throws {
    for link in [Self.short, Self.invitation] {
      let expected = try ChatCommand(parsing: command + link)
      for decorate in Self.decorated {
        #expect(
          try ChatCommand(parsing: command + decorate(link)) == expected,
          "\((command + decorate(link)).debugDescription)")
      }
    }
  }

  @Test func withFurtherArguments() throws {
    let plan = "/_connect plan 1 \(Self.short) resolve=on"
    #expect(
      try ChatCommand(parsing: plan.replacing(Self.short, with: "<\(Self.short)>.")) == ChatCommand(parsing: plan))
    let broken = "/_connect plan 1 https://smp.example.org/i#AAECAwQFBgcICQoLDA0ODxAREhMUFRYX /\(Self.key) resolve=on"
    #expect(
      try ChatCommand(parsing: broken)
        == ChatCommand(parsing: "/_connect plan 1 \(Self.invitation) resolve=on"))
    let both = "/_connect 1 \(Self.invitation) \(Self.short)"
    #expect(
      try ChatCommand(parsing: "/_connect 1 <\(Self.invitation)>  \u{200B}\(Self.short).") == ChatCommand(parsing: both)
    )
  }

  @Test func inCommandsAboutServers() throws {
    for decorate in Self.decorated {
      for server in [Self.server, Self.secondServer] {
        let text = decorate(server)
        #expect(
          try ChatCommand(parsing: "/smp \(text)") == ChatCommand(parsing: "/smp \(server)"), "\(text.debugDescription)"
        )
        guard !text.contains(" ") else { continue }
        #expect(try ChatCommand(parsing: "/smp test \(text)") == ChatCommand(parsing: "/smp test \(server)"))
        #expect(
          try ChatCommand(parsing: "/_server test 1 \(text)") == ChatCommand(parsing: "/_server test 1 \(server)"))
      }
    }
    let two = try ChatCommand(parsing: "/smp \(Self.server) \(Self.secondServer)")
    for separator in [";", "; ", ",", ", ", "\n", "\u{A0}", "\u{200B}\n"] {
      #expect(try ChatCommand(parsing: "/smp \(Self.server)\(separator)\(Self.secondServer)") == two)
    }
    let error = #expect(throws: ChatError.self) {
      try ChatCommand(parsing: "/smp smp://\(Self.key)\u{2013}=@smp.example.org")
    }
    #expect(error.map { "\($0)".contains("EN DASH") } == true)
  }
}
