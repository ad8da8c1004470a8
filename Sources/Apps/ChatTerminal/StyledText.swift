import ChatAPI
import QRCodes

/// A line for a terminal: pieces of text, each in its style.
///
/// Whatever others wrote (names, messages) is shown without its control characters, so that it can move no cursor, set
/// no title of the window and change no direction of writing.
public struct StyledText: Hashable, Sendable {
  /// How a piece looks.
  public enum Style: Hashable, Sendable {
    case plain, bold, italic, strikeThrough, small, secret
    /// The grey of times.
    case time
    /// The modules of a QR code, in white on black on every terminal.
    case qrCode
    /// A web address that the terminal may open; the text is the address itself.
    case link
    case color(FormatColor)

    /// The parameters of the terminal's control sequence; nil for none.
    fileprivate var parameters: String? {
      switch self {
      case .plain: nil
      case .bold: "1"
      case .italic: "4;3"
      case .strikeThrough: "7"
      case .small: "2"
      case .secret: "30;40"
      case .time: "90"
      case .qrCode: QRCode.terminalColors
      case .link: nil
      case .color(let color): "\(90 + color.position)"
      }
    }
  }

  private struct Piece: Hashable, Sendable {
    var text: String
    var style: Style
  }

  private var pieces: [Piece]

  /// A text in one style.
  public init(_ text: String, _ style: Style = .plain) {
    pieces = text.isEmpty ? [] : [Piece(text: Self.withoutControls(text), style: style)]
  }

  /// The text without styles.
  public var text: String { pieces.map(\.text).joined() }

  /// The text with the control sequences of a terminal.
  public var terminalText: String {
    pieces.map { piece in
      if piece.style == .link { return TerminalStyle.link(piece.text) }
      return piece.style.parameters.map { "\u{1B}[\($0)m\(piece.text)\u{1B}[0m" } ?? piece.text
    }.joined()
  }

  /// The text for the screen of this program: with control sequences where styles are used.
  var screenText: String { TerminalStyle.isUsed ? terminalText : text }

  /// The text in rows of at most `width` columns, broken between words; rows after the first are indented. A text with
  /// a word that is longer than a row, such as a link, stays whole: the terminal breaks it where it can be copied.
  func wrapped(width: Int, indent: Int = 6) -> [StyledText] {
    guard width >= 4 * indent, text.reduce(0, { $0 + $1.columns }) > width else { return [self] }
    let characters = pieces.flatMap { piece in piece.text.map { (character: $0, style: piece.style) } }
    var rows: [StyledText] = []
    var start = 0
    while start < characters.count {
      let room = rows.isEmpty ? width : width - indent
      var (end, columns) = (start, 0)
      while end < characters.count, columns + characters[end].character.columns <= room {
        columns += characters[end].character.columns
        end += 1
      }
      var next = end
      if end < characters.count {
        guard let space = (start...end).last(where: { characters[$0].character == " " }), space > start,
          characters[start..<space].contains(where: { $0.character != " " })
        else { return [self] }
        (end, next) = (space, space + 1)
      }
      var row = StyledText(rows.isEmpty ? "" : String(repeating: " ", count: indent))
      for (character, style) in characters[start..<end] { row.append(character, style) }
      rows.append(row)
      start = next
    }
    return rows
  }

  private mutating func append(_ character: Character, _ style: Style) {
    if let last = pieces.last, last.style == style {
      pieces[pieces.count - 1].text.append(character)
    } else {
      pieces.append(Piece(text: String(character), style: style))
    }
  }

  /// The beginning of the text, at most this number of characters.
  public func prefix(_ count: Int) -> StyledText {
    var result = StyledText("")
    var left = count
    for piece in pieces where left > 0 {
      let text = String(piece.text.prefix(left))
      result.pieces.append(Piece(text: text, style: piece.style))
      left -= text.count
    }
    return result
  }

  /// One text after the other.
  public static func + (left: StyledText, right: StyledText) -> StyledText {
    var result = left
    result.pieces += right.pieces
    return result
  }

  private static func withoutControls(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.filter { !isControl($0) }))
  }

  /// Control characters, ends of lines, and characters that change the direction of the text around them: with those, a
  /// text could change how the line looks that it is in.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09: false
    case ..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension StyledText: ExpressibleByStringInterpolation {
  /// Collects the pieces of a literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var result = StyledText("")

    /// Room for nothing: pieces are few.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// The literal parts are plain.
    public mutating func appendLiteral(_ literal: String) { result = result + StyledText(literal) }

    /// Styled text keeps its styles.
    public mutating func appendInterpolation(_ text: StyledText) { result = result + text }

    /// Everything else is plain.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      result = result + StyledText(value.description)
    }
  }

  /// Makes a plain text.
  public init(stringLiteral value: String) { self.init(value) }

  /// Makes a text of pieces.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.result }
}

extension FormatColor {
  /// The place of the colour in the palette of terminals.
  fileprivate var position: Int {
    switch self {
    case .black: 0
    case .red: 1
    case .green: 2
    case .yellow: 3
    case .blue: 4
    case .magenta: 5
    case .cyan: 6
    case .white: 7
    }
  }
}

// MARK: - The colours of things

extension StyledText {
  /// Something to type.
  static func highlight(_ text: String) -> StyledText { StyledText(text, .color(.cyan)) }

  /// Something that went wrong.
  static func error(_ text: String) -> StyledText { StyledText(text, .color(.red)) }

  /// Whom something comes from.
  static func from(_ text: String) -> StyledText { StyledText(text, .color(.yellow)) }

  /// Whom something goes to.
  static func to(_ text: String) -> StyledText { StyledText(text, .color(.cyan)) }

  /// The name of a person.
  static func contact(_ name: String) -> StyledText { StyledText(DisplayName.quoted(name), .color(.green)) }

  /// The name of a group.
  static func group(_ name: String) -> StyledText { StyledText("#" + DisplayName.quoted(name), .color(.blue)) }

  /// The name of a profile that was made for one connection.
  static func incognito(_ name: String) -> StyledText { StyledText(name, .color(.magenta)) }
}

extension [StyledText] {
  /// The lines with something before the first.
  func led(by prefix: StyledText) -> [StyledText] {
    guard let first else { return [prefix] }
    return [prefix + first] + dropFirst()
  }
}
