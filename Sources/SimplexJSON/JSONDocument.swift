/// How much input a parser accepts.
public struct JSONLimits: Hashable, Sendable {
  /// The deepest nesting of arrays and objects.
  public var depth: Int
  /// The longest text in bytes, at most 2³¹ − 1.
  public var bytes: Int

  /// Limits of `depth` levels and `bytes` bytes.
  public init(depth: Int = 128, bytes: Int = 64 << 20) {
    self.depth = depth
    self.bytes = min(bytes, Int(Int32.max))
  }
}

/// A checked JSON text with an index of its values.
///
/// Parsing makes one flat list of tokens and no objects, strings or dictionaries: a type that decodes itself from
/// `root` copies only what it keeps. Every string is known to be UTF-8 with valid escapes, every number to follow the
/// grammar. Of members with the same key the first one found is used.
public struct JSONDocument: Sendable {
  @usableFromInline let bytes: [UInt8]
  @usableFromInline let tokens: [JSONToken]

  /// Parses exactly one value with optional white space around it.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    guard bytes.count <= limits.bytes else { throw JSONError(.tooLarge(limit: limits.bytes)) }
    self.bytes = bytes
    var parser = JSONParser(count: bytes.count, depth: limits.depth)
    try parser.parseDocument(bytes.span)
    tokens = parser.tokens
  }

  /// Parses a text.
  public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// The value the text consists of.
  public var root: JSONNode {
    @_lifetime(borrow self)
    @inlinable get { JSONNode(bytes: bytes.span, tokens: tokens.span, index: 0) }
  }
}

/// One value, key, array or object of a document.
@usableFromInline
struct JSONToken: Sendable {
  @usableFromInline
  enum Kind: UInt8, Sendable {
    case null, no, yes, number, string, escapedString, array, object
  }

  /// Offset of the first byte; of strings, after the quote.
  @usableFromInline var start: UInt32
  /// Offset after the last byte; of strings, of the closing quote.
  @usableFromInline var end: UInt32
  /// Index of the token after this value and everything inside it; of keys, their signature.
  @usableFromInline var next: UInt32
  @usableFromInline var kind: Kind

  @usableFromInline var isString: Bool { kind == .string || kind == .escapedString }
}

/// Keys are found by a number that nearly always differs where the keys do, so that few of them have to be compared.
enum JSONKey {
  /// The length and three of the bytes.
  @inline(__always)
  static func signature(_ key: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let count = key.count
    guard count > 0 else { return 0 }
    return UInt32(truncatingIfNeeded: count) << 24 | UInt32(key[0]) << 16 | UInt32(key[count / 2]) << 8
      | UInt32(key[count - 1])
  }
}
