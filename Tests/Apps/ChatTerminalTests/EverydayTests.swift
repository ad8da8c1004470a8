import ChatAPI
import ChatStateTesting
import Foundation
import Testing

@testable import ChatTerminal

@Suite struct ChatTargetTests {
  @Test(
    arguments: [
      ("@bob hi", "@bob ", false), ("@bob", "@bob ", true), ("@'Bob B' hi", "@'Bob B' ", false),
      ("@'Bob B'", "@'Bob B' ", true),
      ("#team hi", "#team ", false), ("> @bob (x) y", "@bob ", false), (">>@bob (x) y", "@bob ", false),
      ("! @bob new", "@bob ", false), ("\\ @bob old", "@bob ", false), ("+1 @bob x", "@bob ", false),
      ("#team (support) hi", "#team (support) ", false), ("#team (support: bob) hi", "#team (support: bob) ", false),
      ("#team (support)", "#team (support) ", true), ("#team (other) x", "#team ", false), ("#team", "#team ", true),
      ("> #team @bob (x) y", "#team ", false), ("\\\\ #team @bob x", "#team ", false),
      ("/live @bob x", "@bob ", false), ("/tail @bob", "@bob ", false), ("@'bob' hi", "@bob ", false),
    ] as [(String, String, Bool)])
  func named(_ line: String, _ prefix: String, _ isAlone: Bool) throws {
    let target = try #require(ChatTarget(of: line))
    #expect(target.prefix == prefix && target.isAlone == isAlone)
  }

  @Test(arguments: [
    ("@bob hi", true), ("@bob", true), ("#team (support) hi", true), ("@bob <- @carol x", true), ("/tail @bob", false),
    ("/f @bob x", false), ("/live @bob x", false), ("> @bob (x) y", false), ("! @bob new", false),
    ("\\ @bob old", false), ("+1 @bob x", false),
  ])
  func chosen(_ line: String, _ choosesChat: Bool) throws {
    #expect(try #require(ChatTarget(of: line)).choosesChat == choosesChat)
  }

  @Test(arguments: [
    "", "hello", "hello @bob", "/contacts", "@", "#", "@ bob", "@'Bob", "@#team alice x", "-5 degrees", "/* x",
    "* <- @bob x",
  ])
  func unnamed(_ line: String) { #expect(ChatTarget(of: line) == nil) }
}

@Suite struct ScreenTests {
  private func layout(_ text: String) -> LineLayout {
    let characters = Array(text)
    return LineLayout(prompt: "> ", characters, cursor: characters.count, width: 40)
  }

  @Test func aLineIsReplacedInItsPlace() {
    var screen = LineScreen()
    _ = screen.show([.lines(["one"], key: 7), .lines(["two"], key: nil)], layout("x"), width: 40, height: 10)
    let text = screen.show([.replacement(7, ["one ✓"])], layout("x"), width: 40, height: 10)
    #expect(text == "\r\u{1B}[J\u{1B}[2A\r\u{1B}[Jone ✓\ntwo\n> x\r\u{1B}[3C")
    // What has left the screen stays as it is.
    _ = screen.show([.lines(Array(repeating: "more", count: 12), key: nil)], layout("x"), width: 40, height: 10)
    #expect(!screen.shows(7))
    #expect(screen.show([.replacement(7, ["late"])], layout("x"), width: 40, height: 10).contains("late") == false)
  }

  /// Everything is redrawn, wrapped for the new width, and can still be replaced.
  @Test func aScreenOfAnotherWidth() {
    var screen = LineScreen()
    let long = StyledText((1...8).map { "word\($0)" }.joined(separator: " "))
    _ = screen.show([.lines([long], key: nil), .lines(["last"], key: 8)], layout("x"), width: 60, height: 4)
    let clear = "\u{1B}[H\u{1B}[J"
    // The earlier content of the screen is scrolled up, once.
    let push = "\u{1B}[4;1H\n\n\n\n"
    let first = screen.show([], layout("x"), width: 40, height: 4)
    #expect(first == push + clear + "word1 word2 word3 word4 word5 word6\n      word7 word8\nlast\n> x\r\u{1B}[3C")
    // Only what fits.
    let second = screen.show([], layout("x"), width: 30, height: 3)
    #expect(second == clear + "last\n> x\r\u{1B}[3C")
    #expect(screen.shows(8))
    #expect(
      screen.show([.replacement(8, ["done"])], layout("x"), width: 30, height: 3).contains("\u{1B}[1A\r\u{1B}[Jdone"))
    #expect(screen.show([], layout("x"), width: 30, height: 3).isEmpty)
    screen.forgetLines()
    #expect(!screen.shows(8))
  }

