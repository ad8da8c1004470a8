import FileAccess
import HTTP2Transport
import RemoteControlCore
import RemoteControlProtocol
import SimplexCrypto

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
    let file: FileDescriptor
    do { file = try FileDescriptor(path, .reading) } catch { throw .exception(error.description) }
    var box = BoxStream(.seal, key: key.key, nonce: key.nonce)
    var remaining = Int(size)
    var waiting = head.bytes
    while remaining > 0 {
      let count = min(remaining, RemoteLimits.filePart)
      let part: [UInt8]
      do throws(FileError) { part = try file.readPart(count) } catch { throw .exception(error.description) }
      guard part.count == count else { throw .fileSize }
      remaining -= count
      guard try await stream.sendPart(waiting + box.process(part.span.bytes)) else { return }
      waiting = []
    }
    let tag = box.finish()
    _ = try await stream.sendPart(waiting + tag.bytes, isLast: true)
  }
}

/// The size and digest of a file that is sent: both precede the file.
public struct RemoteFileSummary: Hashable, Sendable {
  /// The size in bytes.
  public var size: UInt32
  /// The SHA-512 digest of the file as stored.
  public var digest: FileDigest

  /// Reads a file in parts.
  /// - Throws: `fileSize` if it is too long for a frame (4 GiB less 16 bytes), `exception` if it cannot be read.
  public init(ofFile path: String) throws(FrameError) {
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
