/// The size limits of a parser.
public struct JSONLimits: Hashable, Sendable {
  /// The deepest nesting of arrays and objects.
  public var depth: Int
  /// The longest text in bytes, at most 2³¹ − 1.
  public var bytes: Int
  /// Whether the number of values and keys is limited by the size of the text, so that parsing takes at most four times
  /// the memory of the text, and a megabyte: one for each eight bytes, and 65,536 in any case. For texts of callers.
  public var isProportional = false

  /// Limits of `depth` levels and `bytes` bytes.
  public init(depth: Int = 128, bytes: Int = 64 << 20) {
    self.depth = depth
    self.bytes = min(bytes, Int(Int32.max))
  }

  /// The limits of a text that a program on this machine sends.
  public static var caller: JSONLimits {
    var limits = JSONLimits()
    limits.isProportional = true
    return limits
  }

  /// The number of values and keys that a text of this size may have.
  func tokens(in bytes: Int) -> Int { isProportional ? max(1 << 16, bytes / 8) : Int(Int32.max) }
}

/// A checked JSON text with an index of its values.
///
/// Parsing makes one flat list of tokens and no objects, strings or dictionaries: a type that decodes itself from
/// `root` copies only what it keeps. Every string is known to be UTF-8 with valid escapes, every number to follow the
/// grammar. Of members with the same key the first one found is used.
public struct JSONDocument: Sendable {
  @usableFromInline let bytes: [UInt8]
  @usableFromInline let tokens: JSONTokens

  /// Parses exactly one value with optional white space around it.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    guard bytes.count <= limits.bytes else { throw JSONError(.tooLarge(limit: limits.bytes)) }
    self.bytes = bytes
    tokens = try JSONParser.parse(bytes, depth: limits.depth, tokens: limits.tokens(in: bytes.count))
  }

  /// Parses a text.
  public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// The top-level value.
  public var root: JSONNode {
    @_lifetime(borrow self)
    get {
      // The tokens live as long as the document.
      let tokens = _overrideLifetime(Span(_unsafeElements: tokens.all), borrowing: self)
      return JSONNode(bytes: bytes.span, tokens: tokens, index: 0)
    }
  }
}
