/// The markdown of messages: text to formatted pieces, and back.
///
/// The language is line-based. A mark opens only at the start of a word and closes at its next occurrence in the
/// line; what does not fit stays as it is, so every text has a reading. Nothing nests.
public enum Markdown {
  /// The pieces of `text`; nil where no piece has a format.
  ///
  /// A text that is one line and begins with `/` is a command as a whole. The last line break of a text with
  /// several lines is dropped, as in the reference.
  public static func parse(_ text: String) -> [FormattedText]? {
    let bytes = Array(text.utf8)
    guard bytes.count > 1 else { return nil }
    if let command = commandLine(bytes) { return command }

    var pieces = MarkdownPieces(bytes)
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      if start > 0 { pieces.appendPlain(start - 1, start) }
      var line = MarkdownLine(bytes, from: start, to: end)
      line.parse(into: &pieces)
      start = end + 1
    }
    return pieces.formatted()
  }

  /// The text that is parsed to this piece again.
  public static func text(of piece: FormattedText) -> String {
    switch piece.format {
    case .bold: "*\(piece.text)*"
    case .italic: "_\(piece.text)_"
    case .strikeThrough: "~\(piece.text)~"
    case .snippet: "`\(piece.text)`"
    case .secret: "#\(piece.text)#"
    case .small: "!- \(piece.text)!"
    case .colored(let color): color.mark.map { "!\($0) \(piece.text)!" } ?? piece.text
    default: piece.text
    }
  }

  /// The members that the text mentions, in order.
  public static func mentionedNames(_ pieces: [FormattedText]) -> [String] {
    pieces.compactMap { piece in
      if case .mention(let name) = piece.format { name } else { nil }
    }
  }

  private static func commandLine(_ bytes: [UInt8]) -> [FormattedText]? {
    var end = bytes.count
    if bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    guard let start = bytes[..<end].firstIndex(where: { $0 != UInt8(ascii: " ") }),
      bytes[start] == UInt8(ascii: "/"), start + 1 < end, !bytes[..<end].contains(UInt8(ascii: "\n"))
    else { return nil }
    let command = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
    return [FormattedText(text: String(decoding: bytes[..<end], as: UTF8.self), format: .command(commandStr: command))]
  }
}

extension FormatColor {
  /// The digit that names the colour in markdown; nil for the two that it cannot name.
  var mark: Character? {
    switch self {
    case .red: "1"
    case .green: "2"
    case .blue: "3"
    case .yellow: "4"
    case .cyan: "5"
    case .magenta: "6"
    case .black, .white: nil
    }
  }
}

/// Collects pieces as ranges of the source, joining neighbours of one format; text is copied once, at the end.
struct MarkdownPieces {
  private let source: [UInt8]
  private var pieces: [(start: Int, end: Int, format: Format?)] = []
  private var hasFormat = false

  init(_ source: [UInt8]) { self.source = source }

  mutating func appendPlain(_ start: Int, _ end: Int) {
    if let last = pieces.last, last.format == nil, last.end == start {
      pieces[pieces.count - 1].end = end
    } else if start < end {
      pieces.append((start, end, nil))
    }
  }

  mutating func append(from start: Int, to end: Int, as format: Format) {
    hasFormat = true
    pieces.append((start, end, format))
  }

  func formatted() -> [FormattedText]? {
    guard hasFormat else { return nil }
    var result: [FormattedText] = []
    result.reserveCapacity(pieces.count)
    for piece in pieces {
      let text = String(decoding: source[piece.start..<piece.end], as: UTF8.self)
      if let last = result.indices.last, result[last].format == piece.format {
        result[last].text += text
      } else {
        result.append(FormattedText(text: text, format: piece.format))
      }
    }
    return result
  }
}
