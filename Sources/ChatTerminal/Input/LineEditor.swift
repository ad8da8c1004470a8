/// The line that is being typed, and the lines before it. Nothing of a terminal.
struct LineEditor {
  /// What a key led to.
  enum Outcome: Hashable {
    /// Nothing but the line may have changed.
    case edited
    /// A line is finished.
    case line(String)
    /// A line is finished, and the message in it goes on.
    case live(String)
    /// What stands before the cursor is to be completed.
    case completion(String)
    /// There will be no more lines.
    case ended
  }

  private static let historyLimit = 500
  /// No message is as long.
  private static let lengthLimit = 1 << 16

  /// The line, in what people take for characters.
  private(set) var characters: [Character] = []
  /// How many characters are before the cursor.
  private(set) var cursor = 0
  private var history: [String] = []
  /// The line of the history that is shown; the end of the history is the new line.
  private var place = 0
  private var draft = ""

  /// The line.
  var text: String {
    get { String(characters) }
    set {
      characters = Array(newValue.prefix(Self.lengthLimit))
      cursor = characters.count
    }
  }

  private var beforeCursor: String { String(characters[..<cursor]) }

  /// Does what a key stands for.
  mutating func handle(_ key: Key) -> Outcome {
    switch key {
    case .text(let text): insert(text)
    case .enter: return .line(take())
    case .live: return .live(take())
    case .tab: return .completion(beforeCursor)
    case .backspace: delete(max(0, cursor - 1)..<cursor)
    case .delete: delete(cursor..<min(cursor + 1, characters.count))
    case .deleteWord: delete(wordStart..<cursor)
    case .deleteToStart: delete(0..<cursor)
    case .deleteToEnd: delete(cursor..<characters.count)
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(characters.count, cursor + 1)
    case .wordLeft: cursor = wordStart
    case .wordRight: cursor = wordEnd
    case .home: cursor = 0
    case .end: cursor = characters.count
    case .up: recall(place - 1)
    case .down: recall(place + 1)
    case .interrupt:
      if characters.isEmpty { return .ended }
      text = ""
      place = history.count
    case .endOfInput:
      if characters.isEmpty { return .ended }
      delete(cursor..<min(cursor + 1, characters.count))
    }
    return .edited
  }

  /// Replaces what stands before the cursor, if it is still what it was.
  mutating func complete(_ old: String, with new: String) {
    guard beforeCursor == old else { return }
    delete(0..<cursor)
    insert(new)
  }

  // MARK: Changes

  private mutating func insert(_ text: String) {
    guard characters.count + text.count <= Self.lengthLimit else { return }
    // An accent that is typed after its letter belongs to it.
    let before = Array(beforeCursor + text)
    characters = before + characters[cursor...]
    cursor = before.count
  }

  private mutating func delete(_ range: Range<Int>) {
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }

  private mutating func take() -> String {
    let line = text
    if !line.isEmpty, line != history.last {
      history.append(line)
      if history.count > Self.historyLimit { history.removeFirst() }
    }
    place = history.count
    draft = ""
    text = ""
    return line
  }

  private mutating func recall(_ wanted: Int) {
    guard (0...history.count).contains(wanted), wanted != place else { return }
    if place == history.count { draft = text }
    place = wanted
    text = wanted < history.count ? history[wanted] : draft
  }

  // MARK: Words

  private var wordStart: Int {
    var index = cursor
    while index > 0, characters[index - 1].isWhitespace { index -= 1 }
    while index > 0, !characters[index - 1].isWhitespace { index -= 1 }
    return index
  }

  private var wordEnd: Int {
    var index = cursor
    while index < characters.count, characters[index].isWhitespace { index += 1 }
    while index < characters.count, !characters[index].isWhitespace { index += 1 }
    return index
  }
}
