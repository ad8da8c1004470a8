/// What is to be shown above the typed line.
enum ScreenChange {
  /// Lines below all others; with a key, they can be replaced.
  case lines([StyledText], key: Int64?)
  /// Lines in place of those with a key.
  case replacement(Int64, [StyledText])
}

/// The rows at the bottom of the screen: the typed line, and above it the last lines that were shown, as far as they
/// can still be replaced. When the width of the screen changes, all of them are redrawn.
struct LineScreen {
  private struct Line {
    let text: StyledText
    let key: Int64?
    /// The line, wrapped between words.
    let parts: [StyledText]
    /// The number of rows it takes.
    let rows: Int

    init(_ text: StyledText, key: Int64?, width: Int) {
      self.text = text
      self.key = key
      parts = text.wrapped(width: width)
      rows = parts.reduce(0) { $0 + Self.rows(of: $1.text, width: width) }
    }

    /// How many rows a terminal breaks a text into: a character of two columns does not begin in the last one.
    private static func rows(of text: String, width: Int) -> Int {
      var (rows, column) = (1, 0)
      for character in text {
        let size = character.columns
        if column > 0, column + size > width { (rows, column) = (rows + 1, 0) }
        column += size
      }
      return rows
    }

    var screenText: String { parts.map { $0.screenText + "\n" }.joined() }
  }

  /// More rows than any screen has.
  private static let lineLimit = 500

  private var drawn: LineLayout?
  private var cursorRow = 0
  /// The last lines that were shown.
  private var lines: [Line] = []
  /// The number of the last ones that are on the screen.
  private var reachable = 0
  private var width = 0
  /// Whether nothing but these lines is on the screen.
  private var ownsScreen = false

  /// Whether lines with a key can be replaced.
  func shows(_ key: Int64) -> Bool { lines.suffix(reachable).contains { $0.key == key } }

  /// The control sequences that erase the typed line and put the cursor at its beginning.
  mutating func erased() -> String {
    defer { (drawn, cursorRow) = (nil, 0) }
    return (cursorRow > 0 ? "\u{1B}[\(cursorRow)A" : "") + "\r\u{1B}[J"
  }

  /// Forgets the lines above, because something else has changed the screen.
  mutating func forgetLines() { (lines, reachable, ownsScreen) = ([], 0, false) }

  /// The text that shows the changes above the typed line, and the typed line below; empty if nothing has changed.
  mutating func show(_ changes: [ScreenChange], _ layout: LineLayout, width: Int, height: Int) -> String {
    let isResized = self.width > 0 && width != self.width
    self.width = width
    guard !isResized else { return redraw(changes, layout, height: height) }
    guard !changes.isEmpty || drawn != layout else { return "" }
    var text = erased()
    let rowsBefore = lines.map(\.rows)
    let first = apply(changes)
    let up = rowsBefore.dropFirst(first).reduce(0, +)
    if up > 0 { text += "\u{1B}[\(up)A\r\u{1B}[J" }
    text += lines[first...].map(\.screenText).joined()
    let visible = layout.visible(height: height)
    reachable = min(fitting(height - visible.rows.count), reachable + lines.count - rowsBefore.count)
    lines.removeFirst(max(0, lines.count - Self.lineLimit))
    return text + draw(layout, visible)
  }

  /// The text that redraws everything after a change of the width. The positions of the old rows are unknown then: some
  /// terminals wrap them again, others truncate them.
  ///
  /// New lines are shown even if they do not all fit, and so is the last line of all: one can scroll back to them.
  private mutating func redraw(_ changes: [ScreenChange], _ layout: LineLayout, height: Int) -> String {
    let first = apply(changes)
    let new = lines.count - first
    lines = lines.suffix(Self.lineLimit).map { Line($0.text, key: $0.key, width: width) }
    let visible = layout.visible(height: height)
    reachable = fitting(height - visible.rows.count)
    // The output of other programs is scrolled up, so that one can scroll back to it.
    let kept = ownsScreen ? "" : "\u{1B}[\(height);1H" + String(repeating: "\n", count: height)
    ownsScreen = true
    return kept + "\u{1B}[H\u{1B}[J" + lines.suffix(max(reachable, new, 1)).map(\.screenText).joined()
      + draw(layout, visible)
  }

  /// Applies the changes; returns the index of the first line that differs from before.
  private mutating func apply(_ changes: [ScreenChange]) -> Int {
    let onScreen = lines.count - min(reachable, lines.count)
    var first = lines.count
    for change in changes {
      switch change {
      case .lines(let new, let key): lines += new.map { Line($0, key: key, width: width) }
      case .replacement(let key, let new):
        guard let start = lines[onScreen...].firstIndex(where: { $0.key == key }) else { continue }
        let end = lines[start...].firstIndex { $0.key != key } ?? lines.count
        lines.replaceSubrange(start..<end, with: new.map { Line($0, key: key, width: width) })
        first = min(first, start)
      }
    }
    return first
  }

  private mutating func draw(_ layout: LineLayout, _ visible: (rows: ArraySlice<String>, cursorRow: Int)) -> String {
    let below = visible.rows.count - 1 - visible.cursorRow
    (drawn, cursorRow) = (layout, visible.cursorRow)
    return visible.rows.joined(separator: "\r\n") + (below > 0 ? "\u{1B}[\(below)A" : "") + "\r"
      + (layout.cursorColumn > 0 ? "\u{1B}[\(layout.cursorColumn)C" : "")
  }

  /// The number of the last lines that fit into `height` rows.
  private func fitting(_ height: Int) -> Int {
    var rows = 0
    return lines.reversed().prefix { line in
      rows += line.rows
      return rows <= height
    }.count
  }
}
