import ChatAPI
import ChatLogic
import Foundation
import SimplexTesting
import Testing

@testable import ChatStore

/// The budgets of hidden state: what is charged to connections, and the limits.
@Suite struct HiddenStateTests {
  /// A store with a group of alice's, where bob is a member.
  private struct World {
    let store: ChatDatabase
    let user: User
    let group: Int64
    let bob: Int64
    let clock = TestClock()

    init() throws {
      let store = try memoryStore(clock: clock)
      self.store = store
      let user = try store.makeUser()
      self.user = user
      (group, bob) = try store.transaction { db in
        let group = try db.createGroup(profile: GroupProfile(displayName: "team", fullName: ""), of: user)
        let membership = NewMember(
          groupId: group, identity: .user(incognito: nil), memberId: "user", role: .owner, category: .userMember,
          status: .memCreator, versions: VersionRange(1, 16))
        try db.setMembership(try db.createMember(membership, of: user), host: nil, ofGroup: group)
        let bob = NewMember(
          groupId: group, identity: .profile(profile("bob")), memberId: "bob", role: .admin, category: .inviteeMember,
          status: .memConnected, versions: VersionRange(1, 16))
        return (group, try db.createMember(bob, of: user))
      }
    }

    var main: ChatRef { ChatRef(chatType: .group, chatId: group) }

    /// Stores a row of a kind, charged to the payer of the transaction.
    func add(_ state: HiddenState, _ number: Int, _ db: ChatTransaction) throws {
      let id = "id\(number)"
      switch state {
      case .earlyReactions:
        try db.setReaction(
          MsgReaction.values[0], add: true, to: id, author: "bob", in: main, sent: false,
          member: bob, isEarly: true, at: db.now, of: user)
      case .silentMessages:
        _ = try db.receive(sharedMsgId: id, ofMember: bob, inGroup: group, forwardedBy: nil, isSilent: true)
      case .earlyDeletions: try db.addEarlyDeletion(sharedMsgId: id, author: "bob", inGroup: group, by: bob, at: db.now)
      case .earlyDecisions: try db.addDecision(.removed(by: .admin), about: id, inGroup: group, by: bob)
      case .probes:
        let person = ContactOrMember.member(try db.member(bob, of: user), try db.group(group, of: user))
        _ = try db.receive(probe: nil, hash: id, from: person, of: user)
      case .earlyDescriptions:
        try db.keepEarlyDescription(
          FileDescr(fileDescrText: id, fileDescrPartNo: 1, fileDescrComplete: false), of: id, by: "a\(number)",
          in: main, limit: 256, of: user)
      case .keptMessages:
        try db.keep(
          KeptMessage(tag: "x.new", sharedMsgId: id, time: db.now, body: [1, 2]), in: main, connectionId: db.payer,
          of: user)
      case .announcedMembers, .joiningMembers:
        _ = try db.createMember(
          NewMember(
            groupId: group, identity: .profile(profile(id)), memberId: id, role: .member,
            category: state == .joiningMembers ? .inviteeMember : .postMember, status: .memAnnounced,
            versions: VersionRange(1, 16)), of: user)
      case .contactRequests:
        _ = try db.receive(
          ReceivedContactRequest(
            addressId: 1, agentInvitationId: id, peerVersions: VersionRange(1, 16), profile: profile(id)), of: user)
      case .inlineFiles:
        let file = try db.createFile(
          NewFile(isSent: false, fileProtocol: .smp, name: id, size: 1, chunkSize: 1, status: .rcvInvitation), of: user)
        try db.acceptFile(file, as: CryptoFile(filePath: id), approvesRelays: false, inline: .sent)
      }
    }
  }

  private static let tables: [HiddenState: String] = Dictionary(
    uniqueKeysWithValues: HiddenState.allCases.map { state in
      let table =
        switch state {
        case .announcedMembers: "members WHERE category = 'post' AND"
        case .joiningMembers: "members WHERE category = 'invitee' AND"
        default:
          "\(ChargedTable.all.first { $0.kind("NEW") == "\(state.rawValue)" }?.name ?? "no table") WHERE"
        }
      let column = state == .keptMessages ? "connection_id" : "charged_to"
      return (state, "\(table) \(column)")
    })

