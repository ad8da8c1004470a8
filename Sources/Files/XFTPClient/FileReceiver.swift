import FileAccess
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import WireCodec
import XFTPProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Downloads files.
public struct FileReceiver: Sendable {
  /// The number of attempts for each command.
  public var attempts = 3
  /// The number of chunks that are downloaded at once.
  public var parallelChunks = 4
  private let relays: FileRelays

  public init(relays: FileRelays) { self.relays = relays }

  /// Downloads all chunks into a folder, each in a file named by its number, and returns their paths in order. Files
  /// that have a chunk already are kept. `progress` is called with the number of bytes that are there.
  public func download(
    _ description: FileDescription, into folder: String, progress: @escaping @Sendable (Int64) -> Void = { _ in }
  ) async throws(FileTransferError) -> [String] {
    try await inParallel(
      description.chunks, limit: parallelChunks, size: { Int64($0.size) }, progress: progress
    ) { (chunk) async throws(FileTransferError) in
      let path = "\(folder)/\(chunk.number)"
      if PathStatus.size(of: path) != Int64(chunk.size) { try await download(chunk, into: path) }
      return path
    }
  }

  /// Downloads a chunk from the first of its relays that has it.
  private func download(_ chunk: FileChunk, into path: String) async throws(FileTransferError) {
    let draft = path + ".part"
    var failure = FileTransferError.noServer
    for replica in chunk.replicas {
      do throws(FileTransferError) {
        try await relays.perform(with: replica.server, attempts: attempts) { (relay) async throws(FileClientError) in
          let output = FileDraft(draft)
          try await relay.download(chunk.size, digest: chunk.digest, of: replica.id, key: replica.key) { part in
            try await BlockingWork.parts.run { () throws(FileError) in try output.write(part[...]) }
          }
        }
        guard rename(draft, path) == 0 else { throw .file(FileError(.rename, path, code: errno)) }
        return
      } catch {
        unlink(draft)
        failure = error
      }
    }
    throw failure
  }

  /// Tells the relays that this recipient needs the file no more; the description cannot be used again.
  public func acknowledge(_ description: FileDescription) async throws(FileTransferError) {
    for replica in description.chunks.compactMap(\.replicas.first) {
      try await relays.perform(with: replica.server, attempts: attempts) { (relay) async throws(FileClientError) in
        try await relay.acknowledge(replica.id, key: replica.key)
      }
    }
  }

  /// The bytes that are decrypted at once.
  private static let partSize = 256 << 10

  /// Decrypts the encrypted form in these files, in constant memory.
  ///
  /// - Parameters:
  ///   - isStopped: asked between parts; the file is given up when it returns true.
  ///   - willWrite: called with the path of a draft before that is created beside the destination, for a program that
  ///     ends meanwhile.
  ///   - destination: The path for the content, by the name that the sender gave the file, which may be anything. It
  ///     exists only after the whole form was found to be authentic.
  /// - Returns: The path.
  public func open(
    _ chunks: [String], of description: FileDescription, isStopped: () -> Bool = { false },
    willWrite: (String) -> Void = { _ in }, destination: (String) throws(FileTransferError) -> String
  ) throws(FileTransferError) -> String {
    var output = OpenedFile()
    do throws(FileTransferError) {
      try Self.open(chunks, of: description, isStopped: isStopped) { (text, count) throws(FileTransferError) in
        try output.append(text, textCount: count, willWrite: willWrite, destination: destination)
      }
      return try output.finish()
    } catch {
      output.discard()
      throw error
    }
  }

  /// Decrypts the encrypted form in these files into a local file, in the clear or encrypted, in constant memory.
  /// What is there is authentic only when this returns; what was written is removed if it fails.
  /// - Parameters:
  ///   - draft: the file to write; replaced if it exists. It is on the disk when this returns.
  ///   - isStopped: asked between parts; the file is given up when it returns true.
  /// - Returns: The size of the content in bytes.
  public static func open(
    _ chunks: [String], of description: FileDescription, into draft: LocalFile, isStopped: () -> Bool = { false }
  ) throws(FileTransferError) -> Int64 {
    do throws(FileTransferError) {
      return try write(chunks, of: description, into: draft, isStopped: isStopped)
    } catch {
      unlink(draft.path)
      throw error
    }
  }

