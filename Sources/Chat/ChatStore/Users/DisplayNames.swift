import ChatAPI

extension ChatTransaction {
  /// Takes a name for something the user sees: `displayName` itself, or with the next number, as `bob_1`.
  func takeName(_ displayName: String, user: Int64) throws(StoreError) -> String {
    let last = try integer(
      "SELECT max(suffix) FROM display_names WHERE user_id = ? AND base = ?", user, displayName)
    var suffix = last.map { $0 &+ 1 } ?? 0
    // The name with a number may be the base of another one. Random steps find a free one
    // where somebody took the next numbers.
    for attempt in 0..<100 {
      if attempt >= 20 { suffix = suffix &+ Int64.random(in: 1...999) }
      let name = suffix == 0 ? displayName : "\(displayName)_\(suffix)"
      let added = try execute(
        "INSERT OR IGNORE INTO display_names (user_id, name, base, suffix) VALUES (?, ?, ?, ?)", user, name,
        displayName,
        suffix)
      if added == 1 { return name }
      suffix &+= 1
    }
    throw .duplicateName
  }

  /// Takes exactly this name.
  func takeExactName(_ name: String, user: Int64) throws(StoreError) {
    let added = try execute(
      "INSERT OR IGNORE INTO display_names (user_id, name, base, suffix) VALUES (?, ?, ?, 0)", user, name, name)
    guard added == 1 else { throw .duplicateName }
  }

  /// Releases a name, unless it is the user's own, or a member or contact has it, too.
  func releaseName(_ name: String, user: Int64) throws(StoreError) {
    try execute(
      """
      DELETE FROM display_names WHERE user_id = ?1 AND name = ?2 \
      AND NOT EXISTS (SELECT 1 FROM users WHERE user_id = ?1 AND local_display_name = ?2) \
      AND NOT EXISTS (SELECT 1 FROM members WHERE user_id = ?1 AND local_display_name = ?2) \
      AND NOT EXISTS (SELECT 1 FROM contacts WHERE user_id = ?1 AND local_display_name = ?2)
      """, user, name)
  }
}
