import SimplexJSON
import SimplexTesting
import Testing

/// Content of messages of a type that this version does not know.
@Suite struct UnknownContentTests {
  private static let poll = #"{"type":"poll","question":"when?"}"#
  private static let withText = #"{"type":"poll","question":"when?","text":"a poll"}"#

  private func content(_ answer: JSONValue) -> JSONValue? {
    (answer["chatItems"]?[0] ?? answer["chatItem"])?["chatItem"]?["content"]?["msgContent"]
  }

  /// It is sent if others have a text to show; else a program of the recipient may fail.
  @Test func itNeedsAText() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let contact = try await alice.rows("SELECT max(contact_id) FROM contacts")?.first ?? ""
      let item = try await alice.run("/_send @\(contact) text hello")["chatItems"]?[0]?["chatItem"]
      _ = try await bob.message()
      let id = item?["meta"]?["itemId"]?.integerValue ?? 0
      let settings = #"{"businessAddress":false,"autoAccept":{"acceptIncognito":false},"autoReply":\#(Self.poll)}"#
      _ = try await alice.run("/_address 1")
      for command in [
        #"/_send @\#(contact) json [{"msgContent":\#(Self.poll),"mentions":{}}]"#,
        #"/_create *1 json [{"msgContent":\#(Self.poll),"mentions":{}}]"#,
        #"/_update item @\#(contact) \#(id) json {"msgContent":\#(Self.poll),"mentions":{}}"#,
        "/_address_settings 1 \(settings)",
      ] {
        let answer = try await alice.answer(command)
        #expect(answer["errorType"]?["message"]?.stringValue == #"msgContent of the unknown type "poll" has no text"#)
      }
      let sent = try await alice.run(#"/_send @\#(contact) json [{"msgContent":\#(Self.withText),"mentions":{}}]"#)
      #expect(content(sent)?["question"]?.stringValue == "when?")
      let received = content(
        try await bob.event("newChatItems") { content($0)?["type"]?.stringValue == "poll" })
      #expect(received?["question"]?.stringValue == "when?" && received?["text"]?.stringValue == "a poll")
    }
  }

  /// What a peer sends without a text has one for programs that expect it.
  @Test func whatIsReceivedHasAText() async throws {
    try await HostileContact.play { story in
      let (alice, mallory) = (story.alice, story.mallory)
      for (id, rest) in [("Zmlyc3Q=", ""), ("c2Vjb25k", #","text":null"#)] {
        let poll = #"{"type":"poll","question":"when?"\#(rest)}"#
        try await mallory.send(
          Array(#"{"v":"1-16","msgId":"\#(id)","event":"x.msg.new","params":{"content":\#(poll)}}"#.utf8))
        let received = try await alice.event("newChatItems") { content($0)?["type"]?.stringValue == "poll" }
        #expect(content(received)?["text"]?.stringValue == "unknown message type")
        #expect(content(received)?["question"]?.stringValue == "when?")
      }
    }
  }
}
