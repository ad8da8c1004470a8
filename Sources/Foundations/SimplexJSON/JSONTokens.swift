/// One value, key, array or object of a document.
@usableFromInline
struct JSONToken: Sendable {
  @usableFromInline
  enum Kind: UInt8, Sendable {
    case null, no, yes, number, string, escapedString, array, object
    /// The set of the keys of an object, in `start` and `end`; follows the object's token.
    case keys
  }

  /// Offset of the first byte; of strings, after the quote.
  @usableFromInline var start: UInt32
  /// Offset after the last byte; of strings, of the closing quote.
  @usableFromInline var end: UInt32
  /// Index of the token after this value and everything inside it; of keys, their signature.
  @usableFromInline var next: UInt32
  @usableFromInline var kind: Kind

  @usableFromInline
  init(start: UInt32, end: UInt32, next: UInt32, kind: Kind) {
    self.start = start
    self.end = end
    self.next = next
    self.kind = kind
  }

  @usableFromInline var isString: Bool { kind == .string || kind == .escapedString }

  /// The number of tokens from that of an object to its first key: the object and its set of keys.
  @usableFromInline static let beforeMembers = 2
}

/// The tokens of a document. They are written by the parser alone and do not change after it, so threads may share
/// them.
@usableFromInline
final class JSONTokens: @unchecked Sendable {
  private var base: UnsafeMutablePointer<JSONToken>
  private var capacity: Int
  private(set) var count = 0
  /// The number of tokens at which the doubling of the capacity stops: a parser that has more stops soon.
  private let limit: Int

  /// The largest number of tokens for which memory is allocated before they are there: 128 KB.
  private static let firstCapacity = 8_192
  /// The capacity above the limit: a value has fewer tokens before it is checked, since nesting is limited.
  private static let excess = 512

  /// - Parameters:
  ///   - limit: the number of tokens that are expected at most.
  ///   - count: the usual number for a text of this size.
  init(limit: Int, expected count: Int) {
    self.limit = limit
    capacity = max(min(count, Self.firstCapacity), 4)
    base = .allocate(capacity: capacity)
  }

  /// The memory of the tokens in bytes.
  var size: Int { capacity * MemoryLayout<JSONToken>.stride }

  deinit { base.deallocate() }

  /// All tokens.
  var all: UnsafeBufferPointer<JSONToken> { UnsafeBufferPointer(start: base, count: count) }

  @inline(__always)
  func append(_ token: JSONToken) {
    if count == capacity { grow() }
    (base + count).initialize(to: token)
    count += 1
  }

  @inline(never)
  private func grow() {
    let new = max(min(capacity * 2, limit), capacity + Self.excess)
    let larger = UnsafeMutablePointer<JSONToken>.allocate(capacity: new)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    capacity = new
  }

  // MARK: - Changes by the parser

  @inline(__always)
  func kind(_ index: Int) -> JSONToken.Kind { base[index].kind }

  /// Closes the array or object whose token is at `index`, and returns the enclosing one.
  @inline(__always)
  func close(_ index: Int, end: UInt32) -> UInt32 {
    let parent = base[index].end
    base[index].end = end
    base[index].next = UInt32(truncatingIfNeeded: count)
    return parent
  }

  /// Turns the last token, a string, into a key, and returns whether it has escapes.
  @inline(__always)
  func setSignature(_ signature: UInt32) -> Bool {
    base[count - 1].next = signature
    return base[count - 1].kind == .escapedString
  }

  @inline(__always)
  func setKeys(_ keys: UInt64, of object: Int) {
    base[object + 1].start = UInt32(truncatingIfNeeded: keys)
    base[object + 1].end = UInt32(truncatingIfNeeded: keys >> 32)
  }

  @inline(__always)
  func keys(of object: Int) -> UInt64 { UInt64(base[object + 1].end) << 32 | UInt64(base[object + 1].start) }
}

/// Signatures of keys: numbers that nearly always differ where the keys do, so that few keys have to be compared; an
/// object has a set of them, so that most absent keys are not searched for at all.
enum JSONKey {
  /// The length and three of the bytes.
  @inline(__always)
  static func signature(_ key: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let count = key.count
    guard count > 0 else { return 0 }
    return UInt32(truncatingIfNeeded: count) << 24 | UInt32(key[0]) << 16 | UInt32(key[count / 2]) << 8
      | UInt32(key[count - 1])
  }

  /// The bit of a key in the set of an object's keys. Several keys may share it.
  @inline(__always)
  static func bit(_ signature: UInt32) -> UInt64 { 1 << UInt64((signature &* 0x9E37_79B1) >> 26) }
}
