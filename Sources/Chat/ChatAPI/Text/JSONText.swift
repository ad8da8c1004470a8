/// Measures text in the JSON encoding, for limits that count encoded bytes.
public enum JSONText {
  /// Bytes of the JSON string literal of `text` without its two quotes.
  public static func length(_ text: String) -> Int {
    var text = text
    return text.withUTF8 { bytes in
      var length = bytes.count
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
          length += 1
        case ..<0x20: length += 5
        default: break
        }
      }
      return length
    }
  }
}
