/// The spelling of sum types.
public enum JSONSums: Hashable, Sendable {
  /// `{"type":"tag",…}`: written for every platform except iOS builds of the core, and by the SDKs and the WebSocket
  /// API.
  case tagged
  /// `{"_owsf":true,"tag":{…}}`: written by iOS builds of the core.
  case singleField
  /// `{"tag":{…}}`: in databases of the reference implementation.
  case bare
}

/// Appends JSON text to bytes: compact, members in the order of writing, no escaping that JSON does not require.
public struct JSONWriter: ~Copyable {
  private var output: JSONOutput
  /// The spelling of sums.
  public let sums: JSONSums
  /// Whether the next member or element needs a comma before it.
  private var needsComma = false

  /// A writer that encodes sums as `sums` and has room for `capacity` bytes.
  public init(sums: JSONSums = .tagged, capacity: Int = 512) {
    self.sums = sums
    output = JSONOutput(capacity: capacity)
  }

  /// A copy of the text written so far, UTF-8.
  public var bytes: [UInt8] { output.bytes }

  /// The text written so far.
  public var text: String { output.text }

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
    separate(reserving: key.utf8CodeUnitCount + 3)
    output.appendQuoted(key)
    output.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes the key of a member of a map; its value has to follow.
  public mutating func key(_ key: String) {
    string(key)
    output.reserve(1)
    output.append(UInt8(ascii: ":"))
    needsComma = false
  }

  // MARK: - Sums

  /// Starts the variant `tag` of a sum; its members have to follow, then `endSum()`.
  public mutating func beginSum(_ tag: StaticString) {
    beginObject()
    switch sums {
    case .tagged: typeTag(tag)
    case .singleField:
      field("_owsf", true)
      key(tag)
      beginObject()
    case .bare:
      key(tag)
      beginObject()
    }
  }

  /// Ends a variant.
  public mutating func endSum() {
    if sums != .tagged { endObject() }
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
      typeTag(tag)
      field("data", value)
    case .singleField:
      field("_owsf", true)
      field(tag, value)
    case .bare: field(tag, value)
    }
    endObject()
  }

  private mutating func typeTag(_ tag: StaticString) {
    key("type")
    separate(reserving: tag.utf8CodeUnitCount + 2)
    output.appendQuoted(tag)
  }

  /// Starts a variant of a sum that is tagged regardless of `sums`; its members have to follow, then `endObject()`.
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
    guard let small = Int64(exactly: value) else { return verbatim(String(value)) }
    separate(reserving: JSONOutput.longestInteger)
    output.append(decimal: small)
  }

  /// Writes a number; infinities, which JSON does not have, become `null`.
  public mutating func double(_ value: Double) {
    if value.isFinite { verbatim(value.description) } else { null() }
  }

  /// Writes a text.
  public mutating func string(_ value: String) {
    separate(reserving: 0)
    output.appendQuoted(value)
  }

  /// Writes text that already is one valid JSON value, unchanged.
  public mutating func verbatim(_ json: String) {
    separate(reserving: 0)
    output.append(json)
  }

  /// Writes a time, in microseconds since 1970, as text.
  mutating func date(microseconds: Int64) {
    separate(reserving: JSONOutput.longestDate + 2)
    output.append(UInt8(ascii: "\""))
    output.append(date: microseconds)
    output.append(UInt8(ascii: "\""))
  }
}

// MARK: - Structure

extension JSONWriter {
  private mutating func open(_ bracket: UInt8) {
    separate(reserving: 1)
    output.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    output.reserve(1)
    output.append(bracket)
    needsComma = true
  }

  /// Writes the comma before a value, if it needs one, and makes room for this many bytes after it.
  @inline(__always)
  private mutating func separate(reserving count: Int) {
    output.reserve(count + 1)
    if needsComma { output.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func literal(_ word: StaticString) {
    separate(reserving: word.utf8CodeUnitCount)
    output.append(word)
  }
}
