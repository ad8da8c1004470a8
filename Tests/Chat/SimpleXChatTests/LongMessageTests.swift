import ChatAPI
import ChatProtocol
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// Texts that fit into a message alone, with what comes with them.
@Suite struct LongMessageTests {
  /// A text that leaves so many bytes of a message. Its characters are random, so it cannot be compressed by much.
  private func longText(leaving rest: Int = 0) -> String {
    let empty = ChatMessage(
      msgId: SharedMsgId(random: [UInt8](repeating: 7, count: 12)), event: .msgNew(MsgContainer(content: .text(""))))
    let count = ChatMessageSize.encodedMessage - empty.jsonBytes().count - rest
    let text = Data((0..<count).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
    return String(text.prefix(count))
  }

  private func item(_ answer: JSONValue) -> JSONValue? { answer["chatItems"]?[0]?["chatItem"] }

  private func received(_ core: TestCore, _ text: String) async throws -> JSONValue? {
    item(
      try await core.event("newChatItems") {
        item($0)?["content"]?["type"]?.stringValue == "rcvMsgContent"
          && item($0)?["meta"]?["itemText"]?.stringValue == text
      })
  }

  private func composed(_ text: String, _ members: String = "") -> String {
    #"{\#(members)"msgContent":{"type":"text","text":"\#(text)"},"mentions":{}}"#
  }

  /// Quotes a long message in longer and longer answers.
  @Test(arguments: ["@", "#"], [4_000, 300, 140, 20, 0])
  func theQuoteOfALongMessageIsShortened(_ kind: String, _ rest: Int) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      if kind == "#" { try await world.makeTeam(alice, bob) }
      let chat = kind == "#" ? "#1" : "@\(try await alice.rows("SELECT max(contact_id) FROM contacts")?.first ?? "")"
      let question = longText(leaving: 200)
      let asked = item(try await alice.run("/_send \(chat) text \(question)"))
      _ = try await received(bob, question)
      let id = asked?["meta"]?["itemId"]?.integerValue ?? 0
      let answer = longText(leaving: rest)
      let answered = item(
        try await alice.run("/_send \(chat) json [\(composed(answer, #""quotedItemId":\#(id),"#))]"))
      let quote = try await received(bob, answer)?["quotedItem"]
      let text = quote?["content"]?["text"]?.stringValue
      if rest >= 300 {
        #expect(text?.last == "…" && question.hasPrefix(text?.dropLast() ?? "-"), "\(text?.count ?? 0)")
        if rest == 4_000 { #expect(text?.count ?? 0 > 3_500) }
      } else {
        #expect(quote == nil)
      }
      #expect(answered?["quotedItem"]?["content"] == quote?["content"])
    }
  }

  /// A text of any length is forwarded, and is edited to one that can be edited alone.
  @Test func forwardingAndEditing() async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await world.makeTeam(alice, bob)
      let text = longText()
      let sent = item(try await alice.run("/_send #1 text \(text)"))?["meta"]?["itemId"]?.integerValue ?? 0
      _ = try await received(bob, text)
      let forwarded = try await alice.run("/_forward #1 #1 \(sent)")
      #expect(item(forwarded)?["meta"]?["itemForwarded"] != nil)
      _ = try await received(bob, text)

      let bobs = try await alice.rows("SELECT member_id FROM members WHERE local_display_name = 'bob'")
      let bobId = bobs?.first ?? ""
      let edited = "@bob " + longText(leaving: 60)
      _ = try await alice.run(
        #"/_update item #1 \#(sent) json {"msgContent":{"type":"text","text":"\#(edited)"},"mentions":{"bob":\#(bobId)}}"#
      )
      let update = try await bob.event("chatItemUpdated") {
        $0["chatItem"]?["chatItem"]?["meta"]?["itemText"]?.stringValue == edited
      }
      #expect(update["chatItem"]?["chatItem"]?["mentions"]?["bob"] == nil)
    }
  }

  /// The announcement of a file has a shorter name, or follows the text in a message of its own.
  @Test(arguments: ["@", "#"], [300, 10]) func filesWithLongTexts(_ kind: String, _ rest: Int) async throws {
    try await TestWorld.with(network: try MemoryNetwork(), files: true) { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      if kind == "#" { try await world.makeTeam(alice, bob) }
      let chat = kind == "#" ? "#1" : "@\(try await alice.rows("SELECT max(contact_id) FROM contacts")?.first ?? "")"
      let path = world.folder.appending(path: String(repeating: "name ", count: 40) + ".pdf").path
      try Data("content".utf8).write(to: URL(filePath: path))
      let text = longText(leaving: rest)
      let file = #"{"fileSource":{"filePath":"\#(path)"},"msgContent":{"type":"file","text":"\#(text)"},"mentions":{}}"#
      let sent = try await alice.run("/_send \(chat) json [\(file)]")
      #expect(sent["chatItems"]?.arrayValue?.count == (rest == 10 ? 2 : 1))
      let message = try await received(bob, text)
      let announced = rest == 10 ? try await received(bob, "") : message
      let name = announced?["file"]?["fileName"]?.stringValue ?? ""
      #expect(name.hasPrefix("name name") && name.hasSuffix(".pdf"), "\(name)")
      #expect(name.contains("…") == (rest != 10))
    }
  }

  /// A text that compression makes hardly any shorter.
  private func incompressibleText(_ count: Int) -> String {
    var text = ""
    while text.utf8.count < count {
      let range: ClosedRange<UInt32> = Bool.random() ? 0x5d...0x7e : Bool.random() ? 0x23...0x5b : 0xa1...0x7ff
      text.unicodeScalars.append(Unicode.Scalar(UInt32.random(in: range)) ?? "-")
    }
    return text
  }

  /// Messages over post-quantum ratchets, which have less room: a quote is shortened, and several messages that fit
  /// only one by one are sent so.
  @Test(arguments: ["@", "#"]) func postQuantum(_ kind: String) async throws {
    try await TestWorld.with(network: try MemoryNetwork()) { world in
      let (alice, bob) = (try await world.profile("alice"), try await world.profile("bob"))
      var chat = "#1"
      if kind == "#" {
        _ = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""}"#)
        let created = try await alice.run("/_create link #1 member")
        let link = created["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
        _ = try await bob.run("/_connect 1 \(link)")
        _ = try await alice.event("joinedGroupMember")
        _ = try await bob.event("userJoinedGroup")
      } else {
        try await world.connect(alice, bob)
        chat = "@\(try await alice.rows("SELECT max(contact_id) FROM contacts")?.first ?? "")"
      }
      let texts = (0..<2).map { _ in incompressibleText(7_500) }
      let sent = try await alice.run("/_send \(chat) json [\(texts.map { composed($0) }.joined(separator: ","))]")
      for text in texts { _ = try await received(bob, text) }
      let answer = incompressibleText(12_000)
      let id = item(sent)?["meta"]?["itemId"]?.integerValue ?? 0
      _ = try await alice.run("/_send \(chat) json [\(composed(answer, #""quotedItemId":\#(id),"#))]")
      let quote = try await received(bob, answer)?["quotedItem"]?["content"]?["text"]?.stringValue
      #expect(quote?.last == "…" && texts[0].hasPrefix(quote?.dropLast() ?? "-"), "\(quote?.count ?? 0)")
    }
  }
}
