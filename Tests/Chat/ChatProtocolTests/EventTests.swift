import ChatAPI
import ChatProtocol
import SimplexCrypto
import SimplexJSON
import SimplexTesting
import Testing
import WireCodec

@Suite("Chat messages")
struct EventTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let input: String
    let expected: Expected
    var testDescription: String { String(input.prefix(90)) }

    static let newer = GoldenMessages.newer["events"]?.arrayValue ?? []
    static let all = (GoldenMessages.list("events") + newer).compactMap { value -> Case? in
      guard let input = value["input"]?.stringValue, let expected = value.results.first else { return nil }
      return Case(input: input, expected: expected)
    }
  }

  @Test(arguments: Case.all)
  func sameAsTheReference(golden: Case) throws {
    let elements = MessageBody.parse(Array(golden.input.utf8))
    #expect(elements.count == 1)
    guard let encoded = golden.expected.encoded else {
      #expect(elements.first?.value == nil)
      return
    }
    let element = try #require(elements.first).get()
    #expect(try jsonValue(element) == encoded)
    #expect(try MessageElement(decoding: element.encoded()) == element)
  }

  @Test func everyKnownTagIsTried() throws {
    var tags: Set<String> = []
    for golden in Case.all where golden.expected.encoded != nil {
      guard case .message(let message) = try MessageElement(decoding: Array(golden.input.utf8)).content else {
        continue
      }
      if case .unknown = message.event { continue }
      tags.insert(message.event.tag)
    }
    #expect(tags.count == 54)
  }

  @Test func newEventsAreTreatedAsTheReferenceTreatsThem() throws {
    #expect(Case.newer.count == 37)
    for golden in Case.newer {
      guard let isSigned = golden["signed"], let text = golden["input"]?.stringValue else { continue }
      let event = try ChatMessage(jsonText: text).event
      #expect(.bool(event.requiresSignature) == isSigned, "\(text)")
      #expect(.bool(event.isForwarded) == golden["forwarded"], "\(text)")
      #expect(.bool(event.hasNotification) == golden["notification"], "\(text)")
    }
  }

  @Test func rosters() throws {
    let key = try Ed25519.PublicKey.textCodec.decode(
      text: "MCowBQYDK2VwAyEAQSle3TCl7B7zdXcAzJApAXeLY--IWtnVDYal9Fa2F5A=")
    let members = [
      RosterMember(memberId: MemberId([1, 2, 3, 4]), key: key, role: .moderator),
      RosterMember(
        memberId: MemberId([UInt8](repeating: 0x6D, count: 16)), key: key, role: .unknown(type: "captain"),
        privileges: 513),
    ]
    let golden = GoldenMessages.newer["rosters"]?.arrayValue ?? []
    #expect(golden.count == 3)
    for (count, golden) in golden.enumerated() {
      let list = Array(members.prefix(count))
      let bytes = try #require(golden["hex"]).bytes
      #expect(try RosterMember.listCodec.encode(list) == bytes)
      #expect(try RosterMember.listCodec.decode(bytes) == list)
      #expect(throws: WireError.self) { try RosterMember.listCodec.decode(bytes + [0]) }
    }
    let long = [RosterMember](repeating: members[0], count: RosterMember.limit)
    let bytes = try RosterMember.listCodec.encode(long)
    #expect(try RosterMember.listCodec.decode(bytes) == long)
    #expect(throws: WireError.self) { try RosterMember.listCodec.encode(long + [members[0]]) }
    #expect(throws: WireError.self) {
      try RosterMember.listCodec.decode([1, 1] + bytes.dropFirst(2) + bytes.dropFirst(2).prefix(bytes.count / 256))
    }
  }

  @Test func unknownEventsAreKept() throws {
    let text = #"{"v":"1-99","msgId":"AQID","event":"x.grp.new.thing","params":{"b":[1.50,null],"a":{"x":"y"}}}"#
    let message = try ChatMessage(jsonText: text)
    #expect(message.event.tag == "x.grp.new.thing")
    #expect(message.chatVRange == ChatVersionRange(1...99))
    #expect(message.jsonText() == text)
    #expect(!message.event.hasNotification && !message.event.isForwarded)
  }

  @Test(arguments: [
    #"{"event":"x.ok","params":[]}"#, #"{"event":"x.ok","params":null}"#, #"{"event":"F","params":{}}"#,
    #"{"event":"","params":{}}"#, #"{"v":"a","event":"x.ok","params":{}}"#, #"{"v":1,"event":"x.ok","params":{}}"#,
    #"{"msgId":"","event":"x.ok","params":{}}"#, #"{"event":"x.grp.mem.con","params":{"memberId":"="}}"#,
    #"{"event":"x.grp.direct.inv","params":{"connReq":"simplex:/contact#/?v=1"}}"#,
    #"{"event":"x.msg.new","params":{"content":{"type":"text","text":"a"},"ttl":1.5}}"#,
    #"{"event":"x.call.inv","params":{"callId":"AQ","invitation":{"callType":{"media":"audio","capabilities":{"encryption":true}},"callDhPubKey":"AQ"}}}"#,
  ])
  func refused(text: String) {
    #expect(throws: JSONError.self) { try ChatMessage(jsonText: text) }
  }

  @Test func anythingButTrueKeepsAMembersMessages() throws {
    let text = #"{"event":"x.grp.mem.del","params":{"memberId":"AQ","messages":"yes"}}"#
    #expect(try ChatMessage(jsonText: text).event == .grpMemDel(memberId: MemberId([1])))
  }

  @Test func timesKeepNanoseconds() throws {
    let text =
      #"{"v":"1","event":"x.msg.new","params":{"content":{"type":"text","text":"a"},"parent":{"sentAt":"1970-01-01T00:00:01.000000001Z","sent":true}}}"#
    #expect(try ChatMessage(jsonText: text).jsonText() == text)
  }

  @Test func inlineFilesAreNotForwarded() {
    let file = FileInvitation(fileName: "a", fileSize: 1, fileInline: .sent)
    #expect(ChatMessageEvent.msgNew(MsgContainer(content: .text("a"))).isForwarded)
    #expect(!ChatMessageEvent.msgNew(MsgContainer(content: .file("a"), file: file)).isForwarded)
  }

  /// As of the reference: standard base64 as text, and that in base64url.
  @Test func newIdentifiersAreBase64Twice() throws {
    let random: [UInt8] = [0xFB, 0xFF, 0xBF, 0xFB, 0xFF, 0xBF, 1, 2, 3, 4, 5, 6]
    let id = SharedMsgId(random: random)
    #expect(id.bytes == Array("+/+/+/+/AQIDBAUG".utf8))
    #expect(id.text == "Ky8rLysvKy9BUUlEQkFVRw==")
    #expect(MemberId(random: random).bytes == id.bytes)
    #expect(Probe(random: [UInt8](repeating: 7, count: 32)).bytes.count == 44)
    #expect(ProbeHash(of: Probe([])).bytes.starts(with: [0xE3, 0xB0, 0xC4, 0x42]))
  }

  @Test func agreedVersions() {
    #expect(ChatVersion.agreed(peer: ChatVersionRange(1...8)) == 8)
    #expect(ChatVersion.agreed(peer: ChatVersionRange(1...99)) == ChatVersion.current)
    #expect(ChatVersion.agreed(peer: ChatVersionRange(20...99)) == 20)
    #expect(ChatVersion.agreed(own: ChatVersionRange(5...9), peer: ChatVersionRange(1...3)) == 3)
    #expect(ChatVersion.implied(byAgent: 4) == 1)
    #expect(ChatVersion.implied(byAgent: 5) == 8)
  }
}
