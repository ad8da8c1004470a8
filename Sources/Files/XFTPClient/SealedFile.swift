import FileAccess
import SimplexCrypto
import WireCodec
import XFTPProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The encrypted form of a file, in a file of its own, ready to be uploaded in chunks.
public struct SealedFile: Equatable, Sendable {
  /// The path of the encrypted form.
  public let path: String
  /// The key that it was made with, for this file alone.
  public let key: BoxKey
  /// The nonce.
  public let nonce: BoxNonce
  /// The size in bytes.
  public let size: Int64
  /// The SHA-512.
  public let digest: [UInt8]
  /// The parts to upload, in order.
  public let chunks: [SealedChunk]

  /// The size of most chunks, in bytes.
  public var defaultChunkSize: UInt32 { chunks.first?.size ?? ChunkSizes.smallest }

  /// Waits until the encrypted form is on the disk. Uploading need not wait for that: what a power failure damages has
  /// another digest, and is made again with another key.
  public func flush() throws(FileError) {
    try FileDescriptor(path, .reading).sync(dataOnly: true)
    try FileDescriptor.syncFolder(of: path)
  }

  /// Whether a chunk of an encrypted form still has its digest.
  public static func isWhole(
    _ path: String, from offset: Int64, size: UInt32, digest: [UInt8]
  ) -> Bool {
    let input = FileParts(path, from: offset)
    var hash = IncrementalHash(.sha256)
    var left = Int(size)
    while left > 0 {
      guard let part = try? input.read(min(left, partSize)), !part.isEmpty else { return false }
      hash.update(part.span.bytes)
      left -= part.count
    }
    return hash.finish() == digest
  }

  /// The bytes that are encrypted at once, at most: few enough for the processor's caches.
  private static let partSize = 256 << 10

  /// Encrypts a file with a new key, in constant memory. What was written is removed if it fails.
  /// - Parameters:
  ///   - source: the file.
  ///   - name: the name that recipients see, up to 255 bytes.
  ///   - path: the encrypted form; replaced if it exists.
  ///   - sizeLimit: the largest file, in bytes.
  ///   - isStopped: asked between parts; the file is given up when it returns true.
  public static func seal(
    _ source: String, name: String, into path: String, sizeLimit: Int64 = FileSize.softLimit,
    isStopped: () -> Bool = { false }
  ) throws(FileTransferError) -> SealedFile {
    try seal(.file(LocalFile(path: source)), name: name, into: path, sizeLimit: sizeLimit, isStopped: isStopped)
  }

  /// Encrypts what a source has, as ``seal(_:name:into:sizeLimit:isStopped:)`` does. It is not on the disk when this
  /// returns: see ``flush()``.
  /// - Parameters:
  ///   - singleChunk: whether all has to be in one chunk, as what a redirect leads to.
  ///   - isStopped: asked between parts; the file is given up when it returns true.
  public static func seal(
    _ source: FileSource, name: String, into path: String, singleChunk: Bool = false,
    sizeLimit: Int64 = FileSize.hardLimit, isStopped: () -> Bool = { false }
  ) throws(FileTransferError) -> SealedFile {
    let reader = try FileSourceReader(source)
    guard reader.size <= sizeLimit else { throw .tooLarge(limit: sizeLimit) }
    let layout: EncryptedFileLayout?
    do throws(WireError) {
      layout = try EncryptedFileLayout(
        header: FileHeader(fileName: name), contentSize: reader.size, singleChunk: singleChunk)
    } catch {
      throw .name
    }
    guard let layout else { throw .tooLarge(limit: singleChunk ? Int64(ChunkSizes.large) : FileSize.hardLimit) }
    do throws(FileTransferError) {
      return try seal(reader, layout, into: path, isStopped: isStopped)
    } catch {
      unlink(path)
      throw error
    }
  }

  private static func seal(
    _ source: FileSourceReader, _ layout: EncryptedFileLayout, into path: String, isStopped: () -> Bool
  ) throws(FileTransferError) -> SealedFile {
    var random = SystemRandom()
    let key = BoxKey(using: &random)
    let nonce = BoxNonce(using: &random)
    var chunks: [SealedChunk] = []
    let whole = BackgroundHash(.sha512)
    do {
      var sealer = try XFTPFileSealer(
        key: key, nonce: nonce, header: layout.header, contentSize: layout.contentSize,
        encryptedSize: layout.encryptedSize)
      let output = try FileDescriptor(path, .writing)
      var offset: Int64 = 0
      for (index, size) in layout.chunkSizes.enumerated() {
        var hash = IncrementalHash(.sha256)
        var left = Int(size)
        while left > 0 {
          if isStopped() { throw FileTransferError.stopped }
          var part = whole.part(min(left, partSize))
          try fill(&part, with: &sealer, from: source)
          left -= part.count
          whole.update(part)
          hash.update(part.span.bytes)
          try part.span.bytes.withUnsafeBytes { (bytes) throws(FileError) in try output.write(bytes) }
        }
        chunks.append(SealedChunk(number: index + 1, offset: offset, size: size, digest: hash.finish()))
        offset += Int64(size)
      }
    } catch let error as CryptoError {
      throw FileTransferError(error, path: source.path)
    } catch let error as FileError {
      throw .file(error)
    } catch {
      throw .stopped
    }
    return SealedFile(
      path: path, key: key, nonce: nonce, size: layout.encryptedSize, digest: whole.finish(), chunks: chunks)
  }

  /// Fills a part with the next bytes of the encrypted form.
  private static func fill(
    _ part: inout [UInt8], with sealer: inout XFTPFileSealer, from source: FileSourceReader
  ) throws(CryptoError) {
    var span = part.mutableSpan
    var bytes = span.mutableBytes
    _ = try sealer.read(into: &bytes) { (space: inout MutableRawSpan) throws(CryptoError) in
      try source.read(into: &space)
    }
  }
}

/// A part of the encrypted form of a file.
public struct SealedChunk: Hashable, Sendable {
  /// The number, from 1 on.
  public let number: Int
  /// The position in the encrypted form.
  public let offset: Int64
  /// The size in bytes.
  public let size: UInt32
  /// The SHA-256.
  public let digest: [UInt8]
}
