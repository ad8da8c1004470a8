import SimplexCrypto
import WireCodec

/// The header of a message before encryption.
struct MessageHeader: Equatable {
  /// The highest version the sender supports.
  let maximumVersion: UInt16
  /// The sender's current key.
  let ratchetKey: X448.PublicKey
  let kem: KEMParameters?
  /// The number of messages in the sender's previous chain.
  let previousCount: UInt32
  /// The number of the message in its chain.
  let number: UInt32

  /// The form in the ratchet version of the reader or writer.
  static let codec = Codec<MessageHeader>.record(
    Field("maximumVersion", \.maximumVersion, .integer), Field("ratchetKey", \.ratchetKey, .der),
    Field("kem", \.kem, KEMParameters.codec.optional.since(E2EVersion.postQuantum, otherwise: nil)),
    Field("previousCount", \.previousCount, .integer), Field("number", \.number, .integer),
    build: { MessageHeader(maximumVersion: $0, ratchetKey: $1, kem: $2, previousCount: $3, number: $4) })

  /// The size that headers are padded to, with or without room for the keys of the KEM.
  static func paddedCount(version: UInt16, supportsPQ: Bool) -> Int {
    supportsPQ && version >= E2EVersion.postQuantum ? 2310 : 88
  }

  /// Reads a decrypted header. Bytes after the last field are reserved for future versions.
  init(padded: [UInt8], version: UInt16) throws(RatchetError) {
    guard let range = try? Padding.messageRange(in: padded.span.bytes) else { throw .unknownHeader }
    var reader = Reader(padded.span.bytes.extracting(range), version: version)
    do throws(WireError) {
      self = try Self.codec.decode(&reader)
    } catch {
      throw .malformed(error.within("header"))
    }
  }

  init(
    maximumVersion: UInt16, ratchetKey: X448.PublicKey, kem: KEMParameters?, previousCount: UInt32, number: UInt32
  ) {
    self.maximumVersion = maximumVersion
    self.ratchetKey = ratchetKey
    self.kem = kem
    self.previousCount = previousCount
    self.number = number
  }
}

/// The parts of an encrypted message, as views of its bytes.
struct EncryptedMessage: ~Escapable {
  /// The encrypted header, which the body's encryption authenticates.
  let header: RawSpan
  let tag: AuthTag
  let body: RawSpan

  @_lifetime(copy message)
  init(_ message: RawSpan) throws(RatchetError) {
    do throws(WireError) {
      var reader = Reader(message)
      header = try reader.shortOrLargeSpan()
      tag = try reader.authTag()
      body = reader.restSpan()
    } catch {
      throw .malformed(error)
    }
  }
}

/// The parts of an encrypted header.
struct EncryptedHeader: ~Escapable {
  /// The sender's current version, which determines the form of the header.
  let version: UInt16
  let iv: RawSpan
  let tag: AuthTag
  let body: RawSpan

  @_lifetime(copy header)
  init(_ header: RawSpan) throws(RatchetError) {
    do throws(WireError) {
      var reader = Reader(header)
      version = try reader.integer()
      iv = try reader.span(AESGCM.ratchetIVSize)
      tag = try reader.authTag()
      body = try reader.shortOrLargeSpan()
      try reader.finish()
    } catch {
      throw .malformed(error.within("header"))
    }
  }

  /// The header, or nil if it was not encrypted with this key.
  func open(with key: SecretBytes, authenticating associatedData: [UInt8]) throws(RatchetError) -> MessageHeader? {
    let padded: [UInt8]
    do throws(CryptoError) {
      padded = try AESGCM.open(body, tag: tag, key: key.bytes, iv: iv, authenticating: associatedData.span.bytes)
    } catch {
      guard error == .authenticationFailed else { throw RatchetError(error) }
      return nil
    }
    return try MessageHeader(padded: padded, version: version)
  }
}

extension Reader {
  /// Bytes after a 1-byte length, or a 2-byte one if its first byte is below 32: no header is that short, so that a
  /// receiver of any version can read the form of every other.
  @_lifetime(copy self) @_lifetime(self: copy self)
  mutating func shortOrLargeSpan() throws(WireError) -> RawSpan {
    guard let first = peek else { throw failure(.endOfInput) }
    let count = first < 32 ? Int(try integer(UInt16.self)) : Int(try byte())
    return try span(count)
  }

  @_lifetime(self: copy self)
  fileprivate mutating func authTag() throws(WireError) -> AuthTag {
    let bytes = try span(AuthTag.size)
    guard let tag = try? AuthTag(bytes) else { throw failure(.endOfInput) }
    return tag
  }
}
