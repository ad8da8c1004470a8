import ChatAPI

extension ChatTransaction {
  /// Deletes rows that an import kept, of the chat database, which are about a user who is deleted: at most `room` of
  /// them, and reduces it by their number.
  func deleteForeignRows(ofUser id: Int64, room: inout Int) throws(StoreError) {
    let rows = try integers(
      """
      SELECT r.row_id FROM foreign_rows r JOIN foreign_values v ON v.row_id = r.row_id AND v.column_name = 'user_id' \
      WHERE r.database = 0 AND v.value = ? LIMIT ?
      """, id, max(0, room))
    for row in rows {
      try execute("DELETE FROM foreign_values WHERE row_id = ?", row)
      try execute("DELETE FROM foreign_rows WHERE row_id = ?", row)
    }
    room -= rows.count
  }

  /// Keeps members of groups that are kept when the contact who they are is deleted.
  func leaveForeignMembers(ofContact id: Int64) throws(StoreError) {
    try execute(
      """
      DELETE FROM foreign_values WHERE column_name IN ('contact_id', 'invited_by') AND value = ? \
      AND row_id IN (SELECT row_id FROM foreign_rows WHERE database = 0 AND table_name = 'group_members')
      """, id)
  }

  /// The condition for values of kept rows that are numbers of profiles.
  static var foreignProfiles: String { "column_name IN ('contact_profile_id', 'member_profile_id')" }
}
