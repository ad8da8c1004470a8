/// Reads the fragments of one line. Each `parse…` function either consumes its fragment and returns true, or leaves
/// the position as it was.
struct MarkdownLine {
  let source: [UInt8]
  var position: Int
  let end: Int

  init(_ source: [UInt8], from start: Int, to end: Int) {
    self.source = source
    self.position = start
    self.end = end
  }

  mutating func parse(into pieces: inout MarkdownPieces) {
    while position < end {
      let isHandled =
        switch source[position] {
        case UInt8(ascii: " "): parseSpaces(&pieces)
        case UInt8(ascii: "*"): parseMarked(.bold, &pieces)
        case UInt8(ascii: "_"): parseMarked(.italic, &pieces)
        case UInt8(ascii: "~"): parseMarked(.strikeThrough, &pieces)
        case UInt8(ascii: "`"): parseMarked(.snippet, &pieces)
        case UInt8(ascii: "#"): parseSecret(&pieces) || parseName(&pieces) || parseUnmarked(&pieces)
        case UInt8(ascii: "!"): parseStyled(&pieces)
        case UInt8(ascii: "@"): parseName(&pieces) || parseMention(&pieces)
        case UInt8(ascii: "/"): parseCommand(&pieces)
        case UInt8(ascii: "["): parseHyperLink(&pieces)
        case UInt8(ascii: "+"), UInt8(ascii: "0")...UInt8(ascii: "9"): parsePhone(&pieces)
        default: false
        }
      if !isHandled { parseWord(&pieces) }
    }
  }

  func index(of byte: UInt8, from start: Int) -> Int {
    source[start..<end].firstIndex(of: byte) ?? end
  }

  private func isSpace(_ index: Int) -> Bool { source[index] == UInt8(ascii: " ") }
}

// MARK: - Marked text

extension MarkdownLine {
  private mutating func parseSpaces(_ pieces: inout MarkdownPieces) -> Bool {
    let start = position
    while position < end, isSpace(position) { position += 1 }
    pieces.appendPlain(start, position)
    return true
  }

  /// Text between two equal marks; without the closing one the rest of the line is plain.
  private mutating func parseMarked(_ format: Format, _ pieces: inout MarkdownPieces) -> Bool {
    let start = position + 1
    let close = index(of: source[position], from: start)
    if close < end, start < close, !isSpace(start), !isSpace(close - 1) {
      pieces.append(from: start, to: close, as: format)
    } else {
      pieces.appendPlain(position, min(close + 1, end))
    }
    position = min(close + 1, end)
    return true
  }

  /// `#secret#`; of several marks on either side all but one belong to the text.
  private mutating func parseSecret(_ pieces: inout MarkdownPieces) -> Bool {
    let mark = UInt8(ascii: "#")
    let start = position + 1
    var content = start
    while content < end, source[content] == mark { content += 1 }
    let close = index(of: mark, from: content)
    var after = close
    while after < end, source[after] == mark { after += 1 }
    guard after > close, content < close, !isSpace(content), !isSpace(close - 1) else { return false }
    pieces.append(from: start, to: after - 1, as: .secret)
    position = after
    return true
  }

  /// A mark and what follows it up to a space.
  private mutating func parseUnmarked(_ pieces: inout MarkdownPieces) -> Bool {
    let next = index(of: UInt8(ascii: " "), from: position)
    pieces.appendPlain(position, next)
    position = next
    return true
  }

  /// `!1 coloured!`, `!red coloured!` or `!- small!`.
  private mutating func parseStyled(_ pieces: inout MarkdownPieces) -> Bool {
    guard let (format, afterStyle) = style(at: position + 1), afterStyle < end else { return false }
    let space = source.scalar(at: afterStyle)
    let start = space.next
    guard space.scalar.isSpace, start < end, !isSpace(start), source[start] != UInt8(ascii: "!") else { return false }
    let close = index(of: UInt8(ascii: "!"), from: start)
    guard close < end, !isSpace(close - 1) else { return false }
    pieces.append(from: start, to: close, as: format)
    position = close + 1
    return true
  }