  /// What comes while the width changes is shown in full, and so is a line that is longer than the screen.
  @Test func nothingIsMissingOnAScreenOfAnotherWidth() {
    var screen = LineScreen()
    _ = screen.show([.lines(["old"], key: nil)], layout("x"), width: 40, height: 4)
    let new = (1...9).map { StyledText("new \($0)") }
    let shown = screen.show([.lines(new, key: nil)], layout("x"), width: 30, height: 4)
    for line in new { #expect(shown.contains("\(line.text)\n")) }
    let long = String(repeating: "x", count: 50)
    _ = screen.show([.lines([StyledText(long)], key: 9)], layout("x"), width: 30, height: 4)
    #expect(screen.show([], layout("x"), width: 1, height: 4).contains(long))
    #expect(!screen.shows(9))
  }

  /// A line of characters with two columns is replaced in its place where a row ends with an empty column.
  @Test func wideCharactersAreReplacedInTheirPlace() {
    var screen = LineScreen()
    let wide = StyledText(String(repeating: "日", count: 9))
    _ = screen.show([.lines([wide], key: 7)], layout("x"), width: 5, height: 10)
    // Two of them in each row.
    let text = screen.show([.replacement(7, ["done"])], layout("x"), width: 5, height: 10)
    #expect(text == "\r\u{1B}[J\u{1B}[5A\r\u{1B}[Jdone\n> x\r\u{1B}[3C")
  }

  @Test func linesAreBrokenBetweenWords() {
    let text: StyledText = "12:00 bob> some words that are longer than \(.highlight("a row")) of the screen"
    let rows = text.wrapped(width: 30)
    #expect(rows.map(\.text) == ["12:00 bob> some words that are", "      longer than a row of the", "      screen"])
    #expect(rows[1].terminalText.contains("a row") && rows.count == 3)
    let link = "see https://example.org/a/very/long/link/that/is/copied"
    #expect(StyledText(link).wrapped(width: 30).map(\.text) == [link])
    #expect(StyledText("short").wrapped(width: 30).count == 1)
    for width in 24...60 {
      let words = StyledText((0..<40).map { "w\($0)日" }.joined(separator: " "))
      for row in words.wrapped(width: width) {
        #expect(row.text.reduce(0) { $0 + $1.columns } <= width)
      }
    }
  }

  @Test func textOfOthersCannotTurnTheLine() {
    #expect(StyledText("a\u{202E}b\u{2066}c\u{2028}d\u{9B}e\u{1B}f").text == "abcdef")
    #expect(StyledText("שלום é").text == "שלום é")
  }

  @Test func colours() {
    #expect(TerminalStyle.isUsed(noColor: nil, terminal: "xterm"))
    #expect(TerminalStyle.isUsed(noColor: "", terminal: nil))
    #expect(!TerminalStyle.isUsed(noColor: "1", terminal: "xterm"))
    #expect(!TerminalStyle.isUsed(noColor: nil, terminal: "dumb"))
  }
}

@Suite struct HistoryFileTests {
  @Test func linesComeBack() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "history-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = HistoryFile(path: path)
    #expect(file.lines().isEmpty)
    let lines = ["one", "two\nlines", "a \\ and \\n", "日本"]
    for line in lines + ["", "/db encrypt key", "/hide user pw", "/user work pw"] { file.append(line) }
    #expect(file.lines() == lines)
    // What an earlier version kept goes.
    try (String(contentsOfFile: path, encoding: .utf8) + "/u work pw\n").write(
      toFile: path, atomically: false, encoding: .utf8)
    #expect(file.lines() == lines)
    #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("pw"))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
    file.remove()
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}

@Suite struct CommandTests {
  @Test func passphrasesWithSpaces() {
    #expect(DatabaseCommand.config("/db encrypt my secret") == DBEncryptionConfig(currentKey: "", newKey: "my secret"))
    #expect(
      DatabaseCommand.config("/db decrypt 'my secret'") == DBEncryptionConfig(currentKey: "my secret", newKey: ""))
    #expect(DatabaseCommand.config("/db key old new") == DBEncryptionConfig(currentKey: "old", newKey: "new"))
    #expect(
      DatabaseCommand.config("/db key 'my old' 'my new'") == DBEncryptionConfig(currentKey: "my old", newKey: "my new"))
    for line in ["/db encrypt", "/db key one", "/db key 'one'", "/dbx", "/db export x"] {
      #expect(DatabaseCommand.config(line) == nil, "\(line)")
    }
  }

  @Test(
    arguments: [
      ("/db encrypt my key", "/db encrypt ••••••", "/db encrypt …"),
      ("/db key old new", "/db key •••••••", "/db key …"),
      ("/hide user pw", "/hide user ••", "/hide user …"), ("/u 'my work' pw", "/u 'my work' ••", "/u 'my work' …"),
      ("/user work", "/user work", "/user work"), ("/user ", "/user ", "/user "),
      ("/smp smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=:pw@localhost", nil, "/smp …"),
      ("/contcts", "/contcts", "/contcts"), ("@bob /db encrypt it", "@bob /db encrypt it", "@bob /db encrypt it"),
      ("/db encrypt", "/db encrypt", "/db encrypt"),
      ("/delete user work pw", "/delete user work ••", "/delete user work …"),
    ] as [(String, String?, String)])
  func secretsAreMasked(_ line: String, _ masked: String?, _ shown: String) {
    if let masked { #expect(String(SecretLine.masked(Array(line))) == masked) }
    #expect(SecretLine.shown(line) == shown)
  }

  /// Every row of the help is a command that can be read, and every topic has a text.
  @Test func helpIsTrue() throws {
    let values = [
      ("[<description>]", "text"), ("[<role>]", "member"), ("<group>", "team"), ("<member>", "bob"),
      ("<contact>", "bob"), ("<role>", "member"), ("[<link>]", ""), ("[<name>]", "bob"), ("<link>", "simplex:/x"),
      ("[@<name>]", "@bob"), ("[<n>]", "3"), ("[<number>]", "1"),
      ("[<servers>]", ""), ("[<key>]", "k"), ("[<old> <new>]", "k n"), ("[<password>]", "pw"),
      ("<name>", "bob"), ("<text>", "text"), ("<quoted>", "quoted"), ("<old>", "old"), ("<code>", "12345"),
      ("<server>", "smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@localhost"), ("<password>", "pw"),
      ("<key>", "k"), ("<new>", "n"), ("[<path>]", "x/"), ("<path>", "x"), ("<id>", "1"),
    ]
    for row in HelpTexts.rows(where: { _ in true }) {
      let usage = row.text.trimmed.components(separatedBy: "  ")[0]
      for part in usage.components(separatedBy: ", ") {
        var line = part
        for (name, value) in values { line = line.replacingOccurrences(of: name, with: value) }
        let choices = line.split(separator: " ").last.map { $0.contains("|") ? $0.split(separator: "|") : [$0] } ?? []
        for choice in choices {
          let command = (line.split(separator: " ").dropLast() + [choice]).joined(separator: " ")
          if ["@bob", "#team", "/repair", "/read @bob", "/qr", "/long link", "/open 1"].contains(command) { continue }
          #expect(throws: Never.self, "\(command)") { try ChatCommand(parsing: command) }
        }
      }
    }
    for topic in HelpTexts.topicNames where topic != "keys" {
      #expect(throws: Never.self, "\(topic)") { try ChatCommand(parsing: "/help \(topic)") }
    }
  }

  @Test func completionOffersWhatWorks() throws {
    #expect(Set(Completion.commands).count == Completion.commands.count)
    for command in ["call @", "qr", "open", "switch remote host", "find remote ctrl"] {
      #expect(Completion.commands.contains(command), "\(command)")
    }
  }

  @Test func whatIsMissingIsNamed() {
    for (line, text) in [
      ("/public group relays=1 team", "Channels are not supported yet."),
      ("@bob <- #team hi", "This is not supported yet."),
      ("/something", "/something is not supported yet."),
    ] {
      #expect(CommandHelp.lines(line, refusedBecause: "not implemented yet: x").map(\.text) == [text])
    }
    // What can be read is not refused for how it is typed.
    #expect(
      CommandHelp.lines("+1 @alice hi", refusedBecause: "reaction already added").map(\.text)
        == ["bad chat command: reaction already added"])
    // Also where the line is incomplete.
    #expect(CommandHelp.lines("/call")?.map(\.text).last?.contains("/call @<name>") == true)
    for command in ["/file", "/f"] {
      #expect(CommandHelp.lines(command)?.map(\.text).contains { $0.contains("/f @<name> <path>") } == true)
    }
    #expect(CommandHelp.lines("/join")?.map(\.text).contains { $0.contains("/join <group>") } == true)
    #expect(CommandHelp.lines("/smp foo")?.first?.text.hasPrefix("foo is not the address of a server") == true)
    #expect(CommandHelp.lines("/smp test smp://abc@host")?.first?.text.hasPrefix("smp://abc@host is not") == true)
  }

  @Test func mistypedAndShortCommandsAreExplained() {
    for (typed, wanted) in [
      ("/hlep", "/help"), ("/contcts", "/contacts"), ("/conect x", "/connect"), ("/quite", "/quit"),
    ] {
      let lines = CommandHelp.lines(typed)?.map(\.text) ?? []
      #expect(lines.contains("Did you mean \(wanted)?"), "\(typed): \(lines)")
    }
    // What is like no command, and what is too short to say.
    for typed in ["/somethingelse", "/xq", "/msg"] {
      #expect(CommandHelp.lines(typed)?.contains { $0.text.hasPrefix("Did you mean") } == false, "\(typed)")
    }
    for (typed, usage) in [("/g", "/group <group>"), ("/a", "/add <group> <contact>"), ("/j", "/join <group>")] {
      let lines = CommandHelp.lines(typed)?.map(\.text) ?? []
      #expect(lines.contains { $0.hasPrefix("  \(usage)") }, "\(typed): \(lines)")
    }
    for (typed, wanted) in [("@bob", "@bob <text>"), ("#team", "#team <text>"), ("hello you", "@<name> <text>")] {
      let lines = CommandHelp.lines(typed)?.map(\.text)
      #expect(lines == ["A message follows the name of a contact or group: \(wanted)"], "\(typed)")
    }
    for typed in ["/?", "/commands"] { #expect(CommandHelp.lines(typed) == HelpTexts.lines(.main), "\(typed)") }
  }

  /// Only messages to somebody have a mark that changes.
  @Test func whatGoesToNobodyHasNoMark() {
    var view = ChatView(user: Samples.user(), now: Samples.time(60))
    view.showsStatus = true
    let bob = ChatInfo.direct(contact: Samples.contact(2, "bob", at: Samples.time(0)))
    var item = Samples.item(1, direction: .directSnd, text: "hello", at: Samples.time(0))
    item.meta.itemStatus = .sndNew
    #expect(view.start(AChatItem(chatInfo: bob, chatItem: item)).text.contains("…"))
    item.content = .sndChatFeature(
      feature: .voice, enabled: FeatureEnabled(forUser: true, forContact: true), param: nil)
    #expect(!view.start(AChatItem(chatInfo: bob, chatItem: item)).text.contains("…"))
  }

  @Test func longMessages() {
    var view = ChatView()
    view.showsStatus = true
    let lines = view.lines(.errorStore(storeError: .largeMsg), isOfCommand: true).map(\.text)
    #expect(lines.count == 1 && lines[0].contains("too long") && lines[0].contains("15,000"))
  }

  @Test func marksOfSentMessages() {
    var view = ChatView(user: Samples.user(), now: Samples.time(60))
    view.showsStatus = true
    let bob = ChatInfo.direct(contact: Samples.contact(2, "bob", at: Samples.time(0)))
    for (status, mark) in [
      (CIStatus.sndNew, "…"), (.sndSent(sndProgress: .complete), "✓"),
      (.sndRcvd(msgRcptStatus: .ok, sndProgress: .complete), "✓✓"), (.sndErrorAuth, "✗"),
    ] {
      var item = Samples.item(1, direction: .directSnd, text: "hello", at: Samples.time(0))
      item.meta.itemStatus = status
      let line = view.item(AChatItem(chatInfo: bob, chatItem: item), showsEvents: false).first?.text ?? ""
      #expect(line.split(separator: " ").dropFirst().first.map(String.init) == mark, "\(line)")
    }
    #expect(
      !view.item(
        AChatItem(chatInfo: bob, chatItem: Samples.item(1, direction: .directRcv, text: "hi", at: Samples.time(0))),
        showsEvents: false)[
          0
        ].text.contains("✓"))
  }
}
