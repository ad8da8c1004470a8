import SimplexCrypto

/// The hash function of the mechanism: the first 32 bytes of SHA-512. A first byte separates its uses.
struct DomainHash {
  let prefix: UInt8

  /// The shared secret of a rejected ciphertext, and of an accepted one.
  static let rejectedSession = DomainHash(prefix: 0)
  static let session = DomainHash(prefix: 1)
  static let confirmation = DomainHash(prefix: 2)
  static let input = DomainHash(prefix: 3)
  static let publicKey = DomainHash(prefix: 4)

  /// The size in bytes.
  static let byteCount = 32

  /// Hashes both parts, one after the other.
  func hash(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    into output: UnsafeMutableRawBufferPointer
  ) {
    let message = WipedBuffer<UInt8>(count: 1 + first.count + second.count)
    message[0] = prefix
    message.memory.slice(1..<1 + first.count).copyMemory(from: first)
    message.memory.slice(1 + first.count..<message.memory.count).copyMemory(from: second)
    let digest = WipedBuffer<UInt8>(count: HashFunction.sha512.digestSize)
    HashFunction.sha512.digest(of: message.bytes, into: digest.memory)
    output.copyMemory(from: digest.bytes.slice(0..<Self.byteCount))
  }
}
