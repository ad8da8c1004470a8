import ChatAPI
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// What peers send is stored, reported or ignored, and the connection continues to work.
@Suite struct HostilePeerTests {
  private static let deep = String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)
  private static let deepObject =
    String(repeating: #"{"a":"#, count: 2_000) + "1" + String(repeating: "}", count: 2_000)
  private static let long = String(repeating: "long ", count: 2_500)

  /// Bodies that are no messages of the protocol, or not what they should be.
  static let bodies: [[UInt8]] = {
    var bodies = texts.split(separator: "\n").map { line in Array(line.replacing("LONG", with: long).utf8) }
    bodies += [deep, deepObject].map { Array($0.utf8) }
    bodies += binary
    let start = Array(#"{"v":"1","event":"x.msg.new","params":{"content":{"type":"text","text":""#.utf8)
    bodies.append(start + [0xc3, 0x28] + Array(#""}}}"#.utf8))
    bodies.append(Array("F1234".utf8) + [UInt8](repeating: 0, count: 200))
    return bodies
  }()

  private static let binary: [[UInt8]] = [
    [], [0], [0xff, 0xfe, 0xfd],
    // Compressed: nothing, nonsense, and what claims to be huge.
    [0x58], [0x58, 0x01], [0x58, 0x01, 0x30, 0x00, 0x04, 1, 2, 3, 4],
    [0x58, 0x01, 0x31, 0x00, 0x0d, 0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00, 0x00, 0x00],
    // Batches: of nothing, of more than there is.
    [0x3d], [0x3d, 0x00], [0x3d, 0xff, 0x00, 0x01], [0x3d, 0x02, 0xff, 0xff, 0x7b, 0x7d],
  ]

  private static let texts = #"""
    nonsense
    null
    true
    0
    "text"
    {
    }
    {}
    []
    [[],[[]],{}]
    [1,2,3]
    F
    {"v":"1-16"}
    {"event":"x.msg.new"}
    {"v":"1-16","event":"x.msg.new"}
    {"v":"1-16","event":"x.msg.new","params":{}}
    {"v":"1-16","event":"x.msg.new","params":[]}
    {"v":"1-16","event":"x.msg.new","params":{"content":null}}
    {"v":"1-16","event":"x.msg.new","params":{"content":{"type":"text"}}}
    {"v":"1-16","event":"x.msg.new","params":{"content":{"type":"text","text":7}}}
    {"v":"1-16","event":"x.msg.new","params":{"content":{"type":"never heard of"}}}
    {"v":"1-16","event":"x.msg.new","params":{"content":{"type":"never heard of","text":"but it has a text"}}}
    {"v":"9-1","event":"x.msg.new","params":{"content":{"type":"text","text":"versions"}}}
    {"v":"99999999999","event":"x.msg.new","params":{"content":{"type":"text","text":"versions"}}}
    {"v":"1-16","msgId":"!!!","event":"x.msg.new","params":{"content":{"type":"text","text":"a name that is none"}}}
    {"v":"1-16","msgId":"AAAA","event":"x.msg.new","params":{"content":{"type":"text","text":"x"},"ttl":-1}}
    {"v":"1-16","msgId":"AAAB","event":"x.msg.new","params":{"content":{"type":"text","text":"x"},"ttl":9223372036854775807}}
    {"v":"1-16","msgId":"AAAC","event":"x.msg.new","params":{"content":{"type":"voice","text":"","duration":-9223372036854775808}}}
    {"v":"1-16","msgId":"AAAD","event":"x.msg.new","params":{"content":{"type":"text","text":"q"},"quote":{"msgRef":{"sentAt":"9999-99-99T99:99:99Z","sent":true},"content":{"type":"text","text":"x"}}}}
    {"v":"1-16","msgId":"AAAE","event":"x.msg.new","params":{"content":{"type":"text","text":"q"},"quote":{"msgRef":{"msgId":"AAAA","sentAt":"0001-01-01T00:00:00Z","sent":false},"content":{"type":"image","text":"","image":"x"}}}}
    {"v":"1-16","msgId":"AAAF","event":"x.msg.new","params":{"content":{"type":"text","text":"files"},"file":{"fileName":"../../etc/passwd","fileSize":-5}}}
    {"v":"1-16","msgId":"AAAG","event":"x.msg.new","params":{"content":{"type":"link","text":"javascript:alert(1)","preview":{"uri":"javascript:alert(1)","title":"","description":"","image":"data:text/html,x"}}}}
    {"v":"1-16","msgId":"AAAH","event":"x.msg.new","params":{"content":{"type":"text","text":"\u0000\u202e\u200b"}}}
    {"v":"1-16","msgId":"AAAI","event":"x.msg.new","params":{"content":{"type":"text","text":"LONG"}}}
    {"v":"1-16","msgId":"AAAJ","event":"x.msg.new","params":{"content":{"type":"text","text":"\ud800 half a pair"}}}
    {"v":"1-16","event":"x.msg.update","params":{"msgId":"AAAA"}}
    {"v":"1-16","event":"x.msg.update","params":{"msgId":"BBBB","content":{"type":"text","text":"of nothing"}}}
    {"v":"1-16","event":"x.msg.del","params":{"msgId":"CCCC"}}
    {"v":"1-16","event":"x.msg.del","params":{}}
    {"v":"1-16","event":"x.msg.react","params":{"msgId":"CCCC","reaction":{"type":"emoji","emoji":"not one"},"add":true}}
    {"v":"1-16","event":"x.msg.react","params":{"msgId":"CCCC","reaction":{"type":"emoji","emoji":"👍"},"add":true}}
    {"v":"1-16","event":"x.msg.file.descr","params":{"msgId":"AAAA","fileDescr":{"fileDescrText":"x","fileDescrPartNo":-1,"fileDescrComplete":true}}}
    {"v":"1-16","event":"x.file.cancel","params":{"msgId":"AAAA"}}
    {"v":"1-16","event":"x.file.acpt","params":{"fileName":"x"}}
    {"v":"1-16","event":"x.info","params":{"profile":{}}}
    {"v":"1-16","event":"x.info","params":{}}
    {"v":"1-16","event":"x.info","params":{"profile":{"displayName":"","fullName":""}}}
    {"v":"1-16","event":"x.info","params":{"profile":{"displayName":"@#\n\u202e'x","fullName":"LONG"}}}
    {"v":"1-16","event":"x.info","params":{"profile":{"displayName":"mallory","fullName":"","contactLink":"javascript:alert(1)","preferences":{"voice":{"allow":"sometimes"}}}}}
    {"v":"1-16","event":"x.info.probe","params":{"probe":"AAAA"}}
    {"v":"1-16","event":"x.info.probe.check","params":{"probeHash":"AAAA"}}
    {"v":"1-16","event":"x.contact","params":{"profile":{"displayName":"again","fullName":""}}}
    {"v":"1-16","event":"x.grp.inv","params":{"groupInvitation":{}}}
    {"v":"1-16","event":"x.grp.mem.new","params":{"memberInfo":{}}}
    {"v":"1-16","event":"x.grp.del","params":{}}
    {"v":"1-16","event":"x.call.inv","params":{"callId":"AAAA","invitation":{"callType":{"media":"video","capabilities":{"encryption":true}}}}}
    {"v":"1-16","event":"x.call.end","params":{"callId":"AAAA"}}
    {"v":"1-16","event":"x.ok","params":{}}
    {"v":"1-16","event":"x.never.heard.of","params":{"any":["thing"]}}
    {"v":"1-16","event":"y","params":{}}
    {"v":"1-16","event":7,"params":{}}
    [{"v":"1-16","event":"x.msg.new","params":{"content":{"type":"text","text":"in a batch"}}},7,{"v":"1-16"}]
    """#

  @Test func theConnectionGoesOn() async throws {
    try await HostileContact.play { contact in
      let (alice, mallory) = (contact.alice, contact.mallory)
      for (index, body) in Self.bodies.enumerated() {
        try await mallory.send(body)
        if index % 8 == 7 { try await stillThere(alice, mallory, index) }
      }
      try await stillThere(alice, mallory, Self.bodies.count)

      // What came can be read again, also after a restart.
      let again = try await contact.world.restart("alice")
      for command in [
        "/_get chats 1", "/_get chat @2 count=1000", "/_contacts 1", "/_info @2", "/_get items count=1000",
      ] {
        _ = try await again.run(command)
      }
      try await mallory.send(HostilePeer.message("after the restart", id: 1_000))
      _ = try await again.event("newChatItems") { Self.text(of: $0) == "after the restart" }
    }
  }

  /// What this version does not understand is kept for a later one, and no receipt is sent for it.
  @Test func unknownEventsAreKept() async throws {
    try await HostileContact.play { contact in
      let (alice, mallory) = (contact.alice, contact.mallory)
      let event = #"{"v":"1-16","event":"x.future","params":{"id":"AAAA"}}"#
      let unknown = try await mallory.sendNumbered(event)
      _ = try await alice.event("messageError")
      let known = try await mallory.sendNumbered(HostilePeer.message("hello", id: 1))
      // Receipts come in the order of the messages.
      #expect(try await !mallory.receipts(through: known).contains(unknown))
      let kept = try await alice.run("/sql chat SELECT tag, item_id IS NULL, CAST(body AS TEXT) FROM kept_messages")
      let rows = kept["rows"]?.arrayValue?.compactMap(\.stringValue) ?? []
      #expect(rows.contains { $0.contains("x.future") && $0.contains("|1|") })
    }
  }

  private func stillThere(_ alice: TestCore, _ mallory: HostilePeer, _ index: Int) async throws {
    try await mallory.send(HostilePeer.message("still there \(index)", id: UInt64(index)))
    _ = try await alice.event("newChatItems") { Self.text(of: $0) == "still there \(index)" }
  }

  private static func text(of event: JSONValue) -> String? {
    event["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue
  }

  /// Who joins an invitation with nonsense is refused with an error that says so; others can be invited after that.
  @Test(arguments: ["", "nonsense", "{}", #"{"v":"1-16","event":"x.info","params":{}}"#, deep])
  func nonsenseDoesNotConnect(_ info: String) async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let mallory = try await HostilePeer(in: world)
      try await mallory.join(try await HostileContact.invitation(of: alice), info: Array(info.utf8))
      let error = try await alice.event("error")
      #expect(error["errorType"]?["type"]?.stringValue == "invalidChatMessage")
      #expect(try await alice.run("/_contacts 1")["contacts"]?.arrayValue?.isEmpty == true)
      try await world.connect(alice, try await world.profile("bob"))
      await mallory.close()
    }
  }

  /// Names that would deceive, or break what shows them, are made harmless; two contacts with one name get different
  /// local names.
  @Test func namesAreMadeHarmless() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice")
      let address = try await alice.run("/_address 1")
      let link = address["connLinkContact"]?["connFullLink"]?.stringValue ?? ""
      let names = [
        "@admin", "#group 'x'", "a\u{202e}b\nc", "alice", "alice", "", "   ", String(repeating: "w", count: 3_000),
      ]
      var seen: Set<String> = []
      for (index, name) in names.enumerated() {
        let mallory = try await HostilePeer(in: world, "mallory\(index)")
        try await mallory.join(link, info: HostilePeer.info(name))
        let event = try await alice.event("receivedContactRequest")
        let local = event["contactRequest"]?["localDisplayName"]?.stringValue ?? ""
        #expect(DisplayName.isValid(event["contactRequest"]?["profile"]?["displayName"]?.stringValue ?? ""))
        #expect(!local.isEmpty && !local.contains("\n") && seen.insert(local).inserted)
        await mallory.close()
      }
      #expect(try await alice.run("/_get chats 1")["chats"]?.arrayValue?.count == names.count + 1)
    }
  }
}
