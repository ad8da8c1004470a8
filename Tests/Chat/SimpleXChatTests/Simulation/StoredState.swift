import Foundation
import SimpleXChat
import SimplexJSON

/// What the databases of some people hold, as lines that two runs of one story have in common: numbers of rows, times,
/// keys, links and random names are left out.
struct StoredState: Equatable, Sendable {
  /// The lines of each person.
  var lines: [String: [String]]

  /// What there is now. A person whose databases are closed has one line that says so.
  init(of cores: [String: TestCore]) async throws {
    var lines: [String: [String]] = [:]
    for (name, core) in cores {
      var found: [String] = []
      for (title, query) in Self.queries {
        guard let rows = try await core.rows(query) else { break }
        found += rows.map { "\(title): \($0)" }
      }
      for (title, query) in Self.agentQueries {
        guard let rows = try await core.rows(query, of: "agent") else { break }
        found += rows.map { "agent's \(title): \($0)" }
      }
      lines[name] = found.isEmpty ? ["closed"] : found
    }
    self.lines = lines.mapValues { $0.map { Self.normalised($0) } }
  }

  /// The lines that only one of two states has.
  func differences(from other: StoredState) -> String {
    var found: [String] = []
    for name in Set(lines.keys).union(other.lines.keys).sorted() {
      let difference = lines[name, default: []].difference(from: other.lines[name, default: []])
      found += difference.removals.map { change in
        guard case .remove(let offset, let line, _) = change else { return "" }
        return "\(name) -\(offset) \(line)"
      }
      found += difference.insertions.map { change in
        guard case .insert(let offset, let line, _) = change else { return "" }
        return "\(name) +\(offset) \(line)"
      }
    }
    return found.joined(separator: "\n")
  }

  /// Waits until two states are the same: what is on its way arrives.
  /// - Returns: what is different in the end; nil where nothing is.
  static func differences(
    within time: Duration = .seconds(6), _ found: () async throws -> StoredState,
    _ expected: () async throws -> StoredState
  ) async throws -> String? {
    let end = ContinuousClock.now + time
    while true {
      let (one, other) = (try await found(), try await expected())
      if one == other { return nil }
      guard .now < end else { return one.differences(from: other) }
      try await Task.sleep(for: .milliseconds(30))
    }
  }

  private static func normalised(_ line: String) -> String {
    var line = line
    // Links first: their keys may contain what looks like a random name.
    line.replace(link, with: "(link)")
    line.replace(relay, with: "(relay)")
    line.replace(randomName, with: "(random name)")
    line.replace(idOrTime) { "\"\($0.output.1)\":…" }
    return line
  }

  // Made once: parsing them took most of the time of a state. `Regex` is not Sendable because one may contain closures,
  // which these do not.
  private nonisolated(unsafe) static let link = #/(?:simplex:|https?://[\w.:-]+)/[a-z]*#[^\s"|]*/#
  private nonisolated(unsafe) static let relay = #/smp://[^\s"|]*/#
  private nonisolated(unsafe) static let randomName = /\b[A-Z][a-z]+[A-Z][a-z]+(?=_|\b)/
  private nonisolated(unsafe) static let idOrTime = /"(\w*(?:Id|At|Ts|ID))":("[^"]*"|[\d.-]+)/

  // The name of the chat that an item is in.
  private static let chatName = """
    coalesce((SELECT k.local_display_name FROM contacts k WHERE c.kind = 0 AND k.contact_id = c.entity_id), \
    (SELECT g.local_display_name FROM groups g WHERE c.kind = 1 AND g.group_id = c.entity_id), '') \
    || CASE c.scope WHEN 0 THEN '' WHEN -1 THEN ' (support)' \
    ELSE ' (support: ' || coalesce((SELECT w.local_display_name FROM members w WHERE w.member_id = c.scope), '') || ')' END
    """

  // The order in which the messages of different members come is not the same in two runs: items of groups are compared
  // without it. Random names have no place in the order either.
  private static let author = """
    coalesce((SELECT CASE WHEN m.local_display_name GLOB '[A-Z][a-z]*[A-Z][a-z]*' THEN '(random name)' \
    ELSE m.local_display_name END FROM members m WHERE m.member_id = i.member_id), '')
    """

