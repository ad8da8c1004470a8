import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec
import Zstd

@Suite("Frames over HTTP/2")
struct FrameTests {
  let session = SessionID([UInt8](repeating: 7, count: 32))
  let key: BoxKey
  let nonce = BoxNonce(fitting: [3])
  let keys = SampleKeys(seed: 9)

  init() throws { key = try BoxKey(SecretBytes([UInt8](repeating: 1, count: 32))) }

  @Test func bodiesHaveTheBytesOfTheReference() throws {
    let cases = try #require(vectors).member("session").elements("bodies after hello")
    #expect(cases.count == 6)
    for golden in cases {
      let key = try BoxKey(SecretBytes(golden.hex("key")))
      let nonce = try BoxNonce(golden.hex("nonce"))
      let plain = Array(try golden.string("plain").utf8)
      #expect(try key.seal(plain, nonce: nonce, tag: .last) == golden.hex("encrypted (tag last)"))
    }
  }

  @Test func bodyIsBoundToItsSession() throws {
    let box = FrameBody.seal([1, 2, 3], session: session, key: key, nonce: nonce)
    #expect(box.count == 3 + FrameBody.overhead)
    #expect(try key.open(box, nonce: nonce, tag: .last) == [32] + session.bytes + [1, 2, 3])
    #expect(try FrameBody.open(box, session: session, key: key, nonce: nonce) == [1, 2, 3])
    #expect(throws: FrameError.sessionCode) {
      try FrameBody.open(box, session: SessionID([1]), key: key, nonce: nonce)
    }
    let short = key.seal([32, 1], nonce: nonce, tag: .last)
    #expect(throws: FrameError.sessionCode) { try FrameBody.open(short, session: session, key: key, nonce: nonce) }
    let empty = key.seal([], nonce: nonce, tag: .last)
    #expect(throws: FrameError.invalidBody("empty body")) {
      try FrameBody.open(empty, session: session, key: key, nonce: nonce)
    }
    #expect(throws: FrameError.remoteControl(.decrypt)) {
      try FrameBody.open(Array(box.dropLast()), session: session, key: key, nonce: nonce)
    }
    #expect(throws: FrameError.remoteControl(.decrypt)) {
      try FrameBody.open([], session: session, key: key, nonce: nonce)
    }
  }

  private func request(_ content: [UInt8]) -> ReceivedFrame {
    let box = FrameBody.seal(content, session: session, key: key, nonce: nonce)
    let head = FrameHead(counter: 5, bodySize: UInt32(box.count))
    return ReceivedFrame(
      head: head, box: box,
      signatures: FrameSignatures(of: head, box: box, sessionKey: keys.session, identityKey: keys.identity))
  }

  @Test func requestHasHeadBoxAndSignatures() throws {
    let frame = request([1])
    let bytes = frame.bytes
    let end = 8 + frame.box.count
    #expect(Array(bytes.prefix(8)) == [0, 0, 0, 5, 0, 0, 0, UInt8(frame.box.count)])
    #expect(Array(bytes[8..<end]) == frame.box)
    let digest = HashFunction.sha512.digest(of: Array(bytes[..<end]))
    let session = keys.session.signature(of: digest)
    let identity = keys.identity.signature(
      of: HashFunction.sha512.digest(of: Array(bytes[..<end]) + session))
    #expect(Array(bytes[end...]) == [0x40] + session + [0x40] + identity)
    #expect(bytes.count == end + FrameSignatures.size)
  }

  @Test func signaturesAreOfBothKeysAndAllBytes() throws {
    let frame = request([1, 2])
    let signatures = try #require(frame.signatures)
    func areValid(_ signatures: FrameSignatures, _ head: FrameHead, _ box: [UInt8]) -> Bool {
      signatures.areValid(
        of: head, box: box, sessionKey: keys.session.publicKey, identityKey: keys.identity.publicKey)
    }
    #expect(areValid(signatures, frame.head, frame.box))
    var head = frame.head
    head.counter += 1
    #expect(!areValid(signatures, head, frame.box))
    #expect(!areValid(signatures, frame.head, frame.box + [0]))
    let others = SampleKeys(seed: 10)
    for (session, identity) in [(others.session, keys.identity), (keys.session, others.identity)] {
      let forged = FrameSignatures(of: frame.head, box: frame.box, sessionKey: session, identityKey: identity)
      #expect(!areValid(forged, frame.head, frame.box))
    }
    #expect(!areValid(FrameSignatures(session: [], identity: [1]), frame.head, frame.box))
  }

  @Test(arguments: propertySeeds(20))
  func readerTakesPartsOfAnySize(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let isRequest = Bool.random(using: &generator)
    var frame = request(generator.bytes(upTo: 300))
    if !isRequest { frame.signatures = nil }
    let file = generator.bytes(upTo: 40)
    var rest = frame.bytes + file
    var reader = FrameReader(isRequest: isRequest)
    var result: (frame: ReceivedFrame, rest: [UInt8])?
    while result == nil, !rest.isEmpty {
      #expect(throws: FrameError.invalidSize) { try reader.finish() }
      let count = min(rest.count, Int.random(in: 1...50, using: &generator))
      result = try reader.append(Array(rest.prefix(count)))
      rest.removeFirst(count)
    }
    let found = try #require(result)
    #expect(found.frame == frame)
    #expect(found.rest + rest == file)
    try reader.finish()
    #expect(throws: FrameError.self) { try reader.append([1]) }
  }

  @Test func readerHasALimit() throws {
    var reader = FrameReader(isRequest: true)
    #expect(throws: FrameError.invalidSize) { try reader.append([0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]) }
    reader = FrameReader(isRequest: false, limit: 100)
    #expect(throws: FrameError.invalidSize) { try reader.append([0, 0, 0, 1, 0, 0, 0, 101]) }
    #expect(throws: FrameError.invalidSize) { try reader.append([0, 0, 0, 1, 0, 0, 0, 15]) }
    reader = FrameReader(isRequest: true)
    var bytes = request([1]).bytes
    bytes[bytes.count - 130] = 63
    #expect(throws: FrameError.self) { try reader.append(bytes) }
  }

  @Test func fileHead() throws {
    let head = try #require(FrameFileHead(fileSize: 1_000))
    #expect(head.bytes == [1, 0, 0, 3, 0xf8])
    #expect(try FrameFileHead(head.bytes, declared: 1_000) == head)
    #expect(throws: FrameError.fileSize) { try FrameFileHead(head.bytes, declared: 999) }
    #expect(throws: FrameError.noFile) { try FrameFileHead([0, 0, 0, 3, 0xf8], declared: 1_000) }
    #expect(throws: FrameError.noFile) { try FrameFileHead([], declared: 1_000) }
    #expect(throws: FrameError.self) { try FrameFileHead([1, 0, 0], declared: 1_000) }
    #expect(FrameFileHead(fileSize: .max) == nil)
    #expect(FrameFileHead(fileSize: .max - 16)?.bytes == [1, 0xff, 0xff, 0xff, 0xff])
    #expect(throws: FrameError.fileSize) { try FrameFileHead([1, 0, 0, 0, 5], declared: .max - 10) }
  }

  @Test func compression() throws {
    let json = Array(#"{"type":"recv","wait":10000000}"#.utf8)
    #expect(FrameContent.encode(json, compressed: false) == json)
    let compressed = FrameContent.encode(json, compressed: true)
    #expect(Zstandard.contentSize(of: compressed) == json.count)
    #expect(try FrameContent.decode(compressed, compressed: true, limit: 100) == json)
    #expect(try FrameContent.decode(json, compressed: false, limit: 100) == json)
    #expect(throws: FrameError.invalidSize) { try FrameContent.decode(json, compressed: false, limit: 10) }
    #expect(throws: FrameError.invalidBody("damaged compression")) {
      try FrameContent.decode(json, compressed: true, limit: 100)
    }
    let bomb = FrameContent.encode([UInt8](repeating: 0, count: 20 << 20), compressed: true)
    #expect(bomb.count < 10_000)
    #expect(throws: FrameError.invalidSize) {
      try FrameContent.decode(bomb, compressed: true, limit: FrameContent.commandLimit)
    }
  }

  @Test func sessionCode() {
    let code = SessionCode(SessionID([0x0f, 0x42, 0x40]))
    #expect(code.description == "10000 00")
    #expect(code.matches("1000000"))
    #expect(code.matches(" 100 0000\n"))
    #expect(!code.matches("1000001"))
  }
}
