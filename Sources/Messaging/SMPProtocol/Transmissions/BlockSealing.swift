import SimplexCrypto
import WireCodec

/// Pads the blocks of one connection, and from version 11 on encrypts them as well. Source: simplex-messaging.md,
/// "Transport handshake", "Encryption of transport blocks".
public struct BlockSealing: Sendable {
  private var sending: BoxKeyChain?
  private var receiving: BoxKeyChain?

  /// Blocks that are padded only: handshakes, versions before 11, and connections of proxies.
  public init() {}

  /// Blocks of a relay or its client that are encrypted with the secret of their session keys.
  public init(sessionID: SessionID, secret: SecretBytes, isServer: Bool) {
    let (fromServer, fromClient) = BoxKeyChain.pair(salt: sessionID.bytes.span.bytes, secret: secret.bytes)
    sending = isServer ? fromServer : fromClient
    receiving = isServer ? fromClient : fromServer
  }

  /// Whether blocks are encrypted.
  public var isEncrypting: Bool { sending != nil }

  /// Fills `block` with a sealed block of this content.
  /// - Throws: `messageTooLong`; ``BlockBatch/contentLimit`` bytes always fit.
  public mutating func seal(_ content: RawSpan, into block: inout MutableRawSpan) throws(CryptoError) {
    guard sending != nil else { return try Padding.pad(content, into: &block) }
    try sending?.seal(content, intoBlock: &block)
  }

  /// Seals a content that follows ``BlockBatch/room``; in the same memory, if blocks are encrypted.
  mutating func seal(afterRoom content: consuming [UInt8], blockSize: Int) throws(CryptoError) -> [UInt8] {
    guard var chain = sending else {
      return try Padding.pad(content.span.bytes.extracting(droppingFirst: BlockBatch.room), to: blockSize)
    }
    var writer = Writer(reusing: content)
    try writer.pad(from: BoxKey.overhead, to: blockSize - BoxKey.overhead)
    let (key, nonce) = chain.next()
    sending = chain
    try writer.change(from: 0) { (block) throws(CryptoError) in try key.sealInPlace(&block, nonce: nonce) }
    return writer.finish()
  }

  /// Opens a block in place, and returns the range of its content.
  /// - Throws: `authenticationFailed`, `invalidPadding`.
  public mutating func open(_ block: inout MutableRawSpan) throws(CryptoError) -> Range<Int> {
    guard receiving != nil else { return try Padding.messageRange(in: block.bytes) }
    return try receiving?.open(inPlace: &block) ?? 0..<0
  }

  /// A block of a relay with this content.
  /// - Throws: `messageTooLong`.
  public mutating func seal(_ content: [UInt8]) throws(CryptoError) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: BlockBatch.blockSize)
    var bytes = block.mutableBytes
    try seal(content.span.bytes, into: &bytes)
    return block
  }
}
