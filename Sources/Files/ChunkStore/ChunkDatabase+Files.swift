import SMPProtocol
import SQLiteKit

/// Records of the database about the files in the folder of the store.
extension ChunkDatabase {
  /// Forgets that files are to be removed, because they were.
  func forgetReleased(_ senderIDs: [EntityID]) throws(SQLiteError) {
    guard !senderIDs.isEmpty else { return }
    try step { () throws(SQLiteError) in
      for id in senderIDs { try connection.execute("DELETE FROM released_files WHERE sender_id = ?", id.bytes) }
    }
  }

  /// The files whose chunks were deleted; nearly all of them are removed already.
  func releasedFiles() throws(SQLiteError) -> [EntityID] {
    try connection.all("SELECT sender_id FROM released_files") { (row) throws(SQLiteError) in
      EntityID(try row.bytes(0))
    }
  }

  /// The chunk to which a file in the folder of a store belongs.
  enum FileOwner {
    /// A chunk whose bytes the file has.
    case stored
    /// A chunk without bytes: the file is of an upload that a crash ended, or that an older copy of the database does
    /// not know of. It is removed with the chunk, or replaced by another upload.
    case unfilled
    /// A chunk that was blocked.
    case blocked
    /// No chunk that the database knows.
    case unknown
  }

  /// The chunk to which the file with this name belongs, by what the database knows.
  func fileOwner(_ senderID: EntityID) throws(SQLiteError) -> FileOwner {
    try connection.first("SELECT is_uploaded, blocked IS NOT NULL FROM chunks WHERE sender_id = ?", senderID.bytes) {
      (row) throws(SQLiteError) -> FileOwner in
      let (isUploaded, isBlocked) = (try row.bool(0), try row.bool(1))
      return isBlocked ? .blocked : isUploaded ? .stored : .unfilled
    } ?? .unknown
  }
}
