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

  /// Gives a hidden user who is not active another name where it has this one: `alice_1`. So nobody learns of it from a
  /// command that needs the name.
  func freeNameOfHiddenUser(_ name: String) throws(StoreError) {
    let found = try integer(
      "SELECT user_id FROM users WHERE local_display_name = ? AND view_password_hash IS NOT NULL AND active = 0", name)
    guard let id = found else { return }
    let user = try user(id)
    var number: Int64 = 0
    while true {
      number += 1
      let other = "\(name)_\(number)"
      guard try integer("SELECT 1 FROM users WHERE local_display_name = ?", other) == nil,
        try execute(
          "INSERT OR IGNORE INTO display_names (user_id, name, base, suffix) VALUES (?, ?, ?, ?)", id, other, name,
          number) == 1
      else { continue }
      return try rename(user, to: other)
    }
  }

  /// Stores another name of a user, which was taken before, and releases the old one.
  func rename(_ user: User, to name: String) throws(StoreError) {
    // In groups that the user is in with an incognito profile, the name is that profile's.
    for table in ["users", "contacts", "members"] {
      try execute(
        """
        UPDATE \(table) SET local_display_name = ?3, updated_at = ?4 \
        WHERE user_id = ?1 AND contact_id = ?2 AND local_display_name = ?5
        """, user.userId, user.userContactId, name, nowMicroseconds, user.localDisplayName)
    }
    try releaseName(user.localDisplayName, user: user.userId)
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
