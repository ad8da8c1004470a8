import FileAccess
import WireCodec

/// A file of this device, encrypted or plain.
///
/// An encrypted file is one box with a key and nonce of its own: the ciphertext of the content, not padded, and the
/// 16-byte tag.
public struct LocalFile: Sendable, Equatable {
  /// The key and nonce of an encrypted file.
  public struct Encryption: Sendable, Equatable {
    /// The key.
    public let key: BoxKey
    /// The nonce; never used for another file with this key.
    public let nonce: BoxNonce

    public init(key: BoxKey, nonce: BoxNonce) {
      self.key = key
      self.nonce = nonce
    }

    /// Draws a key and a nonce for a new file.
    public init(using random: inout some RandomSource) {
      key = BoxKey(using: &random)
      nonce = BoxNonce(using: &random)
    }

    /// Reads the texts that the C API and stored messages use (`fileKey` and `fileNonce`, base64url).
    /// - Throws: `invalidText`.
    public init(fileKey: String, fileNonce: String) throws(CryptoError) {
      do {
        key = try BoxKey.textCodec.decode(text: fileKey)
        nonce = try BoxNonce.textCodec.decode(text: fileNonce)
      } catch {
        throw .invalidText
      }
    }

    /// The key in base64url. The text is the secret itself.
    public var fileKey: String { Base64URL.string([UInt8](copying: key.secret.bytes)) }

    /// The nonce in base64url.
    public var fileNonce: String { Base64URL.string(nonce.bytes) }
  }

  /// The path of the file.
  public let path: String
  /// Nil for a plain file.
  public let encryption: Encryption?

  /// Names a file, which need not exist.
  public init(path: String, encryption: Encryption? = nil) {
    self.path = path
    self.encryption = encryption
  }

  /// Reads the whole content.
  /// - Throws: `file`; `authenticationFailed` if it was not written with this key.
  public func contents() throws(CryptoError) -> [UInt8] {
    var reader = try LocalFileReader(self)
    guard let count = Int(exactly: reader.contentSize) else { throw .file(operation: .read, code: 0) }
    return try [UInt8](filling: count) { (buffer) throws(CryptoError) in
      var span = buffer.mutableBytes
      _ = try reader.read(into: &span)
    }
  }

  /// Writes the whole content, replacing the file's.
  /// - Throws: `file`.
  public func write(_ contents: [UInt8]) throws(CryptoError) {
    var writer = try LocalFileWriter(self)
    try writer.write(contents.span.bytes)
    try writer.finish()
  }
}

/// Reads a file of this device in parts, and decrypts them.
public struct LocalFileReader: ~Copyable {
  /// The number of bytes of content of the file.
  public let contentSize: Int64
  /// The number of bytes of content not read yet.
  public private(set) var remaining: Int64
  private let file: FileDescriptor
  private var stream: BoxStream?

  /// Opens a file.
  /// - Throws: `file`; `authenticationFailed` if an encrypted file is too short to have a tag.
  public init(_ file: LocalFile) throws(CryptoError) {
    let descriptor = try FileDescriptor.opened(file.path, .reading)
    let contentSize = try descriptor.byteCount() - (file.encryption == nil ? 0 : Int64(BoxKey.overhead))
    guard contentSize >= 0 else { throw .authenticationFailed }
    self.file = descriptor
    self.contentSize = contentSize
    remaining = contentSize
    stream = file.encryption.map { BoxStream(.open, key: $0.key, nonce: $0.nonce) }
  }

  /// Reads the next bytes of content into `buffer`, as many as it holds or as are left, and returns their number; 0 at
  /// the end.
  ///
  /// The content of an encrypted file is authentic only when the last byte was read without error.
  /// - Throws: `file`; `unexpectedSize` if the file became shorter; `authenticationFailed` at the end.
  public mutating func read(into buffer: inout MutableRawSpan) throws(CryptoError) -> Int {
    let count = Int(min(Int64(buffer.byteCount), remaining))
    try buffer.withUnsafeMutableBytes { (buffer) throws(CryptoError) in
      let part = buffer.slice(0..<count)
      let readCount = try file.readBytes(part)
      guard readCount == count else {
        throw .unexpectedSize(expected: contentSize, actual: contentSize - remaining + Int64(readCount))
      }
      stream?.process(UnsafeRawBufferPointer(part), into: part)
      remaining -= Int64(count)
      if remaining == 0 { try verify() }
    }
    return count
  }

  private mutating func verify() throws(CryptoError) {
    guard let stream = stream.take() else { return }
    var tag = AuthTag()
    let count = try tag.withUnsafeMutableBytes { (tag) throws(CryptoError) in try file.readBytes(tag) }
    guard count == AuthTag.size else { throw .authenticationFailed }
    try stream.finish(verifying: tag)
  }
}

/// Writes a file of this device in parts, and encrypts them.
public struct LocalFileWriter: ~Copyable {
  private static let partSize = 1 << 16
  private let file: FileDescriptor
  private var stream: BoxStream?

  /// Creates the file, or empties it.
  /// - Throws: `file`.
  public init(_ file: LocalFile) throws(CryptoError) {
    self.file = try FileDescriptor.opened(file.path, .writing)
    stream = file.encryption.map { BoxStream(.seal, key: $0.key, nonce: $0.nonce) }
  }

  /// Appends a part of the content.
  /// - Throws: `file`.
  public mutating func write(_ part: RawSpan) throws(CryptoError) {
    guard stream != nil else {
      try part.withUnsafeBytes { (part) throws(CryptoError) in try file.writeBytes(part) }
      return
    }
    var position = 0
    while position < part.byteCount {
      let end = min(position + Self.partSize, part.byteCount)
      var copy = [UInt8](copying: part.extracting(position..<end))
      var span = copy.mutableSpan
      var bytes = span.mutableBytes
      try write(inPlace: &bytes)
      position = end
    }
  }

  /// Appends a part of the content, which is encrypted in the caller's buffer.
  /// - Throws: `file`.
  public mutating func write(inPlace part: inout MutableRawSpan) throws(CryptoError) {
    stream?.process(inPlace: &part)
    try part.withUnsafeMutableBytes { (part) throws(CryptoError) in try file.writeBytes(UnsafeRawBufferPointer(part)) }
  }

  /// Writes the tag of an encrypted file. A file that was not finished cannot be read.
  /// - Throws: `file`.
  public consuming func finish() throws(CryptoError) {
    guard let stream = stream.take() else { return }
    try stream.finish().withUnsafeBytes { (tag) throws(CryptoError) in try file.writeBytes(tag) }
  }
}
