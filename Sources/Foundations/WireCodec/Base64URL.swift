/// Base64 with the URL alphabet (RFC 4648 section 5): written with padding, read with or without it.
public enum Base64URL {
  static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  static let padding = UInt8(ascii: "=")

  /// The value of each character; 0xFF for invalid ones.
  private static let values: [UInt8] = {
    var table = [UInt8](repeating: 0xFF, count: 256)
    for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
    return table
  }()

  /// The text form of `bytes`, as ASCII.
  public static func encode(_ bytes: [UInt8]) -> [UInt8] {
    let length = (bytes.count + 2) / 3 * 4
    return [UInt8](unsafeUninitializedCapacity: length) { output, initialized in
      alphabet.withUnsafeBufferPointer { alphabet in
        var at = 0
        var index = 0
        while index < bytes.count {
          let taken = min(3, bytes.count - index)
          var group = UInt32(bytes[index]) << 16
          if taken > 1 { group |= UInt32(bytes[index + 1]) << 8 }
          if taken > 2 { group |= UInt32(bytes[index + 2]) }
          output[at] = alphabet[Int(group >> 18)]
          output[at + 1] = alphabet[Int(group >> 12 & 63)]
          output[at + 2] = taken > 1 ? alphabet[Int(group >> 6 & 63)] : padding
          output[at + 3] = taken > 2 ? alphabet[Int(group & 63)] : padding
          index += 3
          at += 4
        }
      }
      initialized = length
    }
  }

  /// The text form of `bytes`.
  public static func string(_ bytes: [UInt8]) -> String {
    String(decoding: encode(bytes), as: UTF8.self)
  }

  /// The text form of `bytes` without padding, as in short links.
  public static func unpadded(_ bytes: [UInt8]) -> String {
    String(decoding: encode(bytes).prefix { $0 != padding }, as: UTF8.self)
  }

  /// The decoded bytes; nil where the text is not base64url. Padding may be missing but not wrong, and the unused bits
  /// of the last character have to be zero, so that no two texts of the same length decode to the same bytes.
  public static func decode(_ text: RawSpan) -> [UInt8]? {
    guard let digits = countWithoutPadding(text) else { return nil }
    let (groups, left) = digits.quotientAndRemainder(dividingBy: 4)
    guard left != 1 else { return nil }
    let count = groups * 3 + max(0, left - 1)
    // Invalid characters have their high bits set in the table; they are collected here and tested once.
    var invalid: UInt8 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
      values.withUnsafeBufferPointer { values in
        func value(_ index: Int) -> UInt32 {
          let value = values[Int(text.unsafeLoad(fromByteOffset: index, as: UInt8.self))]
          invalid |= value
          return UInt32(value)
        }
        for group in 0..<groups {
          let at = group * 4
          let bits = value(at) << 18 | value(at + 1) << 12 | value(at + 2) << 6 | value(at + 3)
          output[group * 3] = UInt8(truncatingIfNeeded: bits >> 16)
          output[group * 3 + 1] = UInt8(truncatingIfNeeded: bits >> 8)
          output[group * 3 + 2] = UInt8(truncatingIfNeeded: bits)
        }
        if left > 0 {
          let at = groups * 4
          let bits = value(at) << 18 | value(at + 1) << 12 | (left == 3 ? value(at + 2) << 6 : 0)
          output[groups * 3] = UInt8(truncatingIfNeeded: bits >> 16)
          if left == 3 { output[groups * 3 + 1] = UInt8(truncatingIfNeeded: bits >> 8) }
          if bits & (left == 3 ? 0xFF : 0xFFFF) != 0 { invalid = 0xFF }
        }
      }
      initialized = count
    }
    return invalid & 0xC0 == 0 ? bytes : nil
  }

  /// The decoded bytes; nil where the text is not base64url.
  public static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text.span.bytes) }

  /// The decoded bytes; nil where the text is not base64url.
  public static func decode(_ text: String) -> [UInt8]? { decode(text.utf8.span.bytes) }

  /// The number of characters before the padding; nil where the padding is wrong.
  private static func countWithoutPadding(_ text: RawSpan) -> Int? {
    var digits = text.byteCount
    while digits > 0, text.unsafeLoad(fromByteOffset: digits - 1, as: UInt8.self) == padding { digits -= 1 }
    let pads = text.byteCount - digits
    return pads == 0 || (pads <= 2 && text.byteCount % 4 == 0) ? digits : nil
  }

  /// Whether the character belongs to base64url text, padding included.
  @inlinable static func isCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="):
      true
    default: false
    }
  }
}

extension Codec where Value == [UInt8] {
  /// The longest run of base64url characters, at least one (StrEncoding of byte strings in the protocol documents).
  public static var base64url: Codec {
    Codec(
      decode: { (reader) throws(WireError) -> [UInt8] in
        let start = reader.offset
        let text = reader.span(while: Base64URL.isCharacter)
        guard text.byteCount > 0, let bytes = Base64URL.decode(text) else {
          throw WireError(.expected("base64url text"), offset: start)
        }
        return bytes
      },
      encode: { (bytes, writer) throws(WireError) in writer.append(Base64URL.encode(bytes)) })
  }
}