  // Items that disappear at their time may have done so or not, and are left out.
  // How many messages cannot be read before both sides agree on new keys depends on what was under way.
  private static let isDecryptionError = "i.content LIKE '%rcvDecryptionError%'"

  private static let profile = """
    p.display_name, p.full_name, p.short_descr, p.image IS NOT NULL, p.contact_link IS NOT NULL, p.preferences, \
    p.local_alias
    """

  /// What the chats' database holds.
  private static let queries: [(title: String, query: String)] = [
    (
      "user",
      """
      SELECT u.local_display_name, u.active, u.view_password_hash IS NOT NULL, u.show_notifications, \
      u.send_receipts_contacts, u.send_receipts_groups, u.item_ttl, \(profile) \
      FROM users u JOIN profiles p USING (profile_id) ORDER BY 1
      """
    ),
    (
      "contact",
      """
      SELECT c.user_id, c.local_display_name, c.status, c.connection_id IS NOT NULL, c.user_preferences, \
      c.xcontact_id IS NOT NULL, c.request_id IS NOT NULL, c.full_link IS NOT NULL, c.link_mode, \
      c.welcome_shared_id IS NOT NULL, c.request_shared_id IS NOT NULL, c.chat_deleted, \(profile) \
      FROM contacts c JOIN profiles p USING (profile_id) ORDER BY 1, 2
      """
    ),
    (
      "connection",
      """
      SELECT n.user_id, coalesce(c.local_display_name, ''), n.kind, n.status, n.initiated, n.local_alias, \
      n.security_code IS NOT NULL, n.pq_support, n.pq_encryption, n.pq_sending, n.pq_receiving, \
      n.authorization_errors, n.quota_errors, n.chat_version, n.peer_min_version, n.peer_max_version, \
      n.custom_profile_id IS NOT NULL, n.invitation_link IS NOT NULL, n.via_link IS NOT NULL, \
      n.via_address IS NOT NULL, n.xcontact_id IS NOT NULL \
      FROM connections n LEFT JOIN contacts c USING (contact_id) \
      ORDER BY 1, 2, 3, 4, 5, 6, 16, 17
      """
    ),
    (
      "request",
      """
      SELECT r.user_id, r.local_display_name, coalesce(c.local_display_name, ''), r.xcontact_id IS NOT NULL, \
      r.pq_support, r.welcome_shared_id IS NOT NULL, r.request_shared_id IS NOT NULL, \(profile) \
      FROM contact_requests r JOIN profiles p USING (profile_id) LEFT JOIN contacts c USING (contact_id) ORDER BY 1, 2
      """
    ),
    (
      "address",
      """
      SELECT user_id, short_link IS NOT NULL, link_data_set, business, auto_accept, accept_incognito, auto_reply \
      FROM addresses ORDER BY 1
      """
    ),
    (
      "group",
      """
      SELECT g.user_id, g.local_display_name, g.display_name, g.full_name, g.short_descr, g.description, g.preferences, \
      g.admission, g.local_alias, g.current_members, g.invitation IS NOT NULL, g.full_link IS NOT NULL \
      FROM groups g ORDER BY 1, 2
      """
    ),
    (
      "member",
      """
      SELECT g.user_id, g.local_display_name, m.local_display_name, m.role, m.category, m.status, m.show_messages, \
      m.blocked_by_admin, m.contact_id IS NOT NULL, m.connection_id IS NOT NULL, \
      (SELECT count(*) FROM pending_messages p WHERE p.member_id = m.member_id), \(profile) \
      FROM members m JOIN groups g USING (group_id) JOIN profiles p USING (profile_id) ORDER BY 1, 2, 3
      """
    ),
    (
      "chat",
      """
      SELECT c.user_id, c.kind, \(chatName), c.listed, c.favorite, c.marked_unread, c.notifications, c.send_receipts, \
      c.item_ttl, c.unread_count - (SELECT count(*) FROM items i WHERE i.chat_id = c.chat_id AND i.status = 10 \
      AND \(isDecryptionError)), c.ui_themes, c.custom_data, \
      (SELECT group_concat(t.text) FROM chat_tagging g JOIN chat_tags t USING (tag_id) WHERE g.chat_id = c.chat_id) \
      FROM chats c ORDER BY 1, 2, 3
      """
    ),
    (
      "item",
      """
      SELECT c.user_id, c.kind, \(chatName), i.sent, i.status, i.status_detail, i.message_tag, \
      i.shared_id IS NOT NULL, i.deleted, i.edited, i.live, i.timed_ttl, i.delete_at IS NOT NULL, i.quoted_sent, \
      i.quoted_content, i.forwarded, \(author), i.text, i.content, \
      (SELECT group_concat(v.content) FROM item_versions v WHERE v.item_id = i.item_id ORDER BY v.version_id), \
      (SELECT group_concat(r.sent || r.reaction) FROM reactions r \
      WHERE r.chat_id = i.chat_id AND r.shared_id = i.shared_id) \
      FROM items i JOIN chats c USING (chat_id) WHERE NOT \(isDecryptionError) AND i.delete_at IS NULL \
      ORDER BY 1, 2, 3, CASE c.kind WHEN 1 THEN \(author) || i.text || i.content END, i.position, i.item_id
      """
    ),
    ("decryption errors", "SELECT 1 FROM items i WHERE \(isDecryptionError) LIMIT 1"),
    (
      "reactions without item",
      """
      SELECT count(*) FROM reactions r \
      WHERE NOT EXISTS (SELECT 1 FROM items i WHERE i.chat_id = r.chat_id AND i.shared_id = r.shared_id)
      """
    ),
    ("profiles", "SELECT user_id, count(*) FROM profiles GROUP BY 1 ORDER BY 1"),
    ("names", "SELECT user_id, name FROM display_names ORDER BY 1, 2"),
    ("kept message", "SELECT tag, count(*) FROM kept_messages GROUP BY 1 ORDER BY 1"),
    ("setting", "SELECT name, value FROM settings ORDER BY 1"),
    (
      // The recipients and descriptions of a cancelled file depend on when it was cancelled: they are not compared.
      "file",
      """
      SELECT f.user_id, f.sent, f.protocol, f.name, f.size, f.path IS NOT NULL, f.crypto_key IS NOT NULL, f.status, \
      f.cancelled, f.step, f.removed, f.item_id IS NOT NULL, \
      (SELECT group_concat(r.status) FROM (SELECT status FROM file_recipients r WHERE r.file_id = f.file_id \
      AND f.cancelled = 0 ORDER BY 1) r), (SELECT group_concat(d.kind || ' ' || d.complete) FROM (SELECT kind, \
      complete FROM file_descriptions d WHERE d.file_id = f.file_id AND f.cancelled = 0 ORDER BY 1) d) \
      FROM files f ORDER BY 1, 2, 4, 5, 8
      """
    ),
    ("commands for the agent", "SELECT count(*) FROM agent_commands"),
    ("packets", "SELECT count(*) FROM packets"),
  ]

  /// What the agent's database holds.
  private static let agentQueries: [(title: String, query: String)] = [
    ("users", "SELECT count(*) FROM users WHERE is_deleted = 0"),
    ("connections", "SELECT mode, count(*) FROM connections WHERE deletion = 0 GROUP BY 1 ORDER BY 1"),
    ("receive queues", "SELECT count(*) FROM receive_queues WHERE is_deleted = 0"),
    ("send queues", "SELECT count(*) FROM send_queues"),
  ]
}

extension TestCore {
  /// The rows of a query; nil where the database is closed.
  func rows(_ query: String, of database: String = "chat") async throws -> [String]? {
    let answer = try await answer("/sql \(database) \(query)")
    if let rows = answer["rows"]?.arrayValue { return rows.compactMap(\.stringValue) }
    guard answer["type"]?.stringValue == "errorStore" || answer["type"]?.stringValue == "errorAgent" else {
      throw TestWorld.Unexpected(description: "\(query): \(answer.jsonText())")
    }
    guard !answer.jsonText().contains("no such") else {
      throw TestWorld.Unexpected(description: "\(query): \(answer.jsonText())")
    }
    return nil
  }
}
