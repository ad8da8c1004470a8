import SimplexJSON
import SimplexTesting
import Testing

/// A client of the WebSocket API that asks for the messages that nobody took.
@Suite struct UnreadMessagesTests {
  /// A bot that ends, or whose chat core is killed, before it handles a message gets it when it connects again, until
  /// it marks the message as read.
  @Test func aBotGetsWhatItDidNotTakeBeforeARestart() async throws {
    try await ProgramWorld.with { world in
      var bot = try await world.scenarioProfile("bot")
      let alice = try await world.scenarioProfile("alice")
      let link = try await bot.answer("/_connect 1", is: "invitation")["connLinkInvitation"]?["connShortLink"]
      _ = try await alice.answer("/connect \(link?.stringValue ?? "")", is: "sentConfirmation")
      _ = try await alice.events.first("contactConnected")
      let contact = try await bot.events.first("contactConnected")["contact"]?["contactId"]?.integerValue
      let chat = "@\(try #require(contact))"
      for text in ["one", "two"] {
        _ = try await alice.answer("@bot \(text)", is: "newChatItems")
        _ = try await bot.events.first("newChatItems") { Self.texts($0) == [text] }
      }

      bot = try await world.kill("bot", [])
      let first = try await UnreadReader(bot.port)
      let unread = try await first.messages(2)
      #expect(unread.map(\.text) == ["one", "two"])
      try await first.markAsRead(unread[0], in: chat)
      await first.close()

      let second = try await UnreadReader(bot.port)
      #expect(try await second.messages(1).map(\.text) == ["two"])
      _ = try await alice.answer("@bot three", is: "newChatItems")
      // Once: as an event, which the database does not repeat.
      #expect(try await second.messages(1).map(\.text) == ["three"])
      _ = try await alice.answer("@bot four", is: "newChatItems")
      let last = try await second.messages(1)
      #expect(last.map(\.text) == ["four"])
      await second.close()

      let third = try await UnreadReader(bot.port)
      #expect(try await third.messages(3).map(\.text) == ["two", "three", "four"])
      for message in last { try await third.markAsRead(message, in: chat) }
      await third.close()
      // A client that does not ask gets new messages only.
      let plain = try await UnreadReader(bot.port, target: "/")
      try await plain.waitForAnswer()
      _ = try await alice.answer("@bot five", is: "newChatItems")
      #expect(try await plain.messages(1).map(\.text) == ["five"])
      await plain.close()
    }
  }

  static func texts(_ event: JSONValue) -> [String] { UnreadReader.messages(event).map(\.text) }
}

/// A client that reads messages.
private final class UnreadReader {
  struct Message {
    let item: Int64
    let text: String
  }

  private let client: WebSocketClient
  private var waiting: [Message] = []

  init(_ port: Int, target: String = "/?unread=on") async throws {
    client = try await WebSocketClient.connect(port: port, target: target)
  }

  /// The next messages, in the order in which they come.
  func messages(_ count: Int) async throws -> [Message] {
    while waiting.count < count {
      let text = try #require(try await client.next(within: .seconds(20)), "only \(waiting) came")
      let event = try #require(try JSONValue(jsonText: text)["resp"])
      if event["type"]?.stringValue == "newChatItems" { waiting += Self.messages(event) }
    }
    defer { waiting.removeFirst(count) }
    return Array(waiting.prefix(count))
  }

  func markAsRead(_ message: Message, in chat: String) async throws {
    let answer = try await answer(to: "/_read chat items \(chat) \(message.item)")
    #expect(answer["type"]?.stringValue == "itemsReadForChat", "\(answer.jsonText())")
  }

  /// Waits until the program has answered: an event before that may have gone to the client of before.
  func waitForAnswer() async throws { _ = try await answer(to: "/user") }

  private func answer(to command: String) async throws -> JSONValue {
    try await client.send("{\"corrId\":\"1\",\"cmd\":\"\(command)\"}")
    while true {
      let text = try #require(try await client.next(within: .seconds(20)))
      let answer = try JSONValue(jsonText: text)
      if answer["corrId"] != nil { return try #require(answer["resp"], "\(text)") }
    }
  }

  func close() async { await client.close() }

  static func messages(_ event: JSONValue) -> [Message] {
    (event["chatItems"]?.arrayValue ?? []).compactMap { entry in
      guard let item = entry["chatItem"], item["content"]?["type"]?.stringValue == "rcvMsgContent",
        let id = item["meta"]?["itemId"]?.integerValue, let text = item["meta"]?["itemText"]?.stringValue
      else { return nil }
      return Message(item: id, text: text)
    }
  }
}
