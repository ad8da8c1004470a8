// The encrypted form of a file sent over XFTP: one box, with the tag last, of an 8-byte length, a header, the content,
// and `#` up to the size that the sum of the chunks requires. The length counts header and content (XFTP protocol,
// "Sending file").

/// Produces the encrypted form of a file part by part, without ever holding all of it.
public struct XFTPFileSealer: ~Copyable {
  /// Length prefix and header.
  private let start: [UInt8]
  private let contentEnd: Int64
  private let textEnd: Int64
  private var position: Int64 = 0
  private var stream: BoxStream?
  private var tag: [UInt8] = []

  /// Starts the encrypted form of a file.
  /// - Parameters:
  ///   - header: the encoded file header.
  ///   - encryptedSize: the size of the whole form, tag included.
  /// - Throws: `messageTooLong` if header and content do not fit.
  public init(
    key: BoxKey, nonce: BoxNonce, header: [UInt8], contentSize: Int64, encryptedSize: Int64
  ) throws(CryptoError) {
    let room = max(0, encryptedSize) - Int64(LongPadding.prefixSize + header.count + BoxKey.overhead)
    guard contentSize >= 0, contentSize <= room else { throw .messageTooLong(limit: Int(clamping: room)) }
    start = LongPadding.prefix(Int64(header.count) + contentSize) + header
    contentEnd = Int64(start.count) + contentSize
    textEnd = encryptedSize - Int64(BoxKey.overhead)
    stream = BoxStream(.seal, key: key, nonce: nonce)
  }

  /// The number of bytes of the encrypted form not produced yet.
  public var remaining: Int64 { textEnd + Int64(BoxKey.overhead) - position }

  /// Writes the next bytes of the encrypted form into `output`, as many as it holds or as are left, and returns their
  /// number.
  /// - Parameter readContent: fills the whole buffer it is given with the next bytes of the content.
  /// - Throws: what `readContent` throws; then the form cannot be continued.
  public mutating func read<E: Error>(
    into output: inout MutableRawSpan, content readContent: (inout MutableRawSpan) throws(E) -> Void
  ) throws(E) -> Int {
    try output.withUnsafeMutableBytes { (output) throws(E) in
      let count = Int(min(Int64(output.count), remaining))
      let text = output.slice(0..<Int(min(Int64(count), max(0, textEnd - position))))
      try fill(text, content: readContent)
      stream?.process(UnsafeRawBufferPointer(text), into: text)
      position += Int64(text.count)
      if text.count < count {
        if let stream = stream.take() { tag = stream.finish().bytes }
        let tagStart = Int(position - textEnd)
        output.slice(text.count..<count).copyBytes(from: tag[tagStart..<tagStart + count - text.count])
        position += Int64(count - text.count)
      }
      return count
    }
  }

  /// Writes the text from `position` on.
  private func fill<E: Error>(
    _ text: UnsafeMutableRawBufferPointer, content readContent: (inout MutableRawSpan) throws(E) -> Void
  ) throws(E) {
    var done = 0
    while done < text.count {
      let place = position + Int64(done)
      let rest = text.slice(done..<text.count)
      if place < start.count {
        let part = start[Int(place)...].prefix(rest.count)
        rest.copyBytes(from: part)
        done += part.count
      } else if place < contentEnd {
        let part = rest.slice(0..<Int(min(Int64(rest.count), contentEnd - place)))
        var span = part.mutableBytes
        try readContent(&span)
        done += part.count
      } else {
        _ = rest.initializeMemory(as: UInt8.self, repeating: Padding.fill)
        done += rest.count
      }
    }
  }
}

/// Recovers a file from its encrypted form part by part.
///
/// The text is authentic only when ``finish()`` has returned.
public struct XFTPFileOpener: ~Copyable {
  private let textEnd: Int64
  private var position: Int64 = 0
  private var stream: BoxStream
  private var prefix: [UInt8] = []
  private var tag: [UInt8] = []
  /// The number of bytes of header and content together; nil until the length prefix was read.
  public private(set) var textCount: Int64?

  /// Starts to read an encrypted form of `encryptedSize` bytes, tag included.
  /// - Throws: `invalidPadding` if the size is too small.
  public init(key: BoxKey, nonce: BoxNonce, encryptedSize: Int64) throws(CryptoError) {
    guard encryptedSize >= LongPadding.prefixSize + BoxKey.overhead else { throw .invalidPadding }
    textEnd = encryptedSize - Int64(BoxKey.overhead)
    stream = BoxStream(.open, key: key, nonce: nonce)
  }

  /// Decrypts the next part in place, and returns the range of its bytes that belong to the text: the header followed
  /// by the content.
  /// - Throws: `unexpectedSize` if more bytes come than the form has; `invalidPadding` if the text is longer than the
  ///   form.
  public mutating func open(inPlace part: inout MutableRawSpan) throws(CryptoError) -> Range<Int> {
    try part.withUnsafeMutableBytes { (part) throws(CryptoError) in
      try open(UnsafeRawBufferPointer(part), into: part)
    }
  }

  /// Decrypts the next part into memory of the same size, and returns the range of its bytes there that belong to the
  /// text, as ``open(inPlace:)`` does.
  public mutating func open(_ part: RawSpan, into text: inout MutableRawSpan) throws(CryptoError) -> Range<Int> {
    guard part.byteCount == text.byteCount else {
      throw .unexpectedSize(expected: Int64(part.byteCount), actual: Int64(text.byteCount))
    }
    return try part.withUnsafeBytes { (part) throws(CryptoError) in
      try text.withUnsafeMutableBytes { (text) throws(CryptoError) in try open(part, into: text) }
    }
  }

  private mutating func open(
    _ part: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(CryptoError) -> Range<Int> {
    let start = position
    let size = textEnd + Int64(BoxKey.overhead)
    guard Int64(part.count) <= size - start else {
      throw .unexpectedSize(expected: size, actual: start + Int64(part.count))
    }
    let text = output.slice(0..<Int(min(Int64(part.count), max(0, textEnd - start))))
    tag += part.slice(text.count..<part.count)
    stream.process(part.slice(0..<text.count), into: text)
    position += Int64(part.count)
    try readPrefix(in: text)
    guard let textCount else { return 0..<0 }
    let first = Int64(LongPadding.prefixSize)
    let lower = min(max(first, start), first + textCount)
    let upper = max(lower, min(start + Int64(text.count), first + textCount))
    return lower == upper ? 0..<0 : Int(lower - start)..<Int(upper - start)
  }

  private mutating func readPrefix(in text: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    guard textCount == nil else { return }
    prefix += text.prefix(LongPadding.prefixSize - prefix.count)
    guard prefix.count == LongPadding.prefixSize else { return }
    let count = try LongPadding.textCount(prefix: prefix.span.bytes)
    guard count <= textEnd - Int64(LongPadding.prefixSize) else { throw .invalidPadding }
    textCount = count
  }

  /// Checks that the form was complete and authentic.
  /// - Throws: `unexpectedSize` or `authenticationFailed`; then no part of the text may be trusted.
  public consuming func finish() throws(CryptoError) {
    let size = textEnd + Int64(BoxKey.overhead)
    guard position == size else { throw .unexpectedSize(expected: size, actual: position) }
    try stream.finish(verifying: AuthTag(tag))
  }
}
