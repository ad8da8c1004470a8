import ChatAPI

extension ChatTransaction {
  /// Creates the user's notes.
  public func createNoteFolder(of user: User) throws(StoreError) -> NoteFolder {
    if let id = try integer("SELECT note_folder_id FROM note_folders WHERE user_id = ?", user.userId) {
      throw .noteFolderAlreadyExists(noteFolderId: id)
    }
    let id = try insert(
      "INSERT INTO note_folders (user_id, created_at, updated_at) VALUES (?1, ?2, ?2)", user.userId, nowMicroseconds)
    try createChat(.notes, id, user: user.userId)
    return try noteFolder(id, of: user)
  }

  /// The database id of the user's notes.
  public func noteFolderID(of user: User) throws(StoreError) -> Int64 {
    guard let id = try integer("SELECT note_folder_id FROM note_folders WHERE user_id = ?", user.userId) else {
      throw .userNoteFolderNotFound
    }
    return id
  }

  /// The user's notes with this database id.
  public func noteFolder(_ id: Int64, of user: User) throws(StoreError) -> NoteFolder {
    let folder = try first(
      """
      SELECT n.created_at, n.updated_at, c.ts, c.favorite, c.marked_unread FROM note_folders n \
      JOIN chats c ON c.kind = 2 AND c.entity_id = n.note_folder_id AND c.scope = 0 \
      WHERE n.note_folder_id = ? AND n.user_id = ?
      """, id, user.userId
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return NoteFolder(
        noteFolderId: id, userId: user.userId, createdAt: try row.date(&at), updatedAt: try row.date(&at),
        chatTs: try row.date(&at), favorite: try row.bool(&at), unread: try row.bool(&at))
    }
    guard let folder else { throw .noteFolderNotFound(noteFolderId: id) }
    return folder
  }
}
