import FileAccess
import SMPProtocol
import SQLiteKit
import WireCodec
import XFTPProtocol

/// A chunk of another store.
public struct ImportedChunk: Sendable {
  /// The chunk.
  public var chunk: NewChunk
  /// Whether its bytes are there.
  public var isUploaded: Bool
  /// Whether nobody may use it; it is kept until it expires.
  public var isOff: Bool
  /// Why it is blocked, if it is.
  public var blocked: BlockingInfo?

  public init(chunk: NewChunk, isUploaded: Bool, isOff: Bool = false, blocked: BlockingInfo?) {
    self.chunk = chunk
    self.isUploaded = isUploaded
    self.isOff = isOff
    self.blocked = blocked
  }
}

extension DiskChunkStore {
  /// Writes a new database with these chunks, durably and into one file; their bytes are not looked at. What was there
  /// under this name is removed.
  /// - Throws: `duplicate` where an identifier occurs twice.
  public static func writeDatabase(
    _ path: String, with chunks: some Sequence<ImportedChunk>
  ) throws(ChunkStoreError) {
    DatabaseFile.remove(path)
    defer { try? WholeFile.remove(ChunkStoreLock.file(of: path)) }
    do throws(SQLiteError) {
      let database = try ChunkDatabase(path: path)
      try database.insertAll(chunks)
      // Closing does this too, but does not say whether it failed.
      try database.checkpoint()
    } catch {
      DatabaseFile.remove(path)
      throw ChunkStoreError(error)
    }
    guard !DatabaseFile.hasContent(path + "-wal") else { throw .failed("its log could not be emptied") }
  }

  /// Removes what an earlier database left beside its file, which is gone: it would be applied to the next one that
  /// gets the name. Durable when it returns.
  public static func removeLogs(ofMissingDatabase path: String) throws(ChunkStoreError) {
    guard !DatabaseFile.exists(path) else { throw .failed("\(path) exists") }
    DatabaseFile.remove(path)
    do throws(FileError) { try FileDescriptor.syncFolder(of: path) } catch { throw ChunkStoreError(error) }
  }

  /// The name of a chunk's file in the folder of a store.
  public static func fileName(of senderID: EntityID) -> String { "\(senderID)" }

  /// Whether this can be the name of a chunk's file: 16 random bytes.
  public static func isChunkName(_ name: some StringProtocol) -> Bool {
    name.utf8.count == 24 && Base64URL.decode(String(name))?.count == 16
  }
}
