/// The members of an object, read by key.
///
/// The search for a key starts after the member found last: reading members in the order in which they were written
/// costs one comparison each, and any other order works as well.
public struct JSONFields: ~Escapable {
  @usableFromInline let bytes: Span<UInt8>
  @usableFromInline let tokens: Span<JSONToken>
  /// Index of the object's own token.
  @usableFromInline let object: Int
  /// Index of the token after the last member.
  @usableFromInline let end: Int
  /// Index of the string that names the variant; −1 for records.
  @usableFromInline let tagIndex: Int
  /// Whether the object is nested under its tag, as in `{"tag":{…}}`.
  @usableFromInline let isNested: Bool
  @usableFromInline var cursor: Int

  @inlinable @_lifetime(copy node)
  init(_ node: JSONNode, tagIndex: Int = -1, isNested: Bool = false) {
    bytes = node.bytes
    tokens = node.tokens
    object = node.index
    end = node.isObject ? Int(node.token.next) : node.index
    self.tagIndex = tagIndex
    self.isNested = isNested
    cursor = node.index + JSONToken.beforeMembers
  }

  /// The name of the variant if the object is a sum; empty for records.
  public var tag: String {
    guard tagIndex >= 0 else { return "" }
    return JSONNode(bytes: bytes, tokens: tokens, index: tagIndex).stringIfPresent() ?? ""
  }

  /// Reads the member `key`. Absent or null members give nil for optionals and an error for anything else.
  @inlinable
  public mutating func get<T: JSONDecodable>(_ key: StaticString, as _: T.Type = T.self) throws(JSONError) -> T {
    let index = find(key)
    if index < 0 || tokens[index].kind == .null, let absent = T.jsonAbsent { return absent }
    guard index >= 0 else { throw JSONError(.missingField, path: [key.description]) }
    do {
      return try T(json: JSONNode(bytes: bytes, tokens: tokens, index: index))
    } catch {
      throw error.inside(key.description)
    }
  }

  /// Reads the member `key`; `fallback` when it is absent or null.
  @inlinable
  public mutating func get<T: JSONDecodable>(_ key: StaticString, default fallback: T) throws(JSONError) -> T {
    try get(key, as: T?.self) ?? fallback
  }

  /// Reads the single unnamed argument of a variant: the member `data` if tagged, the whole content otherwise.
  @inlinable
  public mutating func getPayload<T: JSONDecodable>(as _: T.Type = T.self) throws(JSONError) -> T {
    guard isNested else { return try get("data") }
    return try T(json: JSONNode(bytes: bytes, tokens: tokens, index: object))
  }

  /// The JSON value of the member `key`; an error if it is absent.
  @_lifetime(copy self) @_lifetime(self: copy self)
  public mutating func node(_ key: StaticString) throws(JSONError) -> JSONNode {
    let index = find(key)
    guard index >= 0 else { throw JSONError(.missingField, path: [key.description]) }
    return JSONNode(bytes: bytes, tokens: tokens, index: index)
  }

  /// Whether the object has a member `key` that is not null.
  public mutating func has(_ key: StaticString) -> Bool {
    let index = find(key)
    return index >= 0 && tokens[index].kind != .null
  }

  /// The error for an unknown variant.
  public func unknownTag() -> JSONError { JSONError(.unknownCase(tag)) }

  /// The token index of the value under `key`, or −1.
  @usableFromInline
  mutating func find(_ key: StaticString) -> Int {
    let signature = JSONKey.signature(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    let start = cursor
    if start < end, isKey(start, key: key, signature: signature) { return take(start) }
    guard end > object else { return -1 }
    let keys = tokens[object + 1]
    guard (UInt64(keys.end) << 32 | UInt64(keys.start)) & JSONKey.bit(signature) != 0 else { return -1 }
    let first = object + JSONToken.beforeMembers
    let index = search(key, signature, from: start, to: end)
    return index >= 0 ? index : search(key, signature, from: first, to: min(start, end))
  }

  /// The value of the key at `index`; the next search starts after it.
  @inline(__always)
  private mutating func take(_ index: Int) -> Int {
    cursor = Int(tokens[index + 1].next)
    return index + 1
  }

  private mutating func search(_ key: StaticString, _ signature: UInt32, from start: Int, to end: Int) -> Int {
    var at = start
    while at < end {
      if isKey(at, key: key, signature: signature) { return take(at) }
      at = Int(tokens[at + 1].next)
    }
    return -1
  }

  @inline(__always)
  private func isKey(_ index: Int, key: StaticString, signature: UInt32) -> Bool {
    let token = tokens[index]
    if token.kind == .escapedString {
      return JSONNode(bytes: bytes, tokens: tokens, index: index).stringIfPresent() == key.description
    }
    guard token.next == signature, Int(token.end) - Int(token.start) == key.utf8CodeUnitCount else { return false }
    let found = bytes.extracting(Int(token.start)..<Int(token.end))
    return found.withUnsafeBytes { areEqual($0, UnsafeRawPointer(key.utf8Start)) }
  }
}

/// Whether the bytes at `other`, of the same number, are equal.
@inline(__always)
private func areEqual(_ bytes: UnsafeRawBufferPointer, _ other: UnsafeRawPointer) -> Bool {
  guard let base = bytes.baseAddress else { return true }
  let count = bytes.count
  if count >= 8 {
    var offset = 0
    while offset < count {
      // The last word may overlap the one before it.
      let at = min(offset, count - 8)
      guard
        base.loadUnaligned(fromByteOffset: at, as: UInt64.self)
          == other.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      else { return false }
      offset += 8
    }
    return true
  }
  for offset in 0..<count
  where base.load(fromByteOffset: offset, as: UInt8.self)
    != other.load(fromByteOffset: offset, as: UInt8.self)
  {
    return false
  }
  return true
}

extension JSONNode {
  /// The members of a record.
  @inlinable @_lifetime(copy self)
  public func fields() throws(JSONError) -> JSONFields {
    guard isObject else { throw JSONError(.wrongType(expected: "an object")) }
    return JSONFields(self)
  }

  /// The variant and members of a sum, in any of its spellings: `{"type":"tag",…}`, `{"_owsf":true,"tag":{…}}` and
  /// `{"tag":{…}}`.
  @_lifetime(copy self)
  public func sum() throws(JSONError) -> JSONFields {
    var members = try fields()
    let type = members.find("type")
    if type >= 0, tokens[type].isString { return JSONFields(self, tagIndex: type) }
    let marker = members.find("_owsf")
    let marked = marker >= 0 && tokens[marker].kind == .yes
    var at = index + JSONToken.beforeMembers
    if marked, at + 1 == marker { at = Int(tokens[marker].next) }
    let end = Int(token.next)
    guard at < end else { throw JSONError(.wrongType(expected: "a tagged object")) }
    let content = JSONNode(bytes: bytes, tokens: tokens, index: at + 1)
    let next = Int(content.token.next)
    guard next == end || marked && next + 1 == marker && Int(tokens[marker].next) == end else {
      throw JSONError(.wrongType(expected: "a tagged object"))
    }
    return JSONFields(content, tagIndex: at, isNested: true)
  }
}
