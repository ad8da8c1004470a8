import AgentCore
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// What newcomers get of a group, and what members get who are away for long.
@Suite struct GroupHistoryTests {
  /// Newcomers get the last hundred messages, none that was deleted, with quotes and the time after which they
  /// disappear.
  @Test func newcomersGetTheLastMessages() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let alice = try await world.profile("alice")
      _ = try await alice.run(
        #"/_group 1 {"displayName":"team","fullName":"","groupPreferences":{"history":{"enable":"on"},"#
          + #""timedMessages":{"enable":"on","ttl":86400}}}"#)
      func send(_ texts: [String], quoting quoted: Int64? = nil) async throws -> [Int64] {
        let quote = quoted.map { #","quotedItemId":\#($0)"# } ?? ""
        let messages = texts.map { #"{"msgContent":{"type":"text","text":"\#($0)"},"mentions":{}\#(quote)}"# }
        let sent = try await alice.run("/_send #1 json [\(messages.joined(separator: ","))]")
        return sent["chatItems"]?.arrayValue?.compactMap { $0["chatItem"]?["meta"]?["itemId"]?.integerValue } ?? []
      }
      let first = try await send((0..<20).map { "old \($0)" })
      var items = try await send((0..<50).map { "message \($0)" })
      items += try await send((50..<99).map { "message \($0)" })
      _ = try await alice.run("/_delete item #1 \(items[0]) broadcast")
      _ = try await send(["an answer"], quoting: first[0])
      let created = try await alice.run("/_create link #1 member")
      let eve = try await world.profile("eve")
      _ = try await eve.run(
        "/_connect 1 \(created["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue ?? "")")
      let last = try await eve.event("newChatItems") {
        $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "an answer"
      }
      #expect(last["chatItems"]?[0]?["chatItem"]?["quotedItem"]?["content"]?["text"]?.stringValue == "old 0")
      let texts = try await eve.rows("SELECT text FROM items WHERE message_tag = 'text' ORDER BY position, item_id")
      // The oldest one is in place of the one that was deleted.
      #expect(texts == ["old 19"] + (1..<99).map { "message \($0)" } + ["an answer"])
      #expect(
        try await eve.rows("SELECT 1 FROM items WHERE message_tag = 'text' AND coalesce(timed_ttl, 0) <> 86400") == [])
    }
  }

  /// The queue of a member who is away fills up: from then on messages wait here, and go when there is room.
  @Test func messagesWaitForMembersWhoseQueuesAreFull() async throws {
    try await TestWorld.with(
      network: try MemoryNetwork(quota: 3),
      options: { $0.agent.quotaRetry = .init(initial: 10, limit: 50) }
    ) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      _ = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""}"#)
      _ = try await alice.run("/a team bob")
      _ = try await bob.event("receivedGroupInvitation")
      _ = try await bob.run("/j team")
      _ = try await alice.event("joinedGroupMember")
      _ = try await bob.event("userJoinedGroup")
      await world.leave("bob")
      for number in 0..<6 { _ = try await alice.run("#team message \(number)") }
      let full = try await alice.event("connectionInactive") { $0["inactive"] == .bool(true) }
      #expect(full["connectionEntity"]?["groupMember"]?["localDisplayName"]?.stringValue == "bob")
      _ = try await alice.run("#team message 6")
      #expect(try await alice.rows("SELECT 1 FROM pending_messages")?.count == 1)
      let again = try await world.open("bob")
      for number in 0..<7 { #expect(try await again.message() == "message \(number)") }
      _ = try await alice.event("connectionInactive") { $0["inactive"] == .bool(false) }
      #expect(try await alice.rows("SELECT 1 FROM pending_messages") == [])
    }
  }
}
