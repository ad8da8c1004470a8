/// Checks a JSON text (RFC 8259) in one pass and lists its values as tokens.
///
/// Governs syntax, UTF-8, escapes and nesting depth. Does not convert numbers or strings: that happens when they are
/// read. There is no recursion: while an array or object is open, its token holds the one around it.
struct JSONParser: ~Copyable {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let count: Int
  private let depthLimit: Int
  private let tokenLimit: Int
  private var tokens: JSONTokens
  private var depthLeft: Int
  /// The innermost open array or object, or `none`.
  private var parent = JSONParser.none
  private var isInObject = false
  /// The set of the keys that the innermost open object has so far; see ``JSONKey``.
  private var keys: UInt64 = 0

  private static let none = UInt32.max

  private init(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int, tokens limit: Int) {
    self.bytes = bytes
    count = bytes.count
    depthLimit = depth
    depthLeft = depth
    tokenLimit = limit
    tokens = JSONTokens(limit: limit, expected: bytes.count / 8 + 4)
  }

  /// The tokens of exactly one value with optional white space around it.
  static func parse(_ bytes: [UInt8], depth: Int, tokens: Int) throws(JSONError) -> JSONTokens {
    try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) -> JSONTokens in
      var parser = JSONParser(buffer, depth: depth, tokens: tokens)
      try parser.parseDocument()
      return parser.tokens
    }
  }

  private mutating func parseDocument() throws(JSONError) {
    var at = 0
    repeat {
      at = try parseValue(at)
      guard tokens.count <= tokenLimit else { throw JSONError(.tooManyValues(limit: tokenLimit), offset: at) }
    } while try continues(&at)
    guard skipSpace(at) == count else { throw JSONError(.trailingBytes, offset: skipSpace(at)) }
  }

  /// Reads a scalar, or opens an array or object up to where its first value starts. Returns the offset after it.
  @inline(__always)
  private mutating func parseValue(_ start: Int) throws(JSONError) -> Int {
    var at = skipSpace(start)
    while true {
      switch try byte(at) {
      case UInt8(ascii: "\""): return try parseString(at)
      case UInt8(ascii: "{"):
        try open(.object, at)
        at = skipSpace(at + 1)
        if try byte(at) == UInt8(ascii: "}") { return close(at + 1) }
        at = skipSpace(try parseKey(at))
      case UInt8(ascii: "["):
        try open(.array, at)
        at = skipSpace(at + 1)
        if try byte(at) == UInt8(ascii: "]") { return close(at + 1) }
      case UInt8(ascii: "t"): return try parseWord("true", as: .yes, from: at)
      case UInt8(ascii: "f"): return try parseWord("false", as: .no, from: at)
      case UInt8(ascii: "n"): return try parseWord("null", as: .null, from: at)
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber(at)
      default: throw unexpected(at)
      }
    }
  }

  /// Closes the arrays and objects that end after a value, and returns whether another value follows; its key is read
  /// already.
  @inline(__always)
  private mutating func continues(_ at: inout Int) throws(JSONError) -> Bool {
    while parent != Self.none {
      at = skipSpace(at)
      let next = try byte(at)
      if next == UInt8(ascii: ",") {
        at += 1
        if isInObject { at = try parseKey(skipSpace(at)) }
        return true
      }
      guard next == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { throw unexpected(at) }
      at = close(at + 1)
    }
    return false
  }
}

// MARK: - Structure

extension JSONParser {
  @inline(__always)
  private mutating func open(_ kind: JSONToken.Kind, _ at: Int) throws(JSONError) {
    guard depthLeft > 0 else { throw JSONError(.tooDeep(limit: depthLimit), offset: at) }
    depthLeft -= 1
    if isInObject { tokens.setKeys(keys, of: Int(parent)) }
    let index = tokens.count
    tokens.append(JSONToken(start: UInt32(truncatingIfNeeded: at), end: parent, next: 0, kind: kind))
    parent = UInt32(truncatingIfNeeded: index)
    isInObject = kind == .object
    // The token for the set of keys.
    if isInObject { tokens.append(JSONToken(start: 0, end: 0, next: 0, kind: .keys)) }
    keys = 0
  }