  private static func write(
    _ chunks: [String], of description: FileDescription, into draft: LocalFile, isStopped: () -> Bool
  ) throws(FileTransferError) -> Int64 {
    var filter = HeaderFilter()
    var size: Int64 = 0
    do {
      var writer = try LocalFileWriter(draft)
      try open(chunks, of: description, isStopped: isStopped) { (text, count) throws(FileTransferError) in
        let content = try filter.content(of: text, textCount: count)
        size += Int64(content.count)
        do throws(CryptoError) { try writer.write(content.span.bytes) } catch {
          throw FileTransferError(error, path: draft.path)
        }
      }
      try filter.finish()
      try writer.finish()
      try FileDescriptor(draft.path, .reading).sync()
    } catch let error as CryptoError {
      throw FileTransferError(error, path: draft.path)
    } catch let error as FileError {
      throw .file(error)
    } catch let error as FileTransferError {
      throw error
    } catch {
      throw .damaged("\(error)")
    }
    return size
  }

  /// The content of a small file: that of the encrypted form in these files, which is read into memory.
  /// - Throws: `damaged` where it has more than `limit` bytes.
  public static func content(
    _ chunks: [String], of description: FileDescription, limit: Int
  ) throws(FileTransferError) -> [UInt8] {
    var filter = HeaderFilter()
    var content: [UInt8] = []
    try open(chunks, of: description) { (text, count) throws(FileTransferError) in
      content += try filter.content(of: text, textCount: count)
      guard content.count <= limit else { throw .damaged("it is too large") }
    }
    try filter.finish()
    return content
  }

  /// Decrypts the encrypted form in these files, and passes its text on in parts, with the size of the whole text once
  /// that is known. The text is authentic only when this returns.
  private static func open(
    _ chunks: [String], of description: FileDescription, isStopped: () -> Bool = { false },
    text use: (ArraySlice<UInt8>, Int64?) throws(FileTransferError) -> Void
  ) throws(FileTransferError) {
    let opening = try FileOpening(description)
    for path in chunks {
      let input = FileParts(path, from: 0)
      while true {
        if isStopped() { throw .stopped }
        var part = opening.part(partSize)
        do throws(FileError) { try input.read(into: &part) } catch { throw .file(error) }
        if part.isEmpty { break }
        try use(try opening.open(part), opening.textCount)
      }
    }
    try opening.finish()
  }
}

/// An encrypted form that is decrypted in parts.
private final class FileOpening {
  private var opener: XFTPFileOpener?
  private let hash = BackgroundHash(.sha512)
  private let digest: [UInt8]
  /// The text of the last part; its memory is used again.
  private var lastText: [UInt8] = []
  /// The size of header and content; nil until it was read.
  private(set) var textCount: Int64?

  init(_ description: FileDescription) throws(FileTransferError) {
    digest = description.digest
    do throws(CryptoError) {
      opener = try XFTPFileOpener(
        key: description.key, nonce: description.nonce, encryptedSize: description.size)
    } catch {
      throw .damaged("\(error)")
    }
  }

  /// Memory for a part.
  func part(_ count: Int) -> [UInt8] { hash.part(count) }

  /// Decrypts the next part, and returns its text. The part is hashed meanwhile, so it is not decrypted in place.
  func open(_ part: [UInt8]) throws(FileTransferError) -> ArraySlice<UInt8> {
    hash.update(part)
    var text = lastText
    lastText = []
    if text.count != part.count { text = [UInt8](repeating: 0, count: part.count) }
    var span = text.mutableSpan
    var bytes = span.mutableBytes
    do throws(CryptoError) {
      let range = try opener?.open(part.span.bytes, into: &bytes)
      textCount = opener?.textCount
      lastText = text
      return text[range ?? 0..<0]
    } catch {
      throw .damaged("\(error)")
    }
  }

  /// Checks the digest and the tag of the whole form.
  func finish() throws(FileTransferError) {
    guard let opener = opener.take() else { throw .damaged("it was opened before") }
    guard hash.finish() == digest else { throw .digest }
    do throws(CryptoError) { try opener.finish() } catch { throw .damaged("\(error)") }
  }
}
