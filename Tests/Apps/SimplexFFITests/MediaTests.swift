import SimplexFFI
import Testing

@Suite struct MediaTests {
  private static let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
  private static let media = (0..<100).map { UInt8($0) }

  @Test func aFrameComesBack() throws {
    let frame = CBuffer(Self.media + [UInt8](repeating: 0, count: 28))
    #expect(try taken(chatEncryptMedia(nil, Self.key, frame.memory, CInt(frame.count))) == "")
    #expect(frame.bytes.prefix(100) != Self.media.prefix(100))
    let encrypted = frame.bytes
    let again = CBuffer(Self.media + [UInt8](repeating: 0, count: 28))
    #expect(try taken(chatEncryptMedia(nil, Self.key, again.memory, CInt(again.count))) == "")
    #expect(again.bytes != encrypted, "each frame has its own vector")
    #expect(try taken(chatDecryptMedia(Self.key, frame.memory, CInt(frame.count))) == "")
    #expect(frame.bytes == Self.media + [UInt8](repeating: 0, count: 28))
  }

  @Test func aChangedFrameStaysAsItIs() throws {
    let frame = CBuffer(Self.media + [UInt8](repeating: 0, count: 28))
    _ = try taken(chatEncryptMedia(nil, Self.key, frame.memory, CInt(frame.count)))
    frame.memory.storeBytes(of: frame.bytes[5] ^ 1, toByteOffset: 5, as: UInt8.self)
    let changed = frame.bytes
    #expect(try taken(chatDecryptMedia(Self.key, frame.memory, CInt(frame.count))) == "AESDecryptError")
    #expect(frame.bytes == changed)
  }

  @Test func onlyTheReservedBytesAreAFrame() throws {
    let frame = CBuffer([UInt8](repeating: 0, count: 28))
    #expect(try taken(chatEncryptMedia(nil, Self.key, frame.memory, 28)) == "")
    #expect(try taken(chatDecryptMedia(Self.key, frame.memory, 28)) == "")
  }

  @Test(arguments: [27, 0, -1])
  func framesWithoutRoom(_ count: CInt) throws {
    let frame = CBuffer([UInt8](repeating: 0, count: 27))
    let error = "frame has no [reserved space for] IV and/or auth tag"
    #expect(try taken(chatEncryptMedia(nil, Self.key, frame.memory, count)) == error)
    #expect(try taken(chatDecryptMedia(Self.key, frame.memory, count)) == error)
  }

  @Test func misusedPointers() throws {
    let frame = CBuffer([UInt8](repeating: 0, count: 100))
    #expect(try taken(chatEncryptMedia(nil, nil, frame.memory, 100)) == "key is null")
    #expect(try taken(chatDecryptMedia(Self.key, nil, 100)).hasPrefix("frame has no"))
  }

  /// The texts are those of the reference.
  @Test(arguments: [
    ("short", "invalid key: Base64-encoded bytestring has invalid size"),
    ("a+bc", "invalid key: invalid character at offset: 1"), ("ab=c", "invalid key: invalid padding at offset: 2"),
    ("AAAA", "AESCipherError CryptoError_KeySizeInvalid"), ("", "AESCipherError CryptoError_KeySizeInvalid"),
  ])
  func textsOfKeys(_ key: String, _ error: String) throws {
    let frame = CBuffer(Self.media)
    #expect(try taken(chatEncryptMedia(nil, key, frame.memory, 100)) == error)
    #expect(try taken(chatDecryptMedia(key, frame.memory, 100)) == error)
    #expect(frame.bytes == Self.media)
  }
}
