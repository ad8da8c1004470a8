import ChatAPI
import SQLiteKit

/// A file that a desktop stored on this device some time ago.
public struct StoredUpload: Sendable, Equatable {
  /// The path in the folder of files.
  public let path: String
  /// Whether an item has the file, or had it and still has to remove it.
  public let isUsed: Bool
}

extension ChatTransaction {
  /// Records a file that a desktop stored now.
  public func addUpload(_ path: String) throws(StoreError) {
    try execute("INSERT OR REPLACE INTO remote_uploads (path, stored_at) VALUES (?, ?)", path, now.microseconds)
  }

  /// Files that were stored longer ago, the oldest first; none while the clock is not trusted.
  /// - Parameters:
  ///   - seconds: the age.
  ///   - limit: the most files.
  public func uploads(olderThan seconds: Double, limit: Int = 100) throws(StoreError) -> [StoredUpload] {
    guard trustsClock else { return [] }
    let paths = try all(
      "SELECT path FROM remote_uploads WHERE stored_at < ? ORDER BY stored_at LIMIT ?",
      now.addingTimeInterval(-seconds).microseconds, limit
    ) { (row) throws(SQLFailure) in try row.text(0) }
    var uploads: [StoredUpload] = []
    for path in paths { uploads.append(StoredUpload(path: path, isUsed: try isPlace(path))) }
    return uploads
  }

  /// Forgets that a desktop stored a file.
  public func removeUpload(_ path: String) throws(StoreError) {
    try execute("DELETE FROM remote_uploads WHERE path = ?", path)
  }
}
