import WireCodec

/// The part of YAML that file descriptions use: mappings and sequences by indentation, and scalars on one line, plain
/// or in quotes. No anchors, tags, flow collections or scalars of several lines.
indirect enum YAMLNode: Equatable {
  case scalar(String)
  case sequence([YAMLNode])
  case mapping([(key: String, value: YAMLNode)])
  case null

  static func == (left: YAMLNode, right: YAMLNode) -> Bool {
    switch (left, right) {
    case (.scalar(let left), .scalar(let right)): left == right
    case (.sequence(let left), .sequence(let right)): left == right
    case (.mapping(let left), .mapping(let right)):
      left.elementsEqual(right) { $0.key == $1.key && $0.value == $1.value }
    case (.null, .null): true
    default: false
    }
  }

  /// The value of a mapping's member; nil where there is none, or null.
  subscript(key: String) -> YAMLNode? {
    guard case .mapping(let members) = self, let member = members.first(where: { $0.key == key })?.value,
      member != .null
    else { return nil }
    return member
  }

  /// The text of a scalar.
  var text: String? { if case .scalar(let text) = self { text } else { nil } }
  /// The elements of a sequence.
  var elements: [YAMLNode]? { if case .sequence(let elements) = self { elements } else { nil } }
}

extension YAMLNode {
  /// Reads a document.
  /// - Throws: an error at the start of the line that cannot be read.
  init(parsing text: String) throws(WireError) {
    var parser = YAMLParser(text)
    self = try parser.document()
  }
}

/// Reads nodes from lines. Nesting is limited.
private struct YAMLParser {
  /// A line without its indentation.
  private struct Line {
    var indent: Int
    var text: Substring
    var offset: Int
  }

  private var lines: [Line] = []
  private var next = 0
  private static let depthLimit = 16

  init(_ text: String) {
    // A line break of Windows is a single character.
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
      let offset = text.utf8.distance(from: text.startIndex, to: line.startIndex)
      let content = line.drop { $0 == " " }
      var end = content
      while let last = end.last, last == " " || last == "\r" || last == "\t" { end = end.dropLast() }
      if end.isEmpty || end.first == "#" || (offset == 0 && end == "---") { continue }
      lines.append(Line(indent: line.utf8.count - content.utf8.count, text: end, offset: offset))
    }
  }

  mutating func document() throws(WireError) -> YAMLNode {
    guard let first = lines.first else { return .null }
    let node = try block(indent: first.indent, depth: 0)
    guard next == lines.count else { throw failure("a line with the indentation of its block") }
    return node
  }

  private func failure(_ expected: String) -> WireError {
    WireError(.expected(expected), offset: next < lines.count ? lines[next].offset : lines.last?.offset ?? 0)
  }

  /// The node that begins at the next line, with this indentation.
  private mutating func block(indent: Int, depth: Int) throws(WireError) -> YAMLNode {
    guard depth < Self.depthLimit else { throw failure("fewer levels") }
    guard next < lines.count else { return .null }
    if isItem(lines[next].text) { return try sequence(indent: indent, depth: depth) }
    if key(of: lines[next].text) != nil { return try mapping(indent: indent, depth: depth) }
    let line = lines[next]
    guard let scalar = Self.scalar(line.text) else { throw failure("a scalar") }
    next += 1
    return scalar
  }

  private func isItem(_ text: Substring) -> Bool { text == "-" || text.hasPrefix("- ") }

  private mutating func sequence(indent: Int, depth: Int) throws(WireError) -> YAMLNode {
    var elements: [YAMLNode] = []
    while next < lines.count, lines[next].indent == indent, isItem(lines[next].text) {
      let content = lines[next].text.dropFirst().drop { $0 == " " }
      if content.isEmpty {
        next += 1
        elements.append(try nested(below: indent, depth: depth))
        continue
      }
      // The element begins on this line, with the indentation that it has there.
      let inner = indent + lines[next].text.utf8.count - content.utf8.count
      lines[next].text = content
      lines[next].indent = inner
      elements.append(try block(indent: inner, depth: depth + 1))
    }
    return .sequence(elements)
  }

  private mutating func mapping(indent: Int, depth: Int) throws(WireError) -> YAMLNode {
    var members: [(key: String, value: YAMLNode)] = []
    var names: Set<String> = []
    while next < lines.count, lines[next].indent == indent, !isItem(lines[next].text) {
      guard let (name, rest) = key(of: lines[next].text) else { throw failure("a key") }
      guard names.insert(name).inserted else { throw failure("keys that differ") }
      if rest.isEmpty {
        next += 1
        // Items may have the indentation of their key.
        if next < lines.count, lines[next].indent == indent, isItem(lines[next].text) {
          members.append((name, try sequence(indent: indent, depth: depth + 1)))
        } else {
          members.append((name, try nested(below: indent, depth: depth)))
        }
      } else {
        guard let value = Self.scalar(rest) else { throw failure("a scalar") }
        next += 1
        members.append((name, value))
      }
    }
    return .mapping(members)
  }

  private mutating func nested(below indent: Int, depth: Int) throws(WireError) -> YAMLNode {
    guard next < lines.count, lines[next].indent > indent else { return .null }
    return try block(indent: lines[next].indent, depth: depth + 1)
  }

  /// A plain key of letters, and the text after the colon.
  private func key(of text: Substring) -> (String, Substring)? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let name = text[..<colon]
    let rest = text[text.index(after: colon)...]
    guard !name.isEmpty, name.utf8.allSatisfy(Self.isLetter), rest.isEmpty || rest.first == " " else { return nil }
    return (String(name), rest.drop { $0 == " " })
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
  }

  private static func scalar(_ text: Substring) -> YAMLNode? {
    switch text.first {
    case nil: return .null
    case "'":
      guard text.count >= 2, text.last == "'" else { return nil }
      let inner = text.dropFirst().dropLast()
      return inner.contains("'") ? nil : .scalar(String(inner))
    case "\"":
      guard text.count >= 2, text.last == "\"" else { return nil }
      let inner = text.dropFirst().dropLast()
      return inner.contains { $0 == "\"" || $0 == "\\" } ? nil : .scalar(String(inner))
    case "[", "{", "]", "}", "&", "*", "!", "|", ">", "%", "@", "`", "#": return text == "[]" ? .sequence([]) : nil
    default:
      if text == "null" || text == "~" { return .null }
      return .scalar(String(text))
    }
  }
}
