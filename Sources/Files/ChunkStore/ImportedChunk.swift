import SMPProtocol
import SQLiteKit
import XFTPProtocol

/// A chunk of another store.
public struct ImportedChunk: Sendable {
  /// The chunk.
  public var chunk: NewChunk
  /// Whether its bytes are there.
  public var isUploaded: Bool
  /// Why it is blocked, if it is.
  public var blocked: BlockingInfo?

  public init(chunk: NewChunk, isUploaded: Bool, blocked: BlockingInfo?) {
    self.chunk = chunk
    self.isUploaded = isUploaded
    self.blocked = blocked
  }
}

extension DiskChunkStore {
  /// Writes a new database with these chunks, durably; their bytes are not looked at.
  /// - Throws: `duplicate` where an identifier occurs twice.
  public static func writeDatabase(
    _ path: String, with chunks: some Sequence<ImportedChunk>
  ) throws(ChunkStoreError) {
    do throws(SQLiteError) {
      try ChunkDatabase(path: path).insertAll(chunks)
    } catch {
      throw ChunkStoreError(error)
    }
  }

  /// The name of a chunk's file in the folder of a store.
  public static func fileName(of senderID: EntityID) -> String { "\(senderID)" }
}
