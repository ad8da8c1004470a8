/// Checks a JSON text (RFC 8259) in one pass and lists its values as tokens.
///
/// Governs syntax, UTF-8, escapes and nesting depth. Does not convert numbers or strings: that happens when they are
/// read. Recursion is bounded by the depth limit.
struct JSONParser {
  private(set) var tokens: [JSONToken] = []
  private var position = 0
  private var depthLeft: Int
  private let depthLimit: Int
  private let count: Int

  init(count: Int, depth: Int) {
    self.count = count
    depthLimit = depth
    depthLeft = depth
    tokens.reserveCapacity(count / 12 + 1)
  }

  mutating func parseDocument(_ bytes: Span<UInt8>) throws(JSONError) {
    try parseValue(bytes)
    skipSpace(bytes)
    guard position == count else { throw JSONError(.trailingBytes, offset: position) }
  }

  private mutating func parseValue(_ bytes: Span<UInt8>) throws(JSONError) {
    skipSpace(bytes)
    guard position < count else { throw end() }
    switch bytes[position] {
    case UInt8(ascii: "\""): try parseString(bytes)
    case UInt8(ascii: "{"): try parseObject(bytes)
    case UInt8(ascii: "["): try parseArray(bytes)
    case UInt8(ascii: "t"): try parseWord("true", .yes, bytes)
    case UInt8(ascii: "f"): try parseWord("false", .no, bytes)
    case UInt8(ascii: "n"): try parseWord("null", .null, bytes)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try parseNumber(bytes)
    case let byte: throw JSONError(.unexpectedByte(byte), offset: position)
    }
  }

  private mutating func parseObject(_ bytes: Span<UInt8>) throws(JSONError) {
    let index = try open(.object)
    if try !closes(UInt8(ascii: "}"), bytes) {
      repeat {
        skipSpace(bytes)
        guard position < count else { throw end() }
        guard bytes[position] == UInt8(ascii: "\"") else { throw unexpected(bytes) }
        try parseKey(bytes)
        skipSpace(bytes)
        guard position < count else { throw end() }
        guard bytes[position] == UInt8(ascii: ":") else { throw unexpected(bytes) }
        position += 1
        try parseValue(bytes)
      } while try continues(until: UInt8(ascii: "}"), bytes)
    }
    close(index)
  }

  private mutating func parseKey(_ bytes: Span<UInt8>) throws(JSONError) {
    let start = position + 1
    try parseString(bytes)
    let signature = bytes.extracting(start..<position - 1).withUnsafeBufferPointer(JSONKey.signature)
    tokens[tokens.count - 1].next = signature
  }

  private mutating func parseArray(_ bytes: Span<UInt8>) throws(JSONError) {
    let index = try open(.array)
    if try !closes(UInt8(ascii: "]"), bytes) {
      repeat { try parseValue(bytes) } while try continues(until: UInt8(ascii: "]"), bytes)
    }
    close(index)
  }

  private mutating func parseWord(
    _ word: StaticString, _ kind: JSONToken.Kind, _ bytes: Span<UInt8>
  ) throws(JSONError) {
    let start = position
    for offset in 0..<word.utf8CodeUnitCount {
      guard position < count else { throw end() }
      guard bytes[position] == word.utf8Start[offset] else { throw unexpected(bytes) }
      position += 1
    }
    append(kind, from: start, to: position)
  }
}

// MARK: - Structure

extension JSONParser {
  private mutating func open(_ kind: JSONToken.Kind) throws(JSONError) -> Int {
    guard depthLeft > 0 else { throw JSONError(.tooDeep(limit: depthLimit), offset: position) }
    depthLeft -= 1
    append(kind, from: position, to: position)
    position += 1
    return tokens.count - 1
  }

  private mutating func close(_ index: Int) {
    depthLeft += 1
    tokens[index].end = UInt32(truncatingIfNeeded: position)
    tokens[index].next = UInt32(truncatingIfNeeded: tokens.count)
  }

