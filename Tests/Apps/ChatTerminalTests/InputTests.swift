import ChatAPI
import ChatStateTesting
import Testing

@testable import ChatTerminal

@Suite struct SecretHistoryTests {
  /// Up brings no passphrase back, but it does a mistyped command.
  @Test func linesWithSecretsAreNotRecalled() {
    var editor = LineEditor()
    for line in ["/contcts", "/db encrypt hush", "/hide user hush", "/user work hush"] {
      _ = editor.handle(.text(line))
      _ = editor.handle(.enter)
    }
    _ = editor.handle(.up)
    #expect(editor.text == "/contcts")
  }
}

@Suite struct KeyTests {
  private func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.keys(Array(text.utf8))
  }

  @Test func sequences() {
    #expect(keys("ab\r") == [.text("ab"), .enter])
    #expect(keys("\u{1B}[A\u{1B}OB\u{1B}[1;5C\u{1B}[3~\u{1B}b") == [.up, .down, .wordRight, .delete, .wordLeft])
    #expect(keys("\u{1B}\r\u{0C}\t\u{03}\u{04}\u{7F}") == [.live, .live, .tab, .interrupt, .endOfInput, .backspace])
    #expect(keys("\u{1B}[Ia\u{1B}[O") == [.focus(true), .text("a"), .focus(false)])
    #expect(keys("\u{1B}[200~a\r\nb\rc\u{1B}[201~d") == [.text("a\nb\nc"), .text("d")])
  }

  /// Wherever the bytes are cut, the keys are the same.
  @Test func parts() {
    let text = "a\u{1B}[1;5Dдж日👍\u{1B}[200~x\ny\u{1B}[201~\u{1B}OH\u{1B}[3~z\r"
    let bytes = Array(text.utf8)
    let whole = joined(keys(text))
    for cut in 0...bytes.count {
      var decoder = KeyDecoder()
      #expect(joined(decoder.keys(Array(bytes[..<cut])) + decoder.keys(Array(bytes[cut...]))) == whole, "at \(cut)")
    }
    var decoder = KeyDecoder()
    #expect(joined(bytes.flatMap { decoder.keys([$0]) }) == whole)
  }

  /// Texts that follow each other are one.
  private func joined(_ keys: [Key]) -> [Key] {
    keys.reduce(into: []) { result, key in
      if case .text(let next) = key, case .text(let last)? = result.last {
        result[result.count - 1] = .text(last + next)
      } else {
        result.append(key)
      }
    }
  }

  @Test func whatIsNoKeyIsNoText() {
    #expect(keys("\u{1B}[99;99;99zx\u{1B}Qy\u{00}\u{1C}z") == [.text("x"), .text("y"), .text("z")])
    #expect(keys("\u{9B}a\u{85}") == [.text("a")])
    var decoder = KeyDecoder()
    #expect(decoder.keys([0xFF, 0x41, 0xC3, 0x28]) == [.text("\u{FFFD}A\u{FFFD}(")])
    #expect(decoder.keys([0x1B]) == [])
    #expect(decoder.isAtEscape)
    #expect(decoder.takeEscape() == .escape)
    #expect(decoder.takeEscape() == nil)
    #expect(decoder.keys(Array("[A".utf8)) == [.text("[A")])
    // A sequence without end does not grow without end.
    #expect(decoder.keys([0x1B, 0x5B] + [UInt8](repeating: 0x30, count: 40)).count == 1)
  }
}

@Suite struct LineEditorTests {
  private func editor(_ keys: [Key]) -> LineEditor {
    var editor = LineEditor()
    for key in keys { _ = editor.handle(key) }
    return editor
  }

  @Test func editing() {
    let some = editor([.text("one two"), .wordLeft, .text("and "), .end, .backspace, .home, .delete])
    #expect(some.text == "ne and tw")
    #expect(editor([.text("one two three"), .deleteWord]).text == "one two ")
    #expect(editor([.text("abc"), .left, .deleteToStart]).text == "c")
    #expect(editor([.text("abc"), .left, .deleteToEnd]).text == "ab")
    #expect(editor([.text("abc"), .interrupt]).text == "")
    #expect(editor([.text("abc"), .home, .endOfInput]).text == "bc")
    // Nothing beyond the ends
    #expect(editor([.left, .backspace, .delete, .right, .wordLeft, .wordRight, .up, .down, .text("x")]).text == "x")
  }

