/// What a person does at the keyboard.
enum Key: Hashable, Sendable {
  /// Typed, or pasted as a whole; a pasted text may have several lines.
  case text(String)
  /// Ends the line.
  case enter
  /// Ends the line and sends it as a live message: Alt-Enter, Ctrl-L.
  case live
  /// Completes what is typed.
  case tab
  case backspace, delete, deleteWord, deleteToStart, deleteToEnd
  case left, right, wordLeft, wordRight, home, end
  case up, down
  /// Esc: ends a live message.
  case escape
  /// Ctrl-C: clears the line; ends the session if the line is empty.
  case interrupt
  /// Ctrl-Z: stops the program, until the shell continues it.
  case suspend
  /// The terminal's window got the keyboard, or lost it.
  case focus(Bool)
  /// Ctrl-D: deletes to the right; at an empty line, the end.
  case endOfInput
}

/// Turns the bytes of a terminal into keys. Sequences may come in parts.
struct KeyDecoder {
  private static let escape: UInt8 = 0x1B
  /// Longer control sequences than this are no keys.
  private static let longestSequence = 32
  /// The most bytes of one paste; the rest is dropped.
  private static let longestPaste = 1 << 20
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  private var pending: [UInt8] = []
  private var pasted: [UInt8]?

  /// Whether an escape came alone so far. If nothing follows at once it was the key itself.
  var isAtEscape: Bool { pasted == nil && pending == [Self.escape] }

  /// The key of an escape that came alone; nil where none did.
  mutating func takeEscape() -> Key? {
    guard isAtEscape else { return nil }
    pending = []
    return .escape
  }

  /// The keys of what was read. What is not complete waits for the rest.
  mutating func keys(_ bytes: [UInt8]) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    while !pending.isEmpty {
      if pasted != nil {
        guard let text = takePaste() else { break }
        keys.append(.text(text))
      } else if pending[0] == Self.escape {
        guard let sequence = takeSequence() else { break }
        if sequence == "[200~" { pasted = [] } else if let key = Self.key(of: sequence) { keys.append(key) }
      } else if let key = Self.control(pending[0]) {
        pending.removeFirst()
        keys.append(key)
      } else {
        guard let text = takeText() else { break }
        if !text.isEmpty { keys.append(.text(text)) }
      }
    }
    return keys
  }

  // MARK: Parts

  /// The text before the end of the paste; nil until that came.
  private mutating func takePaste() -> String? {
    guard let end = pending.firstRange(of: Self.pasteEnd)?.lowerBound else {
      // The beginning of the end may have come.
      let count = max(0, pending.count - Self.pasteEnd.count + 1)
      let kept = min(count, room)
      pasted?.append(contentsOf: pending.prefix(kept))
      pending.removeFirst(count)
      return nil
    }
    let bytes = (pasted ?? []) + pending[..<min(end, room)]
    pending.removeFirst(end + Self.pasteEnd.count)
    pasted = nil
    let text = String(decoding: bytes, as: UTF8.self)
    return Self.shown(text.split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "\n"))
  }

  private var room: Int { max(0, Self.longestPaste - (pasted?.count ?? 0)) }

  /// A control sequence without the escape; nil until it is complete.
  private mutating func takeSequence() -> String? {
    guard pending.count > 1 else { return nil }
    var end = 1
    switch pending[1] {
    case UInt8(ascii: "["):
      end = 2
      while end < pending.count, !(0x40...0x7E).contains(pending[end]) {
        guard end < Self.longestSequence else { break }
        end += 1
      }
    case UInt8(ascii: "O"): end = 2
    default: break
    }
    guard end < pending.count else { return nil }
    let sequence = String(decoding: pending[1...end], as: UTF8.self)
    pending.removeFirst(end + 1)
    return sequence
  }

  /// The text before the next control character; nil until a character is complete.
  private mutating func takeText() -> String? {
    var count = pending.firstIndex { $0 < 0x20 || $0 == 0x7F } ?? pending.count
    if count == 0 {
      // A control character that is no key.
      pending.removeFirst()
      return ""
    }
    if count == pending.count { count -= Self.incomplete(pending) }
    if count == 0 { return nil }
    defer { pending.removeFirst(count) }
    return Self.shown(String(decoding: pending[..<count], as: UTF8.self))
  }

  /// How many bytes at the end are the beginning of a character.
  private static func incomplete(_ bytes: [UInt8]) -> Int {
    for count in 1...3 where count <= bytes.count {
      let byte = bytes[bytes.count - count]
      if byte & 0b1100_0000 == 0b1000_0000 { continue }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return length > count ? count : 0
    }
    return 0
  }

  /// Without the control characters that a text may not have.
  private static func shown(_ text: String) -> String {
    let scalars = text.unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
      switch scalar.value {
      case 0x0A, 0x0D: "\n"
      case 0x09: " "
      case ..<0x20, 0x7F...0x9F: nil
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }

  // MARK: Keys

  private static func control(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x01: .home
    case 0x02: .left
    case 0x03: .interrupt
    case 0x04: .endOfInput
    case 0x05: .end
    case 0x06: .right
    case 0x08, 0x7F: .backspace
    case 0x09: .tab
    // Ctrl-J: a line of the message ends, the message does not.
    case 0x0A: .text("\n")
    case 0x0D: .enter
    case 0x0B: .deleteToEnd
    case 0x0C: .live
    case 0x0E: .down
    case 0x10: .up
    case 0x15: .deleteToStart
    case 0x17: .deleteWord
    case 0x1A: .suspend
    default: nil
    }
  }

  private static func key(of sequence: String) -> Key? {
    switch sequence {
    case "[A", "OA": .up
    case "[B", "OB": .down
    case "[C", "OC": .right
    case "[D", "OD": .left
    case "[H", "OH", "[1~", "[7~", "[1;2D": .home
    case "[F", "OF", "[4~", "[8~", "[1;2C": .end
    case "[3~": .delete
    case "[1;5D", "[1;3D", "b": .wordLeft
    case "[1;5C", "[1;3C", "f": .wordRight
    case "[I": .focus(true)
    case "[O": .focus(false)
    case "OM": .enter
    case "\r", "\n": .live
    case "\u{7F}", "\u{08}": .deleteWord
    default: nil
    }
  }
}