  private mutating func closes(_ bracket: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> Bool {
    skipSpace(bytes)
    guard position < count else { throw end() }
    guard bytes[position] == bracket else { return false }
    position += 1
    return true
  }

  private mutating func continues(until bracket: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> Bool {
    if try closes(bracket, bytes) { return false }
    guard bytes[position] == UInt8(ascii: ",") else { throw unexpected(bytes) }
    position += 1
    return true
  }

  private mutating func append(_ kind: JSONToken.Kind, from start: Int, to end: Int) {
    tokens.append(
      JSONToken(
        start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
        next: UInt32(truncatingIfNeeded: tokens.count + 1), kind: kind))
  }

  @inline(__always)
  private mutating func skipSpace(_ bytes: Span<UInt8>) {
    while position < count {
      let byte = bytes[position]
      guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      position += 1
    }
  }

  private func end() -> JSONError { JSONError(.unexpectedEnd, offset: count) }

  private func unexpected(_ bytes: Span<UInt8>) -> JSONError {
    JSONError(.unexpectedByte(bytes[position]), offset: position)
  }
}

// MARK: - Numbers

extension JSONParser {
  private mutating func parseNumber(_ bytes: Span<UInt8>) throws(JSONError) {
    let start = position
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let leadingZero = position < count && bytes[position] == UInt8(ascii: "0")
    let digits = skipDigits(bytes)
    guard digits > 0, !leadingZero || digits == 1 else { throw JSONError(.invalidNumber, offset: start) }
    if position < count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      guard skipDigits(bytes) > 0 else { throw JSONError(.invalidNumber, offset: start) }
    }
    if position < count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
        position += 1
      }
      guard skipDigits(bytes) > 0 else { throw JSONError(.invalidNumber, offset: start) }
    }
    append(.number, from: start, to: position)
  }

  private mutating func skipDigits(_ bytes: Span<UInt8>) -> Int {
    let start = position
    while position < count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
    return position - start
  }
}

// MARK: - Strings

extension JSONParser {
  private mutating func parseString(_ bytes: Span<UInt8>) throws(JSONError) {
    let start = position + 1
    var at = start
    var escaped = false
    while true {
      at = skipPlain(bytes, at)
      guard at < count else { throw end() }
      let byte = bytes[at]
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        escaped = true
        at = try skipEscape(bytes, at)
      } else if byte < 0x20 {
        throw JSONError(.unexpectedByte(byte), offset: at)
      } else if byte < 0x80 {
        at += 1
      } else {
        at = try skipUTF8(bytes, at)
      }
    }
    position = at + 1
    append(escaped ? .escapedString : .string, from: start, to: at)
  }

  /// Returns the offset of the next byte that may not be plain ASCII text, eight bytes at a time; near the end of the
  /// text it returns `at`.
  @inline(__always)
  private func skipPlain(_ bytes: Span<UInt8>, _ at: Int) -> Int {
    var at = at
    while at + 8 <= count {
      let word = UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self))
      // The top bit of each byte below is set where the byte is special. A borrow can only set more of them above one
      // that is.
      let ones: UInt64 = 0x0101_0101_0101_0101
      let quote = (word ^ (ones &* UInt64(UInt8(ascii: "\"")))) &- ones
      let backslash = (word ^ (ones &* UInt64(UInt8(ascii: "\\")))) &- ones
      let control = word &- ones &* 0x20
      let special = (quote | backslash | control | word) & (ones &* 0x80)
      guard special == 0 else { return at + special.trailingZeroBitCount / 8 }
      at += 8
    }
    return at
  }

  /// Returns the offset after the escape that starts at `at`; a surrogate pair counts as one escape.
  private func skipEscape(_ bytes: Span<UInt8>, _ at: Int) throws(JSONError) -> Int {
    guard at + 1 < count else { throw end() }
    switch bytes[at + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return at + 2
    case UInt8(ascii: "u"):
      guard let unit = hexUnit(bytes, at + 2) else { throw JSONError(.invalidEscape, offset: at) }
      guard unit & 0xF800 == 0xD800 else { return at + 6 }
      guard unit < 0xDC00, at + 7 < count, bytes[at + 6] == UInt8(ascii: "\\"), bytes[at + 7] == UInt8(ascii: "u"),
        let low = hexUnit(bytes, at + 8), low & 0xFC00 == 0xDC00
      else { throw JSONError(.invalidEscape, offset: at) }
      return at + 12
    default: throw JSONError(.invalidEscape, offset: at)
    }
  }

  /// Returns the offset after the multi-byte character that starts at `at`; the ranges are those of RFC 3629.
  private func skipUTF8(_ bytes: Span<UInt8>, _ at: Int) throws(JSONError) -> Int {
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