  @Test func accentsBelongToTheirLetters() {
    let some = editor([.text("e"), .text("\u{301}"), .text("x"), .left, .backspace])
    #expect(some.text == "x")
  }

  @Test func outcomes() {
    var some = LineEditor()
    _ = some.handle(.text("hello"))
    #expect(some.handle(.tab) == .completion("hello"))
    #expect(some.handle(.enter) == .line("hello"))
    #expect(some.text == "")
    _ = some.handle(.text("more"))
    #expect(some.handle(.live) == .live("more"))
    #expect(some.handle(.endOfInput) == .ended)
    #expect(some.handle(.interrupt) == .ended)
  }

  @Test func history() {
    var some = editor([.text("a"), .enter, .text("b"), .enter, .text("b"), .enter, .text("draft")])
    var seen: [String] = []
    for key in [Key.up, .up, .up, .down, .down, .down] {
      _ = some.handle(key)
      seen.append(some.text)
    }
    #expect(seen == ["b", "a", "a", "b", "draft", "draft"])
  }

  /// Up goes to the line above in a text of several lines, and to the history from the first one only.
  @Test func linesOfADraft() {
    var some = editor([.text("old"), .enter, .text("one"), .text("\n"), .text("two!"), .up])
    #expect(some.text == "one\ntwo!" && some.cursor == 3)
    _ = some.handle(.left)
    _ = some.handle(.down)
    #expect(some.cursor == 6)
    for _ in 0..<2 { _ = some.handle(.up) }
    #expect(some.text == "old")
    _ = some.handle(.down)
    #expect(some.text == "one\ntwo!")
  }

  @Test func completing() {
    var some = editor([.text("/vx"), .left])
    some.complete("/v", with: "/version ")
    #expect(some.text == "/version x")
    #expect(some.cursor == 9)
    some.complete("/v", with: "nothing")
    #expect(some.text == "/version x")
  }
}

@Suite struct LineLayoutTests {
  private func layout(_ text: String, cursor: Int? = nil, width: Int) -> LineLayout {
    let characters = Array(text)
    return LineLayout(prompt: "> ", characters, cursor: cursor ?? characters.count, width: width)
  }

  @Test func rows() {
    #expect(layout("abc", width: 10).rows == ["> abc"])
    #expect(layout("abcdef", width: 5).rows == ["> abc", "def"])
    let full = layout("abc", width: 5)
    #expect(full.rows == ["> abc", ""] && full.cursorRow == 1 && full.cursorColumn == 0)
    let wide = layout("a日b", width: 4)
    #expect(wide.rows == ["> a", "日b"] && wide.cursorColumn == 3)
    let middle = layout("abcdef", cursor: 3, width: 5)
    #expect(middle.cursorRow == 1 && middle.cursorColumn == 0)
    let lines = layout("ab\ncd", cursor: 2, width: 10)
    #expect(lines.rows == ["> ab", "cd"] && lines.cursorRow == 0 && lines.cursorColumn == 4)
  }

  @Test(arguments: 1...30) func nothingIsLost(_ width: Int) {
    let text = "some 日本語 text e\u{301} 👍 with everything\nand a second line"
    for cursor in 0...text.count {
      let layout = layout(text, cursor: cursor, width: width)
      #expect(layout.rows.joined() == "> " + text.filter { $0 != "\n" })
      #expect(layout.cursorRow < layout.rows.count && layout.cursorColumn < max(2, width))
      for height in 1...4 {
        let visible = layout.visible(height: height)
        #expect(visible.rows.count <= height && visible.cursorRow < visible.rows.count)
        #expect(visible.rows[visible.rows.startIndex + visible.cursorRow] == layout.rows[layout.cursorRow])
      }
    }
  }

