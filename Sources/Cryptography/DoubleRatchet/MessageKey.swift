import SimplexCrypto
import WireCodec

/// The key of one message: 32 bytes for AES-256-GCM and the 16-byte initialisation vector.
public struct MessageKey: Equatable, Sendable {
  /// The size of ``secret`` in bytes.
  public static let size = AESGCM.keySize + AESGCM.ratchetIVSize

  /// Key ‖ vector, ``size`` bytes.
  public let secret: SecretBytes

  /// A stored key; nil unless it has ``size`` bytes.
  public init?(secret: SecretBytes) {
    guard secret.count == Self.size else { return nil }
    self.secret = secret
  }

  init(unchecked secret: SecretBytes) { self.secret = secret }

  var key: RawSpan {
    @_lifetime(borrow self)
    get { secret.bytes.extracting(0..<AESGCM.keySize) }
  }

  var iv: RawSpan {
    @_lifetime(borrow self)
    get { secret.bytes.extracting(AESGCM.keySize..<Self.size) }
  }

  /// Decrypts a body and removes its padding.
  func open(_ body: RawSpan, tag: AuthTag, authenticating authenticated: [UInt8]) throws(RatchetError) -> [UInt8] {
    let padded: [UInt8]
    do throws(CryptoError) {
      padded = try AESGCM.open(body, tag: tag, key: key, iv: iv, authenticating: authenticated.span.bytes)
    } catch {
      throw error == .authenticationFailed ? .bodyNotAuthentic : RatchetError(error)
    }
    do throws(CryptoError) {
      return [UInt8](copying: try Padding.unpad(padded.span.bytes))
    } catch {
      throw RatchetError(error)
    }
  }
}

extension MessageKey {
  /// Key and vector, each after a 1-byte length, as the reference implementation stores them.
  static let referenceCodec = Codec<MessageKey>(
    decode: { (reader) throws(WireError) -> MessageKey in
      let key = try Codec.secret(AESGCM.keySize, after: UInt8.self).decode(&reader)
      let iv = try Codec.secret(AESGCM.ratchetIVSize, after: UInt8.self).decode(&reader)
      return MessageKey(unchecked: SecretBytes(joining: [key, iv]))
    },
    encode: { (key, writer) throws(WireError) in
      writer.append(UInt8(AESGCM.keySize))
      writer.append(key.key)
      writer.append(UInt8(AESGCM.ratchetIVSize))
      writer.append(key.iv)
    })
}
