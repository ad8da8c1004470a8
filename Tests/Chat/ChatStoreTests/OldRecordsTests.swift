import ChatAPI
import ChatStore
import Foundation
import Testing

/// What is deleted after some time goes in parts, however much there is.
@Suite struct OldRecordsTests {
  private static let day = 86_400.0

  /// Deletes until nothing is left of what is old; returns how many transactions that took.
  private func count(_ body: () throws -> Bool) rethrows -> Int {
    var count = 1
    while try body() { count += 1 }
    return count
  }

  @Test func recordsOfMessages() throws {
    let clock = TestClock()
    let store = try memoryStore(clock: clock)
    func add(_ ids: Range<Int>) throws {
      try store.transaction { db in
        for id in ids {
          _ = try db.receive(sharedMsgId: "\(id)", ofMember: 2, inGroup: 1, forwardedBy: nil)
          try db.addEarlyDeletion(sharedMsgId: "\(id)", author: "AAAA", inGroup: 1, by: 2, at: Date())
          try db.addDecision(.removed(by: .admin), about: "\(id)", inGroup: 1)
        }
      }
    }
    try add(0..<5)
    clock.advance(30 * Self.day)
    try add(5..<7)
    let turns = try count { try store.transaction { try $0.deleteReceived(olderThan: 20 * Self.day, limit: 2) } }
    #expect(turns == 3)
    for table in ["received_messages", "moderations", "early_decisions"] {
      #expect(try store.rows(of: "SELECT 1 FROM \(table)").count == 2, "\(table)")
    }
    #expect(try count { try store.transaction { try $0.deleteRecords(ofDeletedGroup: 1, limit: 4) == 4 } } == 2)
    for table in ["received_messages", "moderations", "early_decisions"] {
      #expect(try store.rows(of: "SELECT 1 FROM \(table)").isEmpty, "\(table)")
    }
  }

  @Test func probes() throws {
    let clock = TestClock()
    let store = try memoryStore(clock: clock)
    let user = try store.makeUser()
    func add(_ ids: Range<Int>) throws {
      try store.transaction { db in
        let id = try db.createGroup(profile: GroupProfile(displayName: "team", fullName: ""), of: user)
        func member(_ identity: NewMember.Identity, _ shared: String) throws -> Int64 {
          try db.createMember(
            NewMember(
              groupId: id, identity: identity, memberId: shared, role: .member, category: .preMember,
              status: .memAnnounced, versions: VersionRange(1, 16)), of: user)
        }
        try db.setMembership(try member(.user(incognito: nil), "AAAA"), host: nil, ofGroup: id)
        let other = try db.member(try member(.profile(profile("bob")), "BBBB"), of: user)
        let person = ContactOrMember.member(other, try db.group(id, of: user))
        for id in ids {
          try db.addAsked(person, probe: try db.addSentProbe("\(id)", to: person, of: user))
          _ = try db.receive(probe: nil, hash: "\(id)", from: person, of: user)
        }
      }
    }
    try add(0..<5)
    clock.advance(30 * Self.day)
    try add(5..<7)
    #expect(try count { try store.transaction { try $0.deleteProbes(olderThan: 20 * Self.day, limit: 2) } } == 3)
    for table in ["sent_probes", "asked_probes", "received_probes"] {
      #expect(try store.rows(of: "SELECT 1 FROM \(table)").count == 2, "\(table)")
    }
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
    let turns = try count {
      try store.transaction { try $0.deleteEarlyDescriptions(olderThan: 20 * Self.day, limit: 2) }
    }
    #expect(turns == 3)
    #expect(try store.rows(of: "SELECT 1 FROM early_descriptions").count == 2)
  }
}
