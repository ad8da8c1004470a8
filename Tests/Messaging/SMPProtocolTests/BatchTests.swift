import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("Batches of transmissions")
struct BatchTests {
  @Test func readsBatchesOfTheReference() throws {
    let golden = try #require(cases("batches").first)
    let keys = try #require(smpVectors).member("keys")
    let session = SessionContext(
      version: UInt16(try golden.int("version")), sessionID: SessionID(try keys.hex("sessionId")))
    let expected = try golden.elements("transmissions")
    var received: [ReceivedTransmission<Command>] = []
    for block in try golden.elements("blocks") {
      let transmissions = session.transmissions(of: Command.self, in: try block.hex("content"))
      #expect(transmissions.count == (try block.int("count")))
      received += transmissions
    }
    #expect(received.count == expected.count)
    for (transmission, expected) in zip(received, expected) {
      #expect(try transmission.correlationID.bytes == expected.hex("corrId"))
      #expect(try transmission.entityID == expected.entity("entityId"))
      #expect(try transmission.message.get() == .sub)
    }
  }

  @Test(arguments: propertySeeds(20))
  func everyTransmissionArrivesInOrder(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let version = UInt16.random(in: 6...20, using: &random)
    let session = SessionContext(version: version, sessionID: SessionID(random.bytes(32)))
    let limit = Bool.random(using: &random) ? 16_100 : 40
    let bodies = (0..<Int.random(in: 1...600, using: &random)).map { _ in random.bytes(upTo: limit) }
    var batch = BlockBatch(session)
    for body in bodies {
      try batch.add { (writer) throws(WireError) in
        try session.write(
          Command.send(SendRequest(body: body)), entity: EntityID([1]), correlation: CorrelationID([2]), to: &writer)
      }
    }
    let blocks = batch.take()
    #expect(batch.isEmpty)
    #expect(blocks.allSatisfy { $0.count <= BlockBatch.contentLimit })
    let received = blocks.flatMap { session.transmissions(of: Command.self, in: $0) }
    let arrived = try received.map { (transmission) -> [UInt8] in
      guard case .send(let request) = try transmission.message.get() else { throw UnusableVector(reason: "not SEND") }
      return request.body
    }
    #expect(arrived == bodies, "seed \(seed)")
  }

  @Test func tooLongIsRefusedAndNothingIsAdded() throws {
    let session = SessionContext(version: 18, sessionID: SessionID([]))
    var batch = BlockBatch(session)
    try batch.add { (writer) throws(WireError) in writer.append([1, 2, 3]) }
    for size in [BlockBatch.contentLimit - 2, 70_000] {
      #expect(throws: WireError.self) {
        try batch.add { (writer) throws(WireError) in writer.append(repeating: 0, count: size) }
      }
    }
    try batch.add { (writer) throws(WireError) in writer.append(repeating: 9, count: BlockBatch.contentLimit - 3) }
    let blocks = batch.take()
    #expect(blocks.map(\.count) == [6, BlockBatch.contentLimit])
    #expect(blocks[0] == [1, 0, 3, 1, 2, 3])
  }

  @Test(arguments: [[], [0], [1], [2, 0, 1, 0], [1, 0, 0, 5], [1, 0, 9, 0]] as [[UInt8]])
  func malformedBlocks(_ content: [UInt8]) {
    let session = SessionContext(version: 18, sessionID: SessionID([]))
    let received = session.transmissions(of: Command.self, in: content)
    #expect(received.count == 1)
    #expect(received.first?.message == .failure(.block))
  }

  @Test func wrongSessionAndWrongSizes() throws {
    let session = SessionContext(version: 6, sessionID: SessionID([1, 1]))
    let other = SessionContext(version: 6, sessionID: SessionID([2, 2]))
    var batch = BlockBatch(other)
    try batch.add { (writer) throws(WireError) in
      try other.write(Command.ping, entity: .none, correlation: CorrelationID([7]), to: &writer)
    }
    let content = batch.take()[0]
    let received = session.transmissions(of: Command.self, in: content)[0]
    #expect(received.message == .failure(.session))
    #expect(received.correlationID == CorrelationID([7]))
    #expect(other.transmissions(of: Command.self, in: content)[0].message == .success(.ping))

    var writer = Writer()
    writer.append([1, 0, 0, 3, 9, 9, 9, 1, 5, 1, 6])
    writer.append(literal: "SUB")
    var bytes = writer.bytes
    bytes[2] = UInt8(bytes.count - 3)
    let modern = SessionContext(version: 15, sessionID: SessionID([]))
    let wrongSize = modern.transmissions(of: Command.self, in: bytes)[0]
    #expect(wrongSize.message == .failure(.block))
    #expect(wrongSize.correlationID == CorrelationID([5]))
  }

  @Test func commandsOfLaterVersionsAreUnknown() {
    for (text, version) in [("LGET", 14), ("SUBS", 15), ("PRXY x", 7)] as [(String, UInt16)] {
      #expect(throws: WireError.self) { try Command.codec.decode(text: text, version: version) }
    }
    #expect(throws: WireError(.unsupportedVersion(14))) { try Command.codec.encode(.lget, version: 14) }
  }
}