  @Test func columns() {
    for (character, columns) in [
      ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("한", 2), ("👍", 2), ("👩‍👩‍👧", 2), ("❤️", 2), ("\u{200B}", 0), ("ﾊ", 1),
    ] as [(Character, Int)] {
      #expect(character.columns == columns, "\(character)")
    }
  }
}

@Suite struct CompletionTests {
  private let names = ["alice", "alba", "Bob B", "bob"]

  private func completed(_ line: String, _ names: [String]? = nil) throws -> String {
    try #require(Completion(line)).completed(with: names ?? self.names).line
  }

  @Test func kinds() {
    for (line, kind, name) in [
      ("@al", .contact, "al"), ("/info al", .contact, "al"), ("/info @", .contact, ""), ("> @b", .contact, "b"),
      ("/ac @b", .request, "b"), ("/accept b", .request, "b"), ("#te", .group, "te"), ("/ms te", .group, "te"),
      ("/co", .command, "co"), ("/delete u", .contact, "u"), ("/set voice @a", .contact, "a"),
      ("@'Bob B", .contact, "'Bob B"), ("/rm team b", .member(of: "team"), "b"),
      ("/rm #'Our team' @'Bo", .member(of: "Our team"), "'Bo"), ("/i #team ", .member(of: "team"), ""),
      ("/block for all #team b", .member(of: "team"), "b"), ("/mr team b", .member(of: "team"), "b"),
      ("/a team b", .contact, "b"), ("#team hello @b", .mention(of: "team"), "b"),
      ("#team @", .mention(of: "team"), ""),
      ("/f @bo", .contact, "bo"), ("/f @bob pi", .path, "pi"), ("/img #'Our team' a b/", .path, "a b/"),
      ("/file * ", .path, ""), ("/fr 12 ~/D", .path, "~/D"),
      ("@bot /he", .botCommand(of: "bot"), "he"), ("@'My bot' /", .botCommand(of: "My bot"), ""),
      ("> #team @b", .member(of: "team"), "b"), ("\\\\ #team @b", .member(of: "team"), "b"), ("/gp te", .group, "te"),
    ] as [(String, Completion.Kind, String)] {
      #expect(Completion(line)?.kind == kind, "\(line)")
      #expect(Completion(line)?.name == name, "\(line)")
    }
    for line in [
      "", "hello", "@alice text", "@'Bob B' x", "/info alice x", "#team hello", "#team @bob x", "/ms team x",
      "/mr team bob x", "@bot /help x", "> @bot /he", "@bot he",
    ] {
      #expect(Completion(line) == nil, "\(line)")
    }
  }

  @Test func lines() throws {
    // A name with a space is found by its beginning.
    #expect(try completed("@Bo") == "@'Bob B' ")
    #expect(try completed("@ali") == "@alice ")
    #expect(try completed("@a") == "@al")
    #expect(try completed("@x") == "@x")
    #expect(try completed("/info @'B") == "/info @'Bob B' ")
    #expect(try completed("@") == "@")
    #expect(try completed("/rm team Bo") == "/rm team 'Bob B' ")
    #expect(try completed("#team hello @ali") == "#team hello @alice ")
    #expect(try completed("/vers", Completion.commands) == "/version ")
    #expect(try completed("@bot /o", ["help", "order"]) == "@bot /order ")
    #expect(try #require(Completion("@al")).completed(with: names).variants == ["alba", "alice"])
  }
}

@Suite struct LiveMessageTests {
  @Test func wordsAreSentWhole() throws {
    let item = AChatItem(
      chatInfo: .direct(contact: Samples.contact(2, "bob", at: Samples.time(0))),
      chatItem: Samples.item(7, direction: .directSnd, text: "he", at: Samples.time(0)))
    var message = try #require(LiveMessage(item, text: "he"))
    #expect(message.next(typed: "he") == nil)
    #expect(message.next(typed: "hello wor") == "hello ")
    message.sent = "hello "
    #expect(message.next(typed: "hello world") == nil)
    // Nothing more was typed: the last word is one too.
    #expect(message.next(typed: "hello world") == "hello world")
    message.sent = "hello world"
    #expect(message.next(typed: "") == nil)
    let command = message.update("hello", isOver: false)
    let json = #"{"msgContent":{"type":"text","text":"hello"},"mentions":{}}"#
    #expect(command.cmdString == "/_update item @2 7 live=on json " + json)
  }
}

