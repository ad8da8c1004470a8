import SimplexCrypto
import WireCodec

/// The result of decrypting a message, besides the ratchet's new state.
public struct DecryptedMessage: Equatable, Sendable {
  /// The message without its padding.
  public let body: [UInt8]
  /// The change to the keys of skipped messages.
  public let skippedChange: SkippedKeys.Change
}

/// The decrypted header of a message.
public struct OpenedHeader: Sendable {
  /// The chain that a header belongs to.
  enum Chain {
    case current
    /// The peer's next chain: the message starts a ratchet step.
    case next
    /// A previous chain, of which only keys of skipped messages are left.
    case skipped
  }

  let header: MessageHeader
  let chain: Chain
  /// The key of the header, which identifies the chain.
  public let headerKey: SecretBytes
  /// Whether the key of the message can only be among those of skipped messages; otherwise it follows from the ratchet.
  public let isSkipped: Bool

  /// The number of the message in its chain.
  public var number: UInt32 { header.number }
}

extension Ratchet {
  /// Decrypts a message: the next one, one of the skipped ones, or a later one.
  ///
  /// The body is decrypted before any state changes and before fresh keys are created, so that a message with a forged
  /// body consumes no message number: the genuine one can still be received. (In the reference implementation it does.)
  /// - Parameters:
  ///   - skipped: the keys of this connection's skipped messages; changed as the result says.
  ///   - keys: the source of the new keys when the message begins a new chain.
  /// - Throws: any ``RatchetError`` but `cannotSendYet` and `messageTooLong`; then neither `self` nor `skipped`
  ///   changed.
  public mutating func decrypt(
    _ message: RawSpan, skipped: inout SkippedKeys, keys: inout some RatchetKeySource
  ) throws(RatchetError) -> DecryptedMessage {
    var opened = try openHeader(of: message)
    // The newest chain is the last.
    if opened == nil { opened = try openHeader(of: message, among: skipped.chains.reversed().map(\.headerKey)) }
    guard let opened else { throw .unknownHeader }
    let key = opened.isSkipped ? skipped[opened.headerKey, opened.number] : nil
    let decrypted = try decrypt(message, opened, skippedKey: key, keys: &keys)
    skipped.apply(decrypted.skippedChange)
    return decrypted
  }

  /// Decrypts a message whose header is decrypted; the same as ``decrypt(_:skipped:keys:)`` for stores that look up the
  /// one key of a skipped message that is needed, and apply ``DecryptedMessage/skippedChange`` themselves.
  /// - Parameters:
  ///   - opened: the header of this message.
  ///   - skippedKey: the key of this header key and number among those of skipped messages, where
  ///     ``OpenedHeader/isSkipped``; nil if there is none.
  public mutating func decrypt(
    _ message: RawSpan, _ opened: OpenedHeader, skippedKey: MessageKey?, keys: inout some RatchetKeySource
  ) throws(RatchetError) -> DecryptedMessage {
    let message = try EncryptedMessage(message)
    let (header, chain) = (opened.header, opened.chain)
    let authenticated = associatedData.appending(message.header)

    if let skippedKey {
      let body = try skippedKey.open(message.body, tag: message.tag, authenticating: authenticated)
      return DecryptedMessage(body: body, skippedChange: .removed(headerKey: opened.headerKey, number: header.number))
    }
    if chain == .skipped { throw .unknownHeader }

    var next = self
    var added: [SkippedKeys.Chain] = []
    next.versions.upgrade(to: header.maximumVersion)
    if chain == .next {
      try next.skip(to: header.previousCount, addingTo: &added)
      try next.stepReceiving(header)
    }
    try next.skip(to: header.number, addingTo: &added)
    let key = try next.takeReceivingKey()
    let body = try key.open(message.body, tag: message.tag, authenticating: authenticated)
    if chain == .next { try next.stepSending(header, keys: &keys) }

    self = next
    return DecryptedMessage(body: body, skippedChange: added.isEmpty ? .none : .added(added))
  }

  /// As ``decrypt(_:skipped:keys:)``, with fresh keys from `random`.
  public mutating func decrypt(
    _ message: RawSpan, skipped: inout SkippedKeys, using random: inout some RandomSource
  ) throws(RatchetError) -> DecryptedMessage {
    var keys = FreshKeys(random)
    defer { random = keys.random }
    return try decrypt(message, skipped: &skipped, keys: &keys)
  }

  /// Decrypts the header of a message of the current chain or of the next one; nil for another message.
  /// - Throws: `malformed`, `crypto`.
  public func openHeader(of message: RawSpan) throws(RatchetError) -> OpenedHeader? {
    let message = try EncryptedMessage(message)
    let header = try EncryptedHeader(message.header)
    if let receiving, let opened = try header.open(with: receiving.headerKey, authenticating: associatedData) {
      return OpenedHeader(
        header: opened, chain: .current, headerKey: receiving.headerKey, isSkipped: opened.number < receivedCount)
    }
    if let opened = try header.open(with: nextReceivingHeaderKey, authenticating: associatedData) {
      return OpenedHeader(header: opened, chain: .next, headerKey: nextReceivingHeaderKey, isSkipped: false)
    }
    return nil
  }

  /// Decrypts the header of a message of a previous chain; nil where none of the keys opens it.
  /// - Parameter headerKeys: the header keys of chains with keys of skipped messages, in the order in which to try
  ///   them.
  /// - Throws: `malformed`, `crypto`.
  public func openHeader(of message: RawSpan, among headerKeys: [SecretBytes]) throws(RatchetError) -> OpenedHeader? {
    let message = try EncryptedMessage(message)
    let header = try EncryptedHeader(message.header)
    for key in headerKeys where key != receiving?.headerKey {
      if let opened = try header.open(with: key, authenticating: associatedData) {
        return OpenedHeader(header: opened, chain: .skipped, headerKey: key, isSkipped: true)
      }
    }
    return nil
  }

  /// Advances the receiving chain up to the message `number`, and keeps the keys of the messages before it.
  private mutating func skip(to number: UInt32, addingTo added: inout [SkippedKeys.Chain]) throws(RatchetError) {
    guard var chain = receiving else { return }
    let distance = Int64(number) - Int64(receivedCount)
    switch distance {
    case ..<(-1): throw .earlierMessage(UInt32(clamping: -distance - 1))
    case -1: throw .duplicateMessage
    case 0: return
    case 1...Int64(Self.maximumSkipped): break
    default: throw .tooManySkipped(UInt32(clamping: distance + 1))
    }
    var keys: [UInt32: MessageKey] = [:]
    keys.reserveCapacity(Int(distance))
    for skipped in receivedCount..<number {
      let step = KeyDerivation.chain(chain.chainKey)
      keys[skipped] = step.messageKey
      chain.chainKey = step.chainKey
    }
    receiving = chain
    receivedCount = number
    added.append(SkippedKeys.Chain(headerKey: chain.headerKey, keys: keys))
  }

  /// The key of the next message of the receiving chain.
  private mutating func takeReceivingKey() throws(RatchetError) -> MessageKey {
    guard let chain = receiving else { throw .unknownHeader }
    guard receivedCount < .max else { throw .chainExhausted }
    let step = KeyDerivation.chain(chain.chainKey)
    receiving?.chainKey = step.chainKey
    receivedCount += 1
    return step.messageKey
  }
}

extension [UInt8] {
  /// These bytes and the viewed ones after them.
  fileprivate func appending(_ other: RawSpan) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count + other.byteCount)
    result += self
    other.withUnsafeBytes { result.append(contentsOf: $0) }
    return result
  }
}
