import SMPProtocol
import SimplexCrypto
import Testing
import WireCodec

@Suite struct ServiceQueuesTests {
  @Test func theHashIsTheXOROfMD5() throws {
    // RFC 1321, A.5.
    let abc: [UInt8] = [
      0x90, 0x01, 0x50, 0x98, 0x3c, 0xd2, 0x4f, 0xb0, 0xd6, 0x96, 0x3f, 0x7d, 0x28, 0xe1, 0x7f, 0x72,
    ]
    let a: [UInt8] = [
      0x0c, 0xc1, 0x75, 0xb9, 0xc0, 0xf1, 0xb6, 0xa8, 0x31, 0xc3, 0x99, 0xe2, 0x69, 0x77, 0x26, 0x61,
    ]
    var queues = ServiceQueues()
    queues.add(EntityID(Array("abc".utf8)))
    #expect(queues == ServiceQueues(count: 1, hash: SIMD16(abc)))
    queues.add(EntityID(Array("a".utf8)))
    #expect(queues == ServiceQueues(count: 2, hash: SIMD16(abc) ^ SIMD16(a)))
    queues.remove(EntityID(Array("abc".utf8)))
    #expect(queues == ServiceQueues(count: 1, hash: SIMD16(a)))
    queues.remove(EntityID(Array("a".utf8)))
    queues.remove(EntityID(Array("a".utf8)))
    #expect(queues == ServiceQueues())
  }

  // The ABNF of the protocol: the count, the length of the hash and the hash; older versions have less.
  @Test func formsDependOnTheVersion() throws {
    let hash = (0..<16).map { UInt8($0) }
    let queues = ServiceQueues(count: 3, hash: SIMD16(hash))
    let count: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 3]
    for (command, keyword) in [(Command.subs(queues), "SUBS"), (.nsubs(queues), "NSUBS")] {
      let new = try Command.codec.encode(command, version: 19)
      #expect(new == Array("\(keyword) ".utf8) + count + [16] + hash)
      #expect(try Command.codec.decode(new, version: 19) == command)
      #expect(try Command.codec.encode(command, version: 18) == Array(keyword.utf8))
    }
    #expect(try Command.codec.decode(Array("SUBS".utf8), version: 18) == .subs(.unknown))
    for (message, keyword) in [(BrokerMessage.soks(queues), "SOKS"), (.ends(queues), "ENDS")] {
      let new = try BrokerMessage.codec.encode(message, version: 19)
      #expect(new == Array("\(keyword) ".utf8) + count + [16] + hash)
      #expect(try BrokerMessage.codec.decode(new, version: 19) == message)
      #expect(try BrokerMessage.codec.encode(message, version: 18) == Array("\(keyword) ".utf8) + count)
    }
    #expect(try BrokerMessage.codec.encode(.alls, version: 19) == Array("ALLS".utf8))
    for broken in ["SUBS", "SUBS ", "SUBS 12345678"] {
      #expect(throws: WireError.self) { try Command.codec.decode(Array(broken.utf8), version: 19) }
    }
    #expect(throws: WireError.self) {
      try Command.codec.decode(Array("SUBS ".utf8) + count + [15] + hash.dropLast(), version: 19)
    }
  }
}
