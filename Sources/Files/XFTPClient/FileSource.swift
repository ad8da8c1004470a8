import FileAccess
import SimplexCrypto

/// What is sent as a file.
public enum FileSource: Sendable {
  /// A file of this device, in the clear or encrypted.
  case file(LocalFile)
  /// These bytes.
  case bytes([UInt8])
}

/// Reads a source once, from its beginning to its end.
final class FileSourceReader {
  /// The size of the content in bytes.
  let size: Int64
  /// What it is in messages about errors.
  let path: String
  private var file: LocalFileReader?
  private var bytes: ArraySlice<UInt8> = []

  init(_ source: FileSource) throws(FileTransferError) {
    switch source {
    case .bytes(let bytes):
      self.bytes = bytes[...]
      size = Int64(bytes.count)
      path = "bytes"
    case .file(let file):
      path = file.path
      do throws(CryptoError) {
        let reader = try LocalFileReader(file)
        size = reader.contentSize
        self.file = consume reader
      } catch {
        throw FileTransferError(error, path: file.path)
      }
    }
  }

  /// Fills the buffer with the next bytes; fails where there are not as many.
  func read(into buffer: inout MutableRawSpan) throws(CryptoError) {
    let wanted = buffer.byteCount
    guard file == nil else {
      guard try file?.read(into: &buffer) == wanted else {
        throw .unexpectedSize(expected: size, actual: size - Int64(wanted))
      }
      return
    }
    guard bytes.count >= wanted else { throw .unexpectedSize(expected: size, actual: Int64(bytes.count)) }
    buffer.withUnsafeMutableBytes { $0.copyBytes(from: bytes.prefix(wanted)) }
    bytes = bytes.dropFirst(wanted)
  }
}

extension FileTransferError {
  /// The error of a local file, in the clear or encrypted.
  init(_ error: CryptoError, path: String) {
    switch error {
    case .file(_, let code): self = .file(FileError(.read, path, code: code))
    default: self = .damaged("\(path): \(error)")
    }
  }
}
