import Foundation
import SimplexJSON
import SimplexTesting
import Testing

@testable import SimpleXChat

/// Messages that cannot be stored or read.
@Suite struct LostMessagesTests {
  private static func text(of item: JSONValue?) -> String? {
    item?["chatItem"]?["meta"]?["itemText"]?.stringValue
  }

  private static func status(_ text: String, in chat: JSONValue) -> String? {
    chat["chat"]?["chatItems"]?.arrayValue?.first { $0["meta"]?["itemText"]?.stringValue == text }?["meta"]?[
      "itemStatus"]?["type"]?.stringValue
  }

  /// Keeps items with the text "lost" from being stored.
  private static let trigger = """
    /sql chat CREATE TRIGGER refused BEFORE INSERT ON items WHEN NEW.text = 'lost' \
    BEGIN SELECT RAISE(ABORT, 'refused'); END
    """

  /// Waits until the sender knows that a message was received; receipts come in the order of the messages.
  private func received(_ text: String, by core: TestCore) async throws {
    _ = try await core.event("chatItemsStatusesUpdated") {
      $0["chatItems"]?.arrayValue?.contains {
        Self.text(of: $0) == text && $0["chatItem"]?["meta"]?["itemStatus"]?["type"]?.stringValue == "sndRcvd"
      } == true
    }
  }

  /// The sender of a message that is lost sees that it was sent, not that it was received.
  @Test func thereIsNoReceipt() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let contact = try await alice.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue ?? 0
      _ = try await bob.run(Self.trigger)
      _ = try await alice.run("@bob lost")
      _ = try await bob.event("errorStore")
      // In one message for the agent.
      _ = try await alice.run(
        #"/_send @\#(contact) json [{"msgContent":{"type":"text","text":"beside"}},"#
          + #"{"msgContent":{"type":"text","text":"lost"}}]"#)
      _ = try await bob.event("errorStore")
      #expect(try await bob.message() == "beside")
      _ = try await alice.run("@bob kept")
      #expect(try await bob.message() == "kept")
      try await received("kept", by: alice)
      let chat = try await alice.run("/_get chat @\(contact) count=10")
      #expect(Self.status("lost", in: chat) == "sndSent" && Self.status("kept", in: chat) == "sndRcvd")
    }
  }

  /// The same in a group.
  @Test func thereIsNoReceiptInAGroup() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let group = try await alice.run("/g team")["groupInfo"]?["groupId"]?.integerValue ?? 0
      _ = try await alice.run("/a team bob")
      _ = try await bob.event("receivedGroupInvitation")
      _ = try await bob.run("/j team")
      _ = try await bob.event("userJoinedGroup")
      _ = try await alice.event("joinedGroupMember")
      _ = try await bob.run(Self.trigger)
      _ = try await alice.run("#team lost")
      _ = try await bob.event("errorStore")
      _ = try await alice.run("#team kept")
      #expect(try await bob.message() == "kept")
      try await received("kept", by: alice)
      let chat = try await alice.run("/_get chat #\(group) count=10")
      #expect(Self.status("lost", in: chat) == "sndSent" && Self.status("kept", in: chat) == "sndRcvd")
    }
  }

  /// However many elements of a message cannot be read, one item says so, and the first of them is kept, alone.
  @Test func oneItemTellsOfWhatCannotBeRead() async throws {
    try await HostileContact.play { contact in
      let (alice, mallory) = (contact.alice, contact.mallory)
      let body = "[" + Array(repeating: "7", count: 200).joined(separator: ",") + "]"
      try await mallory.send(body)
      try await mallory.send("[7,\(HostilePeer.message("between", id: 1)),8]")
      try await mallory.send(HostilePeer.message("afterwards", id: 2))
      #expect(try await alice.message() == "between")
      #expect(try await alice.message() == "afterwards")
      let items = try await alice.run("/_get chat @2 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
      #expect(items.count { $0["content"]?["type"]?.stringValue == "rcvMsgError" } == 2)
      let kept = try await alice.run("/sql chat SELECT tag = '', item_id > 0, length(body) FROM kept_messages")["rows"]
      let rows = kept?.arrayValue?.compactMap(\.stringValue) ?? []
      // Not the text between them.
      #expect(rows == ["1|1|1", "1|1|1"])
    }
  }
}