@Suite struct TypingStateTests {
  /// Each profile has its chosen chat. A line belongs to the profile whose prompt was on the screen at its first key.
  @Test func chatsOfProfiles() {
    var state = TypingState()
    (state.profile, state.drawnProfile) = ((1, nil), (1, nil))
    let first = state.finish("@bob hi", in: state.typedChoice, as: .enter)
    #expect(first.profile == 1 && first.chat.isEmpty && state.prompt == "@bob > ")
    // The next profile is not drawn yet.
    state.profile = (2, "work")
    let ahead = state.finish("typed ahead", in: state.typedChoice, as: .enter)
    #expect(ahead.profile == 1 && ahead.chat == "@bob ")
    state.drawnProfile = state.profile
    #expect(state.prompt == "[work] > ")
    _ = state.finish("@carol", in: state.typedChoice, as: .enter)
    // A command about a chat leaves the choice as it is.
    let command = state.finish("/tail @dave", in: state.typedChoice, as: .enter)
    #expect(command.profile == 2 && command.chat == "@carol " && state.prompt == "[work] @carol > ")
    (state.profile, state.drawnProfile) = ((1, "alice"), (1, "alice"))
    #expect(state.prompt == "[alice] @bob > ")
  }

  /// A secret answer handles only the keys that end it.
  @Test func typedSecrets() async {
    var state = TypingState()
    let answer = await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
      state.secret = ("New key:", LineEditor(), continuation)
      #expect(state.prompt == "New key: ")
      for key in [Key.text("hushx"), .backspace, .up, .tab] { #expect(state.takeSecret(key) == nil) }
      let taken = state.takeSecret(.enter)
      taken?.answer.resume(returning: taken?.text)
    }
    #expect(answer == "hush" && state.editor.isEmpty && state.secret == nil)
  }
}

/// The sequences by which a terminal tells of messages.
@Suite struct AlertSequencesTests {
  @Test(arguments: [
    (["TERM": "xterm-256color"], "\u{07}\u{1B}]9;@bob: hello\u{1B}\\", "\u{1B}]2;(3) simplex-chat\u{1B}\\"),
    (
      ["TERM": "xterm", "VTE_VERSION": "7600"], "\u{07}\u{1B}]777;notify;@bob;hello\u{1B}\\",
      "\u{1B}]2;(3) simplex-chat\u{1B}\\"
    ),
    (["TERM": "foot"], "\u{07}\u{1B}]777;notify;@bob;hello\u{1B}\\", "\u{1B}]2;(3) simplex-chat\u{1B}\\"),
    (["TERM": "linux"], "\u{07}", ""), (["TERM": "dumb"], "\u{07}", ""), ([:], "\u{07}", ""),
  ])
  func dependOnTheTerminal(_ environment: [String: String], _ alert: String, _ title: String) {
    let sequences = AlertSequences(environment: environment)
    #expect(sequences.alert(TerminalAlert(title: "@bob", text: "hello")) == alert)
    #expect(sequences.title(unread: 3) == title)
    #expect(sequences.title(unread: 0) == title.replacing("(3) ", with: ""))
    #expect(sequences.saveTitle.isEmpty == title.isEmpty && sequences.restoreTitle.isEmpty == title.isEmpty)
  }

  /// Names and texts of other people end no control sequence and begin none.
  @Test func textsOfOthersAreNoControls() {
    let alert = TerminalAlert(title: "@b;\u{1B}\\ob\u{07}", text: "one\ntwo\u{9C}\u{1B}]2;title\u{07}")
    for text in [alert.title, alert.text] {
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) })
      #expect(!text.contains(";"))
    }
    let long = TerminalAlert(title: "@bob", text: String(repeating: "a", count: 10_000))
    #expect(long.text.count == 101 && long.text.hasSuffix("…"))
  }
}