  private func style(at index: Int) -> (Format, next: Int)? {
    guard index < end else { return nil }
    let first = source[index]
    if first == UInt8(ascii: "-") { return (.small, index + 1) }
    for (color, digit, name) in Self.colors {
      if first == digit { return (.colored(color: color), index + 1) }
      if first == name[0] {
        let isFullName = index + name.count <= end && source[index..<(index + name.count)].elementsEqual(name)
        return (.colored(color: color), index + (isFullName ? name.count : 1))
      }
    }
    return nil
  }

  private static let colors: [(FormatColor, digit: UInt8, name: [UInt8])] = FormatColor.allCases.compactMap { color in
    color.mark.flatMap(\.asciiValue).map { (color, $0, Array(color.rawValue.utf8)) }
  }
}

// MARK: - Names, mentions and commands

extension MarkdownLine {
  /// `#name`, `#name.domain` or `@name.domain` up to a space, without the punctuation after it.
  private mutating func parseName(_ pieces: inout MarkdownPieces) -> Bool {
    let next = index(of: UInt8(ascii: " "), from: position)
    let nameEnd = withoutPunctuation(from: position + 1, to: next) { $0.isPunctuation }
    guard let info = SimplexNameInfo(reference: string(position, nameEnd)) else { return false }
    pieces.append(from: position, to: nameEnd, as: .simplexName(nameInfo: info))
    pieces.appendPlain(nameEnd, next)
    position = next
    return true
  }

  private mutating func parseMention(_ pieces: inout MarkdownPieces) -> Bool {
    guard let name = name(at: position + 1) else { return false }
    pieces.append(from: position, to: name.pieceEnd, as: .mention(memberName: string(name.start, name.end)))
    pieces.appendPlain(name.pieceEnd, name.next)
    position = name.next
    return true
  }

  private mutating func parseCommand(_ pieces: inout MarkdownPieces) -> Bool {
    guard let name = name(at: position + 1), startsWithKeyword(name.start, name.end) else { return false }
    pieces.append(from: position, to: name.pieceEnd, as: .command(commandStr: string(name.start, name.end)))
    pieces.appendPlain(name.pieceEnd, name.next)
    position = name.next
    return true
  }

  /// A name, quoted or up to white space: the name itself, the end of what shows it, and the place after the
  /// punctuation that follows an unquoted name.
  private func name(at start: Int) -> (start: Int, end: Int, pieceEnd: Int, next: Int)? {
    guard start < end else { return nil }
    let quote = UInt8(ascii: "'")
    if source[start] == quote {
      guard start + 1 < end, canStartName(start + 1) else { return nil }
      let close = index(of: quote, from: start + 1)
      return close < end ? (start + 1, close, close + 1, close + 1) : nil
    }
    guard canStartName(start) else { return nil }
    let next = endOfNonSpace(from: start)
    let nameEnd = withoutPunctuation(from: start, to: next) { $0.isPunctuation }
    return (start, nameEnd, nameEnd, next)
  }

  private func canStartName(_ index: Int) -> Bool {
    switch source[index] {
    case ...UInt8(ascii: " "), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "'"): false
    default: true
    }
  }

  private func startsWithKeyword(_ start: Int, _ end: Int) -> Bool {
    var index = start
    var length = 0
    while index < end {
      let (scalar, next) = source.scalar(at: index)
      if scalar.isSpace {
        if length > 0 { return true }
      } else {
        guard scalar == "_" || scalar.isLetter || source[index].isASCIIDigit else { return false }
        length += 1
      }
      index = next
    }
    return length > 0
  }

  private func endOfNonSpace(from start: Int) -> Int {
    var index = start
    while index < end {
      let (scalar, next) = source.scalar(at: index)
      if scalar.isSpace { break }
      index = next
    }
    return index
  }

  /// The end of the range without the characters at its end that satisfy the condition.
  func withoutPunctuation(from start: Int, to end: Int, where isPunctuation: (Unicode.Scalar) -> Bool) -> Int {
    var last = end
    while last > start {
      let (scalar, before) = source.scalar(before: last, notBefore: start)
      guard isPunctuation(scalar) else { break }
      last = before
    }
    return last
  }

  func string(_ start: Int, _ end: Int) -> String { String(decoding: source[start..<end], as: UTF8.self) }
}
