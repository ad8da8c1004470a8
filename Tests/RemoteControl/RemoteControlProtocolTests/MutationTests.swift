import RemoteControlProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

/// Hostile bytes: accepted and written back unchanged, or refused with an error.
@Suite struct MutationTests {
  private static func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let index = Int.random(in: 0...bytes.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0 where index < bytes.count: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1 where index < bytes.count: bytes.remove(at: index)
      case 2: bytes.removeSubrange(index...)
      default: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: index)
      }
    }
    return bytes
  }

  private func check<Value>(_ codec: Codec<Value>, _ bytes: [UInt8]) throws {
    guard let value = try? codec.decode(bytes) else { return }
    #expect(try codec.encode(value) == bytes)
  }

  @Test(arguments: propertySeeds(60))
  func mutatedMessages(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let golden = try #require(vectors)
    let session = try golden.member("session")
    let link = Array(try invitationVectors[Int(seed % 3)].string("signedUri").utf8)
    for _ in 0..<20 {
      try check(ReceivedInvitation.codec, Self.mutate(link, &generator))
      try check(Announcement.codec, Self.mutate(try golden.member("announcement").hex("datagram"), &generator))
    }
    try check(SealedHostHello.codec, Self.mutate(try session.hex("hostHelloPacket"), &generator))
    try check(ControllerHello.codec, Self.mutate(try session.hex("ctrlHelloPacket"), &generator))
    try check(ControllerHello.codec, Self.mutate(try session.hex("ctrlErrorPacket"), &generator))
    try check(FrameSignatures.codec, Self.mutate([64] + generator.bytes(64) + [64] + generator.bytes(64), &generator))
    let hello = Self.mutate(Array(try session.string("hostHelloJson").utf8), &generator)
    if let value = try? HostHello(jsonBytes: hello) { #expect(try HostHello(jsonText: value.jsonText()) == value) }
    var reader = FrameReader(isRequest: seed.isMultiple(of: 2), limit: 1_000)
    for _ in 0..<10 { _ = try? reader.append(generator.bytes(upTo: 40)) }
    _ = try? FrameContent.decode(
      Self.mutate(FrameContent.encode(link, compressed: true), &generator), compressed: true, limit: 5_000)
  }
}
