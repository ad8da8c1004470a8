import ChatAPI
import ChatProtocol
import SimplexCrypto
import SimplexJSON
import SimplexTesting
import Testing
import WireCodec

@Suite("Bodies of agent messages")
struct BodyTests {
  private func expectSame(_ elements: [Result<MessageElement, ChatProtocolError>], _ expected: [Expected]) throws {
    #expect(elements.count == expected.count)
    for (element, expected) in zip(elements, expected) {
      guard let encoded = expected.encoded else {
        #expect(element.value == nil)
        continue
      }
      let element = try element.get()
      #expect(try jsonValue(element) == encoded)
      try expectSame(element, expected)
    }
  }

  private func expectSame(_ element: MessageElement, _ expected: Expected) throws {
    #expect((element.forward == nil) == (expected.forward == nil))
    #expect((element.signed == nil) == (expected.signed == nil))
    if let forward = element.forward {
      #expect(forward.brokerTs.description == expected.forward?["brokerTs"]?.stringValue)
      switch forward.sender {
      case .channel: #expect(expected.forward?["sender"]?.stringValue == "channel")
      case .member(let id, let name):
        #expect(id.text == expected.forward?["sender"]?["memberId"]?.stringValue)
        #expect(name == expected.forward?["sender"]?["memberName"]?.stringValue)
      }
    }
    if let signed = element.signed {
      #expect([signed.binding.rawValue] == Array((expected.signed?["binding"]?.stringValue ?? "").utf8))
      #expect(signed.signatures.map(\.bytes) == expected.signed?["signatures"]?.arrayValue?.map(\.bytes))
      #expect(String(decoding: signed.body, as: UTF8.self) == expected.signed?["signedBody"]?.stringValue)
    }
  }

  @Test func batchesOfJSON() throws {
    let batches = GoldenMessages.list("batches")
    #expect(batches.count == 6)
    for batch in batches {
      let body = Array((batch["body"]?.stringValue ?? "").utf8)
      let compressed = try #require(batch["compressed"]).bytes
      try expectSame(MessageBody.parse(body), batch.results)
      try expectSame(MessageBody.parse(compressed), batch.results)
    }
  }

  /// A small body may have very many elements, most of which are not read.
  @Test func elementsAreLimited() throws {
    let numbers = [UInt8]("[\([String](repeating: "1", count: 32_000).joined(separator: ","))]".utf8)
    let failures = MessageBody.parse(numbers)
    #expect(failures.count == 256 && failures.allSatisfy { $0.value == nil })
    let message = #"{"v":"1-16","event":"x.ok","params":{}}"#
    let messages = [UInt8]("[\([String](repeating: message, count: 400).joined(separator: ","))]".utf8)
    let compressed = try MessageBody.prepared(messages, isPostQuantum: true, version: ChatVersion.compression)
    #expect(compressed.count < messages.count)
    for body in [messages, compressed] {
      let elements = MessageBody.parse(body)
      #expect(elements.count == 256 && elements.prefix(255).allSatisfy { $0.value != nil })
      #expect(elements.last == .failure(.tooMany(limit: 255)))
    }
    let most = MessageBatch.pack(.init(repeating: [UInt8](message.utf8), count: 300), form: .json)
    #expect(most.batches.map(\.elements.count) == [255, 45])
  }

  @Test func severalChunks() throws {
    let golden = try #require(GoldenMessages.file["multiChunk"])
    try expectSame(MessageBody.parse(golden["bytes"]?.bytes ?? []), golden.results)
  }

  @Test func binaryBatches() throws {
    let golden = try #require(GoldenMessages.file["binaryBatch"])
    let bytes = golden["bytes"]?.bytes ?? []
    let elements = MessageBody.parse(bytes)
    try expectSame(elements, golden.results)
    // JSON is written in another order of members, so the bytes of unsigned messages differ.
    let encoded = try elements.map { try $0.get().encoded() }
    #expect(try MessageBatch.binaryCodec.decode(MessageBatch.binaryCodec.encode(encoded)) == encoded)
    let again = MessageBody.parse(try MessageBatch.binaryCodec.encode(encoded))
    #expect(again.map(\.value) == elements.map(\.value))
  }

  @Test func signedElements() throws {
    let golden = try #require(GoldenMessages.file["signedElements"])
    let key = try Ed25519.PublicKey(der: golden["memberPublicKeyDer"]?.bytes ?? [])
    let groupId = golden["publicGroupId"]?.bytes ?? []
    let member = MemberId(golden["memberId"]?.bytes ?? [])
    let group = try ChatBinding.groupData(publicGroupId: groupId, memberId: member)
    let channel = try ChatBinding.channelData(publicGroupId: groupId)
    #expect(ChatBinding.group.signedPrefix(group) == golden["groupBindingSignedPrefix"]?.bytes)
    #expect(ChatBinding.channel.signedPrefix(channel) == golden["channelBindingSignedPrefix"]?.bytes)
    var verified = 0
    for golden in golden["elements"]?.arrayValue ?? [] {
      let bytes = golden["bytes"]?.bytes ?? []
      try expectSame(MessageBody.parse(bytes), golden.results)
      let element = try MessageElement(decoding: bytes)
      guard var signed = element.signed else { continue }
      #expect(try element.encoded() == bytes)
      let data = signed.binding == .group ? group : channel
      #expect(signed.isSigned(by: key, bindingData: data))
      #expect(!signed.isSigned(by: key, bindingData: data + [0]))
      signed.body.append(UInt8(ascii: " "))
      #expect(!signed.isSigned(by: key, bindingData: data))
      verified += 1
    }
    #expect(verified == 3)
  }

