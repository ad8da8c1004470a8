/// The tests that reading and writing strings share: eight bytes are tested as one word.
enum JSONText {
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// Eight bytes, the first one lowest.
  @inline(__always)
  static func word(_ address: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: address.loadUnaligned(as: UInt64.self))
  }

  /// Sets the high bit of each byte that is below 0x20, a quote or a backslash, up to the first such byte; also of
  /// bytes above 0x7F, which `isUTF8` counts as plain.
  @inline(__always)
  static func special(_ word: UInt64) -> UInt64 { (escapes(word) | word) & (ones &* 0x80) }

  /// The same without bytes above 0x7F: zero if nothing has to be escaped.
  @inline(__always)
  static func mustEscape(_ word: UInt64) -> UInt64 { escapes(word) & ~word & (ones &* 0x80) }

  @inline(__always)
  private static func escapes(_ word: UInt64) -> UInt64 {
    let quote = (word ^ (ones &* UInt64(UInt8(ascii: "\"")))) &- ones
    let backslash = (word ^ (ones &* UInt64(UInt8(ascii: "\\")))) &- ones
    let control = word &- ones &* 0x20
    return quote | backslash | control
  }

  /// Whether the byte represents itself in a string and is ASCII.
  @inline(__always)
  static func isPlain(_ byte: UInt8) -> Bool { byte < 0x80 && !mustEscape(byte) }

  /// Whether the byte must be escaped in a string.
  @inline(__always)
  static func mustEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
