import ChatAPI
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

@testable import SimpleXChat

/// Commands about more items than one turn handles.
@Suite struct ManyItemsTests {
  /// With three items for each turn.
  private func play(_ body: (_ alice: TestCore, _ bob: TestCore) async throws -> Void) async throws {
    try await TestWorld.with(options: { $0.itemsPerTurn = 3 }) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await body(alice, bob)
    }
  }

  private func contact(_ core: TestCore) async throws -> Int64 {
    try #require(try await core.run("/_contacts 1")["contacts"]?[0]?["contactId"]?.integerValue)
  }

  private func send(_ texts: [String], to chat: String) -> String {
    let messages = texts.map { #"{"msgContent":{"type":"text","text":"\#($0)"},"mentions":{}}"# }
    return "/_send \(chat) json [\(messages.joined(separator: ","))]"
  }

  private func texts(_ answer: JSONValue, _ key: String = "chatItems") -> [String] {
    (answer[key]?.arrayValue ?? []).compactMap {
      ($0["deletedChatItem"] ?? $0)["chatItem"]?["meta"]?["itemText"]?.stringValue
    }
  }

  private func ids(_ answer: JSONValue) -> String {
    let ids = (answer["chatItems"]?.arrayValue ?? []).compactMap { $0["chatItem"]?["meta"]?["itemId"]?.integerValue }
    return ids.map { "\($0)" }.joined(separator: ",")
  }

  private static let eight = (1...8).map { "message \($0)" }

  @Test func manyMessagesHaveOneAnswer() async throws {
    try await play { alice, bob in
      let chat = "@\(try await contact(alice))"
      let sent = try await alice.run(send(Self.eight, to: chat))
      #expect(texts(sent) == Self.eight)
      for text in Self.eight { #expect(try await bob.message() == text) }
      let forwarded = try await alice.run("/_forward *1 \(chat) \(ids(sent))")
      #expect(texts(forwarded) == Self.eight)
      let deleted = try await alice.run("/_delete item \(chat) \(ids(sent)) broadcast")
      #expect(texts(deleted, "chatItemDeletions") == Self.eight)
      for text in Self.eight {
        _ = try await bob.event("chatItemsDeleted") { texts($0, "chatItemDeletions").contains(text) }
      }
    }
  }

  /// Whether all of them may be deleted is known before the first is.
  @Test func nothingIsDeletedWhereOneMayNotBe() async throws {
    try await play { alice, bob in
      let chat = "@\(try await contact(alice))"
      let sent = try await alice.run(send(Self.eight, to: chat))
      _ = try await bob.run("@alice from bob")
      let received = ids(try await alice.event("newChatItems"))
      let answer = try await alice.answer("/_delete item \(chat) \(ids(sent)),\(received) broadcast")
      #expect(answer["errorType"]?["type"]?.stringValue == "invalidChatItemDelete")
      let left = try await alice.run("/_get chat \(chat) count=9")["chat"]?["chatItems"]?.arrayValue ?? []
      #expect(left.count == 9 && left.allSatisfy { $0["meta"]?.lacks("itemDeleted") == true })
    }
  }

  /// What cannot be sent is found before anything is, whichever message it is.
  @Test(arguments: [
    ("large", "@"), ("file", "@"), ("empty", "@"), ("quote", "@"), ("file", "#"), ("quote", "#"),
    ("mention", "#"), ("file", "*"),
  ]) func nothingIsSentWhereOneCannotBe(_ problem: String, _ kind: String) async throws {
    try await play { alice, bob in
      _ = try await alice.run("/g team")
      let chat = kind == "@" ? "@\(try await contact(alice))" : "\(kind)1"
      let empty = FileManager.default.temporaryDirectory.appending(path: "empty-\(UUID().uuidString)").path
      try Data().write(to: URL(filePath: empty))
      defer { try? FileManager.default.removeItem(atPath: empty) }
      // More than one message can have, however it is compressed.
      let large = Data((0..<30_000).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
      func message(_ text: String, _ rest: String = "", mentions: String = "") -> String {
        #"{\#(rest)"msgContent":{"type":"text","text":"\#(text)"},"mentions":{\#(mentions)}}"#
      }
      let bad =
        switch problem {
        case "large": message(large)
        case "file": message("bad", #""fileSource":{"filePath":"/nowhere/file"},"#)
        case "empty": message("bad", #""fileSource":{"filePath":"\#(empty)"},"#)
        case "quote": message("bad", #""quotedItemId":12345,"#)
        default: message("hello @cath", mentions: #""cath":12345"#)
        }
      var messages = Self.eight.map { message($0) }
      messages[6] = bad
      let command = kind == "*" ? "/_create *1" : "/_send \(chat)"
      let answer = try await alice.answer("\(command) json [\(messages.joined(separator: ","))]")
      #expect(answer["type"]?.stringValue?.hasPrefix("error") == true, "\(answer.jsonText())")
      #expect(try await alice.rows("SELECT text FROM items WHERE text GLOB 'message [0-9]'") == [])
      _ = try await alice.run("@bob afterwards")
      #expect(try await bob.message() == "afterwards")
    }
  }

  /// The same of messages that are forwarded: notes may be longer than what can be sent.
  @Test func nothingIsForwardedWhereOneCannotBe() async throws {
    try await play { alice, bob in
      let chat = "@\(try await contact(alice))"
      let large = Data((0..<30_000).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
      let texts = Self.eight.prefix(6) + [large]
      let notes = texts.map { #"{"msgContent":{"type":"text","text":"\#($0)"}}"# }
      let noted = try await alice.run("/_create *1 json [\(notes.joined(separator: ","))]")
      let answer = try await alice.answer("/_forward \(chat) *1 \(ids(noted))")
      #expect(answer["storeError"]?["type"]?.stringValue == "largeMsg")
      #expect(try await alice.rows("SELECT 1 FROM items WHERE sent = 1 AND forwarded IS NOT NULL") == [])
      _ = try await alice.run("@bob afterwards")
      #expect(try await bob.message() == "afterwards")
    }
  }

  /// A turn that fails undoes nothing of those before it: the answer has what was sent, and an event the error.
  @Test(arguments: [2, 5]) func whatWasSentStays(_ lost: Int) async throws {
    try await play { alice, bob in
      let chat = "@\(try await contact(alice))"
      _ = try await alice.run(
        """
        /sql chat CREATE TRIGGER refused BEFORE INSERT ON items WHEN NEW.text = 'message \(lost)' \
        AND (\(lost) < 4 OR EXISTS (SELECT 1 FROM items WHERE text = 'message 3')) BEGIN SELECT RAISE(ABORT, 'refused'); END
        """)
      let answer = try await alice.answer(send(Self.eight, to: chat))
      let sent = lost < 4 ? [] : Array(Self.eight.prefix(3))
      #expect(texts(answer) == sent)
      if sent.isEmpty {
        #expect(answer["type"]?.stringValue == "errorStore")
      } else {
        _ = try await alice.event("errorStore")
      }
      for text in sent { #expect(try await bob.message() == text) }
      _ = try await alice.run("@bob afterwards")
      #expect(try await bob.message() == "afterwards")
    }
  }

  /// What is checked of several messages together is checked of all of them.
  @Test func quotesAreCountedInAll() async throws {
    try await play { alice, _ in
      let chat = "@\(try await contact(alice))"
      let first = ids(try await alice.run(send(["first"], to: chat)))
      func message(_ text: String, quotes: Bool) -> String {
        let quote = quotes ? #""quotedItemId":\#(first),"# : ""
        return #"{\#(quote)"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}"#
      }
      let messages = (1...6).map { message("\($0)", quotes: $0 % 5 == 1) }
      let answer = try await alice.answer("/_send \(chat) json [\(messages.joined(separator: ","))]")
      #expect(
        answer["errorType"]?["message"]?.stringValue
          == "invalid multi send: live and more than one quote not supported")
      #expect(try await alice.run("/sql chat SELECT 1 FROM items WHERE text = '1'")["rows"] == [])
    }
  }

  /// The same with messages of members, which their owner deletes.
  @Test func manyMessagesAreModerated() async throws {
    try await play { alice, bob in
      _ = try await alice.run("/g team")
      _ = try await alice.run("/a team bob")
      _ = try await bob.event("receivedGroupInvitation")
      _ = try await bob.run("/j team")
      _ = try await bob.event("userJoinedGroup")
      _ = try await alice.event("joinedGroupMember")
      _ = try await bob.run(send(Self.eight, to: "#1"))
      for text in Self.eight { #expect(try await alice.message() == text) }
      let found = try await alice.run(
        "/sql chat SELECT item_id FROM items WHERE text GLOB 'message [0-9]' ORDER BY item_id")
      let ids = (found["rows"]?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: ",")
      let deleted = try await alice.run("/_delete member item #1 \(ids)")
      #expect(texts(deleted, "chatItemDeletions") == Self.eight)
      for text in Self.eight {
        _ = try await bob.event("chatItemsDeleted") { texts($0, "chatItemDeletions").contains(text) }
      }
    }
  }
}