  @Test func signingGivesWhatTheReferenceSigns() throws {
    let golden = try #require(GoldenMessages.file["signedElements"])
    let key = try Ed25519.PrivateKey(der: golden["memberPrivateKeyDer"]?.bytes ?? [])
    let data = try ChatBinding.groupData(
      publicGroupId: golden["publicGroupId"]?.bytes ?? [], memberId: MemberId(golden["memberId"]?.bytes ?? []))
    let body = Array((golden["body"]?.stringValue ?? "").utf8)
    let signed = SignedMessage(signing: body, binding: .group, bindingData: data, key: key)
    #expect(try SignedMessage.codec.after("/").encode(signed) == golden["elements"]?[1]?["bytes"]?.bytes)
  }

  @Test func fileChunks() throws {
    for golden in GoldenMessages.list("fileChunks") {
      let bytes = golden["smp"]?.bytes ?? []
      let chunk = try FileChunk.codec.decode(bytes)
      switch chunk {
      case .cancel: #expect(golden["cancel"] == true)
      case .data(let number, let data):
        #expect(Int64(number) == golden["chunkNo"]?.integerValue)
        #expect(data == golden["bytes"]?.bytes)
      }
      #expect(try FileChunk.codec.encode(chunk) == bytes)
    }
    for golden in GoldenMessages.list("inlineFileChunks") {
      let part = try InlineFileChunk.Part.codec.decode(golden.bytes)
      #expect(try InlineFileChunk.Part.codec.encode(part) == golden.bytes)
    }
    #expect(GoldenMessages.list("inlineFileChunks").count == 2)
  }

  @Test func partsOfFilesAreBodies() throws {
    let chunk = InlineFileChunk(msgId: SharedMsgId([1, 2]), part: .data(number: 3, bytes: [7, 8]))
    let bytes = try MessageElement(.fileChunk(chunk)).encoded()
    #expect(bytes == [0x46, 0, 2, 1, 2, 3, 7, 8])
    #expect(try MessageBody.parse(bytes).map { try $0.get() } == [MessageElement(.fileChunk(chunk))])
    let cancel = MessageElement(.fileChunk(InlineFileChunk(msgId: SharedMsgId([1]), part: .cancel)))
    #expect(try MessageElement(decoding: cancel.encoded()) == cancel)
  }

  /// What is kept of a message has nothing of the elements around the one that cannot be read.
  @Test func theUnreadableElementIsFoundAlone() throws {
    let good = #"{"v":"1-16","event":"x.msg.new","params":{"content":{"type":"text","text":"secret"}}}"#
    let bad = #"{"v":"1-16","event":"x.msg.new","params":{"content":7}}"#
    func found(_ body: [UInt8]) -> String? {
      MessageBody.firstUnreadable(in: body).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(found(Array(good.utf8)) == nil && found(Array(bad.utf8)) == bad)
    let batch = Array("[\(good),\(bad),7]".utf8)
    #expect(found(batch) == bad && found(Array("[\(good)]".utf8)) == nil)
    // A chunk that is not compressed.
    #expect(found([0x58, 1, 0x30, UInt8(batch.count)] + batch) == bad)
    let binary = try MessageBatch.binaryCodec.encode([Array(good.utf8), Array(bad.utf8), Array(good.utf8)])
    #expect(found(binary) == bad)
    // What has no elements is one.
    #expect(found(Array("[\(good)".utf8)) == "[\(good)" && found([]) == "")
  }

  @Test func nothingIsReadOfNothing() {
    #expect(MessageBody.parse([]) == [.failure(.empty)])
    #expect(MessageBody.parse(Array("[]".utf8)) == [])
    #expect(MessageBody.parse(Array(" {}".utf8)) == [.failure(.unknownForm(0x20))])
    #expect(MessageBody.parse(Array("=".utf8)).map(\.value) == [nil])
    #expect(MessageBody.parse([0x3D, 1, 0, 0]) == [.failure(.empty)])
  }

  @Test func forwardedMessagesAreNotForwardedAgain() throws {
    let inner = MessageElement(
      .message(ChatMessage(event: .ok)),
      forward: MessageForward(sender: .channel, brokerTs: try #require(UTCTime(seconds: 1))))
    let bytes = try inner.encoded()
    #expect(MessageBody.parse(bytes).first?.value == inner)
    #expect(MessageBody.parse(bytes.prefix(10) + bytes) == [.failure(.nestedForward)])
  }
}
