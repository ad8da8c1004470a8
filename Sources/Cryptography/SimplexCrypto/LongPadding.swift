/// The padding of files and other long texts: an 8-byte big-endian length, the text, and `#` up to the padded size.
public enum LongPadding {
  /// The size of the length prefix in bytes.
  public static let prefixSize = 8

  /// Pads a text into a new array.
  /// - Throws: `messageTooLong`.
  public static func pad(_ text: RawSpan, to paddedCount: Int) throws(CryptoError) -> [UInt8] {
    let limit = paddedCount - prefixSize
    if text.byteCount > limit { throw .messageTooLong(limit: limit) }
    return [UInt8](filling: paddedCount) { output in
      output.copyBytes(from: prefix(Int64(text.byteCount)))
      let rest = output.slice(prefixSize..<output.count)
      text.withUnsafeBytes { rest.copyMemory(from: $0) }
      _ = rest.slice(text.byteCount..<rest.count).initializeMemory(as: UInt8.self, repeating: Padding.fill)
    }
  }

  /// The text in padded text. Where less follows than the prefix says, the text is all that follows: the prefix of a
  /// streamed text is read before its end can be known, and the reference implementation accepts it.
  /// - Throws: `invalidPadding` without a prefix, or if its length is negative.
  public static func unpad(_ padded: [UInt8]) throws(CryptoError) -> [UInt8] {
    let count = try textCount(prefix: padded.span.bytes)
    let available = padded.count - prefixSize
    return [UInt8](padded[prefixSize..<prefixSize + Int(min(count, Int64(available)))])
  }

  /// The prefix of a text of `count` bytes.
  static func prefix(_ count: Int64) -> [UInt8] {
    withUnsafeBytes(of: count.bigEndian) { [UInt8]($0) }
  }

  /// The length in the prefix at the start of `padded`.
  /// - Throws: `invalidPadding` if there is none, or if it is negative.
  static func textCount(prefix padded: RawSpan) throws(CryptoError) -> Int64 {
    guard padded.byteCount >= prefixSize else { throw .invalidPadding }
    let count = Int64(bigEndian: padded.unsafeLoadUnaligned(as: Int64.self))
    guard count >= 0 else { throw .invalidPadding }
    return count
  }
}
