import ChatAPI

extension ChatTransaction {
  /// Deletes rows that an import kept, of the chat database, which refer to something that is deleted.
  /// - Parameters:
  ///   - column: the reference's name of the column that refers to it.
  ///   - id: its number, which imports keep.
  func deleteForeignRows(column: String, _ id: Int64) throws(StoreError) {
    let rows = try integers(
      """
      SELECT r.row_id FROM foreign_rows r JOIN foreign_values v ON v.row_id = r.row_id AND v.column_name = ?1 \
      WHERE r.database = 0 AND v.value = ?2
      """, column, id)
    for row in rows {
      try execute("DELETE FROM foreign_values WHERE row_id = ?", row)
      try execute("DELETE FROM foreign_rows WHERE row_id = ?", row)
    }
  }
}
