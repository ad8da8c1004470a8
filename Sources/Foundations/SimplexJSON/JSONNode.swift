/// One value of a parsed document, from which a type decodes itself.
///
/// It borrows the document, so it is free to pass on and cannot outlive it.
public struct JSONNode: ~Escapable {
  @usableFromInline let bytes: Span<UInt8>
  @usableFromInline let tokens: Span<JSONToken>
  @usableFromInline let index: Int

  @inlinable @_lifetime(copy bytes, copy tokens)
  init(bytes: Span<UInt8>, tokens: Span<JSONToken>, index: Int) {
    self.bytes = bytes
    self.tokens = tokens
    self.index = index
  }

  @inlinable var token: JSONToken { tokens[index] }

  /// Whether the value is `null`.
  @inlinable public var isNull: Bool { token.kind == .null }

  /// Whether the value is an object.
  @inlinable public var isObject: Bool { token.kind == .object }

  /// The JSON text of the value, exactly as it was written.
  public var sourceText: String {
    let quote = token.isString ? 1 : 0
    let start = Int(token.start) - quote
    let end = Int(token.end) + quote
    return bytes.extracting(start..<end).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: - Scalars

  /// The value as a Boolean.
  public func bool() throws(JSONError) -> Bool {
    switch token.kind {
    case .yes: return true
    case .no: return false
    default: throw JSONError(.wrongType(expected: "a Boolean"))
    }
  }

  /// The value as a text.
  public func string() throws(JSONError) -> String {
    guard let text = stringIfPresent() else { throw JSONError(.wrongType(expected: "a string")) }
    return text
  }

  /// The value as a text, or nil if it is not a string.
  public func stringIfPresent() -> String? {
    switch token.kind {
    case .string: text(from: Int(token.start), to: Int(token.end))
    case .escapedString: unescapedText()
    default: nil
    }
  }

  /// Calls `body` with the UTF-8 bytes of a string, which are not copied if it has no escapes.
  func withStringBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) throws(JSONError) -> Result {
    if token.kind == .string {
      return bytes.extracting(Int(token.start)..<Int(token.end)).withUnsafeBufferPointer(body)
    }
    return Array(try string().utf8).withUnsafeBufferPointer(body)
  }

  /// The value as an integer of the stated type; whole numbers written with a fraction or exponent are accepted.
  @inlinable
  public func integer<T: FixedWidthInteger>(_: T.Type = T.self) throws(JSONError) -> T {
    guard token.kind == .number else { throw JSONError(.wrongType(expected: "a number")) }
    if let value = shortInteger() {
      guard let result = T(exactly: value) else { throw JSONError(.outOfRange(type: "\(T.self)")) }
      return result
    }
    if let result = T(numberText()) { return result }
    guard let result = T(exactly: try double()) else { throw JSONError(.outOfRange(type: "\(T.self)")) }
    return result
  }

  /// The value as a floating-point number.
  public func double() throws(JSONError) -> Double {
    guard token.kind == .number else { throw JSONError(.wrongType(expected: "a number")) }
    guard let value = Double(numberText()), value.isFinite else { throw JSONError(.outOfRange(type: "Double")) }
    return value
  }

  // MARK: - Collections

  /// Reads every element of an array.
  @inlinable
  public func array<Element: JSONDecodable>(of _: Element.Type = Element.self) throws(JSONError) -> [Element] {
    try array { (json) throws(JSONError) in try Element(json: json) }
  }

  /// Reads every element of an array with `read`.
  @inlinable
  public func array<Element>(
    _ read: (JSONNode) throws(JSONError) -> Element
  ) throws(JSONError) -> [Element] {
    var elements: [Element] = []
    var at = try firstElement()
    elements.reserveCapacity(elementCount(limit: 1024))
    while at < Int(token.next) {
      let element = JSONNode(bytes: bytes, tokens: tokens, index: at)
      do {
        elements.append(try read(element))
      } catch {
        throw error.inside("\(elements.count)")
      }
      at = Int(tokens[at].next)
    }
    return elements
  }

