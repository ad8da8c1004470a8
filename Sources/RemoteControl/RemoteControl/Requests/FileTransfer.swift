import FileAccess
import HTTP2Transport
import RemoteControlCore
import RemoteControlProtocol
import SimplexCrypto
import SimplexTransport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The files behind frames, on the sender's side, and temporary files.
enum FileTransfer {
  /// The beginning of the names of temporary files.
  static let prefix = "xrcp-"

  /// A path of its own in a folder.
  static func temporaryPath(in folder: String) -> String {
    var random = SystemRandom()
    let name = random.bytes(16).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
    return "\(folder)/\(prefix)\(name)"
  }

  /// The free bytes of a folder's file system; the maximum where that is not known.
  static func freeBytes(in folder: String) -> Int64 {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return .max }
    return Int64(
      clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }

  /// Removes a temporary file, unless it was moved.
  static func remove(_ path: String) { unlink(path) }

  /// Sends a file behind its frame in constant memory, and ends the body.
  /// - Throws: `fileSize` if the file is shorter than declared or 4 GiB long, `exception` if it cannot be read,
  ///   `http2`.
  static func send(
    _ path: String, size: UInt32, key: OneTimeKey, on stream: HTTP2Stream
  ) async throws(FrameError) {
    guard let head = FrameFileHead(fileSize: size) else { throw .fileSize }
    let sealer = try await BlockingWork.parts.run { () throws(FrameError) in
      try FileSealer(path, size: size, key: key)
    }
    var waiting = head.bytes
    while let part = try await BlockingWork.parts.run({ () throws(FrameError) in try sealer.next() }) {
      guard try await stream.sendPart(waiting + part.bytes, isLast: part.isLast) else { return }
      waiting = []
    }
  }
}

/// Reads and encrypts a file in parts.
///
/// Unchecked: one step at a time uses it.
private final class FileSealer: @unchecked Sendable {
  private let file: FileDescriptor
  /// Nil after the last part.
  private var box: BoxStream?
  private var remaining: Int

  init(_ path: String, size: UInt32, key: OneTimeKey) throws(FrameError) {
    do { file = try FileDescriptor(path, .reading) } catch { throw .exception(error.description) }
    box = BoxStream(.seal, key: key.key, nonce: key.nonce)
    remaining = Int(size)
  }

  /// The next part of the ciphertext, the tag behind the last one; nil at the end.
  /// - Throws: `fileSize` if the file is shorter than declared, `exception` if it cannot be read.
  func next() throws(FrameError) -> (bytes: [UInt8], isLast: Bool)? {
    guard var box = box.take() else { return nil }
    let count = min(remaining, RemoteLimits.filePart)
    let part: [UInt8]
    do throws(FileError) { part = count == 0 ? [] : try file.readPart(count) } catch {
      throw .exception(error.description)
    }
    guard part.count == count else { throw .fileSize }
    remaining -= count
    let sealed = box.process(part.span.bytes)
    guard remaining == 0 else {
      self.box = consume box
      return (sealed, false)
    }
    return (sealed + box.finish().bytes, true)
  }
}

/// The size and digest of a file that is sent: both precede the file.
public struct RemoteFileSummary: Hashable, Sendable {
  /// The size in bytes.
  public var size: UInt32
  /// The SHA-512 digest of the file as stored.
  public var digest: FileDigest

  /// Reads a file on a thread for blocking work, until the task is cancelled.
  /// - Throws: `fileSize` if it is too long for a frame (4 GiB less 16 bytes), `exception` if it cannot be read or the
  ///   task was cancelled.
  public static func read(file path: String) async throws(FrameError) -> RemoteFileSummary {
    try await BlockingWork.files.run { (stop) throws(FrameError) in
      try RemoteFileSummary(ofFile: path, isCancelled: { stop.isSet })
    }
  }

  /// Reads a file in parts; blocks the thread.
  init(ofFile path: String, isCancelled: () -> Bool = { false }) throws(FrameError) {
    do throws(FileError) {
      let file = try FileDescriptor(path, .reading)
      guard let size = UInt32(exactly: try file.size()), FrameFileHead(fileSize: size) != nil else {
        throw FileError(.read, path, code: EFBIG)
      }
      var hash = IncrementalHash(.sha512)
      var count = 0
      while true {
        let part = try file.readPart(RemoteLimits.filePart)
        if part.isEmpty { break }
        if isCancelled() { throw FileError(.read, path, code: ECANCELED) }
        count += part.count
        hash.update(part)
      }
      guard count == Int(size), let digest = FileDigest(hash.finish()) else { throw FileError(.read, path, code: EIO) }
      self.size = size
      self.digest = digest
    } catch {
      if error.code == EFBIG { throw .fileSize }
      throw .exception(error.description)
    }
  }
}

/// The temporary files of drivers.
public enum RemoteTemporaryFiles {
  /// Removes the files that a process left in a folder which was killed. No session may use the folder.
  public static func removeLeftovers(in folder: String) {
    for name in Folder.names(in: folder) ?? [] where name.hasPrefix(FileTransfer.prefix) {
      FileTransfer.remove("\(folder)/\(name)")
    }
  }
}
