/// The line that is being typed, and the lines before it. Nothing of a terminal.
struct LineEditor {
  /// What a key led to.
  enum Outcome: Hashable {
    /// Nothing but the line may have changed.
    case edited
    /// A line is finished.
    case line(String)
    /// A line is finished, and its message becomes a live message.
    case live(String)
    /// The text before the cursor is to be completed.
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

  /// An editor that remembers lines.
  init(history: [String] = []) {
    self.history = history.suffix(Self.historyLimit)
    place = self.history.count
  }

  /// Whether nothing is typed.
  var isEmpty: Bool { characters.isEmpty }

  /// The line.
  var text: String {
    get { String(characters) }
    set {
      characters = Array(newValue.prefix(Self.lengthLimit))
      cursor = characters.count
    }
  }

  private var beforeCursor: String { String(characters[..<cursor]) }

  /// Performs the function of a key.
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
    case .up: if !moveLine(by: -1) { recall(place - 1) }
    case .down: if !moveLine(by: 1) { recall(place + 1) }
    case .escape, .suspend, .focus: break
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

  /// Replaces the text before the cursor, if it is still the same.
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
    if !line.isEmpty, line != history.last, !SecretLine.holdsSecret(line) {
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

  // MARK: Lines of the text

  /// Moves the cursor to the line of the text above or below, to the same column; false where there is none.
  private mutating func moveLine(by step: Int) -> Bool {
    let starts = [0] + characters.indices.filter { characters[$0] == "\n" }.map { $0 + 1 }
    guard let line = starts.lastIndex(where: { $0 <= cursor }), starts.indices.contains(line + step) else {
      return false
    }
    let start = starts[line + step]
    let end = starts.indices.contains(line + step + 1) ? starts[line + step + 1] - 1 : characters.count
    cursor = min(start + cursor - starts[line], end)
    return true
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
