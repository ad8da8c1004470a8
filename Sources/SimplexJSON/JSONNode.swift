/// One value of a parsed document: what a type decodes itself from.
///
/// It borrows the document, so it costs nothing to pass on and cannot outlive it.
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

  @usableFromInline var token: JSONToken { tokens[index] }

  /// Whether the value is `null`.
  public var isNull: Bool { token.kind == .null }

  /// Whether the value is an object.
  public var isObject: Bool { token.kind == .object }

  /// The JSON text of the value, exactly as it was written.
  public var sourceText: String {
    let start = token.kind == .string || token.kind == .escapedString ? Int(token.start) - 1 : Int(token.start)
    let end = token.kind == .string || token.kind == .escapedString ? Int(token.end) + 1 : Int(token.end)
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

  /// Lends the UTF-8 bytes of a string, without copying them if it has no escapes.
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
    var elements: [Element] = []
    var at = try firstElement()
    while at < Int(token.next) {
      let element = JSONNode(bytes: bytes, tokens: tokens, index: at)
      do {
        elements.append(try Element(json: element))
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
    var at = index + 1
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
}

// MARK: - Text of tokens

extension JSONNode {
  func text(from start: Int, to end: Int) -> String {
    bytes.extracting(start..<end).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }

  @usableFromInline func numberText() -> String { text(from: Int(token.start), to: Int(token.end)) }

  /// Integers of up to 18 digits, which is nearly every number there is, without making a text of them.
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
    var result: [UInt8] = []
    var at = Int(token.start)
    let end = Int(token.end)
    result.reserveCapacity(end - at)
    while at < end {
      guard bytes[at] == UInt8(ascii: "\\") else {
        result.append(bytes[at])
        at += 1
        continue
      }
      let escape = bytes[at + 1]
      at += 2
      switch escape {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"): at = appendUnicode(to: &result, at)
      default: result.append(escape)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Appends the character whose hexadecimal digits start at `at` and returns the offset after it.
  private func appendUnicode(to result: inout [UInt8], _ at: Int) -> Int {
    var units = [hexUnit(bytes, at) ?? 0xFFFD]
    var next = at + 4
    if units[0] & 0xFC00 == 0xD800, let low = hexUnit(bytes, next + 2) {
      units.append(low)
      next += 6
    }
    result.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
    return next
  }
}
