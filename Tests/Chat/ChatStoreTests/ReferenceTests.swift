import ChatAPI
import Foundation
import SimplexTesting
import Testing

@testable import ChatStore

/// Identity: no row refers to nothing after a deletion, and no new row can be taken for an old one.
@Suite struct ReferenceTests {
  // MARK: Declarations

  /// The columns of the schema: `table.column`.
  private func columns() throws -> [String] {
    try memoryStore().rows(
      of: """
        SELECT m.name || '.' || c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c \
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'
        """)
  }

  @Test func everyIdentifierIsDeclared() throws {
    let columns = try columns()
    #expect(columns.filter { $0.hasSuffix("_id") && ChatReferences.columns[$0] == nil } == [], "not declared")
    #expect(Set(ChatReferences.columns.keys).subtracting(columns) == [], "not in the schema")
    for (name, references) in ChatReferences.columns {
      for case .reference(let target, _) in references {
        #expect(columns.contains("\(target).\(ChatReferences.key(of: target))"), "\(name)")
      }
    }
  }

  /// Numbers that rows may refer to after theirs is gone, or that the API shows, are given once.
  @Test func numbersOfRowsAreNotReused() throws {
    let store = try memoryStore()
    let numbered = try store.rows(
      of: "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%PRIMARY KEY AUTOINCREMENT%'")
    var targets: Set = [
      "profiles", "contacts", "addresses", "contact_requests", "connections", "chats", "note_folders", "packets",
    ]
    for case .history(let tables) in ChatReferences.columns.values.joined() { targets.formUnion(tables) }
    #expect(targets.subtracting(numbered) == [])
  }

  // MARK: Deletions

  /// A database in which every reference has a row.
  private final class Filled {
    let store: ChatDatabase
    let user: User
    let contact: Contact
    let request: UserContactRequest
    let requested: Contact
    let group: GroupInfo
    let members: [GroupMember]
    let pending: PendingContactConnection
    let tag: Int64
    let command: Int64

    init() throws {
      let store = try memoryStore()
      // Numbers that are equal in two tables would hide mistakes.
      let tables = try store.rows(of: "SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%' ORDER BY name")
      for (index, table) in tables.enumerated() {
        _ = try store.rows(of: "INSERT INTO sqlite_sequence (name, seq) VALUES ('\(table)', \(1_000 * (index + 1)))")
      }
      let user = try store.makeUser()
      (self.store, self.user) = (store, user)
      let versions = VersionRange(1, 16)
      func link(_ name: String) -> CreatedConnLink {
        CreatedConnLink(connFullLink: "full-\(name)", connShortLink: name)
      }
      (contact, request, requested, group, members, pending, tag, command) = try store.transaction { db in
        let pending = try db.createPendingConnection(
          NewConnection(agentConnId: "pending", entity: .contact(nil)), of: user)
        let connection = try db.createConnection(NewConnection(agentConnId: "bob", entity: .contact(nil)), of: user)
        let contact = try db.createContact(profile: profile("bob"), connection: connection, of: user)
        let address = try db.createAddress(link: link("address"), agentConnId: "address", of: user)
        let received = ReceivedContactRequest(
          addressId: address.userContactLinkId, agentInvitationId: "asks", peerVersions: versions,
          profile: profile("eve"), xContactId: "eDE=")
        guard case .current(_, let request, let requested?) = try db.receive(received, of: user) else {
          throw Unexpected(description: "no request")
        }
        let id = try db.createGroup(profile: GroupProfile(displayName: "team", fullName: ""), of: user)
        func member(
          _ identity: NewMember.Identity, _ name: String, _ category: GroupMemberCategory
        ) throws -> GroupMember {
          var new = NewMember(
            groupId: id, identity: identity, memberId: name, role: category == .userMember ? .owner : .member,
            category: category, status: .memConnected, versions: versions)
          new.invitedBy = .contact(byContactId: contact.contactId)
          let member = try db.member(try db.createMember(new, of: user), of: user)
          guard category != .userMember else { return member }
          _ = try db.createConnection(
            NewConnection(agentConnId: "member-\(name)", entity: .member(member.groupMemberId)), of: user)
          let part = ChatRef(
            chatType: .group, chatId: id, chatScope: .memberSupport(groupMemberId_: member.groupMemberId))
          try db.createSupportChat(part, of: user)
          for chat in [part, ChatRef(chatType: .group, chatId: id)] {
            var item = receivedText("hi", in: chat, id: name)
            item.memberId = member.groupMemberId
            _ = try db.createItem(item, of: user)
          }
          return member
        }
        let own = try member(.user(incognito: nil), "user", .userMember)
        try db.setMembership(own.groupMemberId, host: own.groupMemberId, ofGroup: id)
        let group = try db.group(id, of: user)
        let members = [
          try member(.contact(contact), "bob", .inviteeMember),
          try member(.profile(profile("cath")), "cath", .inviteeMember),
        ]
        _ = try db.createGroupLink(
          link("group"), linkId: "link", role: .member, agentConnId: "link", of: group, for: user)
        for item in 0..<3 { _ = try db.createItem(receivedText("\(item)", in: contact.chat, id: "\(item)"), of: user) }
        let notes = ChatRef(chatType: .local, chatId: try db.noteFolderID(of: user))
        _ = try db.createItem(receivedText("note", in: notes), of: user)
        for person in [ContactOrMember.contact(contact)] + members.map({ .member($0, group) }) {
          try db.addAsked(person, probe: try db.addSentProbe("probe", to: person, of: user))
          _ = try db.receive(probe: "probe", hash: "hash", from: person, of: user)
        }
        let tag = try db.createChatTag(ChatTagData(emoji: nil, text: "tag"), of: user)
        try db.setChatTags([tag], of: contact.chat, of: user)
        let packet = try db.addPacket([1])
        for member in members {
          try db.addPending(packet: packet, notifies: false, item: nil, forMember: member.groupMemberId)
        }
        let command = try db.addCommand(agentConnId: "bob", kind: 1, payload: [], packet: packet)
        return (contact, request, requested, try db.group(id, of: user), members, pending, tag, command)
      }
      try fill()
    }

