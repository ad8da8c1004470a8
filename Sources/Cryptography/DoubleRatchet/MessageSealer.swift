import SimplexCrypto
import WireCodec

/// Encrypts the body of one message whose number in the ratchet and header are fixed.
///
/// It can be stored with a queued message, so that the same bytes are produced again after a restart. It must never
/// encrypt two different bodies.
public struct MessageSealer: Equatable, Sendable {
  /// The ratchet version of the message.
  public let version: UInt16
  let key: MessageKey
  /// Associated data of the ratchet ‖ encrypted header: the data that the body authenticates.
  let authenticated: [UInt8]
  /// The offset of the header in ``authenticated``.
  let headerStart: Int

  /// Encrypts the header.
  init(
    _ header: MessageHeader, paddedTo paddedCount: Int, version: UInt16, headerKey: SecretBytes,
    step: KeyDerivation.ChainStep, associatedData: [UInt8]
  ) throws(RatchetError) {
    self.version = version
    key = step.messageKey
    headerStart = associatedData.count
    var writer = Writer(version: version, capacity: associatedData.count + paddedCount + 40)
    writer.append(associatedData)
    writer.append(integer: version)
    writer.append(step.headerIV)
    let tagStart = writer.count
    writer.append(repeating: 0, count: AuthTag.size)
    writer.append(lengthOf: paddedCount, version: version)
    let bodyStart = writer.count
    do throws(WireError) {
      try writer.sized(UInt16.self) { (writer) throws(WireError) in try MessageHeader.codec.encode(header, &writer) }
    } catch {
      throw .malformed(error)
    }
    guard writer.count <= bodyStart + paddedCount else {
      throw .messageTooLong(limit: paddedCount - Padding.prefixSize)
    }
    writer.append(repeating: Padding.fill, count: bodyStart + paddedCount - writer.count)
    var bytes = (consume writer).finish()
    let tag = try bytes.seal(
      bodyStart..<bytes.count, key: headerKey.bytes, iv: step.headerIV, authenticating: associatedData)
    bytes.store(tag, at: tagStart)
    authenticated = bytes
  }

  /// The size of the encrypted message for bodies that are padded to `paddedCount` bytes.
  public func encryptedCount(paddedTo paddedCount: Int) -> Int {
    (version >= E2EVersion.postQuantum ? 2 : 1) + (authenticated.count - headerStart) + AuthTag.size + paddedCount
  }

  /// Encrypts the body, padded to `paddedCount` bytes (2 of them for its length).
  /// - Throws: `messageTooLong`.
  public func seal(_ body: RawSpan, paddedTo paddedCount: Int) throws(RatchetError) -> [UInt8] {
    var output: [UInt8] = []
    try seal(body, paddedTo: paddedCount, appendingTo: &output)
    return output
  }

  /// Encrypts the body at the end of `output`, where it is padded in place: its bytes are copied once.
  /// - Throws: `messageTooLong`; nothing is appended in this case.
  public func seal(
    _ body: RawSpan, paddedTo paddedCount: Int, appendingTo output: inout [UInt8]
  ) throws(RatchetError) {
    do throws(CryptoError) {
      try Padding.check(messageCount: body.byteCount, paddedCount: paddedCount)
    } catch {
      throw RatchetError(error)
    }
    var writer = Writer(reusing: consume output, version: version)
    writer.reserve(encryptedCount(paddedTo: paddedCount))
    writer.append(lengthOf: authenticated.count - headerStart, version: version)
    writer.append(authenticated.span.bytes.extracting(headerStart..<authenticated.count))
    let tagStart = writer.count
    writer.append(repeating: 0, count: AuthTag.size)
    let bodyStart = writer.count
    writer.append(integer: UInt16(truncatingIfNeeded: body.byteCount))
    writer.append(body)
    writer.append(repeating: Padding.fill, count: bodyStart + paddedCount - writer.count)
    output = (consume writer).finish()
    let tag = try output.seal(bodyStart..<output.count, key: key.key, iv: key.iv, authenticating: authenticated)
    output.store(tag, at: tagStart)
  }
}

extension MessageSealer: StoredSecret {
  /// 292 bytes, 2514 with room for post-quantum keys.
  public var storedCapacity: Int { authenticated.count + 64 }

  /// The form that the reference implementation also stores: version, associated data, key, header.
  public static let storedCodec = Codec<MessageSealer>(
    decode: { (reader) throws(WireError) -> MessageSealer in
      let version = try reader.integer(UInt16.self)
      let associatedData = try Codec<[UInt8]>.short.decode(&reader)
      let key = try MessageKey.referenceCodec.decode(&reader)
      let header = try Codec<[UInt8]>.large.decode(&reader)
      return MessageSealer(
        version: version, key: key, authenticated: associatedData + header, headerStart: associatedData.count)
    },
    encode: { (sealer, writer) throws(WireError) in
      writer.append(integer: sealer.version)
      try Codec<[UInt8]>.short.encode(Array(sealer.authenticated[..<sealer.headerStart]), &writer)
      try MessageKey.referenceCodec.encode(sealer.key, &writer)
      try Codec<[UInt8]>.large.encode(Array(sealer.authenticated[sealer.headerStart...]), &writer)
    })

  private init(version: UInt16, key: MessageKey, authenticated: [UInt8], headerStart: Int) {
    self.version = version
    self.key = key
    self.authenticated = authenticated
    self.headerStart = headerStart
  }
}

extension Writer {
  /// A length of 2 bytes from version 3 on, where headers can be long, and of 1 byte before.
  fileprivate mutating func append(lengthOf count: Int, version: UInt16) {
    if version >= E2EVersion.postQuantum {
      append(integer: UInt16(truncatingIfNeeded: count))
    } else {
      append(UInt8(truncatingIfNeeded: count))
    }
  }
}

extension [UInt8] {
  /// Encrypts a part of the array in place.
  fileprivate mutating func seal(
    _ range: Range<Int>, key: RawSpan, iv: RawSpan, authenticating authenticated: [UInt8]
  ) throws(RatchetError) -> AuthTag {
    do throws(CryptoError) {
      var bytes = mutableBytes
      var part = bytes._mutatingExtracting(range)
      return try AESGCM.seal(inPlace: &part, key: key, iv: iv, authenticating: authenticated.span.bytes)
    } catch {
      throw RatchetError(error)
    }
  }

  fileprivate mutating func store(_ tag: AuthTag, at position: Int) {
    tag.withUnsafeBytes { tag in
      withUnsafeMutableBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: bytes[position...]).copyMemory(from: tag)
      }
    }
  }
}
