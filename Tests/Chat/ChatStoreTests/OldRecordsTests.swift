import ChatAPI
import ChatStore
import Foundation
import Testing

/// What is deleted after some time goes in parts, however much there is.
@Suite struct OldRecordsTests {
  private static let day = 86_400.0

  /// Deletes until nothing is left of what is old; returns how many transactions that took.
  private func transactions(until body: () throws -> Bool) rethrows -> Int {
    var count = 1
    while try !body() { count += 1 }
    return count
  }

  /// What is recorded about the messages of a group. Each kind is deleted in parts when it is alone.
  enum MessageRecord: String, CaseIterable {
    case received = "received_messages"
    case deletion = "moderations"
    case decision = "early_decisions"

    func add(_ id: Int, _ db: ChatTransaction) throws {
      switch self {
      case .received: _ = try db.receive(sharedMsgId: "\(id)", ofMember: 2, inGroup: 1, forwardedBy: nil)
      case .deletion: try db.addEarlyDeletion(sharedMsgId: "\(id)", author: "AAAA", inGroup: 1, by: 2, at: Date())
      case .decision: try db.addDecision(.removed(by: .admin), about: "\(id)", inGroup: 1)
      }
    }
  }

  @Test(arguments: MessageRecord.allCases) func recordsOfMessages(_ record: MessageRecord) throws {
    let clock = TestClock()
    let store = try memoryStore(clock: clock)
    try store.transaction { db in for id in 0..<5 { try record.add(id, db) } }
    clock.advance(30 * Self.day)
    try store.transaction { db in for id in 5..<7 { try record.add(id, db) } }
    let turns = try transactions {
      try store.transaction { try !$0.deleteReceived(olderThan: 20 * Self.day, limit: 2) }
    }
    #expect(turns == 3)
    #expect(try store.rows(of: "SELECT 1 FROM \(record.rawValue)").count == 2)
  }

  @Test func recordsOfADeletedGroup() throws {
    let store = try memoryStore(clock: TestClock())
    try store.transaction { db in
      for id in 0..<5 { for record in MessageRecord.allCases { try record.add(id, db) } }
    }
    let turns = try transactions { try store.transaction { try $0.deleteRecords(ofDeletedGroup: 1, limit: 4) < 4 } }
    #expect(turns == 4)
    for record in MessageRecord.allCases {
      #expect(try store.rows(of: "SELECT 1 FROM \(record.rawValue)").isEmpty, "\(record)")
    }
  }

  /// Probes, each kind alone, with the tables they are in.
  @Test(arguments: [["sent_probes", "asked_probes"], ["received_probes"]]) func probes(_ tables: [String]) throws {
    let clock = TestClock()
    let store = try memoryStore(clock: clock)
    let user = try store.makeUser()
    let person = try store.transaction { db in
      let id = try db.createGroup(profile: GroupProfile(displayName: "team", fullName: ""), of: user)
      func member(_ identity: NewMember.Identity, _ shared: String) throws -> Int64 {
        try db.createMember(
          NewMember(
            groupId: id, identity: identity, memberId: shared, role: .member, category: .preMember,
            status: .memAnnounced, versions: VersionRange(1, 16)), of: user)
      }
      try db.setMembership(try member(.user(incognito: nil), "AAAA"), host: nil, ofGroup: id)
      let other = try db.member(try member(.profile(profile("bob")), "BBBB"), of: user)
      return ContactOrMember.member(other, try db.group(id, of: user))
    }
    func add(_ ids: Range<Int>) throws {
      try store.transaction { db in
        for id in ids {
          if tables.contains("received_probes") {
            _ = try db.receive(probe: nil, hash: "\(id)", from: person, of: user)
          } else {
            try db.addAsked(person, probe: try db.addSentProbe("\(id)", to: person, of: user))
          }
        }
      }
    }
    try add(0..<5)
    clock.advance(30 * Self.day)
    try add(5..<7)
    let turns = try transactions {
      try store.transaction { try !$0.deleteProbes(olderThan: 20 * Self.day, limit: 2) }
    }
    #expect(turns == 3)
    for table in tables { #expect(try store.rows(of: "SELECT 1 FROM \(table)").count == 2, "\(table)") }
  }

  @Test func partsOfDescriptions() throws {
    let clock = TestClock()
    let store = try memoryStore(clock: clock)
    let user = try store.makeUser()
    let notes = ChatRef(chatType: .local, chatId: 1)
    func add(_ parts: Range<Int>) throws {
      try store.transaction { db in
        for part in parts {
          let description = FileDescr(fileDescrText: "text", fileDescrPartNo: part, fileDescrComplete: false)
          try db.keepEarlyDescription(description, of: "AAAA", by: "BBBB", in: notes, limit: 100, of: user)
        }
      }
    }
    try add(0..<5)
    clock.advance(30 * Self.day)
    try add(5..<7)
    let turns = try transactions {
      try store.transaction { try !$0.deleteEarlyDescriptions(olderThan: 20 * Self.day, limit: 2) }
    }
    #expect(turns == 3)
    #expect(try store.rows(of: "SELECT 1 FROM early_descriptions").count == 2)
  }
}