    private func numbers(_ sql: String) throws -> [Int64] { try store.rows(of: sql).compactMap { Int64($0) } }

    /// Adds rows where a table is empty, and references where a column has none.
    private func fill() throws {
      for _ in 0..<3 { for table in try emptyTables() { try addRow(to: table) } }
      for (name, references) in ChatReferences.columns.sorted(by: { $0.key < $1.key }) {
        let (table, column) = Self.parts(name)
        guard let target = Self.target(of: references),
          let row = try numbers("SELECT \(ChatReferences.key(of: target)) FROM \(target) ORDER BY 1 LIMIT 1").first,
          try numbers("SELECT count(*) FROM \(table) WHERE \(column) > 0") == [0]
        else { continue }
        _ = try store.rows(of: "UPDATE \(table) SET \(column) = \(row)")
      }
    }

    private func emptyTables() throws -> [String] {
      let tables = Set(ChatReferences.columns.keys.map { Self.parts($0).table })
      return try tables.sorted().filter { try numbers("SELECT count(*) FROM \($0)") == [0] }
    }

    /// A row in which what has no default is as short as can be, and what is a reference refers to a row.
    private func addRow(to table: String) throws {
      let columns = try store.rows(
        of: """
          SELECT name || ' ' || type FROM pragma_table_info('\(table)') WHERE (\"notnull\" = 1 AND dflt_value IS NULL)
          """)
      var values: [(String, String)] = []
      for column in columns {
        let parts = column.split(separator: " ").map(String.init)
        var value = parts[1] == "INTEGER" ? "1" : parts[1] == "BLOB" ? "x'01'" : "'1'"
        if let references = ChatReferences.columns["\(table).\(parts[0])"], let target = Self.target(of: references) {
          guard
            let row = try numbers("SELECT \(ChatReferences.key(of: target)) FROM \(target) ORDER BY 1 LIMIT 1").first
          else { return }
          value = "\(row)"
        }
        values.append((parts[0], value))
      }
      _ = try store.rows(
        of: """
          INSERT INTO \(table) (\(values.map(\.0).joined(separator: ", "))) \
          VALUES (\(values.map(\.1).joined(separator: ", ")))
          """)
    }

    static func parts(_ name: String) -> (table: String, column: String) {
      let parts = name.split(separator: ".").map(String.init)
      return (parts[0], parts[1])
    }