  /// Reads every member of an object used as a map.
  @inlinable
  public func dictionary<Value: JSONDecodable>(of _: Value.Type = Value.self) throws(JSONError) -> [String: Value] {
    guard isObject else { throw JSONError(.wrongType(expected: "an object")) }
    var members: [String: Value] = [:]
    var at = index + JSONToken.beforeMembers
    while at < Int(token.next) {
      let key = try JSONNode(bytes: bytes, tokens: tokens, index: at).string()
      do {
        members[key] = try Value(json: JSONNode(bytes: bytes, tokens: tokens, index: at + 1))
      } catch {
        throw error.inside(key)
      }
      at = Int(tokens[at + 1].next)
    }
    return members
  }

  @usableFromInline func firstElement() throws(JSONError) -> Int {
    guard token.kind == .array else { throw JSONError(.wrongType(expected: "an array")) }
    return index + 1
  }

  /// The number of elements of an array, counted up to `limit`: hostile text must not make the caller reserve room for
  /// as many large values as it has bytes.
  @usableFromInline func elementCount(limit: Int) -> Int {
    var count = 0
    var at = index + 1
    while at < Int(token.next), count < limit {
      count += 1
      at = Int(tokens[at].next)
    }
    return count
  }
}

// MARK: - Text of tokens

extension JSONNode {
  func text(from start: Int, to end: Int) -> String {
    bytes.extracting(start..<end).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }

  @usableFromInline func numberText() -> String { text(from: Int(token.start), to: Int(token.end)) }

  /// An integer of up to 18 digits (nearly every number there is), read without making a string of it.
  @usableFromInline func shortInteger() -> Int64? {
    var at = Int(token.start)
    let end = Int(token.end)
    let negative = bytes[at] == UInt8(ascii: "-")
    if negative { at += 1 }
    guard end - at <= 18 else { return nil }
    var value: Int64 = 0
    while at < end {
      let digit = bytes[at] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
      at += 1
    }
    return negative ? -value : value
  }

  private func unescapedText() -> String {
    bytes.extracting(Int(token.start)..<Int(token.end)).withUnsafeBufferPointer { escaped in
      // No escape is shorter than the text it encodes.
      String(unsafeUninitializedCapacity: escaped.count) { unescape(escaped.span, into: $0) }
    }
  }
}

/// Writes the text that the checked bytes of a string encode, and returns its length in bytes.
private func unescape(_ escaped: Span<UInt8>, into text: UnsafeMutableBufferPointer<UInt8>) -> Int {
  var at = 0
  var count = 0
  func append(_ byte: UInt8) {
    text[count] = byte
    count += 1
  }
  while at < escaped.count {
    guard escaped[at] == UInt8(ascii: "\\") else {
      append(escaped[at])
      at += 1
      continue
    }
    let escape = escaped[at + 1]
    at += 2
    switch escape {
    case UInt8(ascii: "b"): append(0x08)
    case UInt8(ascii: "f"): append(0x0C)
    case UInt8(ascii: "n"): append(0x0A)
    case UInt8(ascii: "r"): append(0x0D)
    case UInt8(ascii: "t"): append(0x09)
    case UInt8(ascii: "u"):
      let (scalar, length) = escapedScalar(escaped, at)
      for byte in String(scalar).utf8 { append(byte) }
      at += length
    default: append(escape)
    }
  }
  return count
}

/// The character whose hexadecimal digits start at `at`, and the number of bytes that encode it; a surrogate pair is
/// one.
private func escapedScalar(_ escaped: Span<UInt8>, _ at: Int) -> (Unicode.Scalar, length: Int) {
  let unit = UInt32(hexUnit(escaped, at) ?? 0xFFFD)
  if unit & 0xFC00 == 0xD800, let low = hexUnit(escaped, at + 6) {
    let code = 0x10000 + (unit & 0x3FF) << 10 + UInt32(low & 0x3FF)
    return (Unicode.Scalar(code) ?? "\u{FFFD}", 10)
  }
  return (Unicode.Scalar(unit) ?? "\u{FFFD}", 4)
}
