import SimplexCrypto
import WireCodec

/// The result of decrypting a message, besides the ratchet's new state.
public struct DecryptedMessage: Equatable, Sendable {
  /// The message without its padding.
  public let body: [UInt8]
  /// The change to the keys of skipped messages.
  public let skippedChange: SkippedKeys.Change
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
    let message = try EncryptedMessage(message)
    let (header, chain, headerKey) = try openHeader(EncryptedHeader(message.header), skipped: skipped)
    let authenticated = associatedData.appending(message.header)

    if let key = skipped[headerKey, header.number] {
      let body = try key.open(message.body, tag: message.tag, authenticating: authenticated)
      let change = SkippedKeys.Change.removed(headerKey: headerKey, number: header.number)
      skipped.apply(change)
      return DecryptedMessage(body: body, skippedChange: change)
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

    let change: SkippedKeys.Change = added.isEmpty ? .none : .added(added)
    skipped.apply(change)
    self = next
    return DecryptedMessage(body: body, skippedChange: change)
  }

  /// As ``decrypt(_:skipped:keys:)``, with fresh keys from `random`.
  public mutating func decrypt(
    _ message: RawSpan, skipped: inout SkippedKeys, using random: inout some RandomSource
  ) throws(RatchetError) -> DecryptedMessage {
    var keys = FreshKeys(random)
    defer { random = keys.random }
    return try decrypt(message, skipped: &skipped, keys: &keys)
  }

  /// The chain that a header belongs to.
  private enum HeaderChain {
    case current
    /// The peer's next chain: the message starts a ratchet step.
    case next
    /// A previous chain, of which only keys of skipped messages are left.
    case skipped
  }

  /// Finds the key that opens the header, trying the most likely ones first.
  private func openHeader(
    _ header: borrowing EncryptedHeader, skipped: SkippedKeys
  ) throws(RatchetError) -> (MessageHeader, HeaderChain, headerKey: SecretBytes) {
    if let receiving, let opened = try header.open(with: receiving.headerKey, authenticating: associatedData) {
      return (opened, .current, receiving.headerKey)
    }
    if let opened = try header.open(with: nextReceivingHeaderKey, authenticating: associatedData) {
      return (opened, .next, nextReceivingHeaderKey)
    }
    // The newest chain is the last; that of `receiving` was tried already.
    for chain in skipped.chains.reversed() where chain.headerKey != receiving?.headerKey {
      if let opened = try header.open(with: chain.headerKey, authenticating: associatedData) {
        return (opened, .skipped, chain.headerKey)
      }
    }
    throw .unknownHeader
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