  /// Closes the innermost array or object, which ends before `end`.
  @inline(__always)
  private mutating func close(_ end: Int) -> Int {
    depthLeft += 1
    let index = Int(parent)
    if isInObject { tokens.setKeys(keys, of: index) }
    parent = tokens.close(index, end: UInt32(truncatingIfNeeded: end))
    isInObject = parent != Self.none && tokens.kind(Int(parent)) == .object
    if isInObject { keys = tokens.keys(of: Int(parent)) }
    return end
  }

  /// Reads a key and its colon.
  @inline(__always)
  private mutating func parseKey(_ at: Int) throws(JSONError) -> Int {
    guard try byte(at) == UInt8(ascii: "\"") else { throw unexpected(at) }
    let end = try parseString(at)
    let signature = JSONKey.signature(UnsafeBufferPointer(rebasing: bytes[at + 1..<end - 1]))
    // A key with escapes may be any key.
    keys |= tokens.setSignature(signature) ? .max : JSONKey.bit(signature)
    let colon = skipSpace(end)
    guard try byte(colon) == UInt8(ascii: ":") else { throw unexpected(colon) }
    return colon + 1
  }

  @inline(__always)
  private mutating func append(_ kind: JSONToken.Kind, from start: Int, to end: Int) {
    tokens.append(
      JSONToken(
        start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
        next: UInt32(truncatingIfNeeded: tokens.count + 1), kind: kind))
  }

  @inline(__always)
  private func skipSpace(_ start: Int) -> Int {
    var at = start
    while at < count {
      let byte = bytes[at]
      guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
      at += 1
    }
    return at
  }

  @inline(__always)
  private func byte(_ at: Int) throws(JSONError) -> UInt8 {
    guard at < count else { throw end() }
    return bytes[at]
  }

  private func end() -> JSONError { JSONError(.unexpectedEnd, offset: count) }

  private func unexpected(_ at: Int) -> JSONError { JSONError(.unexpectedByte(bytes[at]), offset: at) }
}

// MARK: - Words and numbers

extension JSONParser {
  /// Reads `word`. Its last four bytes are compared at once; on a mismatch the first wrong byte is located.
  @inline(__always)
  private mutating func parseWord(
    _ word: StaticString, as kind: JSONToken.Kind, from start: Int
  ) throws(JSONError) -> Int {
    let end = start + word.utf8CodeUnitCount
    guard end <= count, fourBytes(bytes.baseAddress, end - 4) == fourBytes(word.utf8Start, end - start - 4) else {
      throw wrongWord(word, start)
    }
    append(kind, from: start, to: end)
    return end
  }

  @inline(__always)
  private func fourBytes(_ base: UnsafePointer<UInt8>?, _ offset: Int) -> UInt32 {
    UnsafeRawPointer(base.unsafelyUnwrapped).loadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }

  @inline(never)
  private func wrongWord(_ word: StaticString, _ start: Int) -> JSONError {
    for at in start..<start + word.utf8CodeUnitCount {
      guard at < count else { return end() }
      guard bytes[at] == word.utf8Start[at - start] else { return unexpected(at) }
    }
    return end()
  }

  private mutating func parseNumber(_ start: Int) throws(JSONError) -> Int {
    var at = start
    func has(_ accepts: (UInt8) -> Bool) -> Bool { at < count && accepts(bytes[at]) }
    func skipDigits() -> Int {
      let start = at
      while has({ $0 &- UInt8(ascii: "0") < 10 }) { at += 1 }
      return at - start
    }
    if has({ $0 == UInt8(ascii: "-") }) { at += 1 }
    let leadingZero = has { $0 == UInt8(ascii: "0") }
    let digits = skipDigits()
    guard digits > 0, !leadingZero || digits == 1 else { throw JSONError(.invalidNumber, offset: start) }
    if has({ $0 == UInt8(ascii: ".") }) {
      at += 1
      guard skipDigits() > 0 else { throw JSONError(.invalidNumber, offset: start) }
    }
    if has({ $0 | 0x20 == UInt8(ascii: "e") }) {
      at += 1
      if has({ $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }) { at += 1 }
      guard skipDigits() > 0 else { throw JSONError(.invalidNumber, offset: start) }
    }
    append(.number, from: start, to: at)
    return at
  }
}

