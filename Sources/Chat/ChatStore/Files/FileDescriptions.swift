import ChatAPI
import FoundationTypes
import SQLiteKit

/// The purpose of a file description.
public enum FileDescriptionKind: Int, Sendable {
  /// What was received, in the parts that came.
  case received = 0
  /// For a recipient of a sent file.
  case recipient = 1
  /// For nobody in particular: for those who join later, and links.
  case spare = 2
  /// The sender's, to delete the file.
  case sender = 3
}

extension ChatTransaction {
  /// Stores a description, and returns its database id.
  @discardableResult
  public func addDescription(
    _ text: String, _ kind: FileDescriptionKind, part: Int = 1, isComplete: Bool = true, ofFile id: Int64
  ) throws(StoreError) -> Int64 {
    try insert(
      "INSERT INTO file_descriptions (file_id, kind, text, part, complete) VALUES (?, ?, ?, ?, ?)", id, kind.rawValue,
      text, part, isComplete)
  }

  /// The description of a received file as far as it came; nil where nothing is known of it.
  public func receivedDescription(ofFile id: Int64) throws(StoreError) -> RcvFileDescr? {
    try description(.received, ofFile: id)
  }

  /// A description of a kind; the first one.
  public func description(_ kind: FileDescriptionKind, ofFile id: Int64) throws(StoreError) -> RcvFileDescr? {
    try first(
      """
      SELECT description_id, text, part, complete FROM file_descriptions WHERE file_id = ? AND kind = ? \
      ORDER BY description_id LIMIT 1
      """, id, kind.rawValue
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return RcvFileDescr(
        fileDescrId: try row.integer(&at), fileDescrText: try row.text(&at), fileDescrPartNo: try row.int(&at),
        fileDescrComplete: try row.bool(&at))
    }
  }

  /// Stores a description that grew.
  public func setReceivedDescription(_ description: RcvFileDescr) throws(StoreError) {
    try execute(
      "UPDATE file_descriptions SET text = ?2, part = ?3, complete = ?4 WHERE description_id = ?1",
      description.fileDescrId, description.fileDescrText, description.fileDescrPartNo, description.fileDescrComplete)
  }

  /// A complete description with which others can receive a sent file; nil where there is none.
  public func descriptionForOthers(ofFile id: Int64) throws(StoreError) -> String? {
    try text(
      """
      SELECT text FROM file_descriptions WHERE file_id = ? AND kind IN (0, 1, 2) AND complete = 1 \
      ORDER BY kind DESC, description_id LIMIT 1
      """, id)
  }

  // MARK: Parts before their turn

  /// Keeps a part of a description that came before its turn; those beyond a limit for each author in a chat are
  /// dropped.
  public func keepEarlyDescription(
    _ part: FileDescr, of sharedMsgId: String, by author: String, in chat: ChatRef, limit: Int64, of user: User
  ) throws(StoreError) {
    let chatId = try chatID(chat, of: user)
    let count =
      try integer("SELECT count(*) FROM early_descriptions WHERE chat_id = ? AND author = ?", chatId, author) ?? 0
    guard count < limit else { return }
    try execute(
      """
      INSERT OR IGNORE INTO early_descriptions (chat_id, author, shared_id, part, complete, text, created_at, \
      charged_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, chatId, author, sharedMsgId, part.fileDescrPartNo, part.fileDescrComplete, part.fileDescrText,
      nowMicroseconds, payer)
  }

  /// Removes and returns a part of a description that came before its turn; nil where it did not come.
  public func takeEarlyDescription(
    part: Int, of sharedMsgId: String, by author: String, in chat: ChatRef, of user: User
  ) throws(StoreError) -> FileDescr? {
    try first(
      """
      DELETE FROM early_descriptions WHERE chat_id = ? AND author = ? AND shared_id = ? AND part = ? \
      RETURNING text, part, complete
      """, try chatID(chat, of: user), author, sharedMsgId, part
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return FileDescr(
        fileDescrText: try row.text(&at), fileDescrPartNo: try row.int(&at), fileDescrComplete: try row.bool(&at))
    }
  }

  /// Removes up to `limit` parts of descriptions that came this many seconds ago or earlier, and whose messages did not
  /// come; says whether more are left.
  public func deleteEarlyDescriptions(olderThan seconds: Double, limit: Int = 500) throws(StoreError) -> Bool {
    guard trustsClock else { return false }
    let old = try all(
      """
      SELECT chat_id, author, shared_id, part FROM early_descriptions WHERE created_at < ? ORDER BY created_at LIMIT ?
      """, now.addingTimeInterval(-seconds).microseconds, limit
    ) { (row) throws(SQLFailure) in
      (chat: try row.integer(0), author: try row.text(1), id: try row.text(2), part: try row.integer(3))
    }
    for (chat, author, id, part) in old {
      try execute(
        "DELETE FROM early_descriptions WHERE chat_id = ? AND author = ? AND shared_id = ? AND part = ?", chat, author,
        id, part)
    }
    return old.count == limit
  }
}
