import SimplexCrypto

extension Ratchet {
  /// Encrypts the next message. It is deterministic: the same state and body yield the same bytes.
  /// - Parameters:
  ///   - paddedCount: the size every message is padded to; 2 bytes of it are needed for the length.
  ///   - pq: switches post-quantum encryption on or off from the next ratchet steps on; nil keeps the setting.
  ///   - supportedVersion: the highest version to announce to the peer.
  /// - Throws: `cannotSendYet`, `messageTooLong`, `chainExhausted`.
  public mutating func encrypt(
    _ message: RawSpan, paddedTo paddedCount: Int, pq: Bool? = nil, supportedVersion: UInt16 = E2EVersion.current
  ) throws(RatchetError) -> [UInt8] {
    var next = self
    let sealer = try next.makeSealer(pq: pq, supportedVersion: supportedVersion)
    let encrypted = try sealer.seal(message, paddedTo: paddedCount)
    self = next
    return encrypted
  }

  /// Reserves the number of the next message, for a body that is encrypted later.
  ///
  /// This is the first half of ``encrypt(_:paddedTo:pq:supportedVersion:)``, with the same parameters. The result has
  /// to be kept until the message is sent.
  public mutating func makeSealer(
    pq: Bool? = nil, supportedVersion: UInt16 = E2EVersion.current
  ) throws(RatchetError) -> MessageSealer {
    guard let chain = sending else { throw .cannotSendYet }
    guard sentCount < .max else { throw .chainExhausted }
    let version = versions.current
    let enablesPQ = pq ?? enablesPQ
    let supportsPQ = supportsPQ || version >= E2EVersion.postQuantum && enablesPQ
    // A side that switches post-quantum encryption on announces the version that supports it.
    let maximumVersion = max(supportedVersion, pq == true ? E2EVersion.postQuantum : version)
    let step = KeyDerivation.chain(chain.chainKey)
    let header = MessageHeader(
      maximumVersion: maximumVersion, ratchetKey: ownKey.publicKey, kem: kem?.parameters,
      previousCount: previousSentCount, number: sentCount)
    let sealer = try MessageSealer(
      header, paddedTo: MessageHeader.paddedCount(version: version, supportsPQ: supportsPQ), version: version,
      headerKey: chain.headerKey, step: step, associatedData: associatedData)

    sending?.chainKey = step.chainKey
    sentCount += 1
    versions.maximum = maximumVersion
    self.enablesPQ = enablesPQ
    self.supportsPQ = supportsPQ
    // Even when switched off, the KEM's ciphertext stays in the headers of this chain: its keys depend on it, and this
    // message may arrive after later ones. (The reference implementation omits it from those.)
    return sealer
  }
}
