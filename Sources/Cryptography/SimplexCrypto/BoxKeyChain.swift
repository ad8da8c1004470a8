/// A chain of box keys, one for each block in one direction: transport blocks, and the messages of remote control
/// sessions.
///
/// Each step derives the next chain key, and a key and a nonce for one block (HKDF with the info `SimpleXSbChain`). The
/// previous chain key is erased, so that earlier blocks cannot be decrypted later.
public struct BoxKeyChain: Sendable, Equatable {
  private static let keyRange = BoxKey.size..<2 * BoxKey.size
  private static let nonceRange = 2 * BoxKey.size..<2 * BoxKey.size + BoxNonce.size
  private static let derivedCount = nonceRange.upperBound

  /// The chain key, 32 bytes.
  public private(set) var chainKey: SecretBytes

  /// Continues from a chain key.
  /// - Throws: `invalidLength` unless it has 32 bytes.
  public init(chainKey: SecretBytes) throws(CryptoError) {
    try requireLength(chainKey.count, BoxKey.size, of: .key)
    self.chainKey = chainKey
  }

  private init(unchecked chainKey: SecretBytes) {
    self.chainKey = chainKey
  }

  /// Derives the two chains of a session (HKDF with the info `SimpleXSbChainInit`).
  ///
  /// Between an SMP server and its client the salt is the session identifier, the secret the X25519 secret of the
  /// session's keys; the first chain is that of blocks from the server to the client.
  public static func pair(salt: RawSpan, secret: RawSpan) -> (first: BoxKeyChain, second: BoxKeyChain) {
    let keys = HKDF.derive(from: secret, salt: salt, info: "SimpleXSbChainInit", count: 2 * BoxKey.size)
    return (BoxKeyChain(unchecked: keys.slice(0..<BoxKey.size)), BoxKeyChain(unchecked: keys.slice(keyRange)))
  }

  /// Advances the chain, and returns the key and the nonce of one message.
  public mutating func next() -> (key: BoxKey, nonce: BoxNonce) {
    let derived = HKDF.derive(from: chainKey.bytes, info: "SimpleXSbChain", count: Self.derivedCount)
    chainKey = derived.slice(0..<BoxKey.size)
    return (
      BoxKey(unchecked: derived.slice(Self.keyRange)), BoxNonce(fitting: derived.bytes.extracting(Self.nonceRange))
    )
  }

  /// Pads `content` into all of `block` and encrypts it in place; the content can be 18 bytes shorter than the block.
  /// Advances the chain.
  /// - Throws: `messageTooLong`; then the chain is unchanged.
  public mutating func seal(_ content: RawSpan, intoBlock block: inout MutableRawSpan) throws(CryptoError) {
    try Padding.check(messageCount: content.byteCount, paddedCount: block.byteCount - BoxKey.overhead)
    let (key, nonce) = next()
    block.withUnsafeMutableBytes { Padding.write(content, into: $0.slice(BoxKey.overhead..<$0.count)) }
    try key.sealInPlace(&block, nonce: nonce)
  }

  /// Decrypts a block in place, and returns the range of the content in it. Advances the chain.
  /// - Throws: `authenticationFailed`, `invalidPadding`; then the chain is unchanged.
  public mutating func open(inPlace block: inout MutableRawSpan) throws(CryptoError) -> Range<Int> {
    var advanced = self
    let (key, nonce) = advanced.next()
    try key.openInPlace(&block, nonce: nonce)
    let padded = block.bytes.extracting(droppingFirst: BoxKey.overhead)
    let content = try Padding.messageRange(in: padded)
    self = advanced
    return content.lowerBound + BoxKey.overhead..<content.upperBound + BoxKey.overhead
  }
}
