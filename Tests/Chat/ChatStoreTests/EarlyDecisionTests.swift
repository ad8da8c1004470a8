import ChatAPI
import ChatStore
import Foundation
import Testing

/// What is decided about members before they are introduced counts within the rights of who decided.
@Suite struct EarlyDecisionTests {
  @Test func rolesAndBlocking() throws {
    let store = try memoryStore()
    try store.transaction { db in
      try db.addDecision(.role(.moderator, by: .owner), about: "AAAA", inGroup: 1)
      try db.addDecision(.role(.observer, by: .admin), about: "AAAA", inGroup: 1)
      try db.addDecision(.blocked(true, by: .moderator), about: "AAAA", inGroup: 1)
      #expect(try db.decisions(about: "AAAA", inGroup: 2) == EarlyDecisions())
      let decisions = try db.decisions(about: "AAAA", inGroup: 1)
      #expect(decisions.role(of: .member) == .observer)
      #expect(decisions.role(of: .owner) == .observer)
      #expect(decisions.isBlocked(false, role: .member) && !decisions.isBlocked(false, role: .admin))
      // Who may not decide about this member has not replaced who may.
      try db.addDecision(.role(.admin, by: .owner), about: "CCCC", inGroup: 1)
      try db.addDecision(.role(.owner, by: .admin), about: "CCCC", inGroup: 1)
      try db.addDecision(.blocked(true, by: .owner), about: "CCCC", inGroup: 1)
      try db.addDecision(.blocked(false, by: .moderator), about: "CCCC", inGroup: 1)
      let ofOwner = try db.decisions(about: "CCCC", inGroup: 1)
      #expect(ofOwner.role(of: .owner) == .admin && ofOwner.isBlocked(false, role: .owner))
      try db.addDecision(.blocked(false, by: .admin), about: "AAAA", inGroup: 1)
      #expect(try !db.decisions(about: "AAAA", inGroup: 1).isBlocked(true, role: .member))
      try db.removeAppliedDecisions(about: "AAAA", inGroup: 1)
      #expect(try db.decisions(about: "AAAA", inGroup: 1) == EarlyDecisions())
    }
  }

  /// Deletions by each member are kept, once.
  @Test func deletionsOfMessagesToCome() throws {
    let store = try memoryStore()
    try store.transaction { db in
      for (member, time) in [(5, 20.0), (6, 10.0), (5, 30.0)] as [(Int64, Double)] {
        try db.addEarlyDeletion(
          sharedMsgId: "MMMM", author: "AAAA", inGroup: 1, by: member, at: Date(timeIntervalSince1970: time))
      }
      let taken = try db.takeEarlyDeletions(sharedMsgId: "MMMM", author: "AAAA", inGroup: 1)
      #expect(taken.map(\.deletedBy) == [6, 5])
      #expect(taken.map(\.time.timeIntervalSince1970) == [10, 20])
      #expect(try db.takeEarlyDeletions(sharedMsgId: "MMMM", author: "AAAA", inGroup: 1).isEmpty)
    }
  }

  @Test func removalsAndAcceptance() throws {
    let store = try memoryStore()
    try store.transaction { db in
      try db.addDecision(.accepted(as: .member), about: "AAAA", inGroup: 1)
      try db.addDecision(.accepted(as: .admin), about: "AAAA", inGroup: 1)
      try db.addDecision(.removed(by: .owner), about: "AAAA", inGroup: 1)
      try db.addDecision(.removed(by: .admin), about: "AAAA", inGroup: 1)
      try db.removeAppliedDecisions(about: "AAAA", inGroup: 1)
      let decisions = try db.decisions(about: "AAAA", inGroup: 1)
      #expect(decisions.acceptedAs == .member && decisions.removedBy == .owner)
      try db.addDecision(.removed(by: .admin), about: "BBBB", inGroup: 1)
      try db.addDecision(.accepted(as: .member), about: "BBBB", inGroup: 1)
      #expect(try db.decisions(about: "BBBB", inGroup: 1).acceptedAs == nil)
    }
  }
}
