import FileAccess
import SMPProtocol
import SimplexTransport
import XFTPProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Chunks in files of this device.

extension FileRelayConnection {
  /// Downloads a chunk into a file, which has its name only when all of the chunk is on the disk.
  public func download(
    _ chunk: FileChunk, from replica: FileReplica, into path: String
  ) async throws(FileClientError) {
    let draft = path + ".part"
    let output = FileDraft(draft)
    do throws(FileClientError) {
      try await download(chunk.size, digest: chunk.digest, of: replica.id, key: replica.key) { part in
        try await BlockingWork.parts.run { () throws(FileError) in try output.write(part[...]) }
      }
      do throws(FileError) {
        try await BlockingWork.parts.run { () throws(FileError) in
          try output.sync()
          try WholeFile.move(draft, to: path)
        }
      } catch {
        throw FileClientError(local: error)
      }
    } catch {
      unlink(draft)
      throw error
    }
  }

  /// Uploads a chunk that begins at a position of a file; see ``upload(_:to:key:whenSent:read:)``.
  public func upload(
    _ size: UInt32, of path: String, at offset: Int64, to sender: EntityID, key: AuthorizationPrivateKey,
    whenSent: () -> Void = {}
  ) async throws(FileClientError) {
    let input = FileParts(path, from: offset)
    try await upload(size, to: sender, key: key, whenSent: whenSent) { count in
      try await BlockingWork.parts.run { () throws(FileError) in try input.read(count) }
    }
  }
}
