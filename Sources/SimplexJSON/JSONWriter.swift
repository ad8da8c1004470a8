/// How sum types are spelt.
public enum JSONSums: Hashable, Sendable {
  /// `{"type":"tag",…}`: every platform except iOS builds of the core, the SDKs and the WebSocket API.
  case tagged
  /// `{"_owsf":true,"tag":{…}}`: what iOS builds of the core write.
  case singleField
}

/// Appends JSON text to bytes: compact, members in the order of writing, no escaping that JSON does not require.
public struct JSONWriter {
  /// The text written so far, UTF-8.
  public private(set) var bytes: [UInt8] = []
  /// The spelling of sums.
  public let sums: JSONSums
  /// Whether the next member or element needs a comma before it.
  @usableFromInline var needsComma = false

  /// A writer of sums spelt `sums` that has room for `capacity` bytes.
  public init(sums: JSONSums = .tagged, capacity: Int = 512) {
    self.sums = sums
    bytes.reserveCapacity(capacity)
  }

  /// The text written so far.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  // MARK: - Objects

  /// Writes `{`.
  public mutating func beginObject() { open(UInt8(ascii: "{")) }

  /// Writes `}`.
  public mutating func endObject() { close(UInt8(ascii: "}")) }

  /// Writes `key` and `value`, or nothing if the value is an absent optional. Keys are plain ASCII names.
  @inlinable
  public mutating func field<T: JSONEncodable>(_ key: StaticString, _ value: T) {
    guard !value.isJSONAbsent else { return }
    self.key(key)
    value.encode(to: &self)
  }

  /// Writes the key of a member; its value has to follow.
  public mutating func key(_ key: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes the key of a member of a map; its value has to follow.
  public mutating func key(_ key: String) {
    separate()
    quote(key)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  // MARK: - Sums

  /// Starts the variant `tag` of a sum; its members have to follow, then `endSum()`.
  public mutating func beginSum(_ tag: StaticString) {
    beginObject()
    switch sums {
    case .tagged: field("type", tag.description)
    case .singleField:
      field("_owsf", true)
      key(tag)
      beginObject()
    }
  }

  /// Ends a variant.
  public mutating func endSum() {
    if sums == .singleField { endObject() }
    endObject()
  }

  /// Writes a variant without members.
  public mutating func tag(_ tag: StaticString) {
    beginSum(tag)
    endSum()
  }

  /// Writes a variant with one member.
  @inlinable
  public mutating func sum<A: JSONEncodable>(_ tag: StaticString, _ keyA: StaticString, _ a: A) {
    beginSum(tag)
    field(keyA, a)
    endSum()
  }

  /// Writes a variant with two members.
  @inlinable
  public mutating func sum<A: JSONEncodable, B: JSONEncodable>(
    _ tag: StaticString, _ keyA: StaticString, _ a: A, _ keyB: StaticString, _ b: B
  ) {
    beginSum(tag)
    field(keyA, a)
    field(keyB, b)
    endSum()
  }

  /// Writes a variant with three members.
  @inlinable
  public mutating func sum<A: JSONEncodable, B: JSONEncodable, C: JSONEncodable>(
    _ tag: StaticString, _ keyA: StaticString, _ a: A, _ keyB: StaticString, _ b: B, _ keyC: StaticString, _ c: C
  ) {
    beginSum(tag)
    field(keyA, a)
    field(keyB, b)
    field(keyC, c)
    endSum()
  }

  /// Writes a variant with four members; variants with more call `beginSum`, `field` and `endSum`.
  @inlinable
  public mutating func sum<A: JSONEncodable, B: JSONEncodable, C: JSONEncodable, D: JSONEncodable>(
    _ tag: StaticString, _ keyA: StaticString, _ a: A, _ keyB: StaticString, _ b: B, _ keyC: StaticString, _ c: C,
    _ keyD: StaticString, _ d: D
  ) {
    beginSum(tag)
    field(keyA, a)
    field(keyB, b)
    field(keyC, c)
    field(keyD, d)
    endSum()
  }

  /// Writes a variant with one unnamed argument.
  public mutating func payload<T: JSONEncodable>(_ tag: StaticString, _ value: T) {
    beginObject()
    switch sums {
    case .tagged:
      field("type", tag.description)
      field("data", value)
    case .singleField:
      field("_owsf", true)
      field(tag, value)
    }
    endObject()
  }

  /// Starts a variant of a sum that is tagged whatever `sums` says; its members have to follow, then `endObject()`.
  public mutating func beginTagged(_ tag: String) {
    beginObject()
    field("type", tag)
  }

  // MARK: - Arrays

  /// Writes `[`.
  public mutating func beginArray() { open(UInt8(ascii: "[")) }

  /// Writes `]`.
  public mutating func endArray() { close(UInt8(ascii: "]")) }

  /// Writes all elements of an array.
  @inlinable
  public mutating func array<Element: JSONEncodable>(_ elements: [Element]) {
    beginArray()
    for element in elements { element.encode(to: &self) }
    endArray()
  }

  // MARK: - Scalars

  /// Writes `null`.
  public mutating func null() { literal("null") }

  /// Writes `true` or `false`.
  public mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

  /// Writes a number.
  public mutating func integer(_ value: some FixedWidthInteger) {
    separate()
    guard let small = Int64(exactly: value) else { return bytes.append(contentsOf: String(value).utf8) }
    appendDecimal(small)
  }

  /// Writes a number; JSON has no infinities, they become `null`.
  public mutating func double(_ value: Double) {
    guard value.isFinite else { return null() }
    separate()
    bytes.append(contentsOf: value.description.utf8)
  }

  /// Writes a text.
  public mutating func string(_ value: String) {
    separate()
    quote(value)
  }

  /// Writes text that already is one valid JSON value, as it stands.
  public mutating func verbatim(_ json: String) {
    separate()
    bytes.append(contentsOf: json.utf8)
  }
}

// MARK: - Bytes

extension JSONWriter {
  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func literal(_ word: StaticString) {
    separate()
    bytes.append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  private mutating func appendDecimal(_ value: Int64) {
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &digits) { buffer in
      var at = buffer.count
      var rest = value.magnitude
      repeat {
        at -= 1
        buffer[at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      if value < 0 {
        at -= 1
        buffer[at] = UInt8(ascii: "-")
      }
      bytes.append(contentsOf: buffer[at...])
    }
  }

  private mutating func quote(_ value: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = value
    text.withUTF8 { utf8 in
      var start = 0
      for at in 0..<utf8.count {
        let byte = utf8[at]
        guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
        bytes.append(contentsOf: utf8[start..<at])
        appendEscape(byte)
        start = at + 1
      }
      bytes.append(contentsOf: utf8[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func appendEscape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0..<0x20:
      let digits = Array("0123456789abcdef".utf8)
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(digits[Int(byte >> 4)])
      bytes.append(digits[Int(byte & 15)])
    default: bytes.append(byte)
    }
  }
}
