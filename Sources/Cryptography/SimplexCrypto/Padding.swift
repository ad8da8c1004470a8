/// The protocol's padding: a 2-byte big-endian length, the message, and `#` up to the padded size.
///
/// All messages of one kind then have one size. Readers ignore the padding bytes.
public enum Padding {
  /// The size of the length prefix in bytes.
  public static let prefixSize = 2
  /// The longest message that can be padded (the reference implementation's limit, two below the prefix's).
  public static let maximumCount = 65533
  /// The byte that fills the rest of the padded size.
  public static let fill = UInt8(ascii: "#")

  /// Checks that a message fits.
  /// - Throws: `messageTooLong`.
  public static func check(messageCount: Int, paddedCount: Int) throws(CryptoError) {
    let limit = min(paddedCount - prefixSize, maximumCount)
    if messageCount > limit { throw .messageTooLong(limit: limit) }
  }

  /// Pads a message into a new array.
  /// - Throws: `messageTooLong`.
  public static func pad(_ message: RawSpan, to paddedCount: Int) throws(CryptoError) -> [UInt8] {
    try check(messageCount: message.byteCount, paddedCount: paddedCount)
    return [UInt8](filling: paddedCount) { write(message, into: $0) }
  }

  /// Pads a message into all of `output`.
  /// - Throws: `messageTooLong`.
  public static func pad(_ message: RawSpan, into output: inout MutableRawSpan) throws(CryptoError) {
    try check(messageCount: message.byteCount, paddedCount: output.byteCount)
    output.withUnsafeMutableBytes { write(message, into: $0) }
  }

  /// Pads a message that already is in `buffer`, after the room for the prefix.
  /// - Throws: `messageTooLong`.
  public static func padInPlace(_ buffer: inout MutableRawSpan, messageCount: Int) throws(CryptoError) {
    try check(messageCount: messageCount, paddedCount: buffer.byteCount)
    buffer.withUnsafeMutableBytes { frame($0, messageCount: messageCount) }
  }

  /// The message in padded text.
  /// - Throws: `invalidPadding` if the text is shorter than its prefix says.
  @_lifetime(copy padded)
  public static func unpad(_ padded: RawSpan) throws(CryptoError) -> RawSpan {
    padded.extracting(try messageRange(in: padded))
  }

  /// The range of the message in padded text.
  /// - Throws: `invalidPadding` if the text is shorter than its prefix says.
  public static func messageRange(in padded: RawSpan) throws(CryptoError) -> Range<Int> {
    guard padded.byteCount >= prefixSize else { throw .invalidPadding }
    let count = Int(UInt16(bigEndian: padded.unsafeLoadUnaligned(as: UInt16.self)))
    guard count <= padded.byteCount - prefixSize else { throw .invalidPadding }
    return prefixSize..<prefixSize + count
  }

  /// Pads into all of `output`, after ``check(messageCount:paddedCount:)``.
  static func write(_ message: RawSpan, into output: UnsafeMutableRawBufferPointer) {
    message.withUnsafeBytes { output.slice(prefixSize..<output.count).copyMemory(from: $0) }
    frame(output, messageCount: message.byteCount)
  }

  /// Writes the prefix and the fill around a message of this many bytes, which fits.
  static func frame(_ buffer: UnsafeMutableRawBufferPointer, messageCount: Int) {
    buffer.storeBytes(of: UInt16(messageCount).bigEndian, as: UInt16.self)
    _ = buffer.slice(prefixSize + messageCount..<buffer.count).initializeMemory(as: UInt8.self, repeating: fill)
  }
}