    static func target(of references: [ChatReference]) -> String? {
      for case .reference(let target, _) in references { return target }
      for case .history(let targets) in references { return targets.first }
      return nil
    }

    /// The references of rows to nothing.
    func dangling() throws -> [String] {
      while try store.transaction({ try $0.purge() }) {}
      return try store.rows(of: ChatReferences.danglingQuery)
    }
  }

  @Test func everyReferenceIsFilled() throws {
    let filled = try Filled()
    #expect(try filled.dangling() == [])
    for (name, references) in ChatReferences.columns where Filled.target(of: references) != nil {
      let (table, column) = Filled.parts(name)
      #expect(try filled.store.rows(of: "SELECT 1 FROM \(table) WHERE \(column) > 0 LIMIT 1") == ["1"], "\(name)")
    }
  }

  enum Deletion: String, CaseIterable {
    case contact, requestedContact, request, requestsOfContact, address, groupLink, group, member, contactMember
    case memberWithItems, pendingConnection, connections, chat, groupChat, notes, item, tag, files, probes, packets
    case supportChat, user
  }

  @Test(arguments: Deletion.allCases) func leavesNoReferenceToNothing(_ deletion: Deletion) throws {
    let filled = try Filled()
    let (user, group) = (filled.user, filled.group)
    let rows = try filled.store.rows(of: Self.countQuery)
    try filled.store.transaction { db in
      switch deletion {
      case .contact: try db.deleteContact(filled.contact, of: user)
      case .requestedContact: try db.deleteContact(filled.requested, of: user)
      case .request: try db.deleteContactRequest(filled.request.contactRequestId, of: user)
      case .requestsOfContact: try db.deleteRequests(ofContact: filled.requested.contactId)
      case .address: _ = try db.deleteAddress(of: user)
      case .groupLink: _ = try db.deleteGroupLink(of: group)
      case .group:
        _ = try db.deleteGroupLink(of: group)
        try db.deleteGroup(group, of: user)
        for member in try db.members(ofDeletedGroup: group.groupId, limit: 9) { try db.forget(member, of: user) }
        while try db.deleteRecords(ofDeletedGroup: group.groupId, limit: 9) == 9 {}
      case .member: try db.deleteMember(filled.members[1], of: user)
      case .contactMember: try db.deleteMember(filled.members[0], of: user)
      case .memberWithItems:
        try db.delete(try db.items(ofMember: filled.members[1], limit: 9))
        try db.forget(filled.members[1], of: user)
      case .pendingConnection:
        // Filled like every reference, but connections of a contact are not pending ones.
        try db.execute("UPDATE connections SET via_contact = NULL")
        try db.deletePendingConnection(filled.pending.pccConnId, of: user)
      case .connections:
        for connection in try db.allConnections() { try db.deleteConnection(agentConnId: connection) }
      case .chat: try db.clear(filled.contact.chat, of: user)
      case .groupChat: try db.clear(ChatRef(chatType: .group, chatId: group.groupId), of: user)
      case .notes: try db.clear(ChatRef(chatType: .local, chatId: try db.noteFolderID(of: user)), of: user)
      case .item: try db.delete(try db.integers("SELECT item_id FROM items"))
      case .tag: try db.deleteChatTag(filled.tag, of: user)
      case .files:
        try db.delete(try db.integers("SELECT item_id FROM items"))
        for id in try db.integers("SELECT file_id FROM files") { try db.deleteFile(id) }
      case .probes: #expect(try !db.deleteProbes(olderThan: -1))
      case .packets:
        for member in filled.members { try db.deletePending(ofMember: member.groupMemberId) }
        try db.removeCommand(filled.command)
      case .supportChat: try db.deleteSupportChat(ofMember: filled.members[0].groupMemberId, inGroup: group.groupId)
      case .user: try db.deleteUser(user)
      }
    }
    if deletion == .user {
      while try !filled.store.transaction({ try $0.deleteSome(ofDeletedUser: user.userId, limit: 50) }) {}
    }
    #expect(try filled.dangling() == [])
    #expect(try filled.store.rows(of: Self.countQuery) != rows, "something is deleted")
  }

  /// How many rows there are.
  private static let countQuery = Set(ChatReferences.columns.keys.map { Filled.parts($0).table }).sorted()
    .map { "SELECT count(*) FROM \($0)" }.joined(separator: " UNION ALL ")
}
