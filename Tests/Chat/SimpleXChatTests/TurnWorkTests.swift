import ChatLogic
import Foundation
import SQLiteKit
import SimplexJSON
import SimplexTesting
import Testing

/// What a turn has the database and the system do is bounded, whatever a peer sends and however much there is.
@Suite struct TurnWorkTests {
  /// A message of a contact, the hot path: a further statement is a decision.
  @Test func aMessageOfAContactCostsFewStatements() async throws {
    let times = TransactionTimes()
    try await HostileContact.play(options: { $0.transactionTimes = times }) { contact in
      try await contact.mallory.send(HostilePeer.message("first", id: 1))
      _ = try await contact.alice.event("newChatItems")
      try await contact.alice.waitUntilIdle()
      _ = times.takeMostWork()
      try await contact.mallory.send(HostilePeer.message("second", id: 2))
      _ = try await contact.alice.event("newChatItems")
      let work = times.takeMostWork()
      #expect(work.statements <= Self.statementsOfAMessage, "\(work)")
    }
  }

  private static let statementsOfAMessage = 20

  /// A batch in a group costs the same with two support chats and with 2,000.
  @Test func supportChatsDoNotSlowABatch() async throws {
    let times = TransactionTimes()
    try await HostileGroup.play(role: "member", options: { $0.transactionTimes = times }) { world in
      func work() async throws -> Int {
        let messages = (0..<40).map { HostileGroup.message("x.msg.new", HostileGroup.text("\($0)")) }
        try await world.alice.waitUntilIdle()
        _ = times.takeMostWork()
        try await world.mallory.send("[\(messages.joined(separator: ","))]")
        try await world.say("after it")
        return times.takeMostWork().steps
      }
      _ = try await work()
      let few = try await work()
      _ = try await world.alice.run(
        "/sql chat INSERT INTO chats (user_id, kind, entity_id, scope, listed, ts, member_attention, unread_count) "
          + "WITH RECURSIVE n (i) AS (VALUES (1000) UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "
          + "SELECT 1, 1, \(world.group), i, 0, 0, 1, 1 FROM n")
      let many = try await work()
      #expect(many < few + few / 4, "\(few) \(many)")
    }
  }

  /// Voice messages of one name: few files are created by a turn, and a free name is found with few attempts.
  @Test func filesOfOneNameAreFew() async throws {
    try await HostileContact.play { contact in
      let (alice, mallory) = (contact.alice, contact.mallory)
      let folder = contact.world.folder.appending(path: "voices")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      _ = try await alice.run("/_files_folder \(folder.path)")
      // As earlier messages left them.
      try Data([1]).write(to: folder.appending(path: "voice.m4a"))
      for number in 1..<400 { try Data([1]).write(to: folder.appending(path: "voice_\(number).m4a")) }
      func voice() -> String {
        HostileGroup.message(
          "x.msg.new",
          #"{"content":{"type":"voice","text":"","duration":1},"file":{"fileName":"voice.m4a","fileSize":1000,"#
            + #""fileInline":"sent"}}"#)
      }
      for round in 1...6 {
        let voices = (0..<50).map { _ in voice() }
        try await mallory.send("[\(voices.joined(separator: ","))]")
        try await mallory.send(HostilePeer.message("after \(round)", id: UInt64(round)))
        try await alice.wait(until: "EXISTS (SELECT 1 FROM items WHERE text = 'after \(round)')")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let expected = min(round * StepLimit.createdFiles.rawValue, HiddenState.inlineFiles.limit.rows)
        #expect(names.count == 400 + expected)
        // The next number would have cost 400 attempts.
        #expect(!names.contains("voice_400.m4a"))
      }
      #expect(try await alice.rows("SELECT count(*) FROM items WHERE file_id IS NOT NULL") == ["300"])
    }
  }
}