  /// Every budget is filled row by row: after its limit nothing is granted, one refusal is the first, and another
  /// connection is not concerned.
  @Test(arguments: HiddenState.allCases) func budgetsEnd(_ state: HiddenState) throws {
    let world = try World()
    try world.store.transaction { db in
      db.payer = 7
      var (granted, first, refused) = (0, 0, 0)
      for number in 0..<(state.limit.rows + 20) {
        switch try db.budget(for: state) {
        case .granted:
          granted += 1
          try world.add(state, number, db)
        case .refusedFirst: first += 1
        case .refused: refused += 1
        }
      }
      #expect(granted == state.limit.rows && first == 1 && refused == 19)
      #expect(
        try db.integer("SELECT count(*) FROM \(Self.tables[state] ?? "") = 7") == Int64(state.limit.rows))
      db.payer = 8
      if case .granted = try db.budget(for: state) {} else { Issue.record("\(state) of another connection") }
      db.payer = 0
      if case .granted = try db.budget(for: state, bytes: .max / 2) {} else { Issue.record("\(state) of the user") }
    }
  }

  /// What is too long for the rest of a budget is refused, whatever the number of rows.
  @Test(arguments: HiddenState.allCases.filter { $0.limit.bytes > 0 }) func bytesEnd(_ state: HiddenState) throws {
    let world = try World()
    try world.store.transaction { db in
      db.payer = 7
      try world.add(state, 1, db)
      if case .granted = try db.budget(for: state, bytes: 16) {} else { Issue.record("a small row") }
      if case .refusedFirst = try db.budget(for: state, bytes: state.limit.bytes) {} else { Issue.record("large") }
      if case .granted = try db.budget(for: state, bytes: 16) {} else { Issue.record("another small row") }
    }
  }

  /// The next refusal is reported only after half of the rows and half of the bytes were free.
  @Test(arguments: [(rows: 900, bytes: 0), (rows: 3, bytes: 900_000), (rows: 3, bytes: 100)])
  func aSpentBudgetIsReportedOnce(rows: Int, bytes: Int) throws {
    let world = try World()
    let isReported = try world.store.transaction { db in
      db.payer = 7
      for number in 0..<rows { try world.add(.earlyReactions, number, db) }
      try db.execute(
        "UPDATE peer_state SET byte_count = byte_count + ?, is_reported = 1 WHERE connection_id = 7", bytes)
      try db.execute(
        "DELETE FROM reactions WHERE shared_id = (SELECT min(shared_id) FROM reactions WHERE charged_to = 7)")
      return try db.integer("SELECT is_reported FROM peer_state WHERE connection_id = 7") == 1
    }
    #expect(isReported == (rows > 500 || bytes > 1 << 19))
  }

  /// The sums are what is there, after insertions and deletions in random order, by whatever way.
  @Test(arguments: propertySeeds(4)) func sumsAreWhatIsThere(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try World()
    func recount(_ step: Int) throws {
      try world.store.read { db in
        for state in HiddenState.allCases {
          for payer in 7...9 as ClosedRange<Int64> {
            let kept = try db.integer(
              "SELECT row_count FROM peer_state WHERE connection_id = ? AND kind = ?", payer, state.rawValue)
            let rows = try db.integer("SELECT count(*) FROM \(Self.tables[state] ?? "") = ?", payer)
            #expect(kept ?? 0 == rows, "seed \(seed), step \(step): \(state) of \(payer)")
          }
        }
      }
    }
    for step in 0..<200 {
      let state = HiddenState.allCases.randomElement(using: &random) ?? .probes
      let number = Int.random(in: 0..<10, using: &random)
      let payer = Int64.random(in: 7...9, using: &random)
      let operation = Int.random(in: 0..<10, using: &random)
      _ = try? world.store.transaction { db in
        db.payer = payer
        switch operation {
        case 0..<6: try world.add(state, state == .inlineFiles || state == .contactRequests ? step : number, db)
        case 6:
          for table in ChargedTable.all where table.name != "members" && Bool.random(using: &random) {
            try db.execute("DELETE FROM \(table.name) WHERE \(table.connection) = ?", payer)
          }
        case 7:
          try db.execute(
            "UPDATE members SET status = 'connected' WHERE charged_to <> 0 AND shared_member_id = ?", "id\(number)")
          try db.execute("UPDATE files SET step = 'complete' WHERE name = ?", "id\(number)")
        case 8:
          let age = Double.random(in: 0..<40, using: &random)
          _ = try db.releaseOldState(olderThan: age, requestAge: age / 2, limit: 3)
        default: try db.execute("DELETE FROM members WHERE shared_member_id = ?", "id\(number)")
        }
      }
      try recount(step)
    }
    // Nothing is left where the connection is gone.
    try world.store.transaction { db in
      try db.execute(
        """
        INSERT INTO connections (connection_id, user_id, agent_conn_id, kind, status, chat_version, peer_min_version, \
        peer_max_version, created_at, updated_at) VALUES (7, 1, 'x', 'contact', 'ready', 1, 1, 1, 0, 0)
        """)
      try db.execute("DELETE FROM connections WHERE connection_id = 7")
      #expect(try db.integer("SELECT count(*) FROM peer_state WHERE connection_id = 7") == 0)
    }
  }

  /// docs/limits.md lists each limit with its numbers.
  @Test func limitsAreDocumented() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/limits.md").standardizedFileURL
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    func cells(_ name: String) -> [String]? {
      lines.first { $0.hasPrefix("| `\(name)` |") }?.split(separator: "|").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    for state in HiddenState.allCases {
      let found = try #require(cells("\(state)"), "\(state) is not in docs/limits.md")
      let bytes = state.limit.bytes == 0 ? "–" : "\(state.limit.bytes >> 10) KB"
      #expect(Array(found.suffix(2)) == ["\(state.limit.rows)", bytes], "\(state)")
    }
    for limit in StepLimit.allCases {
      let found = try #require(cells("\(limit)"), "\(limit) is not in docs/limits.md")
      #expect(found.last == "\(limit.rawValue)", "\(limit)")
    }
  }
}
