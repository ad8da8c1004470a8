import ChatAPI
import FoundationTypes
import SQLiteKit

// Files of users, whatever they belong to.

/// The list of places of a job `j` of copies, for `json_each`; an empty one for other jobs, and for an unreadable one.
let placesOfCopies = """
  CASE WHEN j.kind = \(ChatJob.Kind.copies.rawValue) AND json_valid(j.payload) THEN j.payload ELSE '[]' END
  """

extension ChatTransaction {
  /// The file with this database id.
  /// - Throws: `fileNotFound`, also for one that is being removed.
  public func file(_ id: Int64) throws(StoreError) -> StoredFile {
    guard let found = try fileIfPresent(id) else { throw .fileNotFound(fileId: id) }
    return found
  }

  /// The file with this database id; nil where there is none, or it or its user is being removed.
  public func fileIfPresent(_ id: Int64) throws(StoreError) -> StoredFile? {
    try first(
      """
      SELECT \(storedFileColumns) FROM \(storedFileTables) WHERE f.file_id = ? AND f.removed = 0 \
      AND EXISTS (SELECT 1 FROM users u WHERE u.user_id = f.user_id)
      """, id, row: readStoredFile)
  }

  /// The file of the user with this database id.
  public func file(_ id: Int64, of user: User) throws(StoreError) -> StoredFile {
    let found = try file(id)
    guard found.userId == user.userId else { throw .fileNotFound(fileId: id) }
    return found
  }

  /// The file that the agent knows by this identifier; nil where there is none, or it or its user is being removed.
  public func file(agentId: String) throws(StoreError) -> StoredFile? {
    try first(
      """
      SELECT \(storedFileColumns) FROM \(storedFileTables) WHERE f.agent_id = ? AND f.removed = 0 \
      AND EXISTS (SELECT 1 FROM users u WHERE u.user_id = f.user_id)
      """, agentId, row: readStoredFile)
  }

  /// The file of an item; nil for one without.
  public func file(ofItem id: Int64) throws(StoreError) -> StoredFile? {
    guard let file = try integer("SELECT file_id FROM items WHERE item_id = ?", id) else { return nil }
    return try fileIfPresent(file)
  }

  /// The files that only lead to this one.
  public func redirects(to id: Int64) throws(StoreError) -> [StoredFile] {
    try all(
      "SELECT \(storedFileColumns) FROM \(storedFileTables) WHERE f.redirect_for = ? AND f.removed = 0", id,
      row: readStoredFile)
  }

  /// Whether a file that is not cancelled has this place, or a copy that is being made.
  public func hasFile(at path: String) throws(StoreError) -> Bool {
    if try integer("SELECT 1 FROM files WHERE path = ? AND removed = 0 AND cancelled = 0 LIMIT 1", path) != nil {
      return true
    }
    return try isPlaceOfCopy(path)
  }

  /// Whether any file has this place, also one that is cancelled or will be removed, or a copy that is being made.
  public func isPlace(_ path: String) throws(StoreError) -> Bool {
    if try integer("SELECT 1 FROM files WHERE path = ? LIMIT 1", path) != nil { return true }
    return try isPlaceOfCopy(path)
  }

  private func isPlaceOfCopy(_ path: String) throws(StoreError) -> Bool {
    try integer("SELECT EXISTS (\(Self.copies(at: "?")))", path) == 1
  }

  /// The copies that are being made at a place.
  private static func copies(at place: String) -> String {
    """
    SELECT 1 FROM jobs j JOIN json_each(\(placesOfCopies)) p WHERE j.kind = \(ChatJob.Kind.copies.rawValue) \
    AND p.value = \(place)
    """
  }

  // MARK: Changing

  /// Stores the state of a transfer as items show it.
  public func setStatus(_ status: CIFileStatus, ofFile id: Int64) throws(StoreError) {
    try execute(
      "UPDATE files SET status = ?2, updated_at = ?3 WHERE file_id = ?1", id, status.column, nowMicroseconds)
  }

