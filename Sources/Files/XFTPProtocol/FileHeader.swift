import SimplexCrypto
import WireCodec

/// What precedes the content of a file in its encrypted form. Source: xftp.md, "Sending file".
public struct FileHeader: Hashable, Sendable {
  /// The name that the sender gave the file. Not trustworthy: it may contain separators of folders.
  public var fileName: String
  /// Reserved for later versions.
  public var fileExtra: String?

  public init(fileName: String, fileExtra: String? = nil) {
    self.fileName = fileName
    self.fileExtra = fileExtra
  }

  /// The number of bytes at the start of the text that always hold the whole header.
  public static let sizeLimit = 1024

  /// Both texts have at most 255 bytes. What is not UTF-8 is repaired.
  public static let codec = Codec<FileHeader>.record(
    Field("fileName", \.fileName, repairedText), Field("fileExtra", \.fileExtra, repairedText.optional),
    build: { FileHeader(fileName: $0, fileExtra: $1) })

  /// The header at the start of the text, and its size in bytes. Needs the first ``sizeLimit`` bytes of the text, or
  /// all where it is shorter.
  public static func read(from start: RawSpan) throws(WireError) -> (header: FileHeader, size: Int) {
    var reader = Reader(start)
    let header = try codec.decode(&reader)
    return (header, reader.offset)
  }

  private static let repairedText = Codec<[UInt8]>.short.map(
    { String(decoding: $0, as: UTF8.self) }, { Array($0.utf8) })
}

/// The sizes of the encrypted form of a file.
public struct EncryptedFileLayout: Hashable, Sendable {
  /// The encoded header.
  public let header: [UInt8]
  /// The size of the file's content in bytes.
  public let contentSize: Int64
  /// The sizes of the chunks in bytes, in order.
  public let chunkSizes: [UInt32]
  /// The size of the encrypted form in bytes: the sum of the chunks.
  public let encryptedSize: Int64

  /// The layout of a file with this header.
  /// - Parameter singleChunk: whether all has to be in one chunk, as the description that a redirect leads to; nil is
  ///   returned where no chunk is large enough.
  /// - Throws: `tooLong` where a text of the header does.
  public init?(header: FileHeader, contentSize: Int64, singleChunk: Bool = false) throws(WireError) {
    self.header = try FileHeader.codec.encode(header)
    self.contentSize = contentSize
    guard contentSize >= 0, contentSize <= FileSize.hardLimit else { return nil }
    let size = contentSize + Int64(self.header.count + LongPadding.prefixSize + BoxKey.overhead)
    if singleChunk {
      guard let chunk = ChunkSizes.single(for: size) else { return nil }
      chunkSizes = [chunk]
    } else {
      chunkSizes = ChunkSizes.prepare(for: size)
    }
    encryptedSize = chunkSizes.reduce(0) { $0 + Int64($1) }
  }

  /// The size that most chunks have: that of the first.
  public var defaultChunkSize: UInt32 { chunkSizes.first ?? ChunkSizes.smallest }
}
