import ChatAPI
import ChatStore
import ProfileImport
import SQLiteKit
import Testing

/// Values of the chat's database that cannot be used. Before version 6.5 SQLite allows any value in any column. What
/// has such a value is left, named, and a loss where people would miss it; everything else is taken.
@Suite struct DamagedRowsTests {
  private static let firstContact = "(SELECT min(contact_id) FROM contacts WHERE is_user = 0 AND contact_used = 1)"

  /// What is changed, in which words the damage is named, and what is left.
  private static let damages: [(sql: String, name: String?, left: [ImportReport.Left: Int])] = [
    ("chat_items SET quoted_content = '{' WHERE quoted_content IS NOT NULL", "quoted_content", [.damagedDetails: 3]),
    ("chat_items SET item_ts = 'soon' WHERE chat_item_id = 20", "item_ts", [.damagedItems: 1]),
    ("chat_items SET item_text = NULL WHERE chat_item_id IN (20, 21)", "item_text", [.damagedItems: 2]),
    ("chat_item_versions SET msg_content = 'text' WHERE chat_item_version_id = 1", "msg_content", [.damagedDetails: 1]),
    ("chat_item_versions SET msg_content = NULL WHERE chat_item_version_id = 1", nil, [.damagedDetails: 1]),
    (
      "chat_item_reactions SET reaction = x'ff' WHERE chat_item_reaction_id = 1", "reaction", [.damagedDetails: 1]
    ),
    ("chat_item_reactions SET reaction = '' WHERE chat_item_reaction_id = 1", nil, [.damagedDetails: 1]),
    ("files SET file_size = 'large' WHERE file_id = 1", "file_size", [.damagedItems: 1]),
    (
      "group_snd_item_statuses SET group_member_id = 'x' WHERE group_snd_item_status_id = 1", "group_member_id",
      [.damagedDetails: 1]
    ),
    ("contact_profiles SET preferences = '{' WHERE contact_profile_id = 2", "preferences", [.damagedDetails: 1]),
    ("protocol_servers SET port = 7 WHERE smp_server_id = 1", "port", [.damagedDetails: 1]),
    ("chat_tags SET tag_order = 'first' WHERE chat_tag_id = 1", "tag_order", [.damagedDetails: 1]),
    ("user_contact_links SET auto_reply_msg_content = '{' WHERE group_id IS NULL", "auto_reply", [.damagedChats: 1]),
    ("connections SET conn_type = 'other' WHERE connection_id = 1", "conn_type", [.damagedConnections: 1]),
  ]

  @Test(arguments: damages.indices) func leavesWhatCannotBeUsed(_ index: Int) throws {
    let (sql, name, left) = Self.damages[index]
    let sound = try ReferenceProfile("reference-6.4")
    let all = try sound.makeImport().run()
    let profile = try ReferenceProfile("reference-6.4")
    try profile.changeChat("UPDATE \(sql)")
    let survey = try profile.makeImport().survey()
    let isLoss = left.keys.contains(where: \.isLoss)
    if isLoss {
      let error = #expect(throws: ProfileImportError.self) {
        try ProfileImport(from: profile.prefix, to: profile.target).run()
      }
      guard case .wouldLose(let report) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(report.left == left)
    }
    let report = try profile.makeImport().run()
    #expect(report.left == left)
    #expect(survey.left == left)
    #expect(survey.damages == report.damages)
    if let name {
      #expect(report.damages.count == left.values.reduce(0, +))
      #expect(report.damages.allSatisfy { $0.contains(name) }, "\(report.damages)")
    }
    // Only what is damaged is missing, with what belongs to it: two messages and a file, or a connection with the
    // messages that wait to be sent through it.
    let (before, after): (Int, Int) = (all.taken.values.reduce(0, +), report.taken.values.reduce(0, +))
    #expect(before - after <= 4)
    try expectWhole(profile)
  }

  /// What belongs to a contact or a group goes with it.
  @Test func leavesChatsThatCannotBeUsed() throws {
    let profile = try ReferenceProfile("reference-6.4")
    try profile.changeChat(
      """
      UPDATE contacts SET contact_status = 'odd' WHERE contact_id = \(Self.firstContact);
      UPDATE group_members SET member_status = 'odd' WHERE group_id = 1 AND member_category <> 'user';
      """)
    let report = try profile.makeImport().run()
    #expect(report.losses == [.damagedChats: 2])
    #expect(report.taken[.contacts] == 10 && report.taken[.groups] == 5)
    // Closed before the profile is opened.
    func count(_ rows: String) throws -> [String] {
      try SQLiteConnection(path: profile.target + "_chat.db").rows(of: "SELECT count(*) FROM \(rows)", limit: 1)
    }
    for dangling in [
      "connections WHERE contact_id NOT IN (SELECT contact_id FROM contacts)",
      "connections WHERE member_id NOT IN (SELECT member_id FROM members)",
      "chats WHERE kind = 1 AND entity_id NOT IN (SELECT group_id FROM groups)",
      "chats WHERE kind = 0 AND entity_id NOT IN (SELECT contact_id FROM contacts)",
      "items WHERE chat_id NOT IN (SELECT chat_id FROM chats)", "members WHERE group_id = 1",
      "pending_messages WHERE member_id NOT IN (SELECT member_id FROM members)",
    ] { #expect(try count(dangling) == ["0"], "\(dangling)") }
    try expectWhole(profile)
  }

  /// What is taken refers to no contact, member or request that is not: bob is a member of groups and invited the user
  /// to one, dan is the contact of a member, and grace sent a request.
  @Test(arguments: [
    "contacts SET contact_status = 'odd' WHERE contact_id = 4", "contacts SET deleted = 1 WHERE contact_id = 4",
    "group_members SET member_status = 'odd' WHERE group_member_id = 10",
    "contact_requests SET created_at = 'soon' WHERE contact_request_id = 2",
  ])
  func clearsReferencesToWhatIsLeft(_ change: String) throws {
    let profile = try ReferenceProfile("reference-6.4")
    try profile.changeChat(
      "UPDATE contacts SET contact_group_member_id = 10 WHERE contact_id = 6; UPDATE \(change);")
    _ = try profile.makeImport().run()
    // Closed before the profile is opened.
    func count(_ rows: String) throws -> [String] {
      try SQLiteConnection(path: profile.target + "_chat.db").rows(of: "SELECT count(*) FROM \(rows)", limit: 1)
    }
    for dangling in [
      "members WHERE contact_id NOT IN (SELECT contact_id FROM contacts)",
      "members WHERE invited_by_contact NOT IN (SELECT contact_id FROM contacts)",
      "contacts WHERE member_id NOT IN (SELECT member_id FROM members)",
      "contacts WHERE request_id NOT IN (SELECT request_id FROM contact_requests)",
    ] { #expect(try count(dangling) == ["0"], "\(dangling)") }
    try expectWhole(profile)
  }

  /// The profile opens, and its chats can be listed.
  private func expectWhole(_ profile: ReferenceProfile) throws {
    let file = profile.target + "_chat.db"
    try SQLiteConnection(path: file).checkIntegrity()
    let store = try ChatDatabase(path: file)
    let user = try #require(try store.read { try $0.activeUser() })
    #expect(try store.read { try $0.contacts(of: user) }.isEmpty == false)
  }
}
