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

  /// The bytes that are encrypted at once; every chunk is a multiple of it.
  private static let partSize = 64 << 10

  /// Encrypts a file with a new key, in constant memory. What was written is removed if it fails.
  /// - Parameters:
  ///   - source: the file.
  ///   - name: the name that recipients see, up to 255 bytes.
  ///   - path: the encrypted form; replaced if it exists.
  ///   - sizeLimit: the largest file, in bytes.
  public static func seal(
    _ source: String, name: String, into path: String, sizeLimit: Int64 = FileSize.softLimit
  ) throws(FileTransferError) -> SealedFile {
    guard let layout = try layout(of: source, name: name, sizeLimit: sizeLimit) else {
      throw .tooLarge(limit: sizeLimit)
    }
    do throws(FileTransferError) { return try seal(source, layout, into: path) } catch {
      unlink(path)
      throw error
    }
  }

  private static func layout(
    of source: String, name: String, sizeLimit: Int64
  ) throws(FileTransferError) -> EncryptedFileLayout? {
    let size: Int64
    do throws(FileError) { size = try FileDescriptor(source, .reading).size() } catch { throw .file(error) }
    guard size <= sizeLimit else { return nil }
    do throws(WireError) {
      return try EncryptedFileLayout(header: FileHeader(fileName: name), contentSize: size)
    } catch {
      throw .name
    }
  }

  private static func seal(
    _ source: String, _ layout: EncryptedFileLayout, into path: String
  ) throws(FileTransferError) -> SealedFile {
    var random = SystemRandom()
    let key = BoxKey(using: &random)
    let nonce = BoxNonce(using: &random)
    var sealer: XFTPFileSealer
    do throws(CryptoError) {
      sealer = try XFTPFileSealer(
        key: key, nonce: nonce, header: layout.header, contentSize: layout.contentSize,
        encryptedSize: layout.encryptedSize)
    } catch {
      throw .damaged("\(error)")
    }
    var chunks: [SealedChunk] = []
    var whole = IncrementalHash(.sha512)
    do throws(FileError) {
      let input = try FileDescriptor(source, .reading)
      let output = try FileDescriptor(path, .writing)
      var offset: Int64 = 0
      for (index, size) in layout.chunkSizes.enumerated() {
        var hash = IncrementalHash(.sha256)
        for _ in 0..<Int(size) / partSize {
          let part = try next(&sealer, input)
          hash.update(part.span.bytes)
          whole.update(part.span.bytes)
          try part.span.bytes.withUnsafeBytes { (bytes) throws(FileError) in try output.write(bytes) }
        }
        chunks.append(SealedChunk(number: index + 1, offset: offset, size: size, digest: hash.finish()))
        offset += Int64(size)
      }
    } catch {
      throw .file(error)
    }
    return SealedFile(
      path: path, key: key, nonce: nonce, size: layout.encryptedSize, digest: whole.finish(), chunks: chunks)
  }

  /// The next part of the encrypted form.
  private static func next(
    _ sealer: inout XFTPFileSealer, _ input: borrowing FileDescriptor
  ) throws(FileError) -> [UInt8] {
    var part = [UInt8](repeating: 0, count: partSize)
    var span = part.mutableSpan
    var bytes = span.mutableBytes
    _ = try sealer.read(into: &bytes) { (space: inout MutableRawSpan) throws(FileError) in
      try space.withUnsafeMutableBytes { (buffer) throws(FileError) in
        guard try input.read(buffer) == buffer.count else { throw FileError(.read, input.path, code: EIO) }
      }
    }
    return part
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
