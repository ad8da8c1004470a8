import ChatAPI
import ChatProtocol
import SimplexJSON
import SimplexTesting
import Testing
import Zstd

@Suite("Compression and sizes")
struct CompressionTests {
  @Test func limitsOfTheReference() throws {
    let limits = try #require(GoldenMessages.file["limits"])
    #expect(limits["maxEncodedMsgLength"]?.integerValue == Int64(ChatMessageSize.encodedMessage))
    #expect(limits["maxCompressedMsgLength"]?.integerValue == Int64(ChatMessageSize.compressedMessage))
    #expect(limits["maxEncodedInfoLength"]?.integerValue == Int64(ChatMessageSize.encodedInfo))
    #expect(limits["maxCompressedInfoLength"]?.integerValue == Int64(ChatMessageSize.compressedInfo))
  }

  @Test(arguments: propertySeeds(5)) func framesGiveTheirContent(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let bytes = random.bytes(upTo: 3000)
      let frame = Zstandard.compress(bytes)
      #expect(Zstandard.contentSize(of: frame) == bytes.count)
      #expect(try Zstandard.decompress(frame, limit: bytes.count) == bytes)
      #expect(throws: ZstandardError.self) { try Zstandard.decompress(Array(frame.dropLast()), limit: 3000) }
    }
  }

  @Test func framesOfTheReference() throws {
    for golden in GoldenMessages.list("compressedChunks") {
      let bytes = golden["smp"]?.bytes ?? []
      guard bytes.first == UInt8(ascii: "1") else { continue }
      #expect(try Zstandard.decompress(Array(bytes.dropFirst(3)), limit: 1000) == golden["input"]?.bytes)
    }
  }

  @Test func contentsAreBoundedBeforeTheyAreMade() {
    let frame = Zstandard.compress([UInt8](repeating: 0, count: 60_000))
    #expect(throws: ZstandardError.tooLarge(limit: 59_999)) { try Zstandard.decompress(frame, limit: 59_999) }
    // Two parts, each within the limit, together beyond it.
    let part = [0x31, UInt8(frame.count >> 8), UInt8(frame.count & 255)] + frame
    #expect(MessageBody.parse([0x58, 2] + part + part) == [.failure(.tooLarge(limit: 65_536))])
    #expect(MessageBody.parse([0x58, 1, 0x31, 0, 1, 0]) == [.failure(.invalidCompression)])
    // A compressed body inside a compressed body is none.
    #expect(MessageBody.parse([0x58, 1, 0x30, 1, 0x58]) == [.failure(.unknownForm(0x58))])
    #expect(MessageBody.parse([0x58, 1, 0x30, 0]) == [.failure(.empty)])
  }

  private func message(_ count: Int) -> ChatMessage {
    ChatMessage(event: .msgNew(MsgContainer(content: .text(String(repeating: "a", count: count)))))
  }

  @Test func longBodiesAreCompressedForPostQuantumRatchets() throws {
    let body = try MessageBody.encode(message(15_000))
    #expect(try MessageBody.prepared(body, isPostQuantum: false, version: 16) == body)
    #expect(try MessageBody.prepared(body, isPostQuantum: true, version: 7) == body)
    let prepared = try MessageBody.prepared(body, isPostQuantum: true, version: 8)
    #expect(prepared.first == UInt8(ascii: "X") && prepared.count < 1000)
    #expect(MessageBody.parse(prepared) == [.success(MessageElement(message(15_000)))])
    let short = try MessageBody.encode(message(13_000))
    #expect(try MessageBody.prepared(short, isPostQuantum: true, version: 16) == short)
    #expect(throws: ChatProtocolError.tooLarge(limit: 15_602)) { try MessageBody.encode(message(15_602)) }
    var random = SeededGenerator(seed: 1)
    #expect(throws: ChatProtocolError.tooLarge(limit: 13_380)) {
      try MessageBody.prepared(random.bytes(13_400), isPostQuantum: true, version: 16)
    }
  }

  private func profile(imageSize: Int) -> Profile {
    var random = SeededGenerator(seed: 2)
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let image = random.bytes(imageSize).map { letters[Int($0 % 64)] }
    return Profile(
      displayName: "alice", fullName: "", image: "data:image/jpg;base64," + String(decoding: image, as: UTF8.self))
  }

  @Test func connectionInformation() throws {
    let info = ChatMessageEvent.info(profile(imageSize: 12_000))
    let plain = try ConnectionInfo.encode(info)
    #expect(plain.first == UInt8(ascii: "{"))
    let compressed = try ConnectionInfo.encode(info, isPostQuantum: true)
    #expect(compressed.first == UInt8(ascii: "X") && compressed.count <= 10_968)
    #expect(try ConnectionInfo.decode(plain) == ConnectionInfo.decode(compressed))
    #expect(try ConnectionInfo.decode(plain).event == info)
    #expect(try ConnectionInfo.encode(info, isPostQuantum: true, version: 7) == plain)
  }

  @Test func imagesThatDoNotFitAreLeftOut() throws {
    let long = profile(imageSize: 16_000)
    var without = long
    without.image = nil
    #expect(try ConnectionInfo.decode(ConnectionInfo.encode(.info(long))).event == .info(without))
    let request = ContactRequestInfo(profile: long, contactReqId: XContactId([1]))
    let sent = try ConnectionInfo.decode(ConnectionInfo.encode(.contact(request), isPostQuantum: true))
    #expect(sent.event == .contact(ContactRequestInfo(profile: without, contactReqId: XContactId([1]))))
    let hopeless = Profile(displayName: String(repeating: "a", count: 15_000), fullName: "", image: "data:")
    #expect(throws: ChatProtocolError.self) { try ConnectionInfo.encode(.info(hopeless)) }
  }

  @Test func linkData() throws {
    for size in [10, 12_000] {
      let data = ContactShortLinkData(profile: profile(imageSize: size), message: .text("welcome"))
      let content = ShortLinkContent.encode(data)
      #expect((content.first == UInt8(ascii: "X")) == (size > 1000))
      #expect(try ShortLinkContent.decode(content) == data)
    }
    #expect(try ShortLinkContent.decode([], as: ContactShortLinkData.self) == nil)
    #expect(throws: ChatProtocolError.self) { try ShortLinkContent.decode([0x58, 1], as: ContactShortLinkData.self) }
  }

  @Test(arguments: propertySeeds(10)) func batchesHaveAllMessagesInOrder(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let messages = (0..<60).map { _ in message(Int.random(in: 0...6000, using: &random)) }
    let encoded = messages.map { $0.jsonBytes() }
    for form in [MessageBatch.Form.json, .binary] {
      let (batches, tooLarge) = MessageBatch.pack(encoded, form: form, limit: 5000)
      #expect(tooLarge == encoded.indices.filter { encoded[$0].count > 5000 })
      #expect(batches.allSatisfy { $0.body.count <= 5000 })
      #expect((batches.flatMap(\.elements) + tooLarge).sorted() == Array(encoded.indices))
      for batch in batches {
        let elements = try MessageBody.parse(batch.body).map { try $0.get() }
        #expect(elements == batch.elements.map { MessageElement(messages[$0]) })
      }
    }
  }

  @Test func aBatchIsFilledToItsLimit() {
    let elements = [[UInt8]](repeating: Array("{}".utf8), count: 4)
    #expect(MessageBatch.pack(elements, form: .json, limit: 13).batches.map(\.elements) == [0..<4])
    #expect(MessageBatch.pack(elements, form: .json, limit: 12).batches.map(\.elements) == [0..<3, 3..<4])
    #expect(MessageBatch.pack(elements, form: .binary, limit: 18).batches.map(\.elements) == [0..<4])
    #expect(MessageBatch.pack(elements, form: .binary, limit: 17).batches.map(\.elements) == [0..<3, 3..<4])
    #expect(MessageBatch.pack(elements, form: .json, limit: 2).batches.map(\.body) == elements)
    #expect(MessageBatch.pack(elements, form: .json, limit: 1).tooLarge == [0, 1, 2, 3])
    #expect(MessageBatch.pack([], form: .json).batches.isEmpty)
    let many = [[UInt8]](repeating: Array("{}".utf8), count: 300)
    #expect(MessageBatch.pack(many, form: .binary).batches.map(\.elements) == [0..<255, 255..<300])
  }
}