// MARK: - Strings

extension JSONParser {
  /// Reads a string whose quote is at `quote`; returns the offset after its closing quote.
  @inline(__always)
  private mutating func parseString(_ quote: Int) throws(JSONError) -> Int {
    let at = skipPlain(quote + 1)
    guard at < count, bytes[at] == UInt8(ascii: "\"") else { return try parseUnusualString(quote, at) }
    append(.string, from: quote + 1, to: at)
    return at + 1
  }

  /// Reads the rest of a string that has escapes or characters beyond ASCII, and is plain up to `start`.
  @inline(never)
  private mutating func parseUnusualString(_ quote: Int, _ start: Int) throws(JSONError) -> Int {
    var at = start
    var escaped = false
    while true {
      let next = try byte(at)
      if next == UInt8(ascii: "\"") { break }
      if next == UInt8(ascii: "\\") {
        escaped = true
        at = try skipEscape(at)
      } else if next < 0x20 {
        throw unexpected(at)
      } else {
        at = try skipUTF8(at)
      }
      at = skipPlain(at)
    }
    append(escaped ? .escapedString : .string, from: quote + 1, to: at)
    return at + 1
  }

  /// Returns the offset of the next byte that is not a plain ASCII character of a string. Eight bytes are tested at a
  /// time: a byte has its high bit set in `special` if it is below 0x20, above 0x7F, a quote or a backslash; bytes
  /// after the first such may have it set as well.
  @inline(__always)
  private func skipPlain(_ start: Int) -> Int {
    var at = start
    while at + 8 <= count {
      let special = JSONText.special(JSONText.word(UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped + at)))
      guard special == 0 else { return at + special.trailingZeroBitCount / 8 }
      at += 8
    }
    while at < count, JSONText.isPlain(bytes[at]) { at += 1 }
    return at
  }

  /// Returns the offset after the escape that starts at `at`; a surrogate pair counts as one escape.
  private func skipEscape(_ at: Int) throws(JSONError) -> Int {
    switch try byte(at + 1) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return at + 2
    case UInt8(ascii: "u"):
      guard let unit = hexUnit(bytes.span, at + 2) else { throw JSONError(.invalidEscape, offset: at) }
      guard unit & 0xF800 == 0xD800 else { return at + 6 }
      guard unit < 0xDC00, at + 7 < count, bytes[at + 6] == UInt8(ascii: "\\"), bytes[at + 7] == UInt8(ascii: "u"),
        let low = hexUnit(bytes.span, at + 8), low & 0xFC00 == 0xDC00
      else { throw JSONError(.invalidEscape, offset: at) }
      return at + 12
    default: throw JSONError(.invalidEscape, offset: at)
    }
  }

  /// Returns the offset after the multi-byte character that starts at `at`; the ranges are those of RFC 3629.
  private func skipUTF8(_ at: Int) throws(JSONError) -> Int {
    let lead = bytes[at]
    let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    guard lead >= 0xC2, lead <= 0xF4, at + length <= count else { throw JSONError(.invalidUTF8, offset: at) }
    let second = bytes[at + 1]
    let lowest: UInt8 = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80
    let highest: UInt8 = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF
    guard second >= lowest, second <= highest else { throw JSONError(.invalidUTF8, offset: at) }
    for offset in 2..<max(length, 2) {
      guard bytes[at + offset] & 0xC0 == 0x80 else { throw JSONError(.invalidUTF8, offset: at) }
    }
    return at + length
  }
}

/// The UTF-16 unit of four hexadecimal digits at `at`, or nil.
func hexUnit(_ bytes: Span<UInt8>, _ at: Int) -> UInt16? {
  guard at + 4 <= bytes.count else { return nil }
  var unit: UInt16 = 0
  for offset in at..<at + 4 {
    let byte = bytes[offset]
    let digit: UInt8
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
    default: return nil
    }
    unit = unit << 4 | UInt16(digit)
  }
  return unit
}