  /// Stores that a transfer was cancelled, or failed for good.
  public func cancelFile(_ id: Int64, _ status: CIFileStatus) throws(StoreError) {
    try execute(
      """
      UPDATE files SET status = ?2, cancelled = 1, to_receive = 0, updated_at = ?3, \
      step = CASE sent WHEN 0 THEN 'cancelled' ELSE step END WHERE file_id = ?1
      """, id, status.column, nowMicroseconds)
    try execute(
      "UPDATE file_recipients SET status = 'cancelled' WHERE file_id = ? AND status NOT IN ('complete', 'cancelled')",
      id)
  }

  /// Stores the agent's identifier of a transfer, base64url; nil where there is none any more.
  public func setAgentId(_ agentId: String?, ofFile id: Int64) throws(StoreError) {
    try execute(
      "UPDATE files SET agent_id = ?2, agent_deleted = 0, updated_at = ?3 WHERE file_id = ?1", id, agentId,
      nowMicroseconds)
  }

  /// Stores that the agent forgets a transfer.
  public func setAgentDeleted(ofFile id: Int64) throws(StoreError) {
    try execute("UPDATE files SET agent_deleted = 1 WHERE file_id = ?", id)
  }

  // MARK: Removing

  /// Some of the files whose items are gone, with what is left to be done: whether no other file has the same place,
  /// nor a copy that is being made, and whose file it is for the agent (nil where that user is gone).
  public func removedFiles(
    limit: Int
  ) throws(StoreError) -> [(file: StoredFile, ownsPath: Bool, agentUser: String?)] {
    try all(
      """
      SELECT \(storedFileColumns), NOT EXISTS (SELECT 1 FROM files o WHERE o.path = f.path \
      AND o.file_id <> f.file_id AND o.removed = 0) AND NOT EXISTS (\(Self.copies(at: "f.path"))), \
      (SELECT u.agent_user_id FROM users u WHERE u.user_id = f.user_id) \
      FROM \(storedFileTables) WHERE f.removed = 1 ORDER BY f.file_id LIMIT ?
      """, limit
    ) { (row) throws(SQLFailure) in
      let file = try readStoredFile(row)
      return (file: file, ownsPath: try row.integer(22) != 0, agentUser: try row.optionalText(23))
    }
  }

  /// Some of the files outside of chats whose transfers ended so many seconds ago.
  public func endedTransfers(olderThan seconds: Double, limit: Int) throws(StoreError) -> [StoredFile] {
    try all(
      """
      SELECT \(storedFileColumns) FROM \(storedFileTables) WHERE f.item_id IS NULL AND f.removed = 0 \
      AND f.updated_at < ? AND (f.cancelled = 1 OR f.step = 'complete' OR f.status = ?) \
      AND EXISTS (SELECT 1 FROM users u WHERE u.user_id = f.user_id) ORDER BY f.updated_at LIMIT ?
      """, now.addingTimeInterval(-seconds).microseconds, CIFileStatus.sndComplete.column, limit, row: readStoredFile)
  }

  /// Remembers a local file that nothing shows any more and that could not be removed.
  public func addLeftover(_ path: String) throws(StoreError) {
    try execute("INSERT OR IGNORE INTO leftover_files (path) VALUES (?)", path)
  }

  /// Some of the local files that could not be removed, after this path in the order of paths, and whether a file has
  /// that place now.
  public func leftovers(after path: String, limit: Int) throws(StoreError) -> [(path: String, isInUse: Bool)] {
    let paths = try texts("SELECT path FROM leftover_files WHERE path > ? ORDER BY path LIMIT ?", path, limit)
    return try paths.map { (path) throws(StoreError) in (path, try hasFile(at: path)) }
  }

  /// Forgets a local file that is removed, or whose place another file has.
  public func deleteLeftover(_ path: String) throws(StoreError) {
    try execute("DELETE FROM leftover_files WHERE path = ?", path)
  }

  /// Removes the row of a file, with its descriptions and recipients.
  public func deleteFile(_ id: Int64) throws(StoreError) {
    for table in ["file_descriptions", "file_recipients", "files"] {
      try execute("DELETE FROM \(table) WHERE file_id = ?", id)
    }
  }
}
